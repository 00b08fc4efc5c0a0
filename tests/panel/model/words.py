"""Words by script, for a server and for a program: `python words.py` takes the prompt on stdin.

It imports nothing of ours: it knows of a request only what a model would see.
"""

from __future__ import annotations

import json
import re
import sys

SAYINGS = (
    "Inspectors retype every form at night, and one of them loses 40 minutes a day to it.",
    "Two devices can hold the same form; the later one overwrites the earlier one without a word.",
    "A form needs a version and a state, draft or sent, before anything can be compared.",
    "The office reads the list at seven, so a form that arrives later waits a whole day.",
    "Queueing on the device costs a table and a retry; a shared folder costs nothing and loses order.",
    "An empty field is not the same as a field nobody reached, and the record has to keep them apart.",
    "Basements without signal are half of the visits in winter, by the inspector's own count.",
    "If the token expires below ground, the upload fails above ground; the retry has to renew it.",
    "The rejected form goes back with its reason, the field it is about, and the time.",
)
FRAMING = {
    "summary": "Inspectors fill in forms without signal. The office gets them late.",
    "focus_question": "What happens to a form that two people changed?",
    "focus_topic": "forms changed twice",
}
SYNTHESIS = {
    "insights": [{"text": "Forms are retyped at night.", "turns": [2]}],
    "decisions": [],
    "questions": [{"text": "Who wins?", "detail": "Nobody knows yet; the office decides.", "turns": [3]}],
    "actions": [],
    "summary": "Identified 1 gap in the hand-over of forms",
}
OFFERS: dict[str, list[object]] = {"drafts": []}
_TURN = re.compile(r"Now turn (\d+) of")
_OBJECTS = (
    ("Now the synthesis.", SYNTHESIS),
    ("opens the discussion.", FRAMING),
    ("Before the user is asked anything", OFFERS),
)


def answer(prompt: str) -> str:
    """What a well-behaved model answers to the brief at the end of a prompt."""
    brief = prompt[prompt.rfind("\n\n") :]
    if turn := _TURN.search(brief):
        return f"{SAYINGS[int(turn[1]) % len(SAYINGS)]}\n@@ next=none"
    for words, given in _OBJECTS:
        if words in brief:
            return json.dumps(given)
    return "Which figure would that be?"


if __name__ == "__main__":
    sys.stdout.write(answer(sys.stdin.read()))
