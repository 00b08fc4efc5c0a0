"""The survey: what the project's files say about an item.

`survey` looks once, `report` writes what was found into a step's section, `offer` drafts an answer from it.
"""

from .drafts import offer
from .findings import ChangeRate, EntryPoint, Finding, Line, Relation, Survey
from .report import report
from .surveying import survey

__all__ = ["ChangeRate", "EntryPoint", "Finding", "Line", "Relation", "Survey", "offer", "report", "survey"]
