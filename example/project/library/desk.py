"""The staff's pages: look up a card, renew a loan at the desk or on the phone."""

from __future__ import annotations

from datetime import date

from flask import Flask, request

from library.koha import Koha
from library.loans import RenewalRefused, renew

app = Flask(__name__)
koha = Koha("http://koha.library.example/api/v1")


@app.get("/cards/<card>")
def show(card: str):
    return {"loans": [loan.title for loan in koha.loans_of(card)]}


@app.post("/cards/<card>/renewals")
def renew_loan(card: str):
    wanted = int(request.form["loan"])
    loan = next(loan for loan in koha.loans_of(card) if loan.loan_id == wanted)
    try:
        renewed = renew(loan, date.today())
    except RenewalRefused as refused:
        return {"refused": str(refused)}, 409
    koha.store_renewal(renewed)
    return {"due": renewed.due.isoformat()}
