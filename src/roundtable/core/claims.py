"""Check the claims of every speaker (ART-8): paths, credits, names, figures, forms.

A claim that cannot be verified is first sent back with the reason. If it is still there afterwards, it is
marked `(unverified)`, right after the claim if possible.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from . import lazy_re as re
from .commands import Table
from .hearing import Part
from .personas import Persona, Roster
from .synthesis import UNVERIFIED, Draft, Entry, join_lines, shorten_text
from .text import content_stems, fold_look_alikes, fold_text, split_sentences, stem_word, word_set, words_of
from .turns import USER, Turn

# --- what a text cites: files, lines and figures -------------------------------------------------------

LinesOf = Callable[[str], int | None]
"""Returns the number of lines of a project file, by its path; None if there is no such file."""

_SOURCE_ENDINGS = (
    "py|pyi|jsx?|mjs|cjs|tsx?|vue|svelte|go|rs|java|kts?|scala|cs|cpp|cc|hpp|swift|rb|php|lua|exs?|erl|hs|dart"
    "|sh|sql|html|css|scss|proto|tf|toml|ya?ml|ini|cfg|json|csv|log|md|rst|txt"
)
CITATION = re.compile(
    r"(?<![\w/.@+-])(?P<path>(?:[\w@+.-]+/)+[\w@+.-]*\w|[\w@+-][\w@+.-]*\.[A-Za-z]\w{0,7})"
    r":(?P<line>\d{1,7})(?:-(?P<last>\d{1,7}))?(?![\w:])"
)
"""A cited line of a file: `app.py:12`."""
_BARE_PATH = re.compile(
    r"(?<![\w/.@+:~-])(?P<path>(?:~?/|\.{1,2}/)?(?:[\w@+-][\w@+.-]{0,99}/){1,30}[\w@+.-]{0,99}\w\.[A-Za-z]\w{0,5}"
    rf"|[\w@+-][\w@+.-]*\.(?:{_SOURCE_ENDINGS}))(?![\w/@-]|:\d)"
)
_OUTSIDE = re.compile(
    r"(?<![\w/.@+:~-])(?P<path>(?:~?/|\.\./)[\w@+./-]{1,300})"
    r":(?P<line>\d{1,7})(?:-(?P<last>\d{1,7}))?(?![\w:])"
)
# "example.com/queue" and "Node.js" are not files.
_NO_FILE = re.compile(
    r"(?:[\w-]+\.)+(?i:com|org|net|io|dev|de|local|internal|example|test)(?:/|$)"
    r"|(?i:node|next|vue|react|express|nuxt|three|d3|ember|backbone|angular|chart|discord|alpine|deno)\.js$"
)
_TO_BE_MADE = re.compile(
    r"\b(?:create|add|introduce|write|generate|new|call(?: it)?|name(?: it)?)\s+"
    r"(?:(?:an?|the|new|file|module|called|named|test|page)\s+){0,4}[`\"'*]*\Z",
    re.IGNORECASE,
)


def check_citation(found: re.Match[str], lines_of: LinesOf) -> str:
    """Return a sentence about what is wrong with a cited file or line; empty if it exists."""
    path, line = found["path"], found.groupdict().get("line")
    count = lines_of(path)
    if count is None:
        return f"{found[0]}: there is no file {path} in the project."
    if line is None or 1 <= int(line) <= int(found["last"] or line) <= count:
        return ""
    return f"{found[0]}: the file has {count} line{'s' if count != 1 else ''}."


def find_paths(text: str, *, planned: bool = False) -> Iterator[re.Match[str]]:
    """Yield every file that a text cites; those that it plans to create only if asked."""
    for pattern in (CITATION, _OUTSIDE, _BARE_PATH):
        for found in pattern.finditer(text):
            before = text[max(0, found.start() - 60) : found.start()]
            is_planned = pattern is _BARE_PATH and _TO_BE_MADE.search(before)
            if (planned or not is_planned) and not is_address(found["path"]):
                yield found


def is_address(path: str) -> bool:
    """Whether a path begins with the name of a host, or is a product such as Node.js."""
    return _NO_FILE.match(path) is not None


def is_marked(text: str, end: int) -> bool:
    """Whether the mark comes right after a place in the text."""
    return text[end : end + 40].lstrip("`)*_").lstrip().startswith(UNVERIFIED)


@lru_cache(maxsize=256)
def trusted_text(text: str) -> str:
    """Return a source without the sentences that are marked as unverified."""
    if UNVERIFIED not in text:
        return text
    return "\n".join(sentence for sentence in split_sentences(text) if UNVERIFIED not in sentence)


_COUNTED = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
_NUMBER_WORDS = {word: str(number) for number, word in enumerate(_COUNTED.split())} | {
    "once": "1", "twice": "2", "dozen": "12", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50",
    "half": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90", "hundred": "100",
    "thousand": "1000", "million": "1000000",
}  # fmt: skip
_PASSING, _FEW = ("zero", "one", "once", "half"), 3
# A number up to three is only a figure if it has a unit.
_FIGURE = re.compile(
    rf"""
      https?://\S+
    | (?<![\w./@+-])[\w./@+-]{{1,200}}\.[A-Za-z]\w{{0,7}}:\d+(?:-\d+)?  # a line of a file
    | \b[A-Za-z]{{1,6}}-\d[\d-]*\b          # FR-001, turn-3
    | \b(?:turns?|steps?|phases?|sections?|options?|lines?|entry|entries)\s\d[\d,\s-]*(?:and\s\d+)?
    | \b\d{{2}}-\d{{2}}\b(?!-)               # a step
    | \b\d{{1,9}}(?:\.\d{{1,9}}){{2,}}\b       # a version
    | (?m:^)[ \t]{{0,12}}\d{{1,2}}[.)]\s       # the number of a list's entry
    | \b[A-Za-z_]\w{{0,60}}\d\w*\b           # a name such as utf8
    | \b\d+(?:st|nd|rd|th)\b
    | \b(?:(?P<number>\d{{1,12}}(?:[.,:'\u2009]\d{{1,12}}){{0,6}})
      | (?P<word>{"|".join(word for word in _NUMBER_WORDS if word not in _PASSING)})\b)
      (?P<unit>k\b|\s?%|[\s-]?(?:percent|m?s|sec|second|min|minute|h|hour|day|week|month|year|euro|dollar|cent
      |person|people|user|customer|time|[kmgt]b)s?\b)?
    """,
    re.VERBOSE | re.IGNORECASE,
)


def find_unknown_figures(text: str, sources: Iterable[str], *, exempt: int = 0) -> Iterator[tuple[str, int]]:
    """Yield each figure that is unmarked, above `exempt` and in no source, and where it ends."""
    stands = frozenset[str]().union(*map(_known_values, sources))
    for found in _FIGURE.finditer(text):
        value = _value_of(found)
        is_counted = value.isdecimal() and int(value) <= (exempt if found["unit"] else max(exempt, _FEW))
        if value and not (is_counted or value in stands or is_marked(text, found.end())):
            yield found[0], found.end()


@lru_cache(maxsize=256)
def _known_values(text: str) -> frozenset[str]:
    """Return the values in a source, including the numbers in ids and versions."""
    trusted = trusted_text(text)
    words = (_NUMBER_WORDS[word] for word in words_of(trusted) if word in _NUMBER_WORDS)
    parts = (str(int(part)) for part in re.findall(r"\d{1,12}", trusted))
    return frozenset((*words, *parts, *map(_value_of, _FIGURE.finditer(trusted))))


def _value_of(found: re.Match[str]) -> str:
    """Return the value that a figure is compared by; empty if it only looks like a figure."""
    if found["word"]:
        return _NUMBER_WORDS[found["word"].lower()]
    number = found["number"] or ""
    if re.fullmatch(r"\d{1,3}(?:[.,'\u2009]\d{3})+", number):
        number = re.sub(r"\D", "", number)
    whole, _, rest = re.sub("['\u2009]", "", number.replace(",", ".")).partition(".")
    whole = str(int(whole)) if whole.isdecimal() else whole
    value = f"{whole}.{rest.rstrip('0')}".rstrip(".")
    return f"{value}000" if (found["unit"] or "").lower() == "k" and value.isdecimal() else value


# --- claims --------------------------------------------------------------------------------------------

_QUOTE_LENGTH = 60
_FEW_WORDS = 2


class UnverifiedClaim(Struct, frozen=True):
    """A claim that cannot be verified: the reason to give, and where its mark goes (None: the text's end)."""

    kind: Literal["path", "credit", "name", "form", "figure", "negation"]
    reason: str
    end: int | None = None


def mark_claims(text: str, claims: Iterable[UnverifiedClaim]) -> str:
    """Return the text with `(unverified)` after every claim that has no mark yet."""
    whole = len(text.rstrip().rstrip(".!?")) or len(text.rstrip())
    places = {whole if claim.end is None else claim.end for claim in claims}
    for place in sorted(places, reverse=True):
        if not (is_marked(text, place) or text[:place].rstrip().endswith(UNVERIFIED)):
            gap = "\n" if text[:place].endswith("```") else " "
            text = f"{text[:place]}{gap}{UNVERIFIED}{text[place:]}"
    return text


def check_contribution(text: str, speaker: Persona, table: Table, lines_of: LinesOf) -> list[UnverifiedClaim]:
    """Return the claims in a persona's contribution that cannot be verified."""
    known = [*_documents(table), *(turn.text for turn in table.turns if turn.speaker == USER)]
    found = check_words(text, speaker, table.roster, known, lines_of)
    if any(claim.kind == "form" for claim in found):
        return found
    return [*found, *_check_credits(text, speaker.key, table.turns, table)]


def check_words(
    text: str, speaker: Persona, roster: Roster, known: Sequence[str], lines_of: LinesOf
) -> list[UnverifiedClaim]:
    """Return the claims in words outside a discussion that cannot be verified."""
    if fault := _find_fault_of_form(text, speaker):
        return [UnverifiedClaim("form", fault)]
    return [*_check_names(text, speaker, roster), *_check_paths(text, known, lines_of)]


def _documents(table: Table) -> list[str]:
    """Return the texts that are known before any turn: the item, the step, and the documents."""
    texts = (each.text for each in (*table.material, *table.documents))
    return [table.item.name, table.item.text, table.step.title, *texts]


_FENCE = re.compile(r"```\w*\n(?P<code>.*?)\n?```", re.DOTALL)
_KEY = re.compile(r"""[\[{]\s*(?:\{\s*)?"[\w -]{1,40}"\s*:""")
_REFUSAL = (
    r"\A(?:i'm|i am) (?:very |so )?sorry,? (?:but )?i (?:can't|cannot|won't|am (?:not able|unable))"
    r"|\A(?:sorry,? (?:but )?)?i (?:can't|cannot|won't|am unable to|am not able to)"
    r" (?:help|assist|comply|fulfil|continue|(?:provide|do|answer|write) that)\b"
    r"|\bas an? (?:ai|(?:large )?language model)(?: (?:language )?model| assistant)?(?=,| i\b|\.|\Z)"
)
_PREAMBLE = (
    r"\A(?:(?:sure|certainly|of course|absolutely|okay|ok|great|understood|got it)(?: thing)?[,!.:]* "
    r"(?:here(?:'s| is| are)\b|let me (?:write|answer|draft|respond)|i'll (?:write|answer|play)|below )"
    r"|here(?:'s| is| are) (?:\S+ ){0,4}"
    r"(?:contribution|response|reply|answer|turn|synthesis|summary|version|draft|text|take|section)\b[^.]{0,60}:"
    r"|(?:as )?requested,? )"
)
# Only phrases that nobody uses unprompted: a brief begins with a turn's number, or tells NAME what to do.
_INSTRUCTION = (
    r"\A(?:now turn \d+ of \d+:|now NAME opens|(?:answer|judge) turn \d+, the user's)|\byou are NAME\b"
    r"|\bto (?:add|say), answer pass\b"
)
_FAULTS = {
    _REFUSAL: "It refuses to speak: say what {} thinks, about the item.",
    _PREAMBLE: "It begins with a preamble: send the words alone, nothing before them.",
    _INSTRUCTION: "It repeats what you were told: say it in words of {}'s own.",
}


def _find_fault_of_form(text: str, speaker: Persona) -> str:
    """Return why a text is not a contribution at all; empty if it is one."""
    if not words_of(text):
        return "The text is empty: say something."
    if _is_json(text):
        return "It is JSON: say it in plain words."
    plain, name = " ".join(fold_text(text).split()), re.escape(fold_text(speaker.name))
    faults = (fault for form, fault in _FAULTS.items() if re.search(form.replace("NAME", name), plain))
    return next(faults, "").format(speaker.first_name)


def _is_json(text: str) -> bool:
    fenced = _FENCE.fullmatch(text.strip())
    inner = (fenced["code"] if fenced else text).strip()
    try:
        return inner.startswith(("{", "[")) and isinstance(json.loads(inner), dict | list)
    except (ValueError, RecursionError):
        return bool(_KEY.match(inner))  # cut off, or followed by something


def _check_names(text: str, speaker: Persona, roster: Roster) -> Iterator[UnverifiedClaim]:
    """Yield a claim for each line that begins with somebody else's name, as if they spoke it."""
    others = tuple(fold_look_alikes(each.name) for each in roster.personas if each.key != speaker.key)
    for line in re.finditer(r".+", text):
        found = _name_pattern(others).match(fold_look_alikes(line[0]))
        # `Alex: how far does this reach?` speaks to Alex, and `- Alex: the export` gives Alex a task.
        is_plain = found and found["first"] and not found["role"] and not found["bold"]
        if found and not (is_plain and (line[0].rstrip().endswith("?") or found["bullet"])):
            where = f'these words stand after "{found["who"].strip()}:"'
            reason = f"Nobody speaks under another's name: {where}, and {speaker.first_name} has the turn."
            yield UnverifiedClaim("name", reason, line.start() + len(line[0].rstrip().rstrip(".!?")))


@lru_cache(maxsize=64)
def _name_pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    whole = "|".join(re.escape(name) for name in names if " " in name)
    first = "|".join(re.escape(name.split()[0]) for name in names)
    return re.compile(
        rf"[ \t>\"'#]{{0,20}}(?P<bullet>[-*+][ \t]{{1,9}})?(?P<bold>[*_]{{1,3}})?\[?"
        rf"(?P<who>{whole or '(?!)'}|(?P<user>(?:the[ ])?user|you|person)|(?P<first>{first or '(?!)'}))"
        r"(?P<role>[ \t]*\([^()\n]{1,40}\))?\]?[*_]{0,3}[ \t]*"
        r"(?::(?!\d)[*_]{0,3}(?=[ \t]|$)|[\u2010-\u2015\u2212][ \t]|(?<=[ \t])-[ \t])",
        re.IGNORECASE,
    )


def cites_missing_line(text: str, source: str, known: Sequence[str], lines_of: LinesOf) -> bool:
    """Whether a draft answer or its source names a line that does not exist."""
    told = "\n".join(map(trusted_text, known))
    cited = (*find_paths(source), *(each for each in find_paths(text) if each[0] not in told))
    return any(check_citation(each, lines_of) for each in cited if "line" in each.groupdict())


def _check_paths(text: str, known: Sequence[str], lines_of: LinesOf) -> Iterator[UnverifiedClaim]:
    for found in find_paths(text):
        after = (rest for each in known for rest in trusted_text(each).split(found[0])[1:])
        if any(not rest[:1].isdigit() for rest in after):
            continue  # quoted from the item, a document or the user
        if problem := check_citation(found, lines_of):
            end = found.end() + (text[found.end() : found.end() + 1] == "`")
            yield UnverifiedClaim("path", f"{problem} Cite what exists, or leave it out.", end)


_SAID = (
    "said|says|mentioned|note[ds]|point(?:ed|s) out|argue[ds]|suggest(?:ed|s)|propose[ds]|raise[ds]|explained"
    "|described|observed|warned|stressed|told (?:us|me)|insisted|confirm(?:ed|s)|agree[ds]|decided|admitted"
    "|promised|(?:put|called) it|stated|claimed|approved|chose|rejected|ruled out|accepted|reported|demanded"
)
_POINTS = (
    "points?|concerns?|question|idea|suggestion|argument|proposal|remark|observation|warning|objection|worry"
    "|comment|claim|answer|numbers?|figures?|estimate|decision|choice|words|example|demand"
)
_SOMETIMES = r"(?:(?:has|have|had|just|already|rightly|also|clearly|earlier) ){0,2}"
_CONDITION = re.compile(
    r"\b(?:if|once|until|unless|when|whenever|before|after|whether|should|could|would|might)\s\Z"
)


def _check_credits(text: str, speaker: str, turns: Sequence[Turn], table: Table) -> Iterator[UnverifiedClaim]:
    """Yield a claim for each sentence that credits somebody, or the user, who has said nothing."""
    keys = {persona.first_name: persona.key for persona in table.roster.personas}
    pattern = _credit_pattern(tuple(keys))
    end = 0
    for sentence in split_sentences(text):
        end, said = text.index(sentence, end) + len(sentence), frozenset(content_stems(sentence))
        for found in pattern.finditer(sentence):
            name = next(each for each in (found["who"], found["whose"], found["whom"]) if each)
            key = keys.get(name, USER)
            is_supposed = _CONDITION.search(fold_text(sentence[: found.start()]))
            is_asked = key == USER and sentence.endswith("?")
            # The documents hold the user's answers, and what a persona said in an earlier discussion.
            is_heard = any(turn.speaker == key for turn in turns) or any(
                len(said.intersection(content_stems(each))) > _FEW_WORDS if key == USER else name in each
                for each in _documents(table)
            )
            if key != speaker and not (is_supposed or is_asked or is_heard):
                who = name if key != USER else "The user"
                reason = f'{who} has said nothing yet, so nobody can refer to it: "{found[0]}".'
                yield UnverifiedClaim("credit", reason, end - len(sentence) + len(sentence.rstrip(".!?")))
                break


@lru_cache(maxsize=64)
def _credit_pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    people = "|".join((*map(re.escape, names), r"[Tt]he\s(?:user|person)"))
    last = r"(?:\s[A-Z][\w'-]+)?"
    return re.compile(
        rf"\b(?P<who>{people}|[Yy]ou){last}\s{_SOMETIMES}(?:{_SAID})\b"
        rf"|\b(?P<whose>{people}|[Yy]our){last}(?:['’]s|(?<=our))\s(?:\w+\s)?(?:{_POINTS})\b(?!\sof\sview)"
        rf"|\b(?:(?:dis)?agree|agreeing|side|siding)\swith\s(?P<whom>{people})\b"
    )


def check_draft(draft: Draft, table: Table, lines_of: LinesOf) -> tuple[tuple[str, ...], Draft]:
    """Return why claims of a synthesis cannot be verified, in words for a panel, and the draft with marks."""
    reasons: list[str] = []
    documents = _documents(table)

    def check_figures(words: str, sources: list[str], exempt: int = 0) -> Iterator[UnverifiedClaim]:
        where = "is not in the cited turns, the item or the documents. Take the figure that was said."
        for figure, end in find_unknown_figures(words, sources, exempt=exempt):
            yield UnverifiedClaim("figure", f"{figure} {where}", end)

    def mark(words: str, found: Sequence[UnverifiedClaim], place: str) -> str:
        reasons.extend(f"{claim.reason} {place}" for claim in found)
        return mark_claims(words, found)

    def mark_entry(part: Part, entry: Entry) -> Entry:
        cited = [table.turns[number - 1] for number in entry.turns if 1 <= number <= len(table.turns)]
        known = [*documents, *(turn.text for turn in cited if turn.speaker == USER)]
        sources = [*documents, *(turn.text for turn in cited)]

        def check(words: str) -> list[UnverifiedClaim]:
            found = [*_check_paths(words, known, lines_of), *_check_credits(words, "", cited, table)]
            return [*found, *check_figures(words, sources)]

        text, detail = check(entry.text), check(entry.detail)
        if part != "questions" and _says_the_contrary(entry.text, cited):
            numbers = ", ".join(str(turn.number) for turn in cited)
            text.append(UnverifiedClaim("negation", f"Turn {numbers} says the opposite. Keep the negation."))
        place = f'In: "{shorten_text(join_lines(entry.text), _QUOTE_LENGTH)}".'
        return replace(entry, text=mark(entry.text, text, place), detail=mark(entry.detail, detail, place))

    def mark_summary(words: str) -> str:
        sources = [*documents, *(turn.text for turn in table.turns)]
        figures = check_figures(words, sources, exempt=len(draft.entries))
        return mark(words, [*_check_paths(words, sources, lines_of), *figures], "In the summary.")

    marked = draft.change_entries(mark_entry)
    summary, takeaway = mark_summary(draft.summary), mark_summary(draft.takeaway)
    return tuple(dict.fromkeys(reasons)), replace(marked, summary=summary, takeaway=takeaway)


_NEGATIONS = word_set("not no never none nobody nothing without cannot neither nor")
_IS_OUT = re.compile(r"\b(?:is|are) (?:ruled )?out\W*$", re.IGNORECASE)
_CLAUSE = re.compile(
    r"[.;:!?\n]\s|,\s|\b(?:but|and|because|so|while|unless|if|until|when|rather|that|which|who)\b",
    re.IGNORECASE,
)
_SAME, _LEAST_SHARED, _LONG_STEM = 0.8, 2, 7


def _says_the_contrary(text: str, cited: Sequence[Turn]) -> bool:
    """Whether a text repeats a clause nearly word for word but negated; a looser match gives false alarms."""
    sentences = (sentence for turn in cited for sentence in split_sentences(turn.text))
    told = [clause for each in sentences if not each.endswith("?") for clause in _read_clauses(each)]
    for stems, is_negated in _read_clauses(text):
        near = [
            other_negated != is_negated
            for other, other_negated in told
            if len(stems & other) >= max(_LEAST_SHARED, _SAME * len(stems), _SAME * len(other))
        ]
        if near and all(near):
            return True
    return False


def _read_clauses(text: str) -> Iterator[tuple[frozenset[str], bool]]:
    """Yield the stems of each clause, and whether it is negated."""
    for piece in _CLAUSE.split(CITATION.sub(" ", text)):
        negations = [word for word in words_of(piece) if word in _NEGATIONS or word.endswith("n't")]
        stems = {*content_stems(piece)}.difference(map(stem_word, negations))
        if stems:  # cut, so that "overwritten" and "overwrite" are alike
            is_negated = (len(negations) + bool(_IS_OUT.search(piece))) % 2 == 1
            yield frozenset(stem[:_LONG_STEM] for stem in stems), is_negated
