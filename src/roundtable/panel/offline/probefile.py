"""Probe files: `[[probe]]`, `[[topic]]`, `[[stock]]` and `[places]` in TOML, read strictly.

The built-in ones are in `content/probes`; a project adds its own in `.roundtable/probes/*.toml`, and a probe
with a known id replaces the built-in one. A bad entry is named with file, entry and reason; the rest is used.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from ...content.problem import Problem, UnusableError, printable
from ...content.source import Source, read
from .probes import ANYBODY, GAPS, NEXT, USES, Library, Phrase, Probe, Stock, Topic, pattern
from .shelf import shelf
from .template import Template

BUILT_IN = Path(__file__).resolve().parents[2] / "content" / "probes"
LEXICON = "lexicon.toml"
_READ = frozenset({"thing", "actor", "quote", "says", "figure", "word", "cls", "fn", "title", "item"})
_SPOKEN = _READ | {"lead"}
_REFERENCE = frozenset({"name", "their"})
_FRAMED = frozenset({"thing", "actor", "quote", "says", "figure", "word", "title", "item"})
_STOCK = frozenset({"actor", "item", "title", "step", "number", "lens"})
_LINE = frozenset({"quote", "says"})
_REPLY = frozenset({"subject"})
_POINT = frozenset({"name", "open"})
_MORE: Mapping[str, frozenset[str]] = {
    "figure": _LINE | _REPLY | {"figure"},
    "found": _LINE | _REPLY | {"asked"},
    "absent": _REPLY | {"asked"},
    **dict.fromkeys(("stated", "objected", "decided"), frozenset({"claim"})),
    "body-amount": frozenset({"figure"}),
    "body-duration": frozenset({"figure"}),
    "body-amount-decided": frozenset({"figure"}),
    "body-rule": frozenset({"word"}),
    **dict.fromkeys(NEXT, _LINE),
    "link-point": _REFERENCE,
    "link-line": frozenset({"quote"}),
    "recall": _POINT,
    "why": frozenset({"says", "handle"}),
    "decided-open": _POINT,
    "pasted": frozenset({"quote", "figure"}),
    "tradeoff": frozenset({"one", "other", "point", "counterpoint"}),
    "reading": frozenset({"doc", "quote"}),
    "ahead": frozenset({"doc", "quote"}),
    **dict.fromkeys(("upset", "foreign", "feedback"), _REPLY),
}
_PROBE_FIELDS = frozenset(
    {"id", "persona", "topics", "steps", "calls_for", "gap", "unless", "settled_by", "opposes", "says"}
)
_PHRASE_FIELDS = frozenset({"form", "text", "handle", "insight", "open", "action", "lead", "against"})
_TOPIC_FIELDS = frozenset({"id", "name", "gap", "question"})
_STOCK_FIELDS = frozenset({"use", "persona", "texts"})
_SECTIONS = frozenset({"probe", "topic", "stock", "places", "vocabulary"})
# A quotation alone is no sentence worth hearing; it goes with the one that follows, where that can be joined.
_ALONE = re.compile(
    r"(?P<says>(?:^|(?<=[.!?] ))\{Says\})\. "
    r"(?P<next>(?:Somebody|Whoever|The|A|An|It|That|This|They|What|Who|How|If|When|Where|Nobody|No|One|Each|Every"
    r"|Two|There|People|Most|So|Then|Until|Without|With|Before|After|Picture|Either|Whatever|Which|Those|These"
    r"|Everything|Nothing|On|In|From|For|As|Only|Once)\b)"
)
_SLOT = re.compile(r"\{(?:[A-Za-z_]+|[^{}|]*(?:\|[^{}|]*)+)\}")
_Made = TypeVar("_Made")


def read_probes(project: Path | None = None) -> tuple[tuple[Probe, ...], tuple[Problem, ...]]:
    """All probes in use, and what is wrong with their files."""
    library, problems = read_library(project, strict=True)
    return library.probes, problems


def read_own(project: Path) -> tuple[tuple[Probe, ...], tuple[Problem, ...]]:
    """A project's own probes, and what is wrong with their files."""
    built_in = {probe.id: probe for probe in _read_shelf().probes}
    library, problems = read_library(project)
    return tuple(probe for probe in library.probes if probe != built_in.get(probe.id)), problems


def read_library(project: Path | None = None, *, strict: bool = False) -> tuple[Library, tuple[Problem, ...]]:
    """Everything that the panel knows, and what is wrong with the files that say it.

    The expressions of the built-in files are tried only where `strict`: compiling them all takes longer than
    a discussion needs most of them.
    """
    problems: list[Problem] = []
    library = _read_folder(BUILT_IN, "probes", problems, Library(), strict=True) if strict else _read_shelf()
    if project is not None:
        folder = project.resolve() / ".roundtable" / "probes"
        library = _read_folder(folder, ".roundtable/probes", problems, library, strict=True)
    known = {probe.id for probe in library.probes}
    problems += [
        Problem("probes", probe.id, f"opposes '{probe.opposes}', which is no probe", skipped=False)
        for probe in library.probes
        if probe.opposes and probe.opposes not in known
    ]
    return library, tuple(problems)


def parse(text: str) -> tuple[Library, tuple[Problem, ...]]:
    """What one probe file says, on its own."""
    problems: list[Problem] = []
    library = _joined(Library(), tomllib.loads(text), "probes", problems, _tried_probe)
    return library, tuple(problems)


def _read_shelf() -> Library:
    """The built-in files as they stand; that they are sound is checked with the program, not by its users."""
    kept = shelf(BUILT_IN)
    library = Library(needles=kept.needles)
    for name, tables in kept.tables.items():
        if name != LEXICON and tables is not None:
            library = _joined(library, tables, f"probes/{name}", [], _probe)
    return library


def _read_folder(
    folder: Path, shown: str, problems: list[Problem], library: Library, *, strict: bool
) -> Library:
    try:
        names = sorted(entry.name for entry in folder.iterdir() if entry.suffix == ".toml")
    except (FileNotFoundError, NotADirectoryError):
        return library
    except OSError as error:
        problems.append(Problem(shown, "", f"the folder cannot be read ({error.strerror})", skipped=True))
        return library
    for name in names:
        if name == LEXICON and folder == BUILT_IN:
            continue
        source = Source(folder / name, f"{shown}/{printable(name)}")
        try:
            tables = tomllib.loads(read(source, folder))
        except tomllib.TOMLDecodeError as error:
            problems.append(Problem(source.shown, "", f"is not sound TOML: {error}", skipped=True))
        except UnusableError as error:
            problems.append(Problem(source.shown, error.field, error.reason, skipped=True))
        else:
            library = _joined(library, tables, source.shown, problems, _tried_probe if strict else _probe)
    return library


def _joined(
    library: Library,
    tables: Mapping[str, object],
    shown: str,
    problems: list[Problem],
    probe: Callable[[Mapping[str, object]], Probe],
) -> Library:
    strange = sorted(set(tables) - _SECTIONS)
    problems += [Problem(shown, name, "is not known here and is ignored", skipped=False) for name in strange]
    probes = tuple(_made(tables, "probe", shown, problems, probe))
    replaced = {each.id for each in probes}
    return replace(
        library,
        probes=(*(each for each in library.probes if each.id not in replaced), *probes),
        topics=(*library.topics, *_made(tables, "topic", shown, problems, _topic)),
        stock=(
            *library.stock,
            *(line for each in _made(tables, "stock", shown, problems, _stock) for line in each),
        ),
        places={**library.places, **_places(tables.get("places"), shown, problems)},
        vocabulary={**library.vocabulary, **_vocabulary(tables.get("vocabulary"), shown, problems)},
    )


def _made(
    tables: Mapping[str, object],
    section: str,
    shown: str,
    problems: list[Problem],
    make: Callable[[Mapping[str, object]], _Made],
) -> Iterator[_Made]:
    """Every entry of a section that can be used; a problem for every other."""
    for number, entry in enumerate(_list(tables.get(section, [])), 1):
        name = str(entry.get("id") or entry.get("use") or number) if isinstance(entry, dict) else str(number)
        try:
            yield make(_table(entry, section))
        except UnusableError as error:
            place = f"{section} {name}" + (f", {error.field}" if error.field else "")
            problems.append(
                Problem(shown, place, f"{error.reason}; this {section} is left out", skipped=False)
            )


def _tried_probe(entry: Mapping[str, object]) -> Probe:
    """A probe whose expressions compile."""
    probe = _probe(entry)
    for name in ("calls_for", "unless", "settled_by"):
        for text in getattr(probe, name):
            try:
                pattern(text)
            except re.error as error:
                raise UnusableError(name, f"is no regular expression: {text} ({error})") from None
    return probe


def _probe(entry: Mapping[str, object]) -> Probe:
    _known(entry, _PROBE_FIELDS)
    calls_for, gap = _texts(entry, "calls_for"), _text(entry, "gap", required=False)
    if bool(calls_for) == bool(gap):
        raise UnusableError("calls_for", "either this or `gap` says when the probe speaks")
    if gap and gap not in GAPS:
        raise UnusableError("gap", f"is none of {', '.join(GAPS)}")
    says = tuple(_phrase(each) for each in _tables(entry, "says"))
    if not says:
        raise UnusableError("says", "is missing")
    opposes = _text(entry, "opposes", required=False)
    if any(phrase.against for phrase in says) and not opposes:
        raise UnusableError("opposes", "is missing, yet a phrase is marked `against`")
    return Probe(
        id=_text(entry, "id"),
        persona=_text(entry, "persona"),
        topics=_texts(entry, "topics"),
        says=says,
        steps=_texts(entry, "steps"),
        calls_for=calls_for,
        gap=gap,
        unless=_texts(entry, "unless"),
        settled_by=_texts(entry, "settled_by"),
        opposes=opposes,
    )


def _phrase(entry: Mapping[str, object]) -> Phrase:
    _known(entry, _PHRASE_FIELDS)
    against = entry.get("against", False) is True
    given = _template(entry, "text", _SPOKEN | (_REFERENCE if against else frozenset()))
    text = Template(_ALONE.sub(lambda found: f"{found['says']}; {found['next'].lower()}", given.text))
    said = text.slots - {"lead", *_REFERENCE}
    leads = entry.get("lead", {})
    if not isinstance(leads, dict):
        raise UnusableError("lead", "must be a table of persona keys")
    return Phrase(
        form=_text(entry, "form"),
        text=text,
        handle=_text(entry, "handle"),
        insight=_template(entry, "insight", said),
        open=_template(entry, "open", said) if "open" in entry else None,
        action=_template(entry, "action", said) if "action" in entry else None,
        leads=tuple((key, _template(leads, key, _REFERENCE, blank=True)) for key in leads),
        against=against,
    )


def _topic(entry: Mapping[str, object]) -> Topic:
    _known(entry, _TOPIC_FIELDS)
    asked = entry.get("question")
    if not isinstance(asked, dict) or ANYBODY not in asked:
        raise UnusableError("question", f'must be a table of persona keys with one for anybody ("{ANYBODY}")')
    return Topic(
        id=_text(entry, "id"),
        name=_template(entry, "name", _FRAMED - {"quote", "says"}),
        gap=_template(entry, "gap", _FRAMED),
        questions=tuple((key, _template(asked, key, _FRAMED)) for key in asked),
    )


def _stock(entry: Mapping[str, object]) -> tuple[Stock, ...]:
    _known(entry, _STOCK_FIELDS)
    use = _text(entry, "use")
    if use not in USES:
        raise UnusableError("use", f"is none of {', '.join(USES)}")
    allowed = _STOCK | _MORE.get(use, frozenset())
    persona = _text(entry, "persona")
    return tuple(Stock(use, persona, _checked(text, "texts", allowed)) for text in _texts(entry, "texts"))


def _places(value: object, shown: str, problems: list[Problem]) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        return {}
    places: dict[str, tuple[str, ...]] = {}
    for step_id in value:
        try:
            places[step_id] = _texts(value, step_id)
        except UnusableError as error:
            problems.append(Problem(shown, f"places, {step_id}", error.reason, skipped=False))
    return places


def _vocabulary(value: object, shown: str, problems: list[Problem]) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        return {}
    words: dict[str, tuple[str, ...]] = {}
    for step_id in value:
        try:
            words[step_id] = tuple(_text(value, step_id).split())
        except UnusableError as error:
            problems.append(Problem(shown, f"vocabulary, {step_id}", error.reason, skipped=False))
    return words


# --- fields ---------------------------------------------------------------------------------------------


def _known(entry: Mapping[str, object], known: frozenset[str]) -> None:
    strange = sorted(set(entry) - known)
    if strange:
        raise UnusableError(strange[0], "is not a field here")


def _table(entry: object, section: str) -> Mapping[str, object]:
    if not isinstance(entry, dict):
        raise UnusableError("", f"must be a [[{section}]] table")
    return entry


def _text(entry: Mapping[str, object], name: str, *, required: bool = True) -> str:
    value = entry.get(name, "")
    if not isinstance(value, str):
        raise UnusableError(name, "must be text")
    text = " ".join(value.split())
    if required and not text:
        raise UnusableError(name, "is missing")
    return text


def _texts(entry: Mapping[str, object], name: str) -> tuple[str, ...]:
    values = entry.get(name, [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise UnusableError(name, "must be a list of texts")
    return tuple(" ".join(value.split()) for value in values)


def _tables(entry: Mapping[str, object], name: str) -> Iterable[Mapping[str, object]]:
    values = entry.get(name, [])
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        raise UnusableError(name, "must be a list of tables")
    return values


def _template(
    entry: Mapping[str, object], name: str, allowed: frozenset[str], *, blank: bool = False
) -> Template:
    value = entry.get(name)
    if not isinstance(value, str) or (not value.strip() and not blank):
        raise UnusableError(name, "is missing")
    return _checked(value if blank else value.strip(), name, allowed)


def _checked(text: str, name: str, allowed: frozenset[str]) -> Template:
    template = Template(text)
    if "{" not in text and "}" not in text:
        return template
    strange = sorted(template.slots - allowed)
    if strange:
        raise UnusableError(name, f"has the slot {{{strange[0]}}}, which cannot be filled here")
    braces = len(_SLOT.findall(text))
    if text.count("{") != braces or text.count("}") != braces:
        raise UnusableError(name, "has a brace that is no slot")
    return template


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]
