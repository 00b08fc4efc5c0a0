"""The entries of a probe file: a probe, a topic, lines of stock, roles, places and words, read strictly."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...content.problem import Problem, UnusableError
from . import entryfields as fields
from .occasions import SLOTS, USES
from .probes import ANYBODY, GAPS, ITEMS, ROLES, UNANSWERED, Phrase, Probe, Role, Stock, Topic
from .template import Template

_READ = frozenset({"thing", "actor", "quote", "says", "figure", "word", "cls", "fn", "title", "item"})
_SPOKEN = _READ | {"lead"}
_REFERENCE = frozenset({"name", "their"})
_FRAMED = frozenset({"thing", "actor", "quote", "says", "figure", "word", "title", "item"})
_STOCK = frozenset({"actor", "item", "title", "step", "number", "lens"})
_PROBE_FIELDS = frozenset(
    {
        "id", "persona", "topics", "steps", "calls_for", "gap", "answer", "role", "item", "unless",
        "settled_by", "opposes", "says",
    }
)  # fmt: skip
_PHRASE_FIELDS = frozenset({"form", "text", "handle", "insight", "open", "action", "lead", "against"})
_TOPIC_FIELDS = frozenset({"id", "name", "gap", "question"})
_ROLE_FIELDS = frozenset({"cues", "unless"})
_STOCK_FIELDS = frozenset({"use", "persona", "texts"})
_INVENTED = re.compile(r'"([^"]*)"')
# A quotation alone is no sentence worth hearing; it goes with the one that follows, where that can be joined.
_ALONE = re.compile(
    r"(?P<says>(?:^|(?<=[.!?] ))\{Says\})\. "
    r"(?P<next>(?:Somebody|Whoever|The|A|An|It|That|This|They|What|Who|How|If|When|Where|Nobody|No|One|Each|Every"
    r"|Two|There|People|Most|So|Then|Until|Without|With|Before|After|Picture|Either|Whatever|Which|Those|These"
    r"|Everything|Nothing|On|In|From|For|As|Only|Once)\b)"
)


def tried_probe(entry: Mapping[str, object]) -> Probe:
    """A probe whose expressions compile."""
    for name in ("calls_for", "unless", "settled_by"):
        fields.expressions(entry, name)
    return probe(entry)


def probe(entry: Mapping[str, object]) -> Probe:
    fields.known(entry, _PROBE_FIELDS)
    calls_for = fields.texts(entry, "calls_for")
    gap, answer, role, item = (
        fields.text(entry, name, required=False) for name in ("gap", "answer", "role", "item")
    )
    _check_call(calls_for, gap=gap, answer=answer, role=role, item=item)
    says = tuple(_phrase(each) for each in fields.tables(entry, "says"))
    if not says:
        raise UnusableError("says", "is missing")
    opposes = fields.text(entry, "opposes", required=False)
    if any(phrase.against for phrase in says) and not opposes:
        raise UnusableError("opposes", "is missing, yet a phrase is marked `against`")
    return Probe(
        id=fields.text(entry, "id"),
        persona=fields.text(entry, "persona"),
        topics=fields.texts(entry, "topics"),
        says=says,
        steps=fields.texts(entry, "steps"),
        calls_for=calls_for,
        gap=gap,
        answer=answer,
        role=role,
        item=item,
        unless=fields.texts(entry, "unless"),
        settled_by=fields.texts(entry, "settled_by"),
        opposes=opposes,
    )


def _check_call(calls_for: tuple[str, ...], *, gap: str, answer: str, role: str, item: str) -> None:
    """That it is said, and said once, when the probe speaks."""
    for name, value, kinds in (("gap", gap, GAPS), ("role", role, ROLES), ("item", item, ITEMS)):
        if value and value not in kinds:
            raise UnusableError(name, f"is none of {', '.join(kinds)}")
    if gap and calls_for:
        raise UnusableError("calls_for", "either this or `gap` says when the probe speaks")
    if gap and answer and gap != UNANSWERED:
        raise UnusableError("gap", f"must be `{UNANSWERED}` beside `answer`")
    if role and (gap or answer):
        raise UnusableError("role", f"cannot stand beside `{'gap' if gap else 'answer'}`")
    if not (calls_for or gap or answer or role or item):
        raise UnusableError(
            "calls_for", "is missing; this, `answer`, `role`, `item` or `gap` says when it speaks"
        )


def _phrase(entry: Mapping[str, object]) -> Phrase:
    fields.known(entry, _PHRASE_FIELDS)
    against = entry.get("against", False) is True
    given = fields.template(entry, "text", _SPOKEN | (_REFERENCE if against else frozenset()))
    joined = _ALONE.sub(lambda found: f"{found['says']}; {found['next'].lower()}", given.text)
    # Between these marks stands only what somebody wrote.
    text = Template(_INVENTED.sub(lambda found: found[0] if "{" in found[1] else f"'{found[1]}'", joined))
    said = text.slots - {"lead", *_REFERENCE}
    leads = entry.get("lead", {})
    if not isinstance(leads, dict):
        raise UnusableError("lead", "must be a table of persona keys")
    return Phrase(
        form=fields.text(entry, "form"),
        text=text,
        handle=fields.text(entry, "handle"),
        insight=fields.template(entry, "insight", said),
        open=fields.template(entry, "open", said) if "open" in entry else None,
        action=fields.template(entry, "action", said) if "action" in entry else None,
        leads=tuple((key, fields.template(leads, key, _REFERENCE, blank=True)) for key in leads),
        against=against,
    )


def topic(entry: Mapping[str, object]) -> Topic:
    fields.known(entry, _TOPIC_FIELDS)
    asked = entry.get("question")
    if not isinstance(asked, dict) or ANYBODY not in asked:
        raise UnusableError("question", f'must be a table of persona keys with one for anybody ("{ANYBODY}")')
    return Topic(
        id=fields.text(entry, "id"),
        name=fields.template(entry, "name", _FRAMED - {"quote", "says"}),
        gap=fields.template(entry, "gap", _FRAMED),
        questions=tuple((key, fields.template(asked, key, _FRAMED)) for key in asked),
    )


def stock(entry: Mapping[str, object]) -> tuple[Stock, ...]:
    fields.known(entry, _STOCK_FIELDS)
    use = fields.text(entry, "use")
    if use not in USES:
        raise UnusableError("use", f"is none of {', '.join(USES)}")
    allowed = _STOCK | SLOTS.get(use, frozenset())
    persona = fields.text(entry, "persona")
    return tuple(
        Stock(use, persona, fields.checked(text, "texts", allowed)) for text in fields.texts(entry, "texts")
    )


def places(value: object, shown: str, problems: list[Problem]) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        return {}
    places: dict[str, tuple[str, ...]] = {}
    for step_id in value:
        try:
            places[step_id] = fields.texts(value, step_id)
        except UnusableError as error:
            problems.append(Problem(shown, f"places, {step_id}", error.reason, skipped=False))
    return places


def roles(value: object, shown: str, problems: list[Problem]) -> dict[str, Role]:
    if not isinstance(value, dict):
        return {}
    found: dict[str, Role] = {}
    for name in value:
        try:
            found[name] = _role(name, value[name])
        except UnusableError as error:
            place = f"roles, {name}" + (f", {error.field}" if error.field else "")
            problems.append(Problem(shown, place, error.reason, skipped=False))
    return found


def _role(name: str, value: object) -> Role:
    if name not in (*ROLES, *ITEMS):
        raise UnusableError("", f"is none of {', '.join((*ROLES, *ITEMS))}")
    table = fields.table(value, "roles")
    fields.known(table, _ROLE_FIELDS)
    return Role(fields.expressions(table, "cues"), fields.expressions(table, "unless"))


def vocabulary(value: object, shown: str, problems: list[Problem]) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        return {}
    words: dict[str, tuple[str, ...]] = {}
    for step_id in value:
        try:
            words[step_id] = tuple(fields.text(value, step_id).split())
        except UnusableError as error:
            problems.append(Problem(shown, f"vocabulary, {step_id}", error.reason, skipped=False))
    return words
