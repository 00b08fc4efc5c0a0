"""`doctor`: what there is to work with, and what needs repair."""

from __future__ import annotations

from dataclasses import asdict

import click

from ...diagnosis import diagnose
from ...settings import load_settings
from .options import MODEL_OPTIONS, Command, Flags
from .output import pairs


@click.command(cls=Command, uses=("json", *MODEL_OPTIONS))
@click.option("--ask", is_flag=True, help="Ask each model one short question, which may cost a little.")
@click.pass_obj
def doctor(flags: Flags, ask: bool) -> int:
    """Check what Roundtable works with.

    Without --ask it sends nothing that costs money. The exit status is 2 if something needs repair.
    """
    settings, warnings = load_settings(flags.root, flags.panel, model=flags.model, base_url=flags.base_url)
    found = diagnose(settings, warnings, ask=ask)
    sound = all(each.sound for each in found)
    rows = [(each.name, each.found if each.sound else f"{each.found} <- needs repair") for each in found]
    flags.show_result({"sound": sound, "findings": [asdict(each) for each in found]}, pairs(rows))
    return 0 if sound else 2
