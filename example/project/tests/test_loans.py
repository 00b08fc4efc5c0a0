from datetime import date

import pytest

from library.loans import Loan, RenewalRefused, due_soon, renew

TODAY = date(2026, 2, 20)


def test_a_renewed_loan_is_due_four_weeks_later():
    assert renew(Loan(1, "c", "Emma", TODAY), TODAY).due == date(2026, 3, 20)


@pytest.mark.parametrize("loan", [Loan(1, "c", "Emma", TODAY, reserved=True), Loan(1, "c", "Emma", TODAY, 3)])
def test_a_reserved_or_often_renewed_loan_is_refused(loan):
    with pytest.raises(RenewalRefused):
        renew(loan, TODAY)


def test_loans_due_soon_come_first_due_first():
    late = Loan(2, "c", "Ulysses", date(2026, 2, 21))
    assert due_soon([Loan(1, "c", "Emma", date(2026, 2, 22)), late], TODAY) [0] is late
