"""Questions left open: those of the steps, of the stories and of the elaborations."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ..core.markup import heading_of, plain
from ..drafting.register import prose
from .findings import Finding

_OPEN = re.compile(r"- Open question: (?P<question>.*\S|.)\s*")
_ENTRY = re.compile(r"[-*+] ++(?P<question>.*\S)\s*")
_NONE = "none"


def check_questions(name: str, text: str) -> Iterator[Finding]:
    """Every question that stands open in a document."""
    in_elaboration = False
    for number, line in prose(text):
        if heading := heading_of(line):
            in_elaboration = heading[1].casefold() == "open questions"
        found = _OPEN.fullmatch(line) or (_ENTRY.fullmatch(line) if in_elaboration else None)
        if found and found["question"].casefold().rstrip(".") != _NONE:
            yield Finding(name, number, "open", plain(found["question"]))


def check_story_questions(name: str, text: str) -> Iterator[Finding]:
    """Every question that user-stories.json lists as open."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return
    listed = content.get("open_questions") if isinstance(content, dict) else None
    for question in listed if isinstance(listed, list) else []:
        if isinstance(question, str) and question:
            place = text.find(json.dumps(question, ensure_ascii=False))
            yield Finding(name, text.count("\n", 0, place) + 1 if place > 0 else 1, "open", question)
