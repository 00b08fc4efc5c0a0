"""Prompts: texts in data files, filled in one pass, so that what is filled in is never filled again."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_BLANK = re.compile(r"\{\{(\w+)\}\}")


def fill(name: str, /, **blanks: str | int) -> str:
    """The prompt of that name with its blanks filled; a blank that is not given is a mistake of ours."""
    return _BLANK.sub(lambda found: str(blanks[found[1]]), template(name))


@cache
def template(name: str) -> str:
    """The prompt of that name as it stands in its file, without the last line end."""
    path = files("roundtable.content").joinpath("prompts", f"{name}.md")
    return path.read_text(encoding="utf-8").removesuffix("\n")
