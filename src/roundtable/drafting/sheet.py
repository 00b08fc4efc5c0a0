"""A sheet: one section to be written, with the answers and the documents it is written from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..core.commands import Answer, StepBrief
from ..core.steps import Target
from ..core.words import folded


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a section is written from; `targets` are all the sections that the step writes."""

    brief: StepBrief
    target: Target
    targets: tuple[Target, ...]
    documents: Mapping[str, str]

    @property
    def answers(self) -> tuple[Answer, ...]:
        return self.brief.answers

    def answer(self, label: str) -> Answer | None:
        """The answer under a label; None where it is not known."""
        same = (each for each in self.answers if folded(each.label) == folded(label) and not each.unknown)
        return next(same, None)

    def text(self, label: str) -> str:
        """The words under a label; empty where they are not known."""
        answer = self.answer(label)
        return answer.text if answer else ""

    def only(self, *labels: str) -> tuple[Answer, ...]:
        """The answers under these labels, in the order of the labels."""
        return tuple(each for label in labels for each in self.answers if folded(each.label) == folded(label))

    def without(self, *labels: str) -> tuple[Answer, ...]:
        """The answers under all other labels."""
        left_out = {folded(label) for label in labels}
        return tuple(each for each in self.answers if folded(each.label) not in left_out)

    def writes(self, output: str) -> bool:
        """True where the step writes to that file as well."""
        return any(target.output == output for target in self.targets)

    @property
    def document(self) -> str:
        """The present text of the file that the section is in."""
        return self.documents.get(self.target.output, "")
