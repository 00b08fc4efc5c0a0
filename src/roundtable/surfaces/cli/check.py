"""`check`: whether the documents of an item hold together and keep to the rules."""

from __future__ import annotations

from dataclasses import asdict

import click

from .options import Command, Flags, complete_item
from .output import count, tell


@click.command(cls=Command)
@click.argument("item", required=False, shell_complete=complete_item)
@click.pass_context
def check(context: click.Context, item: str | None) -> int:
    """Check the documents of ITEM against each other and the rules.

    References, criteria, data, citations; records, turn limits, elaboration blocks and markers; with git,
    that no answer and no addition was ever taken away. Each finding is named with its file and line. If
    there are problems, the exit status is 2; open questions and what is marked (unverified) are none.
    """
    flags = context.ensure_object(Flags)
    if context.info_name == "validate":
        tell("`validate` is part of `check` now, so this is: roundtable check")
    project, entry = flags.find_item(item)
    report = project.check(entry.slug)
    lists = {
        "problems": report.problems,
        "open_questions": report.open_questions,
        "unverified": report.unverified,
    }
    rows = {key: [f"{each.file}:{each.line}: {each.text}" for each in found] for key, found in lists.items()}
    parts = ["\n".join(rows["problems"])] if report.problems else []
    if report.open_questions:
        parts.append("\n".join(["Open questions:", *rows["open_questions"]]))
    if report.unverified:
        places: dict[str, list[str]] = {}
        for each in report.unverified:
            places.setdefault(each.file, []).append(str(each.line))
        listed = (f"{name}: {count(len(at), 'line')} ({', '.join(at)})" for name, at in places.items())
        parts.append("\n".join(["Unverified:", *listed]))
    asked = f", {count(len(report.open_questions), 'open question')}" if report.open_questions else ""
    verdict = count(len(report.problems), "problem") if report.problems else "sound"
    compared = f" and compared with {count(report.versions, 'earlier version')}" if report.versions else ""
    parts.append(f"{count(len(report.files), 'file')} checked{compared}: {verdict}{asked}.")
    flags.show_result(
        {
            "slug": entry.slug,
            "sound": not report.problems,
            "files": list(report.files),
            "history": report.versions,
            **{key: [asdict(each) for each in found] for key, found in lists.items()},
        },
        "\n\n".join(parts) if report.files or report.problems else "No step has written anything yet.",
    )
    return 2 if report.problems else 0
