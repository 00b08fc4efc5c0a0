"""Loans: what a member has taken out, and until when."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta

MOST_RENEWALS = 3
LOAN_PERIOD = timedelta(days=28)


class RenewalRefused(Exception):
    """A loan that cannot be renewed, with the reason that staff read to the member."""


@dataclass(frozen=True)
class Loan:
    """One copy in the hands of one member."""

    loan_id: int
    card: str
    title: str
    due: date
    renewals: int = 0
    reserved: bool = False


def renew(loan: Loan, today: date) -> Loan:
    """The loan with a new due date; refused when somebody waits for it or the limit is reached."""
    if loan.reserved:
        raise RenewalRefused(f"{loan.title} is reserved by another member")
    if loan.renewals >= MOST_RENEWALS:
        raise RenewalRefused(f"{loan.title} has been renewed {MOST_RENEWALS} times")
    return replace(loan, due=today + LOAN_PERIOD, renewals=loan.renewals + 1)


def due_soon(loans: list[Loan], today: date, days: int = 2) -> list[Loan]:
    """The loans that are due in a few days, the first due first."""
    return sorted((loan for loan in loans if loan.due - today <= timedelta(days=days)), key=lambda loan: loan.due)
