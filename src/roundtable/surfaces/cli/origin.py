"""Origin: who will speak by whose word, and what it lacks, said before anything is run or sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .output import tell

if TYPE_CHECKING:
    from ...settings import Settings


def tell_origin(settings: Settings) -> None:
    """Say on stderr what the project's file makes this machine run, or where it sends what is said."""
    if settings.panel != "model":
        return
    named, address = settings.from_project("model"), settings.from_project("base_url")
    if named is None and address is None:
        return
    from ...core.errors import RuleBroken
    from ...panel.model.choice import names_of, read_choice

    for name in names_of(settings.models, settings.base_url):
        try:
            choice = read_choice(name, settings.base_url)
            goes_to = choice.goes_to
        except RuleBroken:  # said by whoever needs it
            continue
        file = named or (address if choice.kind == "compatible" else None)
        if file is not None and goes_to:
            tell(f"By this project's {file}, {goes_to}.")


def tell_lacking(settings: Settings) -> None:
    """Say on stderr what a named model needs and does not have, before the first question is answered."""
    from ...panel.model.choice import names_of, read_choice
    from ...panel.model.reaching import lacking

    for name in names_of(settings.models, settings.base_url):
        choice = read_choice(name, settings.base_url)
        if missing := lacking(choice):
            tell(f"{choice.label}: {missing}. See roundtable doctor.")
