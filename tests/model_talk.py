"""A language model by script, behind the real panel: pydantic-ai's own test model, made to misbehave."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pydantic_ai import exceptions as api
from pydantic_ai.messages import ModelMessage, SystemPromptPart, UserPromptPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel

from hosting import Says
from project import talk
from roundtable.core.lines import Line
from roundtable.panel.model.choice import FallbackPanel, HostedModel
from roundtable.panel.model.panel import ModelPanel

NAMES = {
    "Maya Chen": "Business Analyst",
    "Alex Rivera": "Solutions Architect",
    "Jordan Park": "System Designer",
}
_ASKED = re.compile(r"Now turn (?P<number>\d+) of \d+: (?P<name>[\w ]+)\. (?P<rest>.*)", re.DOTALL)
_PURPOSES = {
    "A first view": "first-round",
    "Answer turn": "answer",
    "Add to the answer": "follow",
    "Take the discussion": "go-on",
    "Sum up what": "tradeoff",
}
FRAMING = {
    "summary": "Two journeys are written down.",
    "focus_question": "Who decides when answers differ?",
    "focus_topic": "differing answers",
}
PIECE = 7

Twist = Callable[[str, str], str]
"""Is handed the brief and the good answer, and gives back what the model writes instead."""


@dataclass
class ScriptedModel:
    """Answers each brief as it was told to; `twist` is how it misbehaves."""

    says: Mapping[int, Says] = field(default_factory=dict)
    twist: Twist = lambda _, words: words
    requests: list[tuple[str, str]] = field(default_factory=list)
    before: Callable[[str], None] = lambda _: None
    """Is called with the brief before anything is answered, and may raise."""

    @property
    def briefs(self) -> list[str]:
        return [brief for _, brief in self.requests]

    def panel(self, **more: object) -> ModelPanel:
        return ModelPanel(HostedModel("scripted", self.opened), **more)  # type: ignore[arg-type]

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Model]:
        yield FunctionModel(stream_function=self._stream, model_name="scripted")

    async def _stream(self, messages: list[ModelMessage], _info: AgentInfo) -> AsyncIterator[str]:
        system, prompt = messages[0].parts
        assert isinstance(system, SystemPromptPart)
        assert isinstance(prompt, UserPromptPart)
        assert isinstance(prompt.content, str)
        # All that is material is marked, so the brief is what follows the last marked line.
        brief = prompt.content[max(prompt.content.rfind("\n\nNow "), 0) :].strip()
        self.requests.append((f"{system.content}\n\n{prompt.content}", brief))
        self.before(brief)
        words = self.twist(brief, self.answer(brief))
        for start in range(0, len(words), PIECE):
            yield words[start : start + PIECE]
        if not words:
            yield " "

    def answer(self, brief: str) -> str:
        """What a model that behaves would write."""
        if asked := _ASKED.match(brief):
            return self._contribution(asked)
        if "opens the discussion" in brief:
            return json.dumps(FRAMING)
        if brief.startswith("Now the synthesis"):
            return json.dumps(self._synthesis(brief))
        if '"drafts"' in brief:
            return json.dumps({"drafts": []})
        return "I have taken that up."

    def _contribution(self, asked: re.Match[str]) -> str:
        number = int(asked["number"])
        said = self.says.get(number)
        purpose = next(name for start, name in _PURPOSES.items() if asked["rest"].startswith(start))
        if said is None and purpose == "follow":
            assert "answer PASS" in asked["rest"]
            return "PASS"
        if said is None:
            said = Says(f"Remark {number} by {asked['name'].split()[0]} on the {purpose}.")
        verdict = [f"{key}={value}" for key, value in _verdict(said).items()]
        verdict += self._judge(asked)
        return "\n".join([said.text, f"@@ {' '.join(verdict)}" if verdict else ""]).strip()

    def _judge(self, asked: re.Match[str]) -> list[str]:
        """What it says of the user's turn, where it is asked."""
        found = re.search(r"Judge turn (\d+),", asked["rest"])
        said = self._said(int(found[1])) if found else ""
        if "weather" in said:
            return ["user-drifts=03-02:the weather"]
        return [f"decides={found[1]}"] if found and "go with" in said else []

    def _synthesis(self, brief: str) -> dict[str, object]:
        cited = re.search(r"cited by a decision, ([\d, ]+) among them", brief)
        numbers = [int(each) for each in cited[1].split(", ")] if cited else []
        decisions = [
            {"text": self._said(number), "detail": "said so", "turns": [number]} for number in numbers
        ]
        return {
            "insights": [{"text": "Answers can differ.", "turns": [2]}],
            "decisions": decisions,
            "questions": [],
            "actions": [],
            "summary": "Identified 1 gap",
        }

    def _said(self, number: int) -> str:
        found = re.search(rf"^Turn {number}, [\w ]+:\n\| (.*)$", self.requests[-1][0], re.MULTILINE)
        assert found
        return found[1]


def _verdict(said: Says) -> dict[str, str]:
    given = said.verdict
    found: dict[str, str] = {}
    if given.get("opposes"):
        found["opposes"] = str(given["opposes"])
    if given.get("decides"):
        found["decides"] = ",".join(map(str, given["decides"]))
    if given.get("off_topic"):
        place = given.get("belongs_to")
        found["drifts"] = f"{place}:{given['off_topic']}" if place else given["off_topic"]
    return found


def misbehaving() -> Twist:
    """Everything that models do and should not, one thing after another, with the same words inside."""
    spoken = 0
    spoilt: set[str] = set()

    def twist(brief: str, words: str) -> str:
        nonlocal spoken
        if words.startswith("{"):
            kind = brief[:20]
            if kind not in spoilt:
                spoilt.add(kind)
                return _SPOILT[len(spoilt) % len(_SPOILT)](words)
            return f"Certainly! Here it is:\n```json\n{words}\n```\nLet me know."
        asked = _ASKED.match(brief)
        if asked is None or words == "PASS":
            return f"**{words}**" if words == "PASS" else words
        spoken += 1
        text, newline, trailer = words.partition("\n@@")
        name = asked["name"]
        other = next(each for each in NAMES if each != name)
        return _TWISTS[spoken % len(_TWISTS)](
            text, f"{name} ({NAMES[name]})", f"{other} ({NAMES[other]})"
        ) + (f"{newline}{trailer}")

    return twist


_SPOILT: Sequence[Callable[[str], str]] = (
    lambda words: words[: len(words) // 2],
    lambda words: words.replace("[", "[null, ", 1) if "[" in words else '{"summary": 3}',
    lambda words: "I would rather not answer in JSON.",
)
_TWISTS: Sequence[Callable[[str, str, str], str]] = (
    lambda text, name, other: f"{name}: {text}",
    lambda text, name, other: f"**{name}:** {text}\n\n{other}: I disagree with all of that, and at length.",
    lambda text, name, other: f"{other}: Me first.\n{name}: {text}",
    lambda text, name, other: f"<think>Who am I? Maya Chen: no.</think>\n\n{text}",
    lambda text, name, other: f"Turn 9, {name.split(' (')[0]}:\n| {text}",
    lambda text, name, other: f"# Reply\n---\n[nods slowly] {text}".replace("# Reply\n", ""),
)


def by_model(root: Path, item: Path, words: Sequence[str], says: Mapping[int, Says]) -> list[Line]:
    """A way to hold an elaboration: with a model that misbehaves all the time."""
    return talk(root, item, words, step="00-01", panel=ScriptedModel(says, misbehaving()).panel())


def failing(every: int) -> Callable[[str], None]:
    """Fails at every so-manieth request, each time in another way."""
    asked = 0

    def fail(_brief: str) -> None:
        nonlocal asked
        asked += 1
        if asked % every == 1:
            raise _ERRORS[asked // every % len(_ERRORS)]

    return fail


_ERRORS: Sequence[Exception] = (
    api.ModelAuthenticationError("m", "401"),
    api.ModelRateLimitError("m", "429", retry_after=3.0),
    api.ModelTimeoutError("m", "silence"),
    api.ModelServerError("m", "500"),
    api.ModelConnectionError("m", "cut"),
    api.ContentFilterError("no"),
    api.UnexpectedModelBehavior("nonsense"),
)


def by_failing_model(root: Path, item: Path, words: Sequence[str], says: Mapping[int, Says]) -> list[Line]:
    """A way to hold an elaboration: with models that misbehave and fail one after another."""
    model = ScriptedModel(says, misbehaving(), before=failing(3))
    chain = FallbackPanel(tuple(model.panel() for _ in range(12)))
    return talk(root, item, words, step="00-01", panel=chain)
