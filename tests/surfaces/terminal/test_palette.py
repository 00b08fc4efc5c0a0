"""The colours of the voices: legible on black and on white, and apart for those who see fewer of them."""

from __future__ import annotations

import math
from itertools import combinations

import pytest

from roundtable.catalogue import load_roster
from roundtable.surfaces.terminal.page import VOICES, find_voice

Rgb = tuple[float, float, float]
LEAST_CONTRAST = 4.5  # WCAG AA for text
# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
KINDS: dict[str, tuple[Rgb, Rgb, Rgb]] = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def linear(colour: str) -> Rgb:
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return red, green, blue


def luminance(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def seen(colour: str, kind: str) -> Rgb:
    """A colour as it is seen, in CIELAB."""
    rgb = linear(colour)
    red, green, blue = (
        min(max(sum(a * b for a, b in zip(row, rgb, strict=True)), 0), 1) for row in KINDS[kind]
    )
    xyz = (
        (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047,
        0.2126 * red + 0.7152 * green + 0.0722 * blue,
        (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883,
    )
    x, y, z = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("voice", VOICES, ids=lambda voice: voice.colour)
def test_every_colour_can_be_read_on_black_and_on_white(voice: object) -> None:
    colour = getattr(voice, "colour", "")
    assert (luminance(colour) + 0.05) / 0.05 >= LEAST_CONTRAST
    assert 1.05 / (luminance(colour) + 0.05) >= LEAST_CONTRAST


@pytest.mark.parametrize(("kind", "least"), [(kind, 50 if kind == "normal" else 30) for kind in KINDS])
def test_the_three_voices_are_far_apart_for_every_kind_of_eye(kind: str, least: int) -> None:
    for one, other in combinations(VOICES[:3], 2):
        assert math.dist(seen(one.colour, kind), seen(other.colour, kind)) >= least


def test_all_voices_differ_in_colour_and_even_without_it() -> None:
    for one, other in combinations(VOICES, 2):
        assert math.dist(seen(one.colour, "normal"), seen(other.colour, "normal")) >= 10
    assert len({voice.sign for voice in VOICES}) == len(VOICES)


@pytest.mark.rule("PERS-4")
def test_a_voice_goes_with_the_place_at_the_table() -> None:
    roster = load_roster()
    assert [find_voice(key, roster) for key in roster.keys] == list(VOICES[:3])
    assert find_voice("user", roster) is None
    assert find_voice(None, roster) is None
    assert find_voice("business-analyst", None) is None
