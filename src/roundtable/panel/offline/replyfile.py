"""Reply files: `[[reply]]`, `[concepts]` and `[[shape]]` in TOML, read strictly.

The built-in ones are in `content/replies` and are read with the user's first words; a project writes its own
into its probe files. A bad entry is named with file, entry and reason; the rest is used.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...content.problem import Problem, UnusableError, printable
from ...content.source import Source, read
from . import entryfields as fields
from .replybook import KINDS, Group, Reply, ReplyBook, joined
from .shapes import SHAPED, Shape
from .shelf import Tables, kept
from .traces import MOST_BESIDE, MOST_WORDS, can_be_met, cue

BUILT_IN_REPLIES = Path(__file__).resolve().parents[2] / "content" / "replies"
_FIELDS = ("id", "to", "when", "unless", "shape", "direct")
_ASKED = frozenset({"clause", "when", "outcome"})
"""The slots of a direct reply: the question, its case and its outcome, where they are certain."""

_OF_SHAPE = frozenset({"id", "to", "like"})
_SAID = frozenset({"text", "handle", "insight", "open", "action"})
_PIECE = re.compile(r"\s*[,;]\s*")
_CONCEPT = re.compile(r"[A-Z]{2,}")
_NAMED = re.compile(r"[A-Z]{3,}")
"""What is meant as a concept; two capitals may be a word: "GB"."""


def built_in_replies() -> ReplyBook:
    """The replies that come with the program; that they are sound is checked with it, not by its users."""
    rows, shapes = kept(BUILT_IN_REPLIES, _rows)
    return ReplyBook(tuple(_reply(row) for row in rows), {}, tuple(Shape(*row) for row in shapes))


def read_replies(folder: Path, shown: str) -> tuple[ReplyBook, tuple[Problem, ...]]:
    """The replies of a folder, and what is wrong with its files."""
    problems: list[Problem] = []
    tables = dict(_tables(folder, shown))
    built_in = built_in_replies() if folder != BUILT_IN_REPLIES else ReplyBook()
    known: dict[str, frozenset[str]] = {}
    shapes: list[Shape] = []
    for name, each in tables.items():
        known.update(_concepts(each.get("concepts"), name, problems))
        shapes += _shapes(each.get("shape", []), name, problems, {shape.id for shape in shapes})
    shaped = {shape.id: shape.to for shape in (*built_in.shapes, *shapes)}
    replies: dict[str, Reply] = {}
    for name, each in tables.items():
        for number, entry in enumerate(fields.listed(each.get("reply", [])), 1):
            place = str(entry.get("id") or number) if isinstance(entry, dict) else str(number)
            try:
                made = _checked(fields.table(entry, "reply"), frozenset(known), shaped, replies)
                replies[made.id] = replace(made, own=folder != BUILT_IN_REPLIES)
            except UnusableError as error:
                where = f"reply {place}" + (f", {error.field}" if error.field else "")
                problems.append(
                    Problem(name, where, f"{error.reason}; this reply is left out", skipped=False)
                )
    return ReplyBook(tuple(replies.values()), known, tuple(shapes)), tuple(problems)


def replies_with(folder: Path | None) -> ReplyBook:
    """The built-in replies with those of a folder on top."""
    return joined((built_in_replies(), read_replies(folder, "")[0])) if folder else built_in_replies()


def _tables(folder: Path, shown: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    """The files that can be read; what is wrong with a project's others is said where its probes are read."""
    for path in sorted(folder.glob("*.toml")) if folder.is_dir() else ():
        name = f"{shown}/{printable(path.name)}"
        if folder == BUILT_IN_REPLIES:
            # Our own may be as large as they like, and a fault in them is a fault of the program.
            yield name, tomllib.loads(path.read_text(encoding="utf-8"))
            continue
        try:
            yield name, tomllib.loads(read(Source(path, name), folder))
        except (tomllib.TOMLDecodeError, UnusableError):
            continue


# --- what is kept on the shelf ----------------------------------------------------------------------------


def _rows(tables: Tables) -> tuple[list[Any], list[Any]]:
    """Replies and shapes as plain values; what is built in is found by shape alone."""
    sound = [each for each in tables.values() if each is not None]
    entries = [entry for each in sound for entry in each.get("reply", ())]
    rows = [(entry["id"], _words(entry), entry["shape"], entry.get("direct", False)) for entry in entries]
    shapes = [(each["id"], each["to"], tuple(each["like"])) for one in sound for each in one.get("shape", ())]
    return rows, shapes


def _words(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: said for key, said in entry.items() if key not in _FIELDS}


def _reply(row: Any) -> Reply:
    name, says, shape, direct = row
    return Reply(name, frozenset(), (), Group(frozenset(), frozenset()), says, shape, direct)


# --- entries ----------------------------------------------------------------------------------------------


def _checked(
    entry: Mapping[str, object], known: frozenset[str], shaped: Mapping[str, str], others: Container[str]
) -> Reply:
    """A reply with everything in its place."""
    name, to, when = fields.text(entry, "id"), fields.texts(entry, "to"), fields.texts(entry, "when")
    shape, direct = fields.text(entry, "shape", required=False), entry.get("direct", False)
    if name in others:
        raise UnusableError("id", "is there twice")
    if shape and (to or when or "unless" in entry):
        raise UnusableError("shape", "says to what this is a reply; to, when and unless go without it")
    if shape and shape not in shaped:
        raise UnusableError("shape", f"names the shape {shape}, which is not there")
    if not isinstance(direct, bool) or (direct and shaped.get(shape) != "question"):
        raise UnusableError("direct", "must be true or false, and goes with the shape of a question")
    if not shape and (not to or not set(to) <= set(KINDS)):
        raise UnusableError("to", f"must be a list of {', '.join(KINDS)}")
    if not shape and not when:
        raise UnusableError("when", "is missing; it lists what the message has to speak of")
    groups = tuple(_sound(listed, "when", known) for listed in when)
    unless = _sound(fields.text(entry, "unless", required=False), "unless", known)
    slots = _ASKED if direct else frozenset[str]()
    says = {key: _said(key, said, slots) for key, said in _words(entry).items()}
    if not says:
        raise UnusableError("", "says nothing: add a table with the key of a persona")
    return Reply(name, frozenset(to), groups, unless, says, shape, direct)


def _shapes(value: object, shown: str, problems: list[Problem], others: set[str]) -> Iterator[Shape]:
    """The shapes of a file that can be used."""
    for number, entry in enumerate(fields.listed(value), 1):
        try:
            made = _shape(fields.table(entry, "shape"), others)
            others.add(made.id)
            yield made
        except UnusableError as error:
            where = f"shape {number}" + (f", {error.field}" if error.field else "")
            problems.append(Problem(shown, where, f"{error.reason}; this shape is left out", skipped=False))


def _shape(row: Mapping[str, object], others: Container[str]) -> Shape:
    fields.known(row, _OF_SHAPE)
    name, to, like = fields.text(row, "id"), fields.text(row, "to"), fields.expressions(row, "like")
    if name in others:
        raise UnusableError("id", "is there twice")
    if to not in SHAPED:
        raise UnusableError("to", f"must be one of {', '.join(SHAPED)}")
    if not like:
        raise UnusableError("like", "is missing; it lists how such a message is put")
    return Shape(name, to, like)


def _said(key: str, value: object, slots: frozenset[str]) -> dict[str, str]:
    if not isinstance(value, dict):
        raise UnusableError(key, "is not a field here; what a persona says is a table [reply.KEY]")
    fields.known(value, _SAID)
    for name in ("text", "handle", "insight"):
        fields.text(value, name)
    for name in value:
        fields.template(value, name, slots if name == "text" else frozenset())
    return {name: fields.text(value, name) for name in value}


def _concepts(value: object, shown: str, problems: list[Problem]) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for name in value if isinstance(value, dict) else ():
        words = value[name] if isinstance(value, dict) else ""
        if not _CONCEPT.fullmatch(name) or not isinstance(words, str) or not words.strip():
            reason = "must be a name in capital letters with a list of words"
            problems.append(Problem(shown, f"concepts, {name}", reason, skipped=False))
        else:
            found[name] = _cues(words)
    return found


def _sound(listed: str, name: str, known: frozenset[str]) -> Group:
    """A group of which every concept is there and every cue can be met."""
    for each in _PIECE.split(listed.strip()):
        if _NAMED.fullmatch(each) and each not in known:
            raise UnusableError(name, f"names the concept {each}, which is not there")
        if each and each not in known and not can_be_met(cue(each)):
            raise UnusableError(
                name,
                f"has the cue '{each}', which can never be met: one to {MOST_WORDS} words, or one to "
                f"{MOST_BESIDE} on each side of a *",
            )
    found = _group(listed, known)
    if name == "when" and not (found.cues or found.concepts):
        raise UnusableError(name, "has a group without a cue")
    return found


def _group(listed: str, known: frozenset[str]) -> Group:
    """The concepts and the cues of a list with commas between."""
    pieces = [each for each in _PIECE.split(listed.strip()) if each]
    named = frozenset(each for each in pieces if each in known)
    return Group(named, frozenset(found for each in pieces if each not in known and (found := cue(each))))


def _cues(listed: str) -> frozenset[str]:
    return _group(listed, frozenset()).cues
