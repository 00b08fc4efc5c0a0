"""The answers of a step as the text of its sections: rule-based, on plain values, without files."""

from .recall import recall
from .sections import SURVEY, draft

__all__ = ["SURVEY", "draft", "recall"]
