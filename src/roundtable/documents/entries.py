"""An answer taken apart: lines, entries, sentences, scenarios, stations."""

from __future__ import annotations

from ..core import lazy_re as re

MAX_ENTRIES = 60
"""More entries than this are not a list but a document: it stays in one piece."""

_MARK = re.compile(r"^\s*(?:[-+*•]|\d{1,3}[.)])\s+")
_NUMBER = re.compile(r"(?:^|(?<=\s))(?P<number>\d{1,2})[.)]\s")
# What stands in quotes, brackets or code is never cut.
_CLOSED = re.compile(
    r"`[^`\n]*`|\"[^\"\n]*\"|“[^“”\n]*”|„[^„“”\n]*[“”]|「[^「」\n]*」|\([^()\n]*\)|\[[^\[\]\n]*\]|\{[^{}\n]*\}"
)
_SEMICOLON = re.compile(r"(?:(?<!\s)\s+)?[;；]\s*")
_ABBREVIATION = re.compile(
    r"(?:^|\W)(?:(?-i:[A-Z])|e\.g|i\.e|etc|vs|approx|no|z\.B|bzw|ca|Dr|Mr|Mrs|Ms|St)\.$", re.IGNORECASE
)
_ANY_SENTENCE_END = re.compile(r"(?<=[^\W_][.!?])\s+|(?<=[\])}'\"`”][.!?])\s+|(?<=[。！？])")
_TAKES_UP = re.compile(
    r"(?:it|its|this|that|these|those|they|their|he|she|there|so|then|when|and|but|or|otherwise|because|also|both"
    r"|the same|such|not|only|es|das|dies\w*|sie|er|dann|wenn|und|aber|sonst|weil|auch)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?P<name>(?:new\s+)?(?:`[^`\n]+`|[^\W\d][\w./-]*(?:\([^()\n]*\))?)):\s+(?P<text>\S.*)", re.DOTALL
)
_GIVEN = re.compile(
    r"(?:^|(?<=[.;\n]))\s{0,40}+(?>(?:(?:[-+*•]|\d{1,3}[.)])\s{1,40}+)?)"
    r"(?=(?:[(\[]?(?:FR|AC)-[\d-]{3,9}[)\]]?\s?[:.–-]?\s?)?(?:given|angenommen|gegeben)\b)",
    re.IGNORECASE,
)


def split_lines(text: str) -> tuple[str, ...]:
    """Return the lines that hold something, without their list marks."""
    return tuple(_MARK.sub("", line, count=1).strip() for line in text.splitlines() if line.strip())


def list_entries(text: str) -> tuple[str, ...]:
    """Return the entries of a list whose lines all have list marks; none where it has only one."""
    lines = [line for line in text.splitlines() if line.strip()]
    return split_lines(text) if 1 < len(lines) <= MAX_ENTRIES and all(map(_MARK.match, lines)) else ()


def split_entries(text: str) -> tuple[str, ...]:
    """Return the entries of a list that was written on lines or with semicolons; else the text as one."""
    found = [part for line in split_lines(text) for part in split_outside_quotes(line, _SEMICOLON)]
    return tuple(found) if len(found) <= MAX_ENTRIES else (join_lines(text),)


def split_statements(text: str) -> tuple[str, ...]:
    """Return the requirements or criteria in a text, one on each line or, on one line, by number or sentence.

    A sentence that takes up the one before belongs to it. Semicolons part nothing.
    """
    lines = split_lines(text)
    if len(lines) == 1:
        lines = _split_numbered(text) or _split_own_sentences(lines[0])
    return lines if len(lines) <= MAX_ENTRIES else (join_lines(text),)


def _split_numbered(line: str) -> tuple[str, ...]:
    """Return the entries of a line such as `1. A 2. B`; none where they are not numbered from one."""
    marks = list(_NUMBER.finditer(line))
    if len(marks) < 2 or [int(each["number"]) for each in marks] != list(range(1, len(marks) + 1)):
        return ()
    ends = [*(each.start() for each in marks[1:]), len(line)]
    return tuple(line[each.end() : end].strip() for each, end in zip(marks, ends, strict=True))


def _split_own_sentences(line: str) -> tuple[str, ...]:
    """Return the sentences of a line, each with those that take it up."""
    found: list[str] = []
    for sentence in split_outside_quotes(line, _ANY_SENTENCE_END):
        if found and (_TAKES_UP.match(sentence) or _ABBREVIATION.search(found[-1])):
            found[-1] += f" {sentence}"
        else:
            found.append(sentence)
    return tuple(found)


def split_named_entries(text: str) -> tuple[tuple[str, str], ...]:
    """Return entries such as `name: what it is`, each as name and text; none where the first has no name.

    What has no name belongs to the entry before.
    """
    pairs: list[tuple[str, str]] = []
    for part in split_entries(text):
        if found := _NAMED.fullmatch(part):
            pairs.append((found["name"], strip_punctuation(found["text"])))
        elif pairs:
            pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]}; {strip_punctuation(part)}")
        else:
            return ()
    return tuple(pairs)


def split_scenarios(text: str) -> tuple[str, ...]:
    """Return each Given/When/Then as one line; a text without any is taken line by line."""
    starts = list(dict.fromkeys(found.end() for found in _GIVEN.finditer(text)))
    if not starts:
        return split_statements(text)
    if len(starts) > MAX_ENTRIES:
        return (join_lines(text),)
    before = [join_lines(text[: starts[0]])] if join_lines(text[: starts[0]]) else []
    ends = [*starts[1:], len(text)]
    for start, end in zip(starts, ends, strict=True):
        *lines, last = split_lines(text[start:end])
        joined = " ".join(line if line.endswith((",", ".", ";")) else f"{line}," for line in lines)
        before += _split_own_sentences(f"{joined} {last}".strip().removesuffix(";"))
    return tuple(before)


def join_lines(text: str) -> str:
    """Return the text on one line."""
    return " ".join(split_lines(text))


def strip_punctuation(text: str) -> str:
    """Return the text without what ends a sentence."""
    return text.strip().rstrip(".;,。；、").rstrip()


def split_outside_quotes(text: str, at: re.Pattern[str]) -> tuple[str, ...]:
    """Return the pieces between the separators that stand outside of quotes, brackets and code."""
    hidden = _CLOSED.sub(lambda found: "x" * len(found[0]), text)
    pieces: list[str] = []
    start = 0
    for found in at.finditer(hidden):
        pieces.append(text[start : found.start()])
        start = found.end()
    return tuple(piece.strip() for piece in (*pieces, text[start:]) if piece.strip())
