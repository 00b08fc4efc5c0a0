"""A text is found again in what was said, whatever stands around it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from roundtable.panel.offline.recognition import Index

SAID = ("who", "asks", "for", "what", "and", "when", "does", "it", "end", "there")
WORDS = st.lists(st.sampled_from(SAID), max_size=12)


@given(st.lists(WORDS, max_size=6), WORDS, WORDS, st.integers(0, 5))
def test_every_text_that_stands_there_is_found_in_its_order(
    texts: list[list[str]], before: list[str], after: list[str], chosen: int
) -> None:
    known = [(" ".join(words), number) for number, words in enumerate(texts)]
    middle = texts[chosen] if chosen < len(texts) else []
    said = " ".join((*before, *middle, *after))
    assert list(Index.of(known).standing_in(said)) == [number for text, number in known if text in said]


def test_the_first_word_may_be_half_of_one() -> None:
    index = Index.of([("s are closed at night here", 1)])
    assert list(index.standing_in("the racks are closed at night here")) == [1]
