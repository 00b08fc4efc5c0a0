"""What the user counts is said back so that one can picture it."""

from __future__ import annotations

import pytest

from roundtable.panel.offline.shares import Share, share


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("In August 37 of 412 jobs were restarted by hand", Share("some", "about one in eleven")),
        ("we had 4 ties among 260 runners", Share("few", "about one in 65")),
        ("212 of 5,300 answers had it", Share("few", "about one in 25")),
        ("9 out of the 31 people", Share("some", "about one in three")),
        ("16 of the 18 readings", Share("most", "89 %")),
        ("3 of 6 boxes", Share("most", "50 %")),
        ("of my 180 dives 46 have such a point", Share("some", "about one in four")),
        ("in my last 30 activations I had 11 dupes", Share("some", "about one in three")),
        ("of the 12 boxes 14 litres were left", None),
        ("1 of 20 orders", Share("some", "about one in 20")),
        ("version 2 of 2024", None),
        ("on 3 of 4 days", None),
        ("step 3 of 24", None),
        ("412 of 37 jobs", None),
        ("1.5 of 10 litres", None),
        ("12 of 2024.5", None),
        ("no figure at all", None),
    ],
)
def test_a_share_is_said_as_people_say_it(text: str, found: Share | None) -> None:
    assert share(text) == found
