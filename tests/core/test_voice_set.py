"""How often the voice check is wrong: twenty good contributions on technical items, and twenty bad ones."""

from __future__ import annotations

import pytest

from people import find_slips
from roundtable.catalogue import load_roster
from roundtable.core.turns import Turn

ROSTER = load_roster()
NAMES = [persona.first_name for persona in ROSTER.personas]
KEYS = {persona.first_name: persona.key for persona in ROSTER.personas}
CACHE = (
    "HTTP caching for the async client. GET responses are fetched again on every call. Add a cache with a "
    "backend for memory and disk, honour Cache-Control and ETag, keep the API of AsyncClient as it is. The "
    "payload of a 304 is empty, and a JSON schema lists the endpoints; latency is 180 ms."
)
RETRY = (
    "Retry uploads after a dropped connection. A webhook is sent twice when the queue worker restarts. Make "
    "the handler idempotent, keep the REST API, store the event id; people are frustrated by double mails."
)
EARLIER = [
    Turn(1, KEYS["Maya"], "The reporter opens the same page forty times a day and waits each time."),
    Turn(
        1,
        KEYS["Alex"],
        "Option A keeps entries per process, which costs memory. Option B shares them on disk.",
    ),
    Turn(1, "user", "We keep the client's signature. What about stale entries?"),
]

GOOD = [
    (
        "Maya",
        CACHE,
        "The reporter never sees the cache. She sees a price from yesterday and signs a contract on it. "
        "So what does the screen say when an entry is older than an hour?",
    ),
    (
        "Maya",
        CACHE,
        "Alex splits memory and disk. For the person at the desk that is one difference: after a restart "
        "the first page takes 180 ms again. Is anybody at the desk at six, when it restarts?",
    ),
    (
        "Maya",
        CACHE,
        "An async client means three tabs ask at once. Picture the clerk with all three open: do they "
        "show the same figure, or does one of them still carry the morning's?",
    ),
    (
        "Maya",
        CACHE,
        "Stale entries are the user's own worry, and I share it: whoever pays by that figure must be able "
        "to tell that it is old. A small date beside it would be enough to check.",
    ),
    (
        "Maya",
        RETRY,
        "Two mails for one upload cost the caretaker a phone call. He rings the office, nobody there can "
        "see which of the two counts, and both sides lose ten minutes.",
    ),
    (
        "Maya",
        RETRY,
        "If the webhook comes late instead of twice, who notices first? I would say the driver, who "
        "stands at the gate with a form that says nothing has arrived.",
    ),
    (
        "Maya",
        RETRY,
        "Idempotent is Jordan's word. For the caretaker it means: he presses once, he gets one mail, and "
        "pressing again tells him so. That sentence can be tested by a bystander.",
    ),
    (
        "Alex",
        CACHE,
        "Two ways to keep entries fresh. Revalidate with ETag each time, which costs a round trip and "
        "never lies; or trust max-age, which costs nothing and lies for as long as the server said. RFC "
        "9111 lets the origin choose, so I would follow it and not add a knob.",
    ),
    (
        "Alex",
        CACHE,
        "How far does this reach? Everything that builds a request passes through the transport, so a "
        "wrapper there touches one file. Inside the client it touches every redirect. Jordan, the wrapper "
        "also sees streamed bodies, which must not be kept half read.",
    ),
    (
        "Alex",
        CACHE,
        "The risk is Vary. A key of method and URL alone serves one user's page to the next. It can be "
        "softened by keying on the listed headers and by refusing `Vary: *`.",
    ),
    (
        "Alex",
        CACHE,
        "Disk entries survive a release that changes their layout. Version the folder name; then an old "
        "entry is a miss and nothing has to be migrated. That can be undone by deleting a folder.",
    ),
    (
        "Alex",
        RETRY,
        "People are frustrated by double mails, the item says; at this level it means delivery is at "
        "least once and always will be. Either the sender remembers ids, or the receiver does. Only the "
        "second holds when the worker dies between the two writes.",
    ),
    (
        "Alex",
        RETRY,
        "A table of event ids grows without end. Keep them for the queue's own retention, seven days by "
        "assumption; nobody has measured it. Beyond that a duplicate would be a new event anyway.",
    ),
    (
        "Alex",
        RETRY,
        "Maya's one mail per press implies that the id is made before the press leaves the device. Made "
        "on the server, a dropped connection looks like two presses.",
    ),
    (
        "Jordan",
        CACHE,
        "Entry: key, status, headers, body, stored_at, expires_at. Lookup returns Fresh, Stale or Miss; "
        "Stale carries the ETag so that the transport can add If-None-Match. A 304 updates headers only.",
    ),
    (
        "Jordan",
        CACHE,
        "A body that is read twice raises StreamConsumed today. The cache has to read it once, keep the "
        "bytes and hand out a replay; over 10 MB it keeps nothing and says so in a debug line.",
    ),
    (
        "Jordan",
        CACHE,
        "Alex's versioned folder needs an error of its own: CacheUnreadable, raised never, logged once "
        "per start, and the entry counts as a miss. A full disk is CacheFull, same rule.",
    ),
    (
        "Jordan",
        RETRY,
        "The handler takes event_id, a UUID of 36 characters, and answers 200 with the first result when "
        "it has seen it. 409 would make the sender try again, which is what we are ending.",
    ),
    (
        "Jordan",
        RETRY,
        "Between storing the id and sending the mail the worker can die. State: received, mailing, done. "
        "On restart, mailing older than 60 seconds is tried once more with the same Message-ID.",
    ),
    (
        "Jordan",
        RETRY,
        "Two workers insert the same id in the same millisecond. A unique constraint lets one through; "
        "the other gets DuplicateEvent and answers as if it had been first.",
    ),
]

BAD = [
    ("Maya", "", "We need to look at the throughput and the coupling before anything else happens here."),
    ("Maya", "", "The middleware should expose an endpoint, and the payload needs a schema."),
    ("Maya", "", "We could just add a database table and a cron job for the reminders."),
    ("Maya", "", "Good point, Alex."),
    ("Maya", "", "I fully agree, makes sense."),
    ("Maya", "", "renew(book_id, reader) -> Loan is what she needs at the desk."),
    ("Maya", "", "Implement it with a hash and refactor the module afterwards."),
    ("Alex", "", "Users will love it; the page feels intuitive and delights everybody at the desk."),
    ("Alex", "", "The button layout and the colours decide whether this works at all."),
    ("Alex", "", "The acceptance criterion is: the page loads within two seconds on the van."),
    ("Alex", "", "Given a full disk, When the worker writes, Then the entry is dropped and logged."),
    ("Alex", "", "def keep_entry(key: str, body: bytes) -> Entry is the whole interface."),
    ("Alex", "", "Option A keeps entries per process, which costs memory. Option B shares them on disk."),
    ("Alex", "", "We are all aligned on this. As a team we should consider all perspectives."),
    ("Jordan", "", "Who benefits from this, and what problem are we solving for the users?"),
    ("Jordan", "", "The business value for our stakeholders is clear, and the target audience is wide."),
    ("Jordan", "", "I see two approaches here; weighing the options, the overall tradeoff favours disk."),
    ("Jordan", "", "What do users really want from it? Tell me more about their day."),
    ("Jordan", "", "The reporter opens the same page forty times a day and waits each time."),
    ("Jordan", "", "Sounds good to me, nothing more to add."),
]


def refused(name: str, item: str, text: str) -> bool:
    persona = ROSTER[KEYS[name]]
    return bool(find_slips(text, persona, EARLIER, item=item))


@pytest.mark.rule("VOICE-2", "VOICE-5")
def test_at_most_one_good_contribution_in_twenty_is_refused() -> None:
    assert len(GOOD) == 20
    assert [text for name, item, text in GOOD if refused(name, item, text)][1:] == []


@pytest.mark.rule("VOICE-2")
def test_at_least_fifteen_bad_contributions_in_twenty_are_caught() -> None:
    assert len(BAD) == 20
    assert sum(refused(name, item, text) for name, item, text in BAD) >= 15


@pytest.mark.rule("VOICE-5")
@pytest.mark.parametrize("word", ["cache", "async", "latency", "endpoint", "APIs", "caching", "payloads"])
def test_words_of_the_item_break_no_ban_on_vocabulary(word: str) -> None:
    said = f"The reporter would never notice the {word} if the figure on the page was right."
    assert not refused("Maya", CACHE, said)
    assert refused("Maya", "", said)


@pytest.mark.rule("VOICE-5")
def test_the_parts_of_an_identifier_count_as_words_of_the_item() -> None:
    said = "She waits for the async answer like for any other."
    assert not refused("Maya", "Fix `AsyncClient.send`", said)
    assert refused("Maya", "Fix `Client.send`", said)
