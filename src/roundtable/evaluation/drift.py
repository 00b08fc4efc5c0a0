"""Drift: whether talk from far off or about another step is sent back, and whether anything else is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .discussion import Heard, Trial
from .figure import Bound, Figure, share
from .scripts import AT_HOME, Kind


def measure(trials: Sequence[Trial]) -> Iterator[Figure]:
    """Redirects of what drifts, and false alarms on what belongs to the discussion."""
    yield share("far-off talk redirected", _cases(trials, ("drift-far",)), Bound("at least", 95))
    yield share("false alarms: far off", _cases(trials, AT_HOME, elsewhere=False), Bound("at most", 3))
    placed = [each for each in _heard(trials, ("drift-step",)) if _is_rightly_placed(each)]
    yield share(
        "talk of another step redirected",
        _cases(trials, ("drift-step",)),
        Bound("at least", 50),
        remark=f"{len(placed)} to the right phase",
    )
    yield share("false alarms: another step", _cases(trials, AT_HOME, elsewhere=True), Bound("at most", 5))


def _cases(
    trials: Sequence[Trial], kinds: tuple[Kind, ...], *, elsewhere: bool | None = None
) -> Iterator[tuple[bool, str]]:
    """Each message of these kinds, and whether it was sent away: to a step, far off, or either."""
    for each in _heard(trials, kinds):
        drift = each.turn.verdict.off_topic if each.turn else None
        sent = drift is not None and (elsewhere is None or (drift.belongs_to is not None) is elsewhere)
        where = f" (to {drift.belongs_to or 'nowhere'})" if drift else ""
        yield sent, f"{each.message.text}{where}"


def _heard(trials: Sequence[Trial], kinds: tuple[Kind, ...]) -> Iterator[Heard]:
    for trial in trials:
        yield from (each for each in trial.first.heard if each.turn and each.message.kind in kinds)


def _is_rightly_placed(heard: Heard) -> bool:
    drift = heard.turn.verdict.off_topic if heard.turn else None
    placed, belongs = drift.belongs_to if drift else None, heard.message.belongs_to
    return bool(placed and belongs and placed[:2] == belongs[:2])
