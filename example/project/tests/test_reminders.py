from datetime import date

from library import reminders
from library.loans import Loan


class Shelf:
    def loans_of(self, card):
        return [Loan(1, card, "Emma", date(2026, 2, 21))] if card == "c1" else []


def test_only_cards_with_loans_due_soon_get_a_reminder(monkeypatch):
    sent = []
    monkeypatch.setattr(reminders, "send", lambda *words: sent.append(words))
    assert reminders.remind(Shelf(), ["c1", "c2"], date(2026, 2, 20)) == 1
    assert sent[0][0] == "c1"
