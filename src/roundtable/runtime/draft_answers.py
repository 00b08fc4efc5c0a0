"""What was answered before: offered for a question again, and kept where it is not asked (STEP-4, STEP-5)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from ..core import lazy_re as re
from ..core.analysis import ASSUMED, GUESSED, STANDING, UNKNOWN
from ..core.commands import Answer, AskDraft, AskOffers, StepBrief
from ..core.depth import read_scope
from ..core.errors import DiskFailed, ItemCorrupt, PanelFailed
from ..core.events import Offer
from ..core.steps import Item, Question, split_drafts
from ..core.synthesis import UNVERIFIED, mark_unverified, strip_mark
from ..core.text import split_sentences, strip_unprintable
from ..core.turns import Material
from ..git import current_commit, has_code_moved
from ..panel.base import MAX_PICKS, AskFiles, Look, Panel, Picks
from ..store import files
from ..store.background import RECORD_FOLDERS
from ..store.meta import read_excluded

if TYPE_CHECKING:
    from ..survey import Survey


Stored = Mapping[tuple[str, str], str]
"""Answers that stand in the documents, by step and label."""
Surveyed = Callable[[str], str | None]
"""What the code survey suggests for a label of the step in hand."""

_MAX_OFFER_LENGTH = 400
_ANSWER = re.compile(r"answer\s++(?:(?P<step>\d\d-\d\d)\s++)?(?P<label>.+)", re.IGNORECASE)


def collect_offers(ask: AskOffers, stored: Stored, surveyed: Surveyed) -> tuple[Offer, ...]:
    """Return the draft answers for the questions, from where each question says that one may come."""
    drafts, subjects = list[Offer](), list[Offer]()
    for question in ask.questions:
        if given := stored.get((ask.brief.step.step_id, question.label)):
            # Whole: taken as it is, it replaces what stands there, and is no longer an assumption.
            drafts.append(Offer(question.label, given.removesuffix(ASSUMED), STANDING))
        elif draft := _offer_from(question.draft, ask.brief, question, stored, surveyed):
            drafts.append(draft)
        if question.shows == "survey" and drafts and drafts[-1].label == question.label:
            continue  # the user has named the places: what the code suggests would only be noise
        if subject := _offer_from(question.shows, ask.brief, question, stored, surveyed):
            subjects.append(replace(subject, is_subject=True))
    return (*drafts, *subjects)


def keep_answers(ask: AskDraft, stored: Stored, open_questions: Collection[str]) -> AskDraft:
    """Return the request with the step's answers that stand in the documents and were not asked for again.

    `open_questions` are the questions that stand there as open; they stay open.
    """
    step, given = ask.brief.step, {answer.label: answer for answer in ask.brief.answers}
    answers: dict[str, Answer] = {}
    for question in step.every_question:
        text = stored.get((step.step_id, question.label), "")
        if question.label in given:
            answers[question.label] = given[question.label]
        elif text and not _is_superseded(question.label, text, given):
            answers.setdefault(question.label, Answer(question.label, question.text, text))
        elif question.text in open_questions:
            answers.setdefault(question.label, Answer(question.label, question.text, UNKNOWN, unknown=True))
    return replace(ask, brief=replace(ask.brief, answers=tuple((answers | given).values())))


def _is_superseded(label: str, text: str, given: Mapping[str, Answer]) -> bool:
    """Whether another answer says otherwise: asked briefly, the scope is given with the complexity."""
    if label != "Complexity" or "Scope" not in given:
        return False
    complexity = read_scope(f"Scope: {given['Scope'].text}")[1]
    return complexity is not None and complexity != read_scope(f"Complexity: {text}")[1]


def _offer_from(
    sources: str, brief: StepBrief, question: Question, stored: Stored, surveyed: Surveyed
) -> Offer | None:
    """Return what the first of the sources gives that gives anything."""
    for source in split_drafts(sources):
        kind = source.casefold()
        text, origin = "", ""
        if kind in _ITEM_DRAFTS:
            text, origin = _draft_from_item(kind, brief.item), "the item"
            if text and UNVERIFIED in f"{brief.item.name} {brief.item.own_text}":
                text = mark_unverified(text)  # a host added the item, so its words are the host's
        elif kind == "survey":
            text, origin = surveyed(question.label) or "", GUESSED
        elif kind.startswith("text:"):
            text = source[5:].strip()
        elif found := _ANSWER.fullmatch(source):
            label = found["label"].strip()
            step_id = found["step"] or brief.step.step_id
            text, origin = stored.get((step_id, label), ""), f"step {step_id}, {label}"
            if step_id == brief.step.step_id:
                own = [each for each in brief.answers if each.label == label and not each.unknown]
                text = "".join(mark_unverified(each.text) if each.relayed else each.text for each in own)
                origin = f"your answer on {label}"
        if text:
            return Offer(question.label, text, origin)
    return None


_LISTED = re.compile(r"(?m)^[ \t]*(?:\d{1,2}[.)]|[-*+])[ \t]+(\S.*)$")
_REPEATS = re.compile(r"\b(?:reproduc\w*|repeat|repro|steps|to see it|how to)\b", re.IGNORECASE)
_WISHES = re.compile(r"\b(?:should|must|expect(?:ed|s)?|instead of|want(?:s)? to)\b", re.IGNORECASE)
_REQUESTS = re.compile(rf"{_WISHES.pattern}|^(?:let|allow|add|support|make|provide)\b", re.IGNORECASE)
_LEFT_OUT = re.compile(
    r"\b(?:stays?|remains?|out of scope|not part of|left out|unchanged|no new)\b", re.IGNORECASE
)
_EXPECTED = re.compile(r"^expected[^:.]{0,20}: ", re.IGNORECASE)
_NOT_PROSE = re.compile(r"#|[-*+] |```|>|\|")


def _find_steps(text: str) -> str:
    """Return how the item says that it can be repeated: its numbered list or its code; empty without one."""
    hint = _REPEATS.search(text)
    if hint is None:
        return ""
    after = text[hint.start() :]
    opening = after.find("\n```")
    closing = after.find("\n```", opening + len("\n```"))
    if 0 <= opening < closing:
        return f"{after[opening:closing].strip()}\n```"
    return "\n".join(_LISTED.findall(after)[:12])


def _draft_from_item(kind: str, item: Item) -> str:
    """Return what a question's draft takes from the item's own text: one of `_ITEM_DRAFTS`."""
    text = strip_mark(strip_unprintable(item.own_text))
    if kind == "item steps":
        return _find_steps(text)
    paragraphs = (" ".join(each.split()) for each in re.split(r"\n\s*\n", text))
    beginning = _shorten(next((each for each in paragraphs if each and not _NOT_PROSE.match(each)), ""))
    if kind == "item":
        return " ".join(each for each in split_sentences(beginning) if not _REQUESTS.search(each))
    prose = " ".join(re.sub(r"(?s)```.*?```", " ", text).split())
    found = [each for each in split_sentences(prose) if _ITEM_DRAFTS[kind].search(each)]
    if kind == "item whole":
        asked = _shorten(" ".join(each for each in found if each not in beginning))
        return " ".join(part for part in (beginning, asked) if part) or item.name
    said = " ".join(found)
    if kind == "item wish":
        said = _EXPECTED.sub("", said)
        said = said[:1].upper() + said[1:]
    return _shorten(said)


_ITEM_DRAFTS: Mapping[str, re.Pattern[str]] = {
    "item": _REQUESTS,
    "item whole": _WISHES,
    "item steps": _REPEATS,
    "item request": _REQUESTS,
    "item wish": _WISHES,
    "item left": _LEFT_OUT,
}
"""What a question's draft can take from the item's own text, and by which words it is told."""


def _shorten(text: str) -> str:
    """Return the text, cut after a sentence or a word if it is too long to confirm at a glance."""
    if len(text) <= _MAX_OFFER_LENGTH:
        return text
    cut = text[:_MAX_OFFER_LENGTH]
    sentence = max(cut.rfind(". "), cut.rfind("? "), cut.rfind("! "))
    return cut[: sentence + 1] if sentence > _MAX_OFFER_LENGTH // 3 else cut.rsplit(" ", 1)[0] + " ..."


_LINES = re.compile(r"(?P<path>[^\s:]+)(?::(?P<first>\d{1,6})(?:\s*-\s*(?P<last>\d{1,6}))?)?.*", re.DOTALL)
_CITED = re.compile(r"(?<![\w./-])[\w./-]++:\d++")
_PICKS = "picks.json"
_READ_LINES, _MOST_HITS, _LONGEST_LOOK = 60, 20, 120


class Surveyor:
    """What the project's files say about an item, for the steps that rest on it."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._root = root
        try:
            items = folder.parent.resolve().relative_to(root.resolve()).as_posix()
        except ValueError:
            items = folder.parent.name
        self._own = (".roundtable", items)  # what we wrote ourselves is no evidence
        self._folder = folder
        self._picks: Picks | None = None
        self._seen: dict[tuple[str, ...], Survey] = {}
        self._excerpts: dict[tuple[str, ...], tuple[Material, ...]] = {}

    async def ask_panel(self, item: Item, panel: Panel) -> None:
        """Let the panel pick the files that the item will change, once for its text and the code's commit.

        Where it fails or has no say, the survey's own order stands, and the next step asks again.
        """
        if self._read_picks(item) is not None:
            return
        self._picks = Picks()
        ask = await asyncio.to_thread(self._make_request, item)
        with suppress(PanelFailed, DiskFailed, ItemCorrupt, UnicodeEncodeError):
            if ask is not None and (picks := await panel.answer(ask)) is not None:
                self._picks = picks
                self._seen.clear()
                self._excerpts.clear()
                kept = msgspec.json.encode((item, current_commit(self._root) or "", picks))
                files.write(files.journal_folder(self._folder) / _PICKS, kept)

    def _make_request(self, item: Item) -> AskFiles | None:
        """Return the request that shows a panel what the survey found; None where that is nothing."""
        from ..survey import is_secret, list_folders

        found = [each for each in self.survey(item).radius if not is_secret(each.path)]
        near = [each.path for each in found]
        candidates: list[str] = []
        for each in found:
            lines = (f"  {line.number} {line.text}"[:_LONGEST_LOOK] for line in each.lines[:2])
            candidates += (each.path, *lines)
        folders = list_folders(self._root, near, excluded=read_excluded(self._folder), leave_out=self._own)
        item = replace(item, name=strip_mark(item.name))
        return AskFiles(item, folders, "\n".join(candidates)) if candidates else None

    def _read_picks(self, item: Item) -> Picks | None:
        """Return what was picked for the item as it reads and the code as it is; None where nothing was."""
        if self._picks is None:
            try:
                data = files.read_journal_file(self._folder, _PICKS)
                before, commit, picks = msgspec.json.decode(data, type=tuple[Item, str, Picks])
            except (FileNotFoundError, DiskFailed, ItemCorrupt, msgspec.MsgspecError, RecursionError):
                return None
            now = current_commit(self._root)
            if before != item or has_code_moved(self._root, commit, now, self._folder.parent):
                return None
            self._picks = Picks(picks.paths[:MAX_PICKS], picks.words)
        return self._picks

    def offer(self, item: Item, step_id: str, label: str) -> str | None:
        """Return the draft answer to a question of a step, if the code suggests one."""
        from ..survey import draft_answer

        return draft_answer(self.survey(item), step_id, label)

    def excerpts(self, item: Item, documents: Sequence[Material]) -> tuple[Material, ...]:
        """Return the pieces of code that fit the item, each under its `path:line`, and the nearest files."""
        from ..survey import find_excerpts, is_secret

        # Places that were written down since the last step lead to other code.
        cited = dict.fromkeys(place for each in documents for place in _CITED.findall(each.text))
        excluded = read_excluded(self._folder)
        key = (*excluded, "", *cited)
        if key not in self._excerpts:
            picks = self._read_picks(item) or Picks()
            text = "\n".join((item.name, item.own_text, *(f"`{word}`" for word in picks.words)))
            found = find_excerpts(
                self._root, text, [each.text for each in documents], excluded=excluded, leave_out=self._own,
                picked=picks.paths,
            )  # fmt: skip
            shown = [
                Material(f"{each.path}:{each.first} ({each.reason})", each.with_numbers) for each in found
            ]
            near = [
                f"{file.path}:{file.lines[0].number} {file.lines[0].text}"[:_LONGEST_LOOK]
                for file in self.survey(item).radius
                # Records that hold are on the table already.
                if not file.path.startswith(RECORD_FOLDERS) and not is_secret(file.path)
            ][:_MOST_HITS]
            if near:
                shown.append(Material("the files nearest to the item, one line of each", "\n".join(near)))
            self._excerpts[key] = tuple(shown)
        return self._excerpts[key]

    def look(self, look: Look) -> Material:
        """Return what a speaker asked to see: lines of a file, or the lines that hold the words."""
        from ..survey import read_lines, search_code

        name = f"{look.kind} {' '.join(look.what.split())[:_LONGEST_LOOK]}"
        if look.kind == "read":
            place = _LINES.fullmatch(look.what.strip().strip("`"))
            first = int(place["first"] or 1) if place else 1
            last = int(place["last"] or first + _READ_LINES - 1) if place else _READ_LINES
            shown = read_lines(self._root, place["path"] if place else look.what, first, last)
            if shown is None:
                return Material(name, "There is no such file to show.")
            return Material(name, shown.with_numbers)
        # Whoever asks for something sees it, whatever the user said of the file: that is on the table too.
        words = [word.strip("`\"',") for word in look.what.split()]
        hits = search_code(self._root, words, leave_out=self._own)
        lines = [f"{hit.path}:{hit.number} {hit.text.strip()}" for hit in hits[:_MOST_HITS]]
        return Material(name, "\n".join(lines) or "Nothing in the code holds these words.")

    def survey(self, item: Item) -> Survey:
        """Return what the project's files say about the item, with what a panel picked before all else."""
        struck = read_excluded(self._folder)
        if struck not in self._seen:
            from ..survey import survey

            picks = self._read_picks(item) or Picks()
            item = replace(item, name=strip_mark(item.name))
            self._seen[struck] = survey(
                self._root, item, leave_out=self._own, excluded=struck, picked=picks.paths, words=picks.words
            )
        return self._seen[struck]
