"""Panel text that cannot act as markup (rule ART-7)."""

from __future__ import annotations

import re

_CONTROL_SEQUENCE = r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]"  # CSI: colours, cursor
# The end of a string is optional, so that no text is read again for each beginning that nothing ends.
_ESCAPE_SEQUENCE = re.compile(
    rf"{_CONTROL_SEQUENCE}"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])"  # OSC, DCS, SOS, PM, APC
    r"(?P<held>[^\x07\x1b\x9c]*+)(?P<end>\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)
_CONTROL_SEQUENCES = re.compile(_CONTROL_SEQUENCE)
# Direction overrides let text show in another order than it is stored; lone surrogates cannot be written.
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_LINE_BREAKS = re.compile(r"(?:(?<![ \t])[ \t]+)?[\n\r\x85\u2028\u2029]\s*|\t")
_INLINE = re.compile(r"(?P<pair>\\[!-/:-@\[-`{-~])|(?P<ticks>`+)|(?P<tag><(?=[A-Za-z/!?]))|(?P<end>\\$)")
_AUTOLINK = re.compile(r"<https?://[^\s<>]+(?<!--)>")
_TICKS = re.compile("`+")
_LEADING_SIGN = re.compile(
    r"#{1,6}(?= |$)"
    r"|>"
    r"|[-+*](?= |$)"
    r"|(?:(?:- *)+|(?:\* *)+|(?:_ *)+|=+)$"
    r"|~~~"
    r"|\|"
    r"|\[(?=[ xX]\](?: |$))"
    r"|\[(?=(?:\\.|[^\]\\])*\]:)"
)
_HEADING_SIGNS = re.compile(r" {0,3}(?P<signs>#{1,6})[ \t]+")
_LEADING_NUMBER = re.compile(r"([0-9]{1,9})([.)])(?= |$)")
# What `harmless` puts before a sign that would open a block, and before a lone backtick.
_ESCAPE = re.compile(r"^\\(?=[#>+*~|=_\[-])|(?<=^\d)\\(?=[.)])|(?<=^\d\d)\\(?=[.)])|\\(?=`)|\\(?=\\$)")


def printable(text: str) -> str:
    """The text without terminal escape sequences and control characters; line breaks and tabs stay."""
    return _UNPRINTABLE.sub("", _ESCAPE_SEQUENCE.sub(_keep_unended, text))


def _keep_unended(sequence: re.Match[str]) -> str:
    """Return the text of a sequence that nothing ends: it may be what somebody wrote."""
    if sequence["held"] is None or sequence["end"]:
        return ""
    return _CONTROL_SEQUENCES.sub("", sequence["held"])


def harmless(text: str) -> str:
    """One line that reads the same and can neither open a block nor hold HTML or comments."""
    line = _inline_escaped(_LINE_BREAKS.sub(" ", printable(text)).strip())
    if _LEADING_SIGN.match(line):
        return "\\" + line
    if number := _LEADING_NUMBER.match(line):
        return f"{number[1]}\\{line[number.end(1) :]}"
    return line


def heading_of(line: str) -> tuple[int, str] | None:
    """Return the level and the words of a heading with signs; None where the line is none or has no words."""
    opening = _HEADING_SIGNS.match(line)
    if opening is None:
        return None
    words = line[opening.end() :].strip()
    without_signs = words.rstrip("#")
    if without_signs != words and without_signs.endswith((" ", "\t")):  # "C#" keeps its sign
        words = without_signs.rstrip()
    return (len(opening["signs"]), words) if words else None


def plain(text: str) -> str:
    """Text from a document without what keeps it from acting as markup."""
    return _ESCAPE.sub("", text).replace("&lt;", "<").replace("--&gt;", "-->")


def _inline_escaped(line: str) -> str:
    """Code spans as they are; tags, comments and lone backticks escaped."""
    parts: list[str] = []
    at = 0
    while special := _INLINE.search(line, at):
        parts.append(line[at : special.start()])
        part, at = _special(line, special)
        parts.append(part)
    # What is left of a closing delimiter stands in plain text: code that holds one is not kept as code.
    return ("".join(parts) + line[at:]).replace("-->", "--&gt;")


def _special(line: str, special: re.Match[str]) -> tuple[str, int]:
    """What a character with a meaning becomes, and where the text goes on."""
    start, end = special.span()
    match special.lastgroup:
        case "ticks":
            code = _code_span(line, special)
            return (code, start + len(code)) if code else ("\\`" * (end - start), end)
        case "tag":
            link = _AUTOLINK.match(line, start)
            return (link[0], link.end()) if link else ("&lt;", end)
        case "pair":
            return ("&lt;" if line.startswith("<!--", start + 1) else special[0]), end
        case _:
            # Alone at the end, a backslash would escape what the caller writes next.
            return "\\\\", end


def _code_span(line: str, opening: re.Match[str]) -> str:
    """The code span that opens here; empty where nothing closes it or it holds a comment's delimiter."""
    for closing in _TICKS.finditer(line, opening.end()):
        if closing[0] == opening[0]:
            code = line[opening.start() : closing.end()]
            return "" if "<!--" in code or "-->" in code else code
    return ""
