"""Output: whatever is shown does no harm to the terminal or the program that reads it."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout

import pytest
from hypothesis import given
from hypothesis import strategies as st

from people import MAYA
from roundtable.core.lines import Line, speech
from roundtable.core.text import clean_text
from roundtable.surfaces.cli.conversation import Answers, JsonLines, Plain
from roundtable.surfaces.cli.output import one_line, pairs, table

HARMFUL = {"\x1b", "\x07", "\x00", "\r", "\x9b", "\u202e"}

PIPE = Answers(None, "a pipe")
TERMINAL = Answers(None, "a terminal")
TERMINAL.from_terminal = True


def _show_lines(page: JsonLines | Plain, *lines: Line, encoding: str = "utf-8") -> str:
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="backslashreplace", newline="\n")
    with redirect_stdout(out):
        for line in lines:
            page.show(line)
    out.seek(0)
    return out.read()


@given(st.text(), st.sampled_from(["utf-8", "ascii", "latin-1"]))
def test_any_text_is_one_line_of_json(text: str, encoding: str) -> None:
    out = _show_lines(JsonLines(PIPE), Line("notice", text), encoding=encoding)
    assert out.count("\n") == 1
    assert not (HARMFUL - {"\r"}) & set(out)
    record = json.loads(out)
    assert record["text"].split() == clean_text(text.replace("\r", "\t")).replace("\t", " ").split()


@given(st.text(alphabet=st.characters()))
def test_any_text_can_be_shown_to_a_person(text: str) -> None:
    out = _show_lines(Plain(PIPE, None, is_prompting=False), Line("notice", text))
    assert not HARMFUL & set(out)
    assert bool(out) == bool(clean_text(text).strip())


def test_a_listen_line_is_a_prompt_at_a_terminal_and_nothing_elsewhere() -> None:
    lines = Line("question", "Why?"), Line("listen", "", awaits="answer")
    assert _show_lines(Plain(TERMINAL, None, is_prompting=True), *lines) == "Why?\n\n> "
    assert _show_lines(Plain(PIPE, None, is_prompting=False), *lines) == "Why?\n"
    assert json.loads(_show_lines(JsonLines(PIPE), *lines).splitlines()[1]) == {
        "seq": 2,
        "kind": "listen",
        "state": None,
        "speaker": None,
        "turn": None,
        "text": "",
        "awaits": "answer",
    }


@pytest.mark.rule("LOOP-3")
def test_the_users_words_carry_a_name_and_those_typed_on_this_screen_are_not_repeated() -> None:
    lines = [
        Line("resume", "earlier", "user"),
        speech(MAYA, "Hm.", "contribution"),
        Line("contribution", "now", "user", 2, "DISCUSSION_LOOP"),
        Line("choice", " ", "user"),
    ]
    piped = "Ada: earlier\n\nMaya Chen (Business Analyst): Hm.\n\nAda: now\n"
    assert _show_lines(Plain(PIPE, "Ada", is_prompting=False), *lines) == piped
    typed = "You: earlier\n\nMaya Chen (Business Analyst): Hm.\n"
    assert _show_lines(Plain(TERMINAL, None, is_prompting=True), *lines) == typed


def test_tables_align_and_cut_what_is_too_long() -> None:
    assert table(("a", "bb"), [("xyz", "1\n2"), ("", "y" * 101)]) == f"a    bb\nxyz  1 2\n     {'y' * 97}..."
    assert pairs([("a", "1\n2"), ("long", "")]) == "a     1 2\nlong"
    assert one_line("x" * 100) == "x" * 100
    assert one_line("\x1b[31mred\r\n\tline") == "red line"
