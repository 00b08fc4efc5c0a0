"""Prompts: what the personas ask, by label, topic or occasion, as data that a project can add to.

The built-in ones are in `content/interview`, a project's own in `.roundtable/prompts`; see `docs/prompts.md`.
"""

import tomllib
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from ...catalogue import PROJECT_FOLDER
from ...catalogue.files import Problem, load_folder
from ...content import read_tables
from ...core.text import content_stems, fold_text, split_sentences, stem_word

Need = Literal["number", "several", "person", "option"]
AnswerKind = Literal["choice", "value", "case", "person", "text"]

MAX_PROMPT_WORDS = 45
_SHORTEST_QUESTION = 5
_TABLES = {"prompts": "prompt", "focuses": "focus"}
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
    suits: Literal["given", "none", "unknown", "objection"] = "given"
    answer: AnswerKind = "text"
    further: Annotated[str, msgspec.Meta(max_length=200)] = ""

    def __post_init__(self) -> None:
        if len(self.text.split()) > MAX_PROMPT_WORDS:
            raise ValueError(f"`text` has more than {MAX_PROMPT_WORDS} words")
        if bool(self.step) != bool(self.label):
            raise ValueError("`step` and `label` go together: give both or neither")

    @property
    def is_topical(self) -> bool:
        return bool(self.topic or self.topic_sure)

    @cached_property
    def needle(self) -> str:
        """The text that shows that a contribution asks this prompt."""
        return fold_text(self.text).strip()

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(content_stems(f"{self.text} {self.label}"))

    def fits_topic(self, stems: frozenset[str]) -> bool:
        """Whether the stems prove the topic: one that is unmistakable, or two others."""
        sure, likely = (frozenset(map(stem_word, words)) for words in (self.topic_sure, self.topic))
        return not sure.isdisjoint(stems) or len(likely & stems) > 1


class Focus(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the lead frames a discussion on one label: the gap, the focus question, and its topic."""

    step: _StepId
    label: str
    gap: _Text
    question: _Text
    topic: Annotated[str, msgspec.Meta(min_length=3, max_length=120)]
    suits: Literal["given", "unknown"] = "given"


class Library(msgspec.Struct, frozen=True, eq=False, forbid_unknown_fields=True, rename=_TABLES):
    """All prompts in use, a project's own first; or those of one file."""

    prompts: tuple[Prompt, ...] = ()
    focuses: tuple[Focus, ...] = ()

    def of_persona(self, key: str) -> tuple[Prompt, ...]:
        """Return what a persona may ask."""
        return tuple(prompt for prompt in self.prompts if prompt.persona == key)

    def find_focus(self, step_id: str, label: str, suits: str) -> Focus | None:
        """Return the framing that was written for a label and its kind of answer, if any."""
        written = (each for each in self.focuses if (each.step, each.suits) == (step_id, suits))
        return next((each for each in written if fold_text(each.label) == fold_text(label)), None)

    def find_prompt(self, speaker: str, text: str) -> Prompt | None:
        """Return the prompt that a persona's contribution asks, the last if it holds several."""
        said = fold_text(text)
        asked = [prompt for prompt in self.of_persona(speaker) if prompt.needle in said]
        return max(asked, key=lambda each: (said.rfind(each.needle), len(each.needle)), default=None)


def extract_question(text: str) -> str:
    """Return the last sentence that asks or leaves a blank; empty if there is none or it is too short."""
    asked = [each for each in split_sentences(text) if each.rstrip("\"')").endswith("?") or "___" in each]
    return asked[-1] if asked and len(asked[-1].split()) >= _SHORTEST_QUESTION else ""


@lru_cache(maxsize=8)
def load_library(project: Path | None = None) -> Library:
    """Return the built-in prompts and the valid ones of a project."""
    own = read_project_prompts(project)[0] if project is not None else Library()
    return _add_tables(own, read_tables("interview/prompts.toml"))


def read_project_prompts(project: Path) -> tuple[Library, tuple[Problem, ...]]:
    """Return a project's own prompts, and what is wrong with each file that cannot be used."""
    found = Library()
    problems: list[Problem] = []
    for source in load_folder(project / PROJECT_FOLDER, "prompts", problems, str, ".toml"):
        try:
            found = _add_tables(found, tomllib.loads(source.value))
        except (ValueError, msgspec.ValidationError) as error:
            problems.append(Problem(source.shown, "", str(error), skipped=True))
    return found, tuple(problems)


def _add_tables(first: Library, tables: dict[str, Any]) -> Library:
    more = msgspec.convert(tables, Library)
    return Library(first.prompts + more.prompts, first.focuses + more.focuses)
