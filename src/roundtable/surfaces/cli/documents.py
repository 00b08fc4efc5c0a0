"""`questions`, `handoff`, `check`, `why`, `undo`: what an item's documents say, and where it comes from."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import count as count_from
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import to_builtins

from ...core.errors import RuleBroken
from ...project import HandOffForm, Project
from .options import Command, Flags, complete_item, confirm
from .output import count, tell

if TYPE_CHECKING:
    from ...documents.checks import CheckFinding
    from ...documents.questions import OpenQuestion
    from ...store.provenance import LineOrigin

_QUESTION_FIELDS = ("file", "line", "resolver", "answer", "settled_by")


@click.command(cls=Command)
@click.argument("what", nargs=-1, metavar="[ITEM] [ANSWER]", shell_complete=complete_item)
@click.option("--answer", "number", type=int, metavar="N", help="Answer question N with ANSWER.")
@click.option("--all", "everything", is_flag=True, help="Also show what was answered or settled.")
@click.pass_obj
def questions(flags: Flags, what: tuple[str, ...], number: int | None, everything: bool) -> None:
    """List the open questions of ITEM, or of all items, and answer them.

    \b
    roundtable questions ITEM                       the list, with numbers
    roundtable questions ITEM --answer 2 "Tablets"  answers the second

    An answer is added, with its date, right below its question or the text of its step. Existing text is not
    edited. The list is computed from the documents: a question that was answered, or that a later decision
    settles, disappears from it.
    """
    if number is not None:
        project, entry, words = flags.split_item(what, least=1)
        answer = " ".join(words)
        question, file = project.answer_question(entry.slug, number, answer)
        flags.show_result(
            {"slug": entry.slug, "question": question.text, "answer": answer, "file": file},
            f"Answered in {file}: {question.text}",
        )
        return
    if len(what) > 1:
        raise click.UsageError("Use --answer N to answer a question.")
    project = flags.open_project()
    slugs = [project.find_item(what[0]).slug] if what else [each.slug for each in project.items()]
    data: list[dict[str, object]] = []
    texts = []
    for slug in slugs:
        numbers = count_from(1)
        found = [(next(numbers) if each.is_open else None, each) for each in project.list_questions(slug)]
        shown = [(number, each) for number, each in found if everything or each.is_open]
        for number, each in shown:
            fields = {field: getattr(each, field) or None for field in _QUESTION_FIELDS}
            data.append({"slug": slug, "number": number, "question": each.text, **fields})
        if shown:
            texts.append(_describe_questions(project, slug, shown))
    nothing = "No question is open." if slugs else f"No items yet. {project.add_one}"
    flags.show_result(data, "\n\n".join(texts) or nothing)


def _describe_questions(project: Project, slug: str, shown: Iterable[tuple[int | None, OpenQuestion]]) -> str:
    lines = [f"{slug}: answer one with {project.command('questions', slug, '--answer', 'N', 'ANSWER')}"]
    for number, each in shown:
        mark = f"{number}." if number else "-"
        lines.append(f"{mark:>4} {each.text}")
        lines.append(f"     {each.file}:{each.line}" + (f"; {each.resolver}" if each.resolver else ""))
        if each.answer:
            lines.append(f"     answered: {each.answer}")
        elif each.settled_by:
            lines.append(f"     settled by: {each.settled_by}")
    return "\n".join(lines)


@click.command(cls=Command)
@click.argument("item", required=False, shell_complete=complete_item)
@click.option(
    "--for",
    "form",
    type=click.Choice(("page", "agent", "pr", "spec-kit")),
    default="page",
    help="A page, a prompt for a coding agent, a pull request text, or spec-kit's files.",
)
@click.option("--out", metavar="FILE", help="Write to FILE. For spec-kit: a folder; default: specs/ITEM.")
@click.option(
    "--post",
    metavar="[ISSUE]",
    is_flag=False,
    flag_value="",
    help="Show the page, ask, and post it as a comment on the item's issue.",
)
@click.pass_obj
def handoff(flags: Flags, item: str | None, form: HandOffForm, out: str | None, post: str | None) -> None:
    """Write one page for the developer who builds ITEM.

    It has the problem, decisions with reasons, findings in the code, requirements with priorities and
    criteria, fixed points and conditions, places to touch, risks, the first failing test, action items and
    open questions. All of it comes from the documents, each point with its source. An existing file is not
    overwritten. Without ITEM it uses the one that is open.
    """
    project, entry = flags.find_item(item)
    if post is not None and form == "spec-kit":
        raise RuleBroken("spec-kit's files are for the repository, not for a comment. Nothing was posted.")
    issue = project.find_issue(entry.slug, post) if post is not None else None
    place = Path(out) if out and post is None else None
    is_shown = post is None and not flags.json and bool(sys.stdout and sys.stdout.isatty())
    text, paths = project.write_hand_off(entry.slug, form, place, as_typed=is_shown)
    if links := sorted(path.name for path in entry.folder.glob("*.*") if path.is_symlink()):
        tell(f"Links are not followed, so these were left out: {', '.join(links)}.")
    if issue is not None:
        named, comment = issue
        tell(text)
        if not sys.stdin.isatty():
            raise RuleBroken(f"Nothing was posted: run this at a terminal to confirm the comment on {named}.")
        yes = confirm(f"Post this as a comment on {named}?")
        tell(f"Posted: {comment(text)}" if yes else "Nothing was posted.")
        return
    data = {"slug": entry.slug, "for": form, "files": [str(path) for path in paths], "text": text}
    flags.show_result(
        data | to_builtins(project.hand_off(entry.slug)),
        "\n".join(f"Wrote {path}" for path in paths) or text.removesuffix("\n"),
    )


@click.command(cls=Command)
@click.argument("item", required=False, shell_complete=complete_item)
@click.pass_obj
def check(flags: Flags, item: str | None) -> int:
    """Check the documents of ITEM against each other and the rules.

    It checks references, criteria, data and citations; records, turn limits, elaboration blocks and markers;
    and with git, that no answer and no addition was ever lost. Each finding has its file and line. If there
    are problems, the exit status is 2. Open questions and (unverified) marks do not count as problems.
    """
    project, entry = flags.find_item(item)
    report = project.check(entry.slug)
    parts = [_list_findings(report.problems)]
    if report.open_questions:
        parts.append(f"Open questions:\n{_list_findings(report.open_questions)}")
    if report.unverified:
        parts.append(f"Unverified:\n{_list_findings(report.unverified)}")
    asked = f", {count(len(report.open_questions), 'open question')}" if report.open_questions else ""
    verdict = count(len(report.problems), "problem") if report.problems else "sound"
    versions = f" and compared with {count(report.versions, 'earlier version')}" if report.versions else ""
    parts.append(f"{count(len(report.files), 'file')} checked{versions}: {verdict}{asked}.")
    text = "\n\n".join(filter(None, parts))
    if not report.files and not report.problems:
        text = "No step has written anything yet."
    data = to_builtins(report)
    sound = {"slug": entry.slug, "sound": not report.problems, "history": data.pop("versions")}
    flags.show_result(sound | data, text)
    return 2 if report.problems else 0


def _list_findings(findings: Iterable[CheckFinding]) -> str:
    return "\n".join(f"{each.file}:{each.line}: {each.text}" for each in findings)


@click.command(cls=Command)
@click.argument(
    "what", nargs=-1, required=True, metavar="[ITEM] FILE:LINE|TEXT", shell_complete=complete_item
)
@click.pass_obj
def why(flags: Flags, what: tuple[str, ...]) -> None:
    """Show where a line comes from: who said what, in which turn.

    \b
    roundtable why requirements-spec.md:34          a line of a document
    roundtable why "never all loans of the number"  every line with this text
    roundtable why elaborations/01-03-1.md:48       what a turn of a transcript led to

    This also works after somebody moved or edited the text, and then says so. A line that comes from no
    discussion comes from an answer, feedback, a step, or an edit by hand. Without ITEM it uses the one that
    is open.
    """
    project = flags.open_project()
    path = Path(" ".join(what)).absolute()
    # A path from here names its item, as an editor or grep gives it.
    inside = next((each for each in project.items() if path.is_relative_to(each.folder.absolute())), None)
    if inside is not None:
        slug, where = inside.slug, str(path.relative_to(inside.folder.absolute()))
    else:
        _, entry, words = flags.split_item(what, least=1)
        slug, where = entry.slug, " ".join(words)
    found = project.explain(slug, where)
    data = [{"slug": slug, **to_builtins(each)} for each in found]
    flags.show_result(data, "\n\n".join(map(_describe_origin, found)))


def _describe_origin(found: LineOrigin) -> str:
    lines = [f"{found.file}:{found.line}: {found.text}", f"  {found.origin}"]
    lines += [f"  {remark}" for remark in found.remarks]
    lines += [f"  turn {turn.number}, {turn.speaker}: {' '.join(turn.text.split())}" for turn in found.turns]
    return "\n".join([*lines, f"  See {found.transcript}"] if found.transcript else lines)


@click.command(cls=Command)
@click.argument("what", nargs=-1, metavar="[ITEM] [N]", shell_complete=complete_item)
@click.option("--dry-run", is_flag=True, help="Show what would be removed, as a diff, and change nothing.")
@click.option("--force", is_flag=True, help="Remove the text even if it was edited since.")
@click.option("--yes", is_flag=True, help="Do not ask first.")
@click.pass_obj
def undo(flags: Flags, what: tuple[str, ...], dry_run: bool, force: bool, yes: bool) -> None:
    """Take back the last elaboration of ITEM, or number N as `show` counts them.

    This removes its block from every document and changes nothing else. Text that was edited since stays
    unless you give --force. The record and the transcript stay; meta.json notes what was undone. At a
    terminal it says what it will remove, and asks first. Without ITEM it uses the one that is open.
    """
    project, entry, words = flags.split_item(what)
    if len(words) > 1 or not all(word.isdecimal() and len(word) < 6 for word in words):
        raise click.UsageError(f"Name an item and a number, not {' '.join(what)[:80]}.")
    slug, number = entry.slug, int(words[0]) if words else None
    plan = project.plan_undo(slug, number)
    if flags.can_ask() and not dry_run:
        taken = f"This takes the discussion of step {plan.step_id} out of {slug}:"
        entries = plan.list_entries() or ("(it has no entries there)",)
        flags.require_yes(yes, "\n".join([taken, *entries]), "Nothing was taken back.")
    if dry_run:
        told = (plan.show_diff(), *(f"{file} was edited since: {reason}." for file, reason in plan.edits))
    else:
        plan, told = project.undo(slug, number, force=force)
    if not plan.changes and not plan.edits:
        end = "." if dry_run else "; it is noted as undone."
        told = (f"The elaboration of step {plan.step_id}, {plan.timestamp}, is in no document{end}",)
    data = {
        "slug": slug,
        "step": plan.step_id,
        "timestamp": plan.timestamp,
        "undone": not dry_run,
        "files": [change.name for change in plan.changes],
        "edited": [{"file": file, "reason": reason} for file, reason in plan.edits],
    }
    flags.show_result(data | ({"diff": plan.show_diff()} if dry_run else {}), "\n".join(told))
