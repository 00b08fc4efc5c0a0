"""`questions`, `handoff`, `check`, `why`, `undo`: what an item's documents say, and where it comes from."""

from __future__ import annotations

import sys
from itertools import count as count_from
from pathlib import Path
from typing import get_args

import click
from msgspec import to_builtins

from ...core.errors import RuleBroken
from ...core.text import clean_text
from ...project import HandOffForm
from .options import Flags, command, complete_item
from .output import count, one_line, tell

_QUESTION_FIELDS = ("file", "line", "resolver", "answer", "settled_by")


@command()
@click.argument("what", nargs=-1, metavar="[ITEM] [ANSWER]", shell_complete=complete_item)
@click.option("--answer", "number", type=int, metavar="N", help="Answer question N with ANSWER.")
@click.option("--all", "everything", is_flag=True, help="Also show what was answered or settled.")
def questions(flags: Flags, what: tuple[str, ...], number: int | None, everything: bool) -> None:
    """List the open questions of ITEM, or of all items, and answer them.

    `questions ITEM --answer 2 "Tablets"` answers the second. The answer is added, with its date, at the end
    of its section, and nothing is edited. The list is computed from the documents: what was answered, or what
    a later decision settles, disappears from it.
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
    data, lines = [], list[str]()
    for slug in slugs:
        numbers, before = count_from(1), len(lines)
        for each in project.list_questions(slug):
            position = next(numbers) if each.is_open else None
            if position or everything:
                fields = {field: getattr(each, field) or None for field in _QUESTION_FIELDS}
                data.append({"slug": slug, "number": position, "question": each.text, **fields})
                lines += [f"{slug}:"] * (len(lines) == before)
                lines.append(f"{f'{position}.' if position else '-':>4} {each.text}")
                answer = f"answered: {each.answer}" if each.answer else ""
                about = (f"{each.file}:{each.line}", each.resolver, answer, each.settled_by)
                lines.append(f"     {'; '.join(filter(None, about))}")
    if lines:
        item = slugs[0] if len(slugs) == 1 else "ITEM"
        lines.append(f"Answer one with: {project.command('questions', item, '--answer', 'N', 'ANSWER')}")
    nothing = "No question is open." if slugs else f"No items yet. {project.add_one}"
    flags.show_result(data, "\n".join(lines) or nothing)


@command(item="optional")
@click.option("--for", "form", type=click.Choice(get_args(HandOffForm)), default="page", help="Who reads it.")
@click.option("--out", metavar="FILE", help="Write to FILE. For spec-kit: a folder; default: specs/ITEM.")
@click.option(
    "--post",
    metavar="[ISSUE]",
    is_flag=False,
    flag_value="",
    help="Show the page, ask, and post it as a comment on the item's issue.",
)
def handoff(flags: Flags, item: str | None, form: HandOffForm, out: str | None, post: str | None) -> None:
    """Write one page for the developer who builds ITEM.

    It has the problem, decisions with reasons, requirements with criteria, places to touch, risks, the first
    failing test and open questions, each point with its source in the documents. An existing file is not
    overwritten. Without ITEM it uses the one that is open.
    """
    project, entry = flags.find_item(item)
    if post is not None and form == "spec-kit":
        raise RuleBroken("spec-kit's files are for the repository, not for a comment. Nothing was posted.")
    issue = project.find_issue(entry.slug, post) if post is not None else None
    place = Path(out) if out and post is None else None
    text, paths = project.write_hand_off(entry.slug, form, place)
    if issue is not None:
        named, comment = issue
        tell(text)
        if not sys.stdin.isatty():
            raise RuleBroken(f"Nothing was posted: run this at a terminal to confirm the comment on {named}.")
        yes = click.confirm(f"Post this as a comment on {clean_text(named)}?", err=True)
        tell(f"Posted: {comment(text)}" if yes else "Nothing was posted.")
        return
    data = {"slug": entry.slug, "for": form, "files": [str(path) for path in paths], "text": text}
    found = to_builtins(project.hand_off(entry.slug))
    wrote = "\n".join(f"Wrote {path}" for path in paths)
    flags.show_result(data | found.pop("parts") | found, wrote or text.removesuffix("\n"))


@command(item="optional")
def check(flags: Flags, item: str | None) -> int:
    """Check the documents of ITEM against each other and the rules.

    It checks references, criteria, citations, records, limits and markers, and with git, that no answer and
    no addition was ever lost. If there are problems, the exit status is 2; open questions and (unverified)
    marks are none.
    """
    project, entry = flags.find_item(item)
    report = project.check(entry.slug)
    lists = {"": report.problems, "open question: ": report.open_questions, "unverified: ": report.unverified}
    lines = [f"{e.file}:{e.line}: {kind}{e.text}" for kind, findings in lists.items() for e in findings]
    verdict = count(len(report.problems), "problem") if report.problems else "sound"
    versions = f" and compared with {count(report.versions, 'earlier version')}" if report.versions else ""
    lines.append(f"{count(len(report.files), 'file')} checked{versions}: {verdict}.")
    data = to_builtins(report)
    sound = {"slug": entry.slug, "sound": not report.problems, "history": data.pop("versions")}
    flags.show_result(sound | data, "\n".join(lines))
    return 2 if report.problems else 0


@command()
@click.argument("what", nargs=-1, required=True, metavar="[ITEM] FILE:LINE|TEXT")
def why(flags: Flags, what: tuple[str, ...]) -> None:
    """Show where a line comes from: who said what, in which turn.

    Name a line (`requirements-spec.md:34`) or a piece of text. This also works after somebody moved or edited
    the text, and then says so. Without ITEM it uses the one that is open.
    """
    project, entry, words = flags.split_item(what, least=1)
    texts, data = [], []
    for found in project.explain(entry.slug, " ".join(words)):
        data.append({"slug": entry.slug, **to_builtins(found)})
        lines = [f"{found.file}:{found.line}: {found.text}", found.origin, *found.remarks]
        lines += [f"turn {each.number}, {each.speaker}: {one_line(each.text, 0)}" for each in found.turns]
        lines += [f"See {found.transcript}"] if found.transcript else []
        texts.append("\n  ".join(lines))
    flags.show_result(data, "\n\n".join(texts))


@command()
@click.argument("what", nargs=-1, metavar="[ITEM] [N]", shell_complete=complete_item)
@click.option("--dry-run", is_flag=True, help="Show what would be removed, as a diff, and change nothing.")
@click.option("--force", is_flag=True, help="Remove the text even if it was edited since.")
@click.option("--yes", is_flag=True, help="Do not ask first.")
def undo(flags: Flags, what: tuple[str, ...], dry_run: bool, force: bool, yes: bool) -> None:
    """Take back the last elaboration of ITEM, or number N as `show` counts them.

    This removes its block from every document and changes nothing else; at a terminal it asks first. Text
    that was edited since stays unless you give --force. Record and transcript stay. Without ITEM it uses the
    one that is open.
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
    diff = {"diff": plan.show_diff()} if dry_run else {}
    told = (*diff.values(), *(f"{file} was edited since: {reason}." for file, reason in plan.edits))
    if not dry_run:
        plan, told = project.undo(slug, number, force=force)
    if not plan.changes and not plan.edits:
        told = (f"The elaboration of step {plan.step_id}, {plan.timestamp}, is in no document.",)
    data = {
        "slug": slug,
        "step": plan.step_id,
        "timestamp": plan.timestamp,
        "undone": not dry_run,
        "files": [change.name for change in plan.changes],
        "edited": [{"file": file, "reason": reason} for file, reason in plan.edits],
    }
    flags.show_result(data | diff, "\n".join(told))
