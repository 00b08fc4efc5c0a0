"""Draft answers from the documents, the item and the code; answers kept without asking (STEP-4, STEP-5)."""

from collections.abc import Callable, Collection, Mapping

from msgspec.structs import replace

from ..core import lazy_re as re
from ..core.analysis import ASSUMED, GUESSED, STANDING, UNKNOWN
from ..core.commands import Answer, AskOffers, StepBrief
from ..core.events import Offer
from ..core.progress import read_scope
from ..core.steps import Item, Question, split_drafts
from ..core.synthesis import UNVERIFIED, mark_unverified, strip_mark
from ..core.text import split_sentences, strip_unprintable

Stored = Mapping[tuple[str, str], str]
"""The answers in the documents, by step and label."""
Surveyed = Callable[[str], str | None]
"""Returns what the code survey suggests for a label of the current step."""

_MAX_OFFER_LENGTH = 400
_ANSWER = re.compile(r"answer\s++(?:(?P<step>\d\d-\d\d)\s++)?(?P<label>.+)", re.IGNORECASE)
_LISTED = re.compile(r"(?m)^[ \t]*(?:\d{1,2}[.)]|[-*+])[ \t]+(\S.*)$")
_REPEATS = re.compile(r"\b(?:reproduc\w*|repeat|repro|steps|to see it|how to)\b", re.IGNORECASE)
_WISHES = re.compile(
    r"(?i)\b(?:should|must|expect(?:ed|s)?|instead of|wants? to)\b|^(?:let|allow|add|support|make|provide)\b"
)
_EXPECTED = re.compile(r"^expected[^:.]{0,20}: ", re.IGNORECASE)
_NOT_PROSE = re.compile(r"#|[-*+] |```|>|\|")
# At brief depth, the complexity is given with the scope: "small, complexity: low" or "small, low".
_COMPLEXITY = re.compile(r"(?i)[,;/]\s*+(?:complexity\s*+[:=]\s*+|(?=(?:low|medium|high)\s*+\.?\Z))")


def collect_offers(ask: AskOffers, stored: Stored, surveyed: Surveyed) -> tuple[Offer, ...]:
    """Return draft answers for the questions, each from the sources that its question names."""
    drafts, subjects = dict[str, Offer](), list[Offer]()
    for question in ask.questions:
        given = stored.get((ask.brief.step.step_id, question.label))
        # Not shortened: if accepted, it replaces the old answer, and is no longer an assumption.
        standing = Offer(question.label, given.removesuffix(ASSUMED), STANDING) if given else None
        if draft := standing or _offer_from(question.draft, ask.brief, question, stored, surveyed):
            drafts[question.label] = draft
            if question.shows == "survey":
                continue  # the user has named the places: what the code suggests would only be noise
        if subject := _offer_from(question.shows, ask.brief, question, stored, surveyed):
            subjects.append(replace(subject, is_subject=True))
    if "Scope" in drafts and any(each.label == "Complexity" for each in ask.questions):
        scope = drafts["Scope"]
        for label, text in zip(("Scope", "Complexity"), _COMPLEXITY.split(scope.text, 1), strict=False):
            drafts[label] = replace(scope, label=label, text=text)
    return (*drafts.values(), *subjects)


def keep_answers(brief: StepBrief, stored: Stored, open_questions: Collection[str]) -> StepBrief:
    """Return the brief with the step's answers from the documents, unless they were asked for again.

    `open_questions` are the questions listed there as open; they stay open.
    """
    step, given = brief.step, {answer.label: answer for answer in brief.answers}
    if "Scope" in given and "Complexity" in given and not given["Complexity"].unknown:
        given["Scope"] = replace(given["Scope"], text=_COMPLEXITY.split(given["Scope"].text, 1)[0])
    # A complexity that is given with the scope replaces the stored one.
    complexity = read_scope(f"Scope: {given['Scope'].text}")[1] if "Scope" in given else None
    answers: dict[str, Answer] = {}
    for question in step.every_question:
        label, text = question.label, stored.get((step.step_id, question.label), "")
        if label in given:
            answers[label] = given[label]
        elif text and (label != "Complexity" or complexity in (None, read_scope(f"Complexity: {text}")[1])):
            answers.setdefault(label, Answer(label, question.text, text))
        elif question.text in open_questions:
            answers.setdefault(label, Answer(label, question.text, UNKNOWN, unknown=True))
    return replace(brief, answers=tuple((answers | given).values()))


def _offer_from(
    sources: str, brief: StepBrief, question: Question, stored: Stored, surveyed: Surveyed
) -> Offer | None:
    for source in split_drafts(sources):
        kind = source.casefold()
        text, origin = "", ""
        if kind.startswith("item"):
            text, origin = _draft_from_item(kind, brief.item), "the item"
            if text and UNVERIFIED in f"{brief.item.name} {brief.item.own_text}":
                text = mark_unverified(text)  # a host added the item, so its words are the host's
        elif kind == "survey":
            text, origin = surveyed(question.label) or "", GUESSED
        elif kind.startswith("text:"):
            text = source[5:].strip()
        elif found := _ANSWER.fullmatch(source):
            label, step_id = found["label"].strip(), found["step"] or brief.step.step_id
            text, origin = stored.get((step_id, label), ""), f"step {step_id}, {label}"
            if step_id == brief.step.step_id:
                own = [each for each in brief.answers if each.label == label and not each.unknown]
                text = "".join(mark_unverified(each.text) if each.relayed else each.text for each in own)
                origin = f"your answer on {label}"
        if text:
            return Offer(question.label, text, origin)
    return None


def _draft_from_item(kind: str, item: Item) -> str:
    text = strip_mark(strip_unprintable(item.own_text))
    paragraphs = (" ".join(each.split()) for each in re.split(r"\n\s*\n", text))
    first = _shorten(next((each for each in paragraphs if each and not _NOT_PROSE.match(each)), ""))
    prose = " ".join(re.sub(r"(?s)```.*?```", " ", text).split())
    wishes = [each for each in split_sentences(prose) if _WISHES.search(each)]
    match kind:
        case "item":  # how it begins, without what it asks for
            return " ".join(each for each in split_sentences(first) if each not in wishes)
        case "item whole":  # how it begins and what it asks for, else its title
            more = _shorten(" ".join(each for each in wishes if each not in first))
            return f"{first} {more}".strip() or item.name
        case "item wish":  # what it asks for
            said = _EXPECTED.sub("", " ".join(wishes))
            return _shorten(said[:1].upper() + said[1:])
        case "item steps":  # how to reproduce it: the code or list after the words that announce it
            after = text[hint.start() :] if (hint := _REPEATS.search(text)) else ""
            code, end, _ = after.partition("\n```")[2].partition("\n```")
            return f"```{code}\n```" if end else "\n".join(_LISTED.findall(after)[:12])
    return ""


def _shorten(text: str) -> str:
    """Return the text, cut after a sentence or a word if it is too long to confirm at a glance."""
    cut = text[:_MAX_OFFER_LENGTH]
    end = max(map(cut.rfind, (". ", "? ", "! "))) + 1
    short = cut[:end] if end > _MAX_OFFER_LENGTH // 3 else cut.rsplit(" ", 1)[0] + " ..."
    return short if len(text) > _MAX_OFFER_LENGTH else text
