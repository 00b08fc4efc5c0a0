"""Prompts: what the personas ask, by label, topic or occasion, as data that a project can add to.

The built-in prompts are in `content/interview/*.toml`, a project's own in `.roundtable/prompts/*.toml`: those
are asked first. `docs/prompts.md` explains the format; `roundtable personas check` reports what is wrong.
"""

from __future__ import annotations

import re
import tomllib
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Struct

from ...catalogue.files import Problem, read_folder
from ...core.text import content_stems, fold_text, split_sentences, stem_word
from .lexicon import INTERVIEW_FOLDER

Suits = Literal["given", "none", "unknown", "objection"]
Need = Literal["number", "several", "person", "failure", "duration", "option", "code", "reason", "outside"]
AnswerKind = Literal["choice", "value", "case", "person", "text"]

PROJECT_PROMPTS = Path(".roundtable") / "prompts"
MAX_PROMPT_WORDS = 45
QUOTE = "{quote}"
_SHORTEST_QUESTION = 5
_TWO = 2
_StepId = Annotated[str, msgspec.Meta(pattern=r"^\d\d-\d\d$")]
_Text = Annotated[str, msgspec.Meta(min_length=8, max_length=400)]
_Words = Annotated[tuple[str, ...], msgspec.Meta(max_length=40)]


class Prompt(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """One thing that a persona may ask, and when it makes sense."""

    persona: str
    text: _Text
    step: _StepId = ""
    label: str = ""
    topic: _Words = ()
    topic_sure: _Words = ()
    needs: tuple[Need, ...] = ()
    suits: Suits = "given"
    settled_by: _Words = ()
    answer: AnswerKind = "text"
    further: Annotated[str, msgspec.Meta(max_length=200)] = ""

    @property
    def is_topical(self) -> bool:
        return bool(self.topic or self.topic_sure)

    @cached_property
    def needle(self) -> str:
        """The longest stretch of the text that is the same in every discussion, in small letters."""
        return max(fold_text(self.text).split(QUOTE), key=len).strip()

    @cached_property
    def question(self) -> str:
        """The sentence that asks, to lead in an answer; the whole text where it says too little."""
        return extract_question(self.text) or self.text

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(content_stems(self.text.replace(QUOTE, " ")))

    def fits_topic(self, stems: frozenset[str]) -> bool:
        """Whether the words prove the topic: one that is unmistakable, or two others."""
        sure, likely = (frozenset(map(stem_word, words)) for words in (self.topic_sure, self.topic))
        return not sure.isdisjoint(stems) or len(likely & stems) >= _TWO


class Focus(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the lead frames a discussion on one label: the gap, the focus question, and its topic."""

    step: _StepId
    label: str
    gap: _Text
    question: _Text
    topic: Annotated[str, msgspec.Meta(min_length=3, max_length=120)]
    suits: Literal["given", "unknown"] = "given"


class _PromptFile(msgspec.Struct, forbid_unknown_fields=True):
    prompt: list[Prompt] = []
    focus: list[Focus] = []


class Library(Struct, frozen=True, eq=False):
    """All prompts in use, a project's own first."""

    prompts: tuple[Prompt, ...] = ()
    focuses: tuple[Focus, ...] = ()

    def of_persona(self, key: str) -> tuple[Prompt, ...]:
        """Return what a persona may ask."""
        return tuple(prompt for prompt in self.prompts if prompt.persona == key)

    def find_focus(self, step_id: str, label: str, suits: str) -> Focus | None:
        """Return the framing that was written for a label and the kind of answer that stands there."""
        written = (each for each in self.focuses if (each.step, each.suits) == (step_id, suits))
        return next((each for each in written if fold_text(each.label) == fold_text(label)), None)

    def find_prompt(self, speaker: str, text: str) -> Prompt | None:
        """Return the prompt that a persona's contribution asks, the last where it holds several."""
        said = fold_text(text)
        asked = [prompt for prompt in self.of_persona(speaker) if prompt.needle in said]
        return max(asked, key=lambda each: (said.rfind(each.needle), len(each.needle)), default=None)


def extract_question(text: str) -> str:
    """Return the last sentence that asks or leaves a blank; empty where there is none that says enough."""
    pieces = split_sentences(text)
    asked = [each for each in pieces if each.rstrip("\"')").endswith("?") or "___" in each]
    return asked[-1] if asked and len(asked[-1].split()) >= _SHORTEST_QUESTION else ""


@lru_cache(maxsize=8)
def load_library(project: Path | None = None) -> Library:
    """Load the built-in prompts and the sound ones of a project."""
    own, _ = read_project_prompts(project) if project is not None else (Library(), ())
    files = [path for path in sorted(INTERVIEW_FOLDER.glob("*.toml")) if path.name != "words.toml"]
    parsed = [_parse(path.read_text("utf-8")) for path in files]
    return Library(
        (*own.prompts, *(prompt for file in parsed for prompt in file.prompt)),
        (*own.focuses, *(focus for file in parsed for focus in file.focus)),
    )


def read_project_prompts(project: Path) -> tuple[Library, tuple[Problem, ...]]:
    """Read a project's own prompts, and say what is wrong with each file that cannot be used."""
    own = project / PROJECT_PROMPTS.parent
    found, problems = read_folder(own, PROJECT_PROMPTS.name, f"{own.name}/", suffix=".toml")
    prompts: list[Prompt] = []
    focuses: list[Focus] = []
    for source in found:
        try:
            file = _parse(source.value)
        except (ValueError, msgspec.ValidationError) as error:
            problems.append(Problem(source.shown, "", str(error), skipped=True))
            continue
        for prompt in file.prompt:
            if fault := _find_fault(prompt):
                reason = f"{fault}: {prompt.text[:60]}"
                problems.append(Problem(source.shown, "text", reason, skipped=True))
            else:
                prompts.append(prompt)
        focuses.extend(file.focus)
    return Library(tuple(prompts), tuple(focuses)), tuple(problems)


def _parse(text: str) -> _PromptFile:
    return msgspec.convert(tomllib.loads(text), _PromptFile)


def _find_fault(prompt: Prompt) -> str:
    """Return what the types cannot say: length, blanks, and that a prompt belongs somewhere."""
    count = len(prompt.text.split())
    if count > MAX_PROMPT_WORDS:
        return f"has {count} words; a prompt has {MAX_PROMPT_WORDS} at most"
    if re.search(r"\{(?!quote\})", prompt.text):
        return f"only {QUOTE} can be filled in"
    return "needs both a step and a label, or neither" if bool(prompt.step) != bool(prompt.label) else ""
