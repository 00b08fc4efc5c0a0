"""What a section is drafted from, how answers are taken apart, and what sections are made of.

Answers come apart into lines, entries, sentences and scenarios; sections hold labels, lists, tables, titles.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from ..core import lazy_re as re
from ..core.commands import Answer, StepBrief
from ..core.markers import NoneMarker
from ..core.steps import Target
from ..core.text import escape_markdown, find_code_end, fold_text, split_sentences, strip_unprintable
from ..core.validation import says_none
from .outline import CLOSING_SIGNS

NOTHING = "No answers were given."
OPEN_QUESTION = "- Open question: "

_LONGEST_TITLE = 90
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")
_OPENING = re.compile(r"^\s*(?P<fence>`{3,}|~{3,})\s*(?P<language>[\w+-]*)[^`]*$")


class DraftContext(Struct, frozen=True):
    """What a section is drafted from; `targets` are all the sections that the step writes."""

    brief: StepBrief
    target: Target
    targets: tuple[Target, ...]
    documents: Mapping[str, str]

    @property
    def answers(self) -> tuple[Answer, ...]:
        return self.brief.answers

    def text(self, label: str) -> str:
        """Return the words under a label; empty where they are not known."""
        return next((each.text for each in self.only(label) if not each.unknown), "")

    def only(self, *labels: str) -> tuple[Answer, ...]:
        """Return the answers under these labels, in the order of the labels."""
        return tuple(
            each for label in labels for each in self.answers if fold_text(each.label) == fold_text(label)
        )

    def without(self, *labels: str) -> tuple[Answer, ...]:
        """Return the answers under all other labels."""
        left_out = {fold_text(label) for label in labels}
        return tuple(each for each in self.answers if fold_text(each.label) not in left_out)


def join_section(*parts: Iterable[str]) -> str:
    """Join the parts of a section with blank lines; say so where there are none."""
    return "\n\n".join(text for part in parts for text in part if text) or NOTHING


def write_labelled(answers: Iterable[Answer]) -> tuple[str, ...]:
    """Write each answer that is known and says more than none, under its label."""
    return tuple(
        write_paragraph(answer.label, answer.text)
        for answer in answers
        if not answer.unknown and not says_none(answer.text)
    )


def write_answers(answers: Sequence[Answer]) -> str:
    """Write every answer under its label, then the open questions."""
    return join_section(write_labelled(answers), write_open_questions(answers))


def list_nones(answers: Iterable[Answer]) -> tuple[Answer, ...]:
    """Return the answers that say none or not applicable: given, but nothing to read in a document."""
    return tuple(answer for answer in answers if not answer.unknown and says_none(answer.text))


def write_nones(answers: Iterable[Answer]) -> str:
    """Write the labels of such answers where no reader sees them, so that they count as answered."""
    return str(NoneMarker(tuple(answer.label.replace("*", "") for answer in answers)))


def write_paragraph(label: str, text: str, *, is_exact: bool = False) -> str:
    """Write the words after their label, lines as a list, code as code; `is_exact` keeps their numbers."""
    head = f"**{escape_markdown(label.replace('*', ''))}**:"
    blocks = _split_blocks(text)
    if len(blocks) == 1 and len(blocks[0]) == 1:
        # A single line is not a list: a dash or number at its beginning belongs to the words.
        line = text.strip()
        first, _, rest = line.partition(":")
        is_repeated = not is_exact and rest.strip() and fold_text(first) == fold_text(label)
        return f"{head} {escape_markdown(rest.strip() if is_repeated else line)}"
    mark = _DASH if is_exact else _MARK
    parts = [
        block
        if isinstance(block, str)
        else write_bullets(mark.sub("", line, count=1).strip() for line in block)
        for block in blocks
    ]
    return "\n\n".join([head, *parts])


def write_open_questions(answers: Iterable[Answer], more: Iterable[str] = ()) -> tuple[str, ...]:
    """Write the questions that nobody could answer as one list; nothing where there are none."""
    questions = [*(answer.question for answer in answers if answer.unknown), *more]
    entries = [write_open_question(question) for question in dict.fromkeys(questions)]
    return ("\n".join(entries),) if entries else ()


def write_open_question(question: str) -> str:
    """Write one open question as a list entry."""
    return f"{OPEN_QUESTION}{escape_markdown(question)}"


def write_bullets(entries: Iterable[str]) -> str:
    """Write a list of people's words."""
    return "\n".join(f"- {escape_markdown(entry)}" for entry in entries)


def write_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Write a table of people's words; nothing where there are no rows."""
    cells = [[write_cell(text) for text in row] for row in rows]
    lines = (f"| {' | '.join(row)} |" for row in (header, ["---"] * len(header), *cells))
    return ("\n".join(lines),) if cells else ()


def write_cell(text: str) -> str:
    """Write words as they can stand in a table."""
    return escape_markdown(text).replace("|", r"\|") or "-"


def write_csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a CSV table in which every cell is one line that no spreadsheet takes for a formula."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(header)
    for row in rows:
        lines = (" ".join(strip_unprintable(cell).split()) for cell in row)
        table.writerow([f"'{line}" if line.startswith(_FORMULA) else line for line in lines])
    return out.getvalue()


def write_title(text: str) -> str:
    """Write the beginning of a text as a heading can hold it: one sentence, no full stop at its end."""
    line = next(iter(split_lines(text)), "")
    if len(line) > _LONGEST_TITLE:
        line = split_sentences(line)[0]
    if len(line) > _LONGEST_TITLE:
        line = f"{line[:_LONGEST_TITLE].rsplit(' ', 1)[0]}…"
    return CLOSING_SIGNS.sub(r"\\\g<0>", escape_markdown(_strip_end(line))) or "Without words"


def is_title_enough(text: str) -> bool:
    """Whether the title says all that the text says."""
    return write_title(text) == escape_markdown(_strip_end(" ".join(split_lines(text))))


def capitalise(text: str) -> str:
    """Return the text with a capital letter at its beginning."""
    return text[:1].upper() + text[1:]


def _strip_end(line: str) -> str:
    return strip_punctuation(line).rstrip("!:！：").rstrip()


def _split_blocks(text: str) -> list[tuple[str, ...] | str]:
    """Return the text as runs of lines and, between them, code as it stands, in its fence or one of ours."""
    blocks: list[tuple[str, ...] | str] = []
    held: list[str] = []
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        opening = _OPENING.match(lines[at])
        end = find_code_end(lines, at, opening["fence"]) if opening else at
        run, is_code = (at + 1, False) if opening else _find_run(lines, at)
        if opening and end > at + 1:
            # With a language, so that no linter finds fault with it.
            fence = f"{opening['fence']}{opening['language'] or 'text'}"
            code = "\n".join([fence, *lines[at + 1 : end], opening["fence"]])
            run = end + 1
        elif is_code:
            code = "\n".join(["```text", *lines[at:run], "```"])
        else:
            held += lines[at:run]
            at = run
            continue
        blocks += [tuple(filter(str.strip, held)), code]
        held, at = [], run
    blocks.append(tuple(filter(str.strip, held)))
    return [block for block in blocks if block] or [("",)]


_INDENT = re.compile(r"(?:[>E](?=\s))?\s*+")  # as pytest marks the line that failed
_BLOCK_HEAD = re.compile(
    r"\bdef \w+\(|^\s*+(?:Traceback \(most recent call last\)|class \w+(?:\(|:$)"
    r"|(?:if|elif|while|for|with|except|match|case) (?>.*?(?:\w[(\[]|[=!<>]=)))"
)
_PLAIN_HEAD = re.compile(r"\s*+(?:if|elif|else|while|for|with|try|except|finally|match|case)\b")
_STATEMENT = re.compile(r"\s*+(?:SELECT|INSERT INTO|CREATE TABLE|ALTER TABLE)\b")
_STACK_FRAME = re.compile(r"\s++at [\w$.<>/ ]+\([^()]*:\d+\)$")
_CODE_LINE = re.compile(
    r"[>E]?\s*+(?:(?:from [\w.]+ )?import [\w.*]+(?:, ?[\w.*]+| as \w+)*$|@[\w.]+(?:\(.*\))?$"
    r"|(?:>>>|\.\.\.|//|#) |[)\]}]+[;,)]*$|(?:\w+ )?[\w.\[\]\"']+(?:: ?[\w.\[\], |]+)? [-+*/|]?= \S"
    r"|(?:\w+ )?[\w.]*\w\(.*[)(,;:]$"
    r"|assert .*[(=<>\[]|(?:return|raise|yield|pass|break|continue)(?: \S+)?$"
    r"|\w+(?:\.\w+)*(?:Error|Exception)(?::|$))|.*[;{]$"
)


def _find_run(lines: Sequence[str], at: int) -> tuple[int, bool]:
    """Return where the run of lines ends that look like code from here on, and whether they are code.

    Code has a line that opens a block, and below it one that is indented and no entry of a list.
    """
    base, end, is_code = _measure_indent(lines[at]), at, False
    for here in range(at, len(lines)):
        line, below = lines[here].rstrip(), "".join(lines[here + 1 : here + 2])
        opens = _opens_block(line, below)
        goes_on = here > at and (not line or _measure_indent(line) > base)
        if "```" in line or "~~~" in line or not (opens or goes_on or _CODE_LINE.match(line)):
            break
        is_code |= opens and _measure_indent(below) > _measure_indent(line) and not _MARK.match(below)
        end = here + 1 if line else end
    return max(end, at + 1), is_code


def _opens_block(line: str, below: str) -> bool:
    if line.endswith(("{", "(", "[")) or _STATEMENT.match(line) or _STACK_FRAME.match(below):
        return True
    is_head = _BLOCK_HEAD.search(line) or (_PLAIN_HEAD.match(line) and _CODE_LINE.match(below))
    return line.endswith(":") and bool(is_head)


def _measure_indent(line: str) -> int:
    found = _INDENT.match(line)
    return len(found[0].expandtabs(4)) if found else 0


# --- an answer taken apart ------------------------------------------------------------------------------

MAX_ENTRIES = 60
"""More entries than this are not a list but a document: it stays in one piece."""

_MARK = re.compile(r"^\s*(?:[-+*•]|\d{1,3}[.)])\s+")
_DASH = re.compile(r"^\s*- ")
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
    r"|the same|such|not|only|\(assumed|es|das|dies\w*|sie|er|dann|wenn|und|aber|sonst|weil|auch)\b",
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
    """Return the entries of a line such as `1. A 2. B`; none where it does not count from one."""
    marks = list(_NUMBER.finditer(line))
    numbers = [int(each["number"]) for each in marks]
    if len(marks) < 2 or numbers != list(range(1, len(marks) + 1)) or line[: marks[0].start()].strip():
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
