"""The nightly job: a reminder by e-mail two days before a loan is due."""

from __future__ import annotations

import os
from datetime import date

from library.koha import Koha
from library.loans import due_soon
from library.mail import send


def remind(koha: Koha, cards: list[str], today: date) -> int:
    """Send one message per card with all loans that are due soon; how many were sent."""
    sent = 0
    for card in cards:
        loans = due_soon(koha.loans_of(card), today)
        if loans:
            titles = "\n".join(f"- {loan.title}, due {loan.due:%d %B}" for loan in loans)
            send(card, "Your loans are due soon", titles)
            sent += 1
    return sent


def main() -> None:
    koha = Koha(os.environ["KOHA_ADDRESS"])
    cards = os.environ.get("CARDS", "").split()
    print(remind(koha, cards, date.today()), "reminders sent")


if __name__ == "__main__":
    main()
