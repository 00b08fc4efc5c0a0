"""Growth: whether elaborations only ever added to a document, read from its earlier versions (ART-5)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .blocks import blocks_in
from .findings import Finding

_SHOWN = 60

AnswersIn = Callable[[str], Collection[tuple[str, str]]]
"""Says which answers a document holds, each by step and label; an open question counts as one."""


@dataclass(frozen=True, slots=True)
class Version:
    """A document as it once stood, and what that moment is called."""

    name: str
    text: str


def check_growth(file: str, versions: Sequence[Version]) -> Iterator[Finding]:
    """Lines that were lost where an elaboration was added, and blocks that lost some later."""
    for before, after in pairwise(versions):
        earlier = {(block.step_id, block.timestamp): block for block in blocks_in(file, before.text)}
        later = {(block.step_id, block.timestamp): block for block in blocks_in(file, after.text)}
        for key, block in earlier.items():
            found = later.get(key)
            if found is None:
                block_name = f"The block of step {key[0]}, {key[1]}"
                said = f"{block_name} stood in {before.name}; {after.name} has it no more."
                yield Finding(file, 1, "lost", said)
            elif missing := _missing(_words(block.lines), _words(found.lines)):
                said = f"A line of the block is gone since {before.name}: {_short(missing[0][1])}"
                yield Finding(file, found.line, "lost", said)
        if later.keys() - earlier.keys():
            yield from _lost(file, before, after)


def check_answers(file: str, versions: Sequence[Version], answers_in: AnswersIn) -> Iterator[Finding]:
    """Answers that stood in an earlier version and are missing in the last one (STEP-5)."""
    if not versions:
        return
    *earlier, last = versions
    there = answers_in(last.text)
    stood = {key: version.name for version in earlier for key in answers_in(version.text)}
    for (step_id, label), name in stood.items():
        if (step_id, label) not in there:
            said = f"The answer on {label} of step {step_id} stood in {name}; {last.name} has it no more."
            yield Finding(file, 1, "lost", said)


def _lost(file: str, before: Version, after: Version) -> Iterator[Finding]:
    """The lines of the earlier version that an addition took away."""
    missing = _missing(before.text.splitlines(), after.text.splitlines())
    for number, line in missing:
        if line.strip():
            said = f"Line {number} of {before.name} was lost when {after.name} added to it: {_short(line)}"
            yield Finding(file, 1, "lost", said)


def _missing(earlier: Sequence[str], later: Sequence[str]) -> list[tuple[int, str]]:
    """The lines of the earlier text, each with its number, that the later one does not have in that order."""
    from difflib import SequenceMatcher

    if _is_within(earlier, later):
        return []
    matcher = SequenceMatcher(None, earlier, later, autojunk=False)
    kept = {at for block in matcher.get_matching_blocks() for at in range(block.a, block.a + block.size)}
    return [(at + 1, line) for at, line in enumerate(earlier) if at not in kept]


def _is_within(earlier: Sequence[str], later: Sequence[str]) -> bool:
    rest = iter(later)
    return all(line in rest for line in earlier)


def _words(lines: Sequence[tuple[int, str]]) -> list[str]:
    return [line for _, line in lines if line.strip()]


def _short(line: str) -> str:
    words = " ".join(line.split())
    return f'"{words}"' if len(words) <= _SHOWN else f'"{words[: _SHOWN - 3]}..."'
