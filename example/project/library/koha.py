"""The client for Koha, which holds loans, reservations and members."""

from __future__ import annotations

import json
import urllib.request
from datetime import date

from library.loans import Loan


class KohaUnavailable(Exception):
    """Koha did not answer in time."""


class Koha:
    """Talks to Koha's REST interface."""

    def __init__(self, address: str, timeout: float = 5.0) -> None:
        self.address = address
        self.timeout = timeout

    def loans_of(self, card: str) -> list[Loan]:
        """All open loans of a library card."""
        found = self._get(f"/checkouts?patron={card}")
        return [
            Loan(each["id"], card, each["title"], date.fromisoformat(each["due"]), each["renewals"], each["hold"])
            for each in found
        ]

    def store_renewal(self, loan: Loan) -> None:
        """Write the new due date of a renewed loan."""
        self._post(f"/checkouts/{loan.loan_id}/renewal", {"due": loan.due.isoformat()})

    def mobile_of(self, card: str) -> str | None:
        """The mobile number that the member has left, if any; a parent's number may stand on several cards."""
        member = self._get(f"/patrons/{card}")
        return member.get("mobile")

    def _get(self, path: str):
        try:
            with urllib.request.urlopen(self.address + path, timeout=self.timeout) as answer:
                return json.load(answer)
        except OSError as error:
            raise KohaUnavailable(str(error)) from error

    def _post(self, path: str, body: dict) -> None:
        request = urllib.request.Request(self.address + path, json.dumps(body).encode(), method="POST")
        try:
            urllib.request.urlopen(request, timeout=self.timeout).close()
        except OSError as error:
            raise KohaUnavailable(str(error)) from error
