"""The guide: every text that a host reads besides the discussion itself, from the files in content/host."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


def instructions() -> str:
    """What the server says about itself."""
    return _read("instructions.md").strip()


def tool(name: str) -> str:
    """What a tool is for, and how it is called."""
    return _flat(_table("tools.toml")[name])


def text(group: str, name: str, /, **fields: object) -> str:
    """The text of that name, with its fields filled in as they are."""
    return str(_table("tasks.toml")[group][name]).strip().format(**fields)


def _flat(value: object) -> str:
    return " ".join(str(value).split())


@cache
def _table(name: str) -> dict[str, Any]:
    return tomllib.loads(_read(name))


def _read(name: str) -> str:
    return (files("roundtable.content") / "host" / name).read_text(encoding="utf-8")
