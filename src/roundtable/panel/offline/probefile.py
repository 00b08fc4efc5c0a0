"""Probe files: `[[probe]]`, `[[topic]]`, `[[stock]]` and `[places]` in TOML, read strictly.

The built-in ones are in `content/probes`; a project adds its own in `.roundtable/probes/*.toml`, and a probe
with a known id replaces the built-in one. A bad entry is named with file, entry and reason; the rest is used.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from ...content.problem import Problem, UnusableError, printable
from ...content.source import Source, read
from ...core.steps import DEPTHS
from ...core.words import folded
from . import probeentries as entries
from .entryfields import listed, table
from .probes import ANYBODY, Library, Probe
from .replybook import Reply
from .replyfile import BUILT_IN_REPLIES, read_replies, replies_with
from .shelf import BUILT_IN as BUILT_IN
from .shelf import LEXICON, shelf

_SECTIONS = frozenset(
    {"probe", "topic", "stock", "places", "vocabulary", "roles", "reply", "concepts", "shape"}
)
_SHOWN = ".roundtable/probes"
_Made = TypeVar("_Made")


def read_probes(project: Path | None = None) -> tuple[tuple[Probe, ...], tuple[Problem, ...]]:
    """All probes in use, and what is wrong with their files."""
    library, problems = read_library(project, strict=True)
    return library.probes, problems


def read_own(project: Path) -> tuple[tuple[Probe, ...], tuple[Reply, ...], tuple[Problem, ...]]:
    """A project's own probes and replies, and what is wrong with their files."""
    own = _read_folder(_folder(project), _SHOWN, [], Library())
    replies = read_replies(_folder(project), _SHOWN)[0].replies
    return own.probes, replies, read_library(project, strict=True)[1]


def read_library(project: Path | None = None, *, strict: bool = False) -> tuple[Library, tuple[Problem, ...]]:
    """Everything that the panel knows, and what is wrong with the files that say it.

    The expressions of the built-in files are tried only where `strict`: compiling them all takes longer than
    a discussion needs most of them.
    """
    problems: list[Problem] = []
    library = _read_folder(BUILT_IN, "probes", problems, Library()) if strict else _read_shelf()
    if project is not None:
        built_in = {id(each) for each in library.probes}
        library = _read_folder(_folder(project), _SHOWN, problems, library)
        if any(id(each) not in built_in for each in library.probes):
            own = (each if id(each) in built_in else replace(each, own=True) for each in library.probes)
            library = replace(library, probes=tuple(own))
        if strict:
            problems += _unspoken(library, project)
    own_replies = _folder(project) if project is not None else None
    library = replace(library, replies=partial(replies_with, own_replies))
    if strict:
        problems += _unasked(library, project)
        problems += read_replies(BUILT_IN_REPLIES, "replies")[1]
        problems += read_replies(own_replies, _SHOWN)[1] if own_replies else ()
    known = {probe.id for probe in library.probes}
    problems += [
        Problem("probes", probe.id, f"opposes '{probe.opposes}', which is no probe", skipped=False)
        for probe in library.probes
        if probe.opposes and probe.opposes not in known
    ]
    return library, tuple(problems)


def _folder(project: Path) -> Path:
    return project.resolve() / ".roundtable" / "probes"


def _unspoken(library: Library, project: Path) -> Iterator[Problem]:
    """The project's probes and replies of somebody who is not at the table."""
    from ...content.catalogue import load_roster

    keys = load_roster(project).keys
    spoken = [(f"{probe.id}, persona", probe.persona) for probe in library.probes if probe.own]
    replies = read_replies(_folder(project), _SHOWN)[0].replies
    spoken += [(f"reply {reply.id}", persona) for reply in replies for persona in reply.says]
    for place, persona in spoken:
        if persona not in (*keys, ANYBODY):
            reason = f"'{persona}' is nobody at the table; there are {', '.join(keys)}"
            yield Problem(_SHOWN, place, reason, skipped=False)


def _unasked(library: Library, project: Path | None) -> Iterator[Problem]:
    """The probes that wait for the answer to a question which no step asks."""
    from ...content.catalogue import load_steps

    steps = load_steps(project)
    for probe in library.probes:
        labels = {
            folded(question.label)
            for step in steps
            if probe.fits(step.step_id)
            for depth in DEPTHS
            for question in step.questions(depth)
        }
        if probe.answer and folded(probe.answer) not in labels:
            where = f"in {', '.join(probe.steps)}" if probe.steps else "in any step"
            reason = f"'{probe.answer}' is the label of no question {where}"
            yield Problem("probes", f"probe {probe.id}, answer", reason, skipped=False)


def parse(text: str) -> tuple[Library, tuple[Problem, ...]]:
    """What one probe file says, on its own."""
    problems: list[Problem] = []
    library = _joined(Library(), tomllib.loads(text), "probes", problems, entries.tried_probe)
    return library, tuple(problems)


def _read_shelf() -> Library:
    """The built-in files as they stand; that they are sound is checked with the program, not by its users."""
    kept = shelf(BUILT_IN)
    library = Library(needles=kept.needles)
    for name, tables in kept.tables.items():
        if name != LEXICON and tables is not None:
            library = _joined(library, tables, f"probes/{name}", [], entries.probe)
    return library


def _read_folder(folder: Path, shown: str, problems: list[Problem], library: Library) -> Library:
    try:
        names = sorted(entry.name for entry in folder.iterdir() if entry.suffix == ".toml")
    except (FileNotFoundError, NotADirectoryError):
        return library
    except OSError as error:
        problems.append(Problem(shown, "", f"the folder cannot be read ({error.strerror})", skipped=True))
        return library
    for name in names:
        if name == LEXICON and folder == BUILT_IN:
            continue
        source = Source(folder / name, f"{shown}/{printable(name)}")
        try:
            tables = tomllib.loads(read(source, folder))
        except tomllib.TOMLDecodeError as error:
            problems.append(Problem(source.shown, "", f"is not sound TOML: {error}", skipped=True))
        except UnusableError as error:
            problems.append(Problem(source.shown, error.field, error.reason, skipped=True))
        else:
            library = _joined(library, tables, source.shown, problems, entries.tried_probe)
    return library


def _joined(
    library: Library,
    tables: Mapping[str, object],
    shown: str,
    problems: list[Problem],
    probe: Callable[[Mapping[str, object]], Probe],
) -> Library:
    strange = sorted(set(tables) - _SECTIONS)
    problems += [Problem(shown, name, "is not known here and is ignored", skipped=False) for name in strange]
    probes = tuple(_made(tables, "probe", shown, problems, probe))
    replaced = {each.id for each in probes}
    return replace(
        library,
        probes=(*(each for each in library.probes if each.id not in replaced), *probes),
        topics=(*library.topics, *_made(tables, "topic", shown, problems, entries.topic)),
        stock=(
            *library.stock,
            *(line for each in _made(tables, "stock", shown, problems, entries.stock) for line in each),
        ),
        roles={**library.roles, **entries.roles(tables.get("roles"), shown, problems)},
        places={**library.places, **entries.places(tables.get("places"), shown, problems)},
        vocabulary={**library.vocabulary, **entries.vocabulary(tables.get("vocabulary"), shown, problems)},
    )


def _made(
    tables: Mapping[str, object],
    section: str,
    shown: str,
    problems: list[Problem],
    make: Callable[[Mapping[str, object]], _Made],
) -> Iterator[_Made]:
    """Every entry of a section that can be used; a problem for every other."""
    for number, entry in enumerate(listed(tables.get(section, [])), 1):
        name = str(entry.get("id") or entry.get("use") or number) if isinstance(entry, dict) else str(number)
        try:
            yield make(table(entry, section))
        except UnusableError as error:
            place = f"{section} {name}" + (f", {error.field}" if error.field else "")
            problems.append(
                Problem(shown, place, f"{error.reason}; this {section} is left out", skipped=False)
            )
