"""`questions`: what the documents leave open, who can resolve it, and the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ...core.errors import RuleBroken
from ...project import Project
from .options import Command, Flags, ask_user, complete_item
from .output import NO_ITEMS, command, put_text

if TYPE_CHECKING:
    from ...documents.questions import OpenQuestion


@click.command(cls=Command)
@click.argument("item", required=False, shell_complete=complete_item)
@click.argument("text", nargs=-1, metavar="[ANSWER]")
@click.option("--answer", "number", type=int, metavar="N", help="Answer question N with ANSWER.")
@click.option(
    "--all", "everything", is_flag=True, help="Show also what was answered, or settled by a decision."
)
@click.pass_obj
def questions(
    flags: Flags, item: str | None, text: tuple[str, ...], number: int | None, everything: bool
) -> None:
    """List the open questions of ITEM, or of all items, and answer them.

    \b
    roundtable questions ITEM                       the list, with numbers; at a terminal it asks for answers
    roundtable questions ITEM --answer 2 "Tablets"  answers the second

    An answer is added, with its date, right below its question or the text of its step. Nothing that was
    written is edited: what is open is computed from the documents, so that an answered question, or one that
    a later decision settles, is gone from the list.
    """
    project = flags.open_project()
    if number is not None:
        _answer(flags, project, item, number, " ".join(text))
        return
    if text:
        raise click.UsageError("Give --answer N with an answer.")
    slugs = [each.slug for each in project.items()] if item is None else [project.find_item(item).slug]
    found = {slug: _list(project, slug, everything) for slug in slugs}
    rows = [_describe(slug, number, each) for slug, listed in found.items() for number, each in listed]
    texts = [_show(slug, listed) for slug, listed in found.items() if listed]
    nothing = "No question is open." if slugs else NO_ITEMS
    flags.show_result(rows, "\n\n".join(texts) or nothing)
    if len(slugs) == 1 and texts and flags.can_ask():
        _ask_for_answers(project, slugs[0])


def _list(project: Project, slug: str, everything: bool) -> list[tuple[int | None, OpenQuestion]]:
    """Return the questions to show, the open ones with their numbers."""
    numbers = iter(range(1, 10_000))
    found = [(next(numbers) if each.is_open else None, each) for each in project.list_questions(slug)]
    return [(number, each) for number, each in found if everything or number is not None]


def _answer(flags: Flags, project: Project, item: str | None, number: int, answer: str) -> None:
    if not answer and item is not None:
        answer, item = item, None  # ITEM may be left out
    slug = project.choose_item(item).slug
    question, file = project.answer_question(slug, number, answer)
    flags.show_result(
        {"slug": slug, "question": question.text, "answer": answer, "file": file},
        f"Answered in {file}: {question.text}",
    )


def _ask_for_answers(project: Project, slug: str) -> None:
    """Ask which question to answer, and for the answer, until Enter alone leaves."""
    while True:
        words = ask_user("Answer which one? (Enter leaves)").strip()
        if not words:
            return
        if not words.isdecimal():
            put_text("Give the number of a question.")
            continue
        try:
            answer = ask_user("Answer (Enter leaves)")
            if not answer.strip():
                return
            question, file = project.answer_question(slug, int(words[:6]), answer)
            left = _list(project, slug, everything=False)
            put_text(f"Answered in {file}: {question.text}\n\n{_show(slug, left) if left else ''}".strip())
        except RuleBroken as refused:
            put_text(str(refused))
            continue
        if not left:
            return


def _describe(slug: str, number: int | None, question: OpenQuestion) -> dict[str, Any]:
    return {
        "slug": slug,
        "number": number,
        "file": question.file,
        "line": question.line,
        "question": question.text,
        "resolver": question.resolver or None,
        "answer": question.answer or None,
        "settled_by": question.settled_by or None,
    }


def _show(slug: str, listed: list[tuple[int | None, OpenQuestion]]) -> str:
    lines = [f"{slug}: answer one with {command('questions', slug, '--answer', 'N')} ANSWER"]
    for number, each in listed:
        lines.append(f"{f'{number:>3}.' if number else '   -'} {each.text}")
        lines.append(f"     {each.file}:{each.line}" + (f"; {each.resolver}" if each.resolver else ""))
        lines += [f"     answered: {each.answer}"] if each.answer else []
        lines += [f"     settled by: {each.settled_by}"] if each.settled_by and not each.answer else []
    return "\n".join(lines)
