"""What holds of every elaboration, whatever anybody says (LOOP-2, LOOP-4 to LOOP-6, SYN-2 to SYN-4)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from people import ITEM, JOURNEYS, ROSTER, STEPS, persona
from roundtable.core import commands as do
from roundtable.core import events as on
from roundtable.core.elaboration import TRANSITIONS, Elaboration, State
from roundtable.core.errors import RuleBroken
from roundtable.core.personas import Roster
from roundtable.core.synthesis import Draft, Entry, decision_turns
from roundtable.core.turns import USER, OffTopic, Verdict
from talk import AT

MESSAGES = st.one_of(
    st.sampled_from(
        [
            "",
            " ",
            "done",
            "are we done?",
            "yes",
            "no",
            "Alex, why?",
            "everyone?",
            "team",
            "back",
            "not done yet",
            "Jordan's point",
            "wrap it up",
            "Maya",
            "What about photos?",
            "We go with A.",
            "exit strategy matters",
        ]
    ),
    st.text(max_size=40),
)
NUMBERS = st.integers(-1, 14)
VERDICTS = st.builds(
    Verdict,
    opposes=st.none() | NUMBERS,
    off_topic=st.none()
    | st.builds(OffTopic, st.just("cost"), st.sampled_from([None, "03-02", "00-01", "04-design"])),
    decisions=st.lists(NUMBERS, max_size=2).map(tuple),
)
ENTRIES = st.lists(
    st.builds(Entry, st.text(max_size=20), st.lists(NUMBERS, max_size=3).map(tuple), st.text(max_size=10)),
    max_size=3,
).map(tuple)
DRAFTS = st.builds(Draft, ENTRIES, ENTRIES, ENTRIES, ENTRIES, st.text(max_size=120), st.text(max_size=20))
ROSTERS = st.sampled_from(
    [ROSTER, Roster(ROSTER.personas[:2]), Roster((*ROSTER.personas, persona("qa", "José Díaz")))]
)


class Play:
    """One elaboration with an arbitrary user, arbitrary panel, and silence in the end."""

    def __init__(self, data: st.DataObject, roster: Roster, limit: int) -> None:
        self.data, self.limit = data, limit
        self.events: list[on.Event] = []
        self.shown: list[do.Command] = []
        self.states: list[State] = []
        self.since_warning: list[str] = []
        self.now, commands = Elaboration.begin(item=ITEM, step=JOURNEYS, roster=roster, steps=STEPS)
        for _ in range(400):
            self.states.append(self.now.state)
            self.check_shape(commands)
            if self.now.has_ended:
                return
            event = self.answer(commands[-1])
            self.now, commands = self.now.receive(event)
            self.events.append(event)
        raise AssertionError("the discussion does not end")

    def check_shape(self, commands: tuple[do.Command, ...]) -> None:
        assert all(isinstance(command, do.Show) for command in commands[:-1])
        assert not isinstance(commands[-1], do.Show)
        self.shown += commands

    def answer(self, command: do.Command) -> on.Event:
        draw = self.data.draw
        number = len(self.now.turns) + 1
        match command:
            case do.ReadContext():
                return on.ContextRead(self.limit)
            case do.AskFraming():
                return on.Framed("Landed", "Who decides?", draw(st.sampled_from(["", "conflicts"])))
            case do.AskPersona(brief):
                if brief.may_pass and draw(st.booleans()):
                    return on.PersonaPassed(brief.speaker.key)
                verdict = draw(VERDICTS).within(number)
                return on.PersonaSpoke(brief.speaker.key, f"Point {number}", verdict)
            case do.AskVerdict():
                return on.Judged(draw(VERDICTS).within(number - 1))
            case do.Listen():
                return on.UserSpoke(draw(MESSAGES) if len(self.events) < 40 else "")
            case do.AskSynthesis(is_extracted=extracted):
                if not extracted and draw(st.booleans()):
                    return on.TaskFailed("no")
                return on.SynthesisDrafted(draw(DRAFTS), AT, extracted)
            case do.UpdateArtifacts():
                return on.DocumentsWritten(())
            case do.SaveRecord():
                return on.RecordSaved("t.md") if draw(st.booleans()) else on.TaskFailed("full")
            case _:
                raise AssertionError(command)


@pytest.mark.rule("LOOP-2", "LOOP-5", "LOOP-6", "LOOP-9", "SYN-3", "SYN-4", "META-5")
@settings(max_examples=300, deadline=None)
@given(data=st.data(), roster=ROSTERS, limit=st.integers(3, 13))
def test_every_discussion_ends_within_its_limit_in_the_five_states(
    data: st.DataObject, roster: Roster, limit: int
) -> None:
    play = Play(data, roster, limit)
    turns = play.now.turns
    order = list(State)
    places = [order.index(state) for state in play.states]
    assert places == sorted(places)
    assert set(places) == set(range(5))
    assert 1 <= len(turns) <= limit
    assert [turn.number for turn in turns] == list(range(1, len(turns) + 1))
    spoken = sum(isinstance(event, on.PersonaSpoke | on.Framed) for event in play.events)
    judged = sum(isinstance(event, on.Judged) for event in play.events)
    assert len(turns) == spoken + judged
    assert all(turn.text.strip() for turn in turns)
    assert [line for line in play.shown if isinstance(line, do.Show) and line.line.kind == "warning"][
        1:
    ] == []
    assert play.now.exit_type == ("turn-limit" if len(turns) == limit else play.now.exit_type)
    saved = [command for command in play.shown if isinstance(command, do.SaveRecord)]
    assert len(saved) == 1
    assert saved[0].record.turn_count == len(turns)
    draft = saved[0].draft
    assert all(entry.turns and set(entry.turns) <= set(range(1, len(turns) + 1)) for entry in draft.entries)
    assert set(decision_turns(turns)) <= {number for entry in draft.decisions for number in entry.turns}
    summary = saved[0].record.synthesis_summary
    assert summary.strip()
    assert "\n" not in summary


@pytest.mark.rule("LOOP-4")
@settings(max_examples=200, deadline=None)
@given(data=st.data(), roster=ROSTERS, limit=st.integers(4, 13))
def test_after_the_warning_at_most_one_persona_speaks_before_the_user_is_heard(
    data: st.DataObject, roster: Roster, limit: int
) -> None:
    play = Play(data, roster, limit)
    warned, spoken = False, 0
    for command in play.shown:
        match command:
            case do.Show(line) if line.kind == "warning":
                warned = True
            case do.Show(line) if line.kind == "contribution" and warned and line.turn is not None:
                first_round = line.turn <= len(roster.personas)
                spoken += line.speaker != USER and not first_round
            case do.Listen():
                assert spoken <= 1
                warned = False
            case _:
                pass


@pytest.mark.rule("META-6")
@settings(max_examples=100, deadline=None)
@given(data=st.data(), roster=ROSTERS, limit=st.integers(3, 13))
def test_a_replay_gives_the_same_state(data: st.DataObject, roster: Roster, limit: int) -> None:
    play = Play(data, roster, limit)
    again, _ = Elaboration.begin(item=ITEM, step=JOURNEYS, roster=roster, steps=STEPS)
    for event in play.events:
        again, _ = again.receive(event)
    assert again == play.now


EVENTS: tuple[on.Event, ...] = (
    on.UserSpoke("hello"), on.ContextRead(10), on.TaskFailed("x"), on.Framed("a", "b?", "c"),
    on.PersonaSpoke("solutions-architect", "x"), on.PersonaPassed("solutions-architect"),
    on.SpeakerStopped(),
    on.Judged(Verdict()), on.LimitRaised(20), on.Saved(), on.WrappedUp(), on.WrappedUp("x"),
    on.SynthesisDrafted(Draft(), AT), on.DocumentsWritten(()), on.RecordSaved("x"), on.Failed("x"),
)  # fmt: skip


@pytest.mark.rule("ENTRY-1")
@settings(max_examples=60, deadline=None)
@given(data=st.data(), cut=st.integers(0, 40))
def test_what_the_table_does_not_name_is_refused_everywhere(data: st.DataObject, cut: int) -> None:
    events = Play(data, ROSTER, 8).events
    now, _ = Elaboration.begin(item=ITEM, step=JOURNEYS, roster=ROSTER, steps=STEPS)
    for event in events[:cut]:
        now, _ = now.receive(event)
    allowed = [event for *when, event in TRANSITIONS if when == [now.state, now.awaits]]
    assert now.legal == tuple(kind.__name__ for kind in allowed)
    for event in EVENTS:
        if type(event) not in allowed:
            with pytest.raises(RuleBroken):
                now.receive(event)
