"""Find every regular expression of the package, and write the texts that would make it slow."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from msgspec import Struct

import roundtable
from roundtable.catalogue import load_roster
from roundtable.content import read_tables
from roundtable.core.lazy_re import LazyPattern
from roundtable.panel.offline.messages import MAX_LENGTH_READ
from roundtable.panel.offline.messages import pattern as find_pattern

SOURCE = Path(roundtable.__file__).parent
LEFT_OUT = ("roundtable.__main__", "roundtable.core.lazy_re")
_INLINE = frozenset({"sub", "subn", "split", "search", "match", "fullmatch", "findall", "finditer"})
# What is asked of a pattern: the others go about it in the same way as one of these.
METHODS = frozenset({"search", "match", "fullmatch", "sub"})
_SAME = {"subn": "sub", "split": "sub", "findall": "sub", "finditer": "sub"}
_KINDS = 4  # so many kinds of signs are tried where a set takes many
# Used on no more than so many signs, because the caller cuts the text.
_BANS = "the patterns of our personas"
_EXPRESSIONS = "the expressions of the offline panel"
_SHORTENED = {
    _BANS: 4_000,
    _EXPRESSIONS: MAX_LENGTH_READ,
    **{f"roundtable.panel.offline.{name}": MAX_LENGTH_READ for name in ("messages", "pairing")},
}
_MANY = 40  # a repeat that can go on for longer than this is worth pumping

Pattern = re.Pattern[str] | re.Pattern[bytes]


@dataclass(frozen=True, slots=True)
class Found:
    """A pattern and the module that holds it."""

    module: str
    name: str
    pattern: Pattern
    methods: frozenset[str]


def modules() -> tuple[str, ...]:
    """Return the names of all modules of the package but those left out."""
    names = (each.name for each in pkgutil.walk_packages([str(SOURCE)], "roundtable."))
    return tuple(name for name in names if not name.startswith(LEFT_OUT))


def collect() -> tuple[Found, ...]:
    """Return every pattern that a module holds, also in containers, and every one written in a call."""
    found: dict[tuple[object, int], Found] = {}

    def add(each: Found) -> None:
        key = each.pattern.pattern, each.pattern.flags
        before = found.get(key)
        found[key] = replace(before, methods=before.methods | each.methods) if before else each

    for name in modules():
        module = importlib.import_module(name)
        tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))
        for label, value in vars(module).items():
            is_direct = isinstance(value, re.Pattern | LazyPattern)
            for pattern in _held(value, set()):
                add(Found(name, label, pattern, _methods_used(tree, label, direct=is_direct)))
        for call in ast.walk(tree):
            literal = _literal(call) if _is_call_of_re(call, _INLINE) else None
            if literal is not None:
                assert isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
                method = _SAME.get(call.func.attr, call.func.attr)
                add(
                    Found(name, f"line {call.lineno}", re.compile(literal, _flags(call)), frozenset({method}))
                )
    for persona in load_roster().personas:
        for number, ban in enumerate(persona.bans, 1):
            pattern = re.compile(ban.pattern, re.IGNORECASE)
            add(Found(_BANS, f"{persona.key} {number}", pattern, frozenset({"sub"})))
    for name in read_tables("interview/words.toml")["signs"]:
        add(Found(_EXPRESSIONS, name, find_pattern(name), METHODS))
    for kind, signs in read_tables("survey.toml")["projects"].items():
        add(Found("the kinds of projects", kind, re.compile(signs["manifest"]), frozenset({"search"})))
    return tuple(replace(each, methods=each.methods or METHODS) for each in found.values())


def _methods_used(tree: ast.Module, label: str, *, direct: bool) -> frozenset[str]:
    """Return the methods that the module calls on the name; all of them where it hands the pattern on."""
    if not direct:
        return METHODS
    used = set()
    called = {id(node.value): node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == label and isinstance(node.ctx, ast.Load):
            method = _SAME.get(called.get(id(node), ""), called.get(id(node), ""))
            if method == "pattern":
                continue
            if method not in METHODS:
                return METHODS
            used.add(method)
    return frozenset(used)


def dynamic_calls() -> tuple[str, ...]:
    """Return where a function compiles a pattern that is not written out: `module: function`."""
    found: set[str] = set()
    for name in modules():
        tree = ast.parse(Path(str(importlib.import_module(name).__file__)).read_text("utf-8"))
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        found |= {f"{name}: {function.name}" for function in functions if _puts_together(function)}
    return tuple(sorted(found))


def _puts_together(function: ast.FunctionDef) -> bool:
    calls = (node for node in ast.walk(function) if _is_call_of_re(node, _INLINE | {"compile"}))
    return any(_literal(call) is None for call in calls)


def _held(value: object, seen: set[int]) -> Iterator[Pattern]:
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, LazyPattern):
        yield re.compile(value.pattern, value.flags)
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from _held(key, seen)
            yield from _held(each, seen)
    elif isinstance(value, tuple | list | set | frozenset):
        for each in value:
            yield from _held(each, seen)
    elif isinstance(value, Struct):
        for name in value.__struct_fields__:
            yield from _held(getattr(value, name, None), seen)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _held(getattr(value, field.name, None), seen)


def _is_call_of_re(node: ast.AST, names: frozenset[str]) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr in names
    )


def _literal(call: ast.AST) -> Any:
    assert isinstance(call, ast.Call)
    try:
        return ast.literal_eval(call.args[0])
    except ValueError:
        return None


def _flags(call: ast.Call) -> int:
    named = [each.value for each in call.keywords if each.arg == "flags"]
    assert isinstance(call.func, ast.Attribute)
    place = {"compile": 1, "split": 3, "sub": 4, "subn": 4}.get(call.func.attr, 2)
    given = named or call.args[place : place + 1]
    return sum(
        int(getattr(re, node.attr))
        for flags in given
        for node in ast.walk(flags)
        if isinstance(node, ast.Attribute)
    )


@dataclass(frozen=True, slots=True)
class Hostile:
    """A text of any length: a beginning, what is said over and over, an end that does not fit."""

    before: str
    pump: str
    end: str

    def text(self, size: int, pattern: Pattern) -> Any:
        """Return about `size` characters, or bytes where the pattern is for bytes."""
        whole = self.before + self.pump * (size // len(self.pump)) + self.end
        return whole.encode("utf-8", "replace") if isinstance(pattern.pattern, bytes) else whole


def hostile_texts(pattern: Pattern) -> tuple[Hostile, ...]:
    """Return texts that are made from the parts of the pattern itself.

    Each endless repeat is fed with what it takes, after what has to stand before it; and each beginning
    of the pattern is said over and over.
    """
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    fed = dict.fromkeys(_pumps(list(tree), ""))
    pieces = dict.fromkeys(
        (*(each for pair in fed for each in ("".join(pair), pair[0])), _sample(list(tree)))
    )
    return (
        *(Hostile(before, pump, end) for before, pump in fed if pump for end in ("", "\0", "\x07\n!")),
        *(Hostile("", piece + end, "\0") for piece in pieces if piece for end in ("", "\n")),
    )


def _pumps(nodes: list[Any], before: str) -> Iterator[tuple[str, str]]:
    """Yield what stands before each repeat without a small limit, and what the repeat takes."""
    for place, (code, value) in enumerate(nodes):
        here = before + _sample(nodes[:place])
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            _, most, body = value
            if most > _MANY:
                for pump in _samples(list(body)):
                    yield here, pump
                    follower = _sample(nodes[place + 1 :])
                    if follower:
                        yield here, pump + follower[:1]
            yield from _pumps(list(body), here)
        elif code is codes.SUBPATTERN:
            yield from _pumps(list(value[-1]), here)
        elif code is codes.ATOMIC_GROUP:
            yield from _pumps(list(value), here)
        elif code is codes.BRANCH:
            for branch in value[1]:
                yield from _pumps(list(branch), here)
        elif code in (codes.ASSERT, codes.ASSERT_NOT):
            yield from _pumps(list(value[1]), here)


def _samples(nodes: list[Any]) -> Iterator[str]:
    """Yield a few texts that the nodes match: another one for each way through the first choice."""
    yield _sample(nodes)
    for place, (code, value) in enumerate(nodes):
        rest = _sample(nodes[:place]), _sample(nodes[place + 1 :])
        if code is codes.BRANCH:
            yield from (rest[0] + _sample(list(branch)) + rest[1] for branch in value[1])
        elif code is codes.SUBPATTERN:
            yield from (rest[0] + inner + rest[1] for inner in _samples(list(value[-1])))
        elif code is codes.IN:
            yield from (rest[0] + chosen + rest[1] for chosen in _chosen(value)[1:_KINDS])


def _sample(nodes: list[Any]) -> str:
    """Return one text that the nodes match, as far as that is easy to say; lookarounds say nothing."""
    parts = []
    for code, value in nodes:
        if code is codes.LITERAL:
            parts.append(chr(value))
        elif code is codes.NOT_LITERAL:
            parts.append("a" if value != ord("a") else "b")
        elif code is codes.ANY:
            parts.append("a")
        elif code is codes.IN:
            parts.append(_chosen(value)[0])
        elif code is codes.BRANCH:
            parts.append(_sample(list(value[1][0])))
        elif code is codes.SUBPATTERN:
            parts.append(_sample(list(value[-1])))
        elif code is codes.ATOMIC_GROUP:
            parts.append(_sample(list(value)))
        elif code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            least, most, body = value
            parts.append(_sample(list(body)) * max(least, min(most, 1)))
    return "".join(parts)


_LIKELY = "a 0_A-.\n\t/@`[]*#:'\"<>\\\x1b\x9d"


def _chosen(choices: list[Any]) -> list[str]:
    """Return characters that the set takes, some of each kind."""
    return [sign for sign in _LIKELY if _takes(choices, sign)] or [_first(choices)]


def _takes(choices: list[Any], sign: str) -> bool:
    taken = False
    turned = False
    for code, value in choices:
        if code is codes.NEGATE:
            turned = True
        elif code is codes.LITERAL:
            taken |= ord(sign) == value
        elif code is codes.RANGE:
            taken |= value[0] <= ord(sign) <= value[1]
        elif code is codes.CATEGORY:
            taken |= _CATEGORIES[value](sign)
    return taken is not turned


_CATEGORIES: dict[Any, Callable[[str], bool]] = {
    codes.CATEGORY_DIGIT: str.isdigit,
    codes.CATEGORY_NOT_DIGIT: lambda sign: not sign.isdigit(),
    codes.CATEGORY_SPACE: str.isspace,
    codes.CATEGORY_NOT_SPACE: lambda sign: not sign.isspace(),
    codes.CATEGORY_WORD: lambda sign: sign.isalnum() or sign == "_",
    codes.CATEGORY_NOT_WORD: lambda sign: not (sign.isalnum() or sign == "_"),
}


def _first(choices: list[Any]) -> str:
    for code, value in choices:
        if code is codes.LITERAL:
            return chr(value)
        if code is codes.RANGE:
            return chr(value[0])
    return "a"


SHORT = 8_000  # long enough that what is not linear takes clearly longest, whatever else the machine does
LONG = 1_000_000
LIMIT = 4.0  # seconds of the processor; what is not linear takes many minutes
# What hung the program once, and what people and programs send by the megabyte.
SAID_OVER_AND_OVER = (
    *"\x9d@` [\na0-*_#./<\t(\\'\"A!:&|{漢é„“‘",
    *(
        "a ",
        "a@",
        "a.",
        "a@a.",
        "](",
        "\x1b[",
        "\x1b]",
        "**",
        "- ",
        "\r\n",
        "aB",
        " \n",
        "\n\n ",
        "a/",
        "a-",
        "1.",
        "1. ",
        "1,",
    ),
    *("<!-- ", "<!-- Step ", "http://", "option A ", "given when ", "as a ", "x: ", "--> ", "a.py; "),
)


def measure(found: Found, long: int = LONG) -> tuple[float, str]:
    """Return the longest time that the pattern takes on a megabyte, and on what.

    All texts are tried short; the one that took longest, long.
    """
    limit = min(long, _SHORTENED.get(f"{found.module} {found.name}", _SHORTENED.get(found.module, long)))
    short = min(SHORT, limit // 8)
    texts = (*(Hostile("", piece, "\0") for piece in SAID_OVER_AND_OVER), *hostile_texts(found.pattern))
    slowest = max(texts, key=lambda each: _time(found, each.text(short, found.pattern)))
    text = slowest.text(limit, found.pattern)
    return _time(found, text), f"{text[:60]!r}"


def _time(found: Found, text: Any) -> float:
    longest = 0.0
    for method in found.methods:
        before = time.process_time()
        if method == "sub":
            found.pattern.sub(text[:0], text)
        else:
            getattr(found.pattern, method)(text)
        longest = max(longest, time.process_time() - before)
    return longest


def main() -> None:
    """Try every pattern, one line each; the alarm ends the process where one does not come back."""
    for found in collect():
        sys.stdout.write(f"{found.module} {found.name} {found.pattern.pattern!r} ")
        sys.stdout.flush()
        signal.setitimer(signal.ITIMER_PROF, 10 * LIMIT)
        seconds, text = measure(found)
        signal.setitimer(signal.ITIMER_PROF, 0)
        sys.stdout.write(f"{'ok' if seconds < LIMIT else 'SLOW'} {seconds:.2f} s on {text}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()


def repeats_group(pattern: Pattern) -> bool:
    """Whether a pattern repeats more than one sign or set possessively, anywhere in it."""
    single = {codes.LITERAL, codes.NOT_LITERAL, codes.IN, codes.ANY}

    def walk(items: Any) -> Iterator[bool]:
        for kind, given in items:
            if kind is codes.POSSESSIVE_REPEAT:
                yield len(given[2]) != 1 or given[2][0][0] not in single
            yield from (found for part in parts_of(given) for found in walk(part))

    def parts_of(given: Any) -> Iterator[Any]:
        if isinstance(given, parser.SubPattern):
            yield given
        elif isinstance(given, tuple | list):
            for each in given:
                yield from parts_of(each)

    return any(walk(parser.parse(pattern.pattern, pattern.flags)))
