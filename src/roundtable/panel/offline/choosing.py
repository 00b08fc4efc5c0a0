"""Choosing: which of the speaker's probes comes next, and in which of its words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from zlib import crc32

from .calling import Hit, certain_hits, hits
from .floor import Candidate, Floor
from .labels import raised_before, speaks_to
from .memory import Made
from .phrases import SHORT_QUOTE, quote
from .probes import Phrase
from .reading import attributed
from .template import PICK, Template, capital

ALONE = "alone"
_LONG_AGAIN = 80
LEAST_QUOTED = 4
"""Fewer words than these say nothing alone between quotation marks."""

_LONG = 70
_SHORT_HANDLE = 3
_USER, _OWN, _FOCUS, _ANSWER, _TOPIC, _ROLE, _MORE, _REST = range(8, 0, -1)
"""What counts most: the user's words, the project's own probes, the focused answer, other answers, proven
topics, roles, the rest.
"""


def points(floor: Floor, called: Sequence[Hit] | None = None) -> Iterator[Candidate]:
    """The speaker's probes that were not spoken yet, the most certain and fitting first."""
    if called is not None:
        yield from _ranked(floor, called, _REST)
        return
    me = floor.brief.speaker.key
    if floor.brief.purpose != "first-round" and any(probe.own for probe in floor.library.of(me)):
        own = [hit for hit in hits(floor.reading, floor.library, me) if hit.probe.own]
        yield from _ranked(floor, own, _OWN)
    first = floor.brief.purpose == "first-round"
    sure = certain_hits(floor.reading, floor.library, me)
    yield from _ranked(floor, sure, _ANSWER if first else _REST)
    if not first:
        # Later on only what hangs on an answer is certain enough to be said unasked.
        return
    # What hangs on words costs more to find, and is looked for only when the answers are used up.
    yield from _ranked(floor, hits(floor.reading, floor.library, me), _REST, below=_ANSWER)


def sure_points(floor: Floor) -> Iterator[Candidate]:
    """The speaker's unspoken probes on the answers under the step's labels, and no others."""
    yield from _ranked(floor, certain_hits(floor.reading, floor.library, floor.brief.speaker.key), _ANSWER)


def _ranked(floor: Floor, found: Sequence[Hit], least: int, below: int = _USER + 1) -> Iterator[Candidate]:
    """The words for these hits, from one tier down to another."""
    spoken = {made.probe.id for made in floor.made}
    # The plainest gap is worth one mention in a discussion, not one from everybody.
    plain = any(made.probe.gap == "happy" for made in floor.made)
    ranked = []
    for hit in found:
        again = hit.probe.id in spoken or raised_before(hit, floor.reading)
        if (again and not hit.probe.certain) or (plain and hit.probe.gap == "happy"):
            continue
        rank = _rank(floor, hit, again=again)
        if least <= rank[0] < below:
            ranked.append((rank, hit))
    for _, hit in sorted(ranked, key=lambda each: each[0], reverse=True):
        yield from phrased(floor, hit)


def _rank(floor: Floor, hit: Hit, *, again: bool) -> tuple[int, int, int]:
    raised = [made for made in floor.made if set(made.probe.topics) & set(hit.probe.topics)]
    opposed = any(made.probe.id == hit.probe.opposes for made in raised)
    fits = (
        hit.weight
        + (12 if speaks_to(hit.probe, floor.table.step.step_id, floor.focus) else 0)
        + (8 if opposed else 0)
        - (3 * max(0, len(raised) - 1))
    )
    # Of equals each item hears others first.
    return (
        _tier(floor, hit, again=again),
        fits - 2 * again,
        crc32(f"{floor.table.item.slug}|{hit.probe.id}".encode()),
    )


def _tier(floor: Floor, hit: Hit, *, again: bool) -> int:
    probe, step_id = hit.probe, floor.table.step.step_id
    if hit.sentence.origin == "user":
        return _USER
    focused = probe.certain and speaks_to(probe, step_id, floor.focus)
    if probe.own and not again:
        return _OWN
    if again:
        # Another of its phrases still goes to the question that was just asked.
        return _FOCUS if focused and floor.brief.purpose == "first-round" else _MORE
    if probe.certain:
        return _FOCUS if focused else _ANSWER
    if probe.role or probe.item:
        return _ROLE
    return _TOPIC if probe.calls_for and probe.fits(step_id) else _REST


def phrased(floor: Floor, hit: Hit) -> Iterator[Candidate]:
    """The ways to say a probe: against what it opposes first, long ones last, none in the form used last."""
    found = list(_phrased(floor, hit))
    yield from sorted(found, key=lambda each: each.opposes is None and len(each.text.split()) > _LONG)


def _phrased(floor: Floor, hit: Hit) -> Iterator[Candidate]:
    opposed = next(
        (made for made in reversed(floor.made) if made.probe.id == hit.probe.opposes), None
    ) if hit.probe.opposes else None  # fmt: skip
    for phrase in _ways(floor, hit):
        if phrase.against and (opposed is None or opposed.speaker == floor.brief.speaker.key):
            continue
        chosen = _anchored(floor, hit, phrase)
        if chosen is None:
            continue
        values = {**chosen.values, PICK: floor.table.item.slug}
        if phrase.against and opposed is not None:
            values |= {"name": floor.table.roster[opposed.speaker].first_name, "their": opposed.phrase.handle}
        text = _with_lead(floor, phrase, chosen, values)
        if text and not phrase.quotes and "lead" not in phrase.text.slots:
            text = f"{_told_of(floor, chosen)}{text}"
        if text:
            yield Candidate(capital(text), opposed.turn if phrase.against and opposed else None)


def _told_of(floor: Floor, hit: Hit) -> str:
    """The answer that a phrase without a quotation speaks of, where it may still be quoted."""
    whole = hit.values.get("quote", "")
    if not hit.probe.answer or hit.probe.gap or len(whole.split()) < LEAST_QUOTED:
        return ""
    return f"{capital(hit.values['says'])}. " if floor.may_quote(hit.sentence) else ""


def _ways(floor: Floor, hit: Hit) -> list[Phrase]:
    """The phrases not said yet: with a figure, then with a quotation, else in an order of the item's own."""
    last = floor.own_last
    form = next((made.phrase.form for made in reversed(floor.made) if last and made.turn == last.number), "")
    said = {made.phrase for made in floor.made if made.probe.id == hit.probe.id}
    left = floor.reading.elaborated_low
    fresh = [
        phrase
        for phrase in hit.probe.says
        if phrase.form != form and phrase not in said and not (left and phrase.insight.fragment in left)
    ]
    seed = floor.table.item.slug
    return sorted(
        fresh,
        key=lambda each: (
            not each.against,
            "figure" not in each.text.slots,
            not each.quotes,
            crc32(f"{seed}|{each.text.text}".encode()),
        ),
    )


def _anchored(floor: Floor, hit: Hit, phrase: Phrase) -> Hit | None:
    """The hit on a sentence that may still be quoted; any where nothing is quoted."""
    if not phrase.quotes:
        return hit
    for each in (hit, *hit.others):
        whole = each.values.get("quote", "")
        if len(whole.split()) < LEAST_QUOTED or not floor.may_quote(each.sentence):
            continue
        if whole.lower() not in floor.heard or len(whole) <= _LONG_AGAIN:
            return each
        # Said again in full only where a part would lose the point.
        short = quote(each.sentence.text, SHORT_QUOTE, each.at)
        few = 2 * len(short) < len(whole) or len(short.split()) < LEAST_QUOTED
        if few or whole.startswith("Given "):
            return each
        return replace(each, values={**each.values, "quote": short, "says": attributed(each.sentence, short)})
    return None


def _with_lead(floor: Floor, phrase: Phrase, hit: Hit, values: dict[str, str]) -> str | None:
    """The phrase filled, after a word on the point that it builds on, where there is one."""
    if "lead" not in phrase.text.slots:
        return phrase.text.fill(values)
    leads = dict(phrase.leads)
    before = _before(floor, hit)
    lead = ""
    if before is not None:
        template = leads.get(before.speaker) or leads.get("*")
        name = floor.table.roster[before.speaker].first_name
        # A long handle between two words of a sentence is not seen to be one.
        their = before.phrase.handle if len(before.phrase.handle.split()) <= _SHORT_HANDLE else "point"
        lead = (template.fill({"name": name, "their": their}) if template else "") or ""
    lead = lead or (leads.get(ALONE) or Template("")).text
    # An empty lead is no missing value.
    text = phrase.text.text.replace("{lead}", lead.replace("{", "(").replace("}", ")"), 1)
    return Template(text).fill(values)


def _before(floor: Floor, hit: Hit) -> Made | None:
    """The latest point of somebody else on the same topic that nobody has built on yet."""
    me = floor.brief.speaker.key
    for made in reversed(floor.made):
        if (
            made.speaker != me
            and made.speaker in floor.table.roster
            and set(made.probe.topics) & set(hit.probe.topics)
        ):
            return made
    return None
