"""The pager: a long text in the program that the user reads long texts with."""

from __future__ import annotations

import os

import click


def page(text: str) -> None:
    """Show a text in the user's pager; one that fits the window is left standing in the scrollback."""
    os.environ.setdefault("LESS", "-FRX")
    click.echo_via_pager(text, color=True)
