"""A hostile repository: every trick that was ever tried on us, in a harmless form that only leaves a marker.

A trick is one function in TRICKS; it gets the repository as it stands so far.
To try a new one, add a function.
Nothing here does harm: a program that is run makes the marker, a key that is sent reaches a listener of ours.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gitproject import commit, git, write
from project import ANSWERS, project, small_steps, talk

ITEM = "renew-loans"
BARE_ITEM = "bare-item"
FORGED_ITEM = "forged"
PRIVATE = "private words"
OPTION_NAME = "--model=command:touch marker"
SHELL_NAME = "$(touch marker)"
_DRAFT = "# Renew loans\n\nReaders renew their loans at the desk.\n"


@dataclass(frozen=True, slots=True)
class Hostile:
    """The repository, the file that no trick may make, and the folder beside it that must stay as it is."""

    root: Path
    marker: Path
    outside: Path
    address: str

    @property
    def program(self) -> Path:
        """A program that makes the marker, committed with the project."""
        return self.root / "notes.sh"

    @property
    def items(self) -> Path:
        return self.root / "docs" / "requirements"


def build_hostile(tmp_path: Path, address: str, tricks: tuple[Trick, ...] | None = None) -> Hostile:
    """Make the repository with the tricks; `address` is where a stolen key would go."""
    hostile = Hostile(tmp_path / "clone", tmp_path / "marker", tmp_path / "outside", address)
    write(
        hostile.outside, {"private.txt": f"{PRIVATE}\n", "folder/kept.jsonl": "{}\n", "item/draft.md": _DRAFT}
    )
    hostile.root.mkdir()
    git(hostile.root, "init", "-q", "-b", "main")
    write(hostile.root, {
        f"docs/requirements/{ITEM}/draft.md": _DRAFT,
        f"docs/requirements/{ITEM}/quick-scan.md": "# Quick Scan\n\nReaders wait at the desk.\n",
        "library/loans.py": "def renew(loan):\n    return loan\n",
    })  # fmt: skip
    hostile.program.write_text(f"#!/bin/sh\n: > '{hostile.marker}'\n")
    hostile.program.chmod(0o755)
    commit(hostile.root, "First import")
    for trick in TRICKS if tricks is None else tricks:
        trick(hostile)
    return hostile


Trick = Callable[[Hostile], None]


def bare_repository_as_item(hostile: Hostile) -> None:
    """An item's folder that git takes for a repository whose settings check signatures by our program."""
    folder = hostile.items / BARE_ITEM
    git(hostile.root, "init", "-q", "--bare", str(folder))
    write(folder, {"draft.md": _DRAFT, "quick-scan.md": "# Quick Scan\n\nReaders wait.\n"})
    # git keeps no empty folders, and neither does a clone
    shutil.rmtree(folder / "hooks", ignore_errors=True)
    signed = (
        f"tree {git(hostile.root, 'write-tree').strip()}\n"
        "author Ada <ada@example.org> 1750000000 +0000\ncommitter Ada <ada@example.org> 1750000000 +0000\n"
        "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----\n\nSigned\n"
    )
    path = hostile.root.parent / "signed"
    path.write_text(signed)
    made = git(folder, "hash-object", "-t", "commit", "-w", "--literally", str(path)).strip()
    path.unlink()
    git(folder, "update-ref", "refs/heads/main", made)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    _configure(hostile, folder / "config")


def settings_of_the_repository(hostile: Hostile) -> None:
    """A `.git/config`, as an archive may bring it: each setting that names a program names ours."""
    _configure(hostile, hostile.root / ".git" / "config")
    write(hostile.root, {".gitattributes": "* diff=notes filter=notes\n"})
    hooks = hostile.root / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman"):
        shutil.copy(hostile.program, hooks / name)


def missing_objects(hostile: Hostile) -> None:
    """A document's earlier version is missing, and git is told to fetch it through our program."""
    quick = hostile.items / ITEM / "quick-scan.md"
    blob = git(hostile.root, "rev-parse", f"HEAD:docs/requirements/{ITEM}/quick-scan.md").strip()
    (hostile.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    quick.write_text("# Quick Scan\n\nNobody waits.\n")


def settings_of_the_project(hostile: Hostile) -> None:
    """Settings that would run a program and send the key to an address of the project's choice."""
    command = f"command:sh -c 'AUTH=1; {hostile.program}'"
    write(hostile.root, {
        "roundtable.toml": f'model = ["{command}", "any"]\n'
        f'base_url = "{hostile.address}/v1"\napi_key = "ROUNDTABLE_API_KEY"\n',
        "pyproject.toml": f'[tool.roundtable]\nmodel = "{command}"\nbase_url = "{hostile.address}/v1"\n',
    })  # fmt: skip


def names_that_are_commands(hostile: Hostile) -> None:
    """Folders whose names are options to us or orders to a shell."""
    for name in (OPTION_NAME, SHELL_NAME, "a;touch marker", "`touch marker`"):
        write(hostile.items / name, {"draft.md": _DRAFT})


def linked_export_folders(hostile: Hostile) -> None:
    """Links in place of the folders that an export makes."""
    for name in ("roundtable-claude-code", "roundtable-gemini"):
        _link(hostile.root / name, hostile.outside / "folder")


def links_below_an_export(hostile: Hostile) -> None:
    """Links in place of the folders that an export writes into the project."""
    for name in (".codex", ".cursor", ".agents"):
        _link(hostile.root / name, hostile.outside / "folder")


def links_to_read_through(hostile: Hostile) -> None:
    """A draft, a document and a transcript that are links to a private file outside."""
    for name in ("draft.md", "quick-scan.md", "elaborations/00-01-1.md"):
        _link(hostile.items / "private-draft" / name, hostile.outside / "private.txt")
    write(hostile.items / "private-draft", {"requirements-spec.md": "# Requirements\n"})


def links_to_write_through(hostile: Hostile) -> None:
    """A meta.json, an item, a journal and a lock that are links to what lies outside."""
    _link(hostile.items / "linked-item", hostile.outside / "item")
    for name, link, target in (
        ("linked-meta", "meta.json", "meta.json"),
        ("linked-journal", ".journal", "folder"),
        ("linked-lock", ".journal/item.lock", "private.txt"),
        ("linked-talks", "elaborations", "folder"),
    ):
        write(hostile.items / name, {"draft.md": _DRAFT})
        _link(hostile.items / name / link, hostile.outside / target)


def forged_journal(hostile: Hostile) -> None:
    """A committed journal of an open discussion, on a step whose id leads out of the project."""
    root, item = project(hostile.root.parent / "scratch")
    small_steps(root)
    talk(root, item, [*ANSWERS, "E", "We go with the desk."])
    forged = f"{'../' * 5}{hostile.outside.name}/forged"
    assert list((item / ".journal").glob("*.jsonl")), "there is no open discussion to forge"
    for path in (item / "meta.json", *(item / ".journal").glob("*.jsonl")):
        path.write_text(path.read_text().replace("00-01", forged))
    shutil.copytree(item, hostile.items / FORGED_ITEM)
    shutil.rmtree(root)


PROGRAM_TRICKS: tuple[Trick, ...] = (
    bare_repository_as_item,
    missing_objects,
    settings_of_the_project,
    names_that_are_commands,
    linked_export_folders,
    settings_of_the_repository,
)
LINK_TRICKS: tuple[Trick, ...] = (
    links_to_read_through,
    links_to_write_through,
    links_below_an_export,
    forged_journal,
)
TRICKS: tuple[Trick, ...] = (*LINK_TRICKS, *PROGRAM_TRICKS)


def _configure(hostile: Hostile, config: Path) -> None:
    """Add to a repository's settings whatever makes git run a program."""
    run = hostile.program
    config.write_text(
        config.read_text()
        + f"""
[log]
	showSignature = true
[gpg]
	program = {run}
[gpg "ssh"]
	program = {run}
[core]
	fsmonitor = {run}
	pager = {run}
	editor = {run}
	sshCommand = {run}
	hooksPath = {run.parent}/.git/hooks
	askPass = {run}
[pager]
	log = {run}
	show = {run}
[diff]
	external = {run}
[diff "notes"]
	command = {run}
	textconv = {run}
[filter "notes"]
	clean = {run}
	smudge = {run}
	process = {run}
[credential]
	helper = {run}
[protocol]
	allow = always
[protocol "ext"]
	allow = always
[protocol "file"]
	allow = always
[extensions]
	partialClone = origin
[remote "origin"]
	url = {run.parent}
	uploadpack = {run}
	promisor = true
"""
    )


def _link(path: Path, target: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)
