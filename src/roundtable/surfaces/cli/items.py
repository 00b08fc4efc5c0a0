"""The commands on items: add and remove them, show their progress, and explain their documents."""

import sys
from itertools import count as count_from
from pathlib import Path
from typing import get_args

import click
from msgspec import to_builtins

from ...core.errors import RuleBroken, TrackerFailed
from ...project import HandOffForm, ItemStatus, Project
from .output import count, is_at_screen, one_line, pairs, table, tell
from .program import Flags, ask_user, command, complete_item, confirm

_QUESTION_FIELDS = ("file", "line", "resolver", "answer", "settled_by")


@command()
@click.argument("text", nargs=-1, required=True)
@click.option("--title", help="The item's title; then an issue is not looked up in its tracker.")
def add(flags: Flags, text: tuple[str, ...], title: str | None) -> None:
    """Add an item described by TEXT; its first line is the title."""
    words = " ".join(text)
    if words == "-":
        words = sys.stdin.buffer.read().decode("utf-8", "replace") if sys.stdin else ""
        if not words.strip():
            raise RuleBroken("There was no text on stdin. Nothing was added.")
    project = flags.open_project()
    try:
        entry = project.add_item(words, title=title)
    except TrackerFailed as failure:
        if not flags.can_ask():
            raise
        tell(str(failure))
        if not (title := ask_user("Title (Enter leaves)").strip()):
            raise RuleBroken("No title was given, so nothing was added.") from failure
        entry = project.add_item(words, title=title)
    data = {"slug": entry.slug, "title": entry.title, "folder": str(entry.folder)}
    go_on = project.command("analyze", entry.slug)
    flags.show_result(data, f"Added {entry.slug}: {entry.title}\nGo on with: {go_on}")


@command("list")
def list_backlog(flags: Flags) -> None:
    """List the items and how far each is."""
    from shutil import get_terminal_size  # late: it loads every kind of archive

    project = flags.open_project()
    rows = project.list_progress()
    head = ("item", "steps", "status", "elaborations", "last activity", "title")
    width = get_terminal_size((0, 0)).columns  # 0 without a terminal
    cells, longest = list[tuple[str, ...]](), max(width - 40, 20) if width else 0  # room for the status
    for row in rows:
        bar = "#" * (8 * row["steps_completed"] // max(row["steps"], 1))
        done, state = f"{bar:-<8} {row['steps_completed']}/{row['steps']}", row["analysis_status"]
        slug, seen = one_line(row["slug"], longest), (row["last_activity"] or "")[:16].replace("T", " ")
        state += ", stale" if row["stale"] else ""
        cells.append((slug, done, state, str(row["elaborations"]), seen, row["title"]))
    flags.show_result(rows, table(head, cells, width=width) if rows else f"No items yet. {project.add_one}")


@command(item="optional")
def status(flags: Flags, item: str | None) -> None:
    """Show how far each item, or ITEM, is and what comes next."""
    project = flags.open_project()
    reports = project.report(project.items()) if item is None else (project.status(item),)
    data = [each.to_data() for each in reports]
    text = "\n\n".join(_describe_status(each, project) for each in reports)
    flags.show_result(data if item is None else data[0], text or f"No items yet. {project.add_one}")


def _describe_status(found: ItemStatus, project: Project) -> str:
    entry, talk = found.entry, found.discussion
    phases = {step.phase.key for step, _ in found.steps if step.phase}
    complete = phases.intersection(found.start.completed)
    steps = f"{found.steps_done} of {len(found.steps)} steps"
    talks = count(len(found.progress.elaborations), "elaboration")
    summary = f"{entry.analysis_status}: {len(complete)} of {len(phases)} phases, {steps}, {talks}"
    goes_on = entry.problem or found.next_step or found.start.next
    words = ("analyze" if goes_on else "handoff", entry.slug, *(["--start-over"] if entry.problem else []))
    rows = {
        "status": "corrupt" if entry.problem else summary,
        "next": f"{found.next}: {project.command(*words)}",
        "source": entry.item.source_id and f"{entry.item.source} {entry.item.source_id}",
        "discussion": talk and f"step {talk.step.step_id}, turn {len(talk.turns)} of {talk.max_turns}",
        "code": found.is_stale and "has moved on since the last phase was completed",
        "spent": found.cost,
        "warning": " ".join(found.start.warnings),
        "problem": entry.problem,
    }
    return f"{entry.slug}: {entry.title}\n{pairs([(name, text) for name, text in rows.items() if text])}"


@command(item="needed")
@click.argument("title", nargs=-1, required=True)
def rename(flags: Flags, item: str, title: tuple[str, ...]) -> None:
    """Change the title of ITEM to TITLE. Its folder is renamed to match; other documents stay as they are."""
    project, old = flags.find_item(item)
    entry = project.rename_item(old.slug, " ".join(title))
    data = {"slug": entry.slug, "title": entry.title, "folder": str(entry.folder), "before": old.slug}
    flags.show_result(data, f"Renamed {old.slug} to {entry.slug}: {entry.title}")


@command(item="needed")
@click.option("--yes", is_flag=True, help="Delete without asking.")
def remove(flags: Flags, item: str, yes: bool) -> None:
    """Delete ITEM with all its files. At a terminal it asks first, elsewhere it needs --yes."""
    project, entry = flags.find_item(item)
    documents = count(len(project.list_files(entry)[0]), "document")
    what = f"This deletes {entry.slug} ({one_line(entry.title)}) with {documents}."
    flags.require_yes(yes, what, "Nothing was deleted.")
    project.remove_item(entry.slug)
    flags.show_result({"slug": entry.slug, "folder": str(entry.folder)}, f"Deleted {entry.slug}.")


@command()
@click.argument("what", nargs=-1, metavar="[ITEM] [FILE|transcript N]", shell_complete=complete_item)
def show(flags: Flags, what: tuple[str, ...]) -> None:
    """Show the files of ITEM, one of them, or a transcript. Without ITEM it uses the one that is open."""
    project, entry, words = flags.split_item(what)
    documents, talks = project.list_files(entry)
    files = {path.name: path for path in documents}
    files |= {f"transcript {number}": path for number, path in enumerate(talks, start=1)}
    if not words:
        sizes = [(name, path.name, path.lstat().st_size) for name, path in files.items()]
        rows = [(name, f"{size:,} bytes", "" if file == name else file) for name, file, size in sizes]
        listed = [{"file": file, "bytes": size} for _, file, size in sizes]
        spoken = [{"number": number, **row} for number, row in enumerate(listed[len(documents) :], start=1)]
        data = {"documents": listed[: len(documents)], "transcripts": spoken}
        text = table(("file", "size", ""), rows)
        flags.show_result({"slug": entry.slug, "folder": str(entry.folder)} | data, text)
        return
    found = files | {f"elaborations/{path.name}": path for path in talks}
    if (path := found.get(" ".join(words))) is None:
        if words == what and words[0] != "transcript":
            project.find_item(words[0])  # raises an error that lists the items
        wanted, names = one_line(" ".join(words)), ", ".join(list(files)[:30])
        raise RuleBroken(f"{wanted} is none of the files and transcripts of {entry.slug}: {names}.")
    name = path.relative_to(entry.folder).as_posix()
    text = project.read_file(entry, name)
    flags.show_result({"slug": entry.slug, "file": name, "text": text}, text.removesuffix("\n"), pages=True)


@command()
@click.argument("what", nargs=-1, metavar="[ITEM] [ANSWER]", shell_complete=complete_item)
@click.option("--answer", "number", type=int, metavar="N", help="Answer question N with ANSWER.")
@click.option("--all", "everything", is_flag=True, help="Also show what was answered or settled.")
def questions(flags: Flags, what: tuple[str, ...], number: int | None, everything: bool) -> None:
    """List the open questions of ITEM, or of all items, and answer them."""
    if number is not None:
        project, entry, words = flags.split_item(what, least=1)
        answer = " ".join(words)
        question, file = project.answer_question(entry.slug, number, answer)
        answered = {"slug": entry.slug, "question": question.text, "answer": answer, "file": file}
        flags.show_result(answered, f"Answered in {file}: {question.text}")
        return
    if len(what) > 1:
        raise click.UsageError("Use --answer N to answer a question.")
    project = flags.open_project()
    slugs = [project.find_item(what[0]).slug] if what else [each.slug for each in project.items()]
    asks = len(slugs) == 1 and flags.can_ask() and is_at_screen()
    while (shown := _show_questions(flags, project, slugs, everything)) and asks:
        number = ask_user("Answer which one? (Enter leaves)", default=0, type=click.IntRange(0, len(shown)))
        if not number or not (answer := ask_user("Answer (Enter leaves)").strip()):
            break
        question, file = project.answer_question(slugs[0], number, answer, words=shown[number - 1])
        tell(f"Answered in {file}: {question.text}")


def _show_questions(flags: Flags, project: Project, slugs: list[str], everything: bool) -> list[str]:
    """Show the questions, and return the words of those that are open."""
    data, lines, shown = [], list[str](), list[str]()
    for slug in slugs:
        numbers, before = count_from(1), len(lines)
        for each in project.list_questions(slug):
            position = next(numbers) if each.is_open else None
            shown += [each.words] if each.is_open else []
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
    return shown


@command(item="optional")
@click.option("--for", "form", type=click.Choice(get_args(HandOffForm)), default="page", help="Who reads it.")
@click.option("--out", metavar="FILE", help="Write to FILE. For spec-kit: a folder; default: specs/ITEM.")
@click.option("--post", metavar="[ISSUE]", is_flag=False, flag_value="", help="Ask, then post as a comment.")
def handoff(flags: Flags, item: str | None, form: HandOffForm, out: str | None, post: str | None) -> None:
    """Write one page for the developer who builds ITEM."""
    project, entry = flags.find_item(item)
    if post is not None and form == "spec-kit":
        raise RuleBroken("spec-kit's files are for the repository, not for a comment. Nothing was posted.")
    if post is not None:
        named, comment = project.find_issue(entry.slug, post)
        text, _ = project.write_hand_off(entry.slug, form, None)
        tell(text)
        if not sys.stdin.isatty():
            raise RuleBroken(f"Nothing was posted: run this at a terminal to confirm the comment on {named}.")
        yes = confirm(f"Post this as a comment on {named}?")
        tell(f"Posted: {comment(text)}" if yes else "Nothing was posted.")
        return
    text, paths = project.write_hand_off(entry.slug, form, Path(out) if out else None)
    data = {"slug": entry.slug, "for": form, "files": [str(path) for path in paths], "text": text}
    found = to_builtins(project.hand_off(entry.slug))
    wrote = "\n".join(f"Wrote {path}" for path in paths)
    flags.show_result(data | found.pop("parts") | found, wrote or text.removesuffix("\n"))


@command(item="optional")
def check(flags: Flags, item: str | None) -> int:
    """Check the documents of ITEM against each other and the rules."""
    if click.get_current_context().info_name == "validate":
        tell("`validate` is part of `check` now, so this is: roundtable check")
    project, entry = flags.find_item(item)
    report = project.check(entry.slug)
    lists = {"": report.problems, "open question: ": report.open_questions, "unverified: ": report.unverified}
    lines = [f"{e.file}:{e.line}: {prefix}{e.text}" for prefix, found in lists.items() for e in found]
    verdict = count(len(report.problems), "problem") if report.problems else "sound"
    asked = f", {count(len(report.open_questions), 'open question')}" if report.open_questions else ""
    versions = f" and compared with {count(report.versions, 'earlier version')}" if report.versions else ""
    lines.append(f"{count(len(report.files), 'file')} checked{versions}: {verdict}{asked}.")
    if not report.files and not report.problems:
        lines = ["No step has written anything yet."]
    data = to_builtins(report)
    sound = {"slug": entry.slug, "sound": not report.problems, "history": data.pop("versions")}
    flags.show_result(sound | data, "\n".join(lines))
    return 2 if report.problems else 0


@command()
@click.argument("what", nargs=-1, required=True, metavar="[ITEM] FILE:LINE|TEXT")
def why(flags: Flags, what: tuple[str, ...]) -> None:
    """Show where a line comes from: who said what, in which turn."""
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
    """Take back the last elaboration of ITEM, or number N as `show` counts them."""
    project, entry, words = flags.split_item(what)
    if len(words) > 1 or not all(word.isdecimal() and len(word) < 6 for word in words):
        raise click.UsageError(f"Name an item and a number, not {' '.join(what)[:80]}.")
    slug, number = entry.slug, int(words[0]) if words else None
    plan = project.plan_undo(slug, number)
    if flags.can_ask() and not dry_run:
        taken = f"This takes the discussion of step {plan.step_id} out of {slug}:"
        entries = plan.list_entries() or ("(it has no entries there)",)
        flags.require_yes(yes, "\n".join([taken, *entries, ""]), "Nothing was taken back.")
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
    flags.show_result(data | diff, "\n".join(told), pages=dry_run)
