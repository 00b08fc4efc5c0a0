"""The palette: a colour and a sign for each voice.

The colours are as light as they are dark, so that they can be read on black and on white alike, and differ
in hue for those who see fewer colours too. A test computes both. The sign says the same without any colour.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...core.personas import Roster


@dataclass(frozen=True, slots=True)
class Voice:
    """How a persona is told from the others at a glance."""

    sign: str
    plain_sign: str
    colour: str


VOICES = (
    Voice("●", "*", "#b06100"),
    Voice("▲", "^", "#875fd7"),
    Voice("■", "#", "#00875f"),
    Voice("◆", "+", "#d700af"),
    Voice("▼", "v", "#5f5fff"),
    Voice("★", "@", "#af5f5f"),
    Voice("♣", "%", "#008800"),
    Voice("♠", "&", "#767676"),
)


def voice_of(key: str | None, roster: Roster | None) -> Voice | None:
    """The voice of a persona, by its place at the table; None for everybody else."""
    if roster is None or key not in roster.keys:
        return None
    return VOICES[roster.keys.index(key) % len(VOICES)]
