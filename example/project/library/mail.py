"""Messages to members by e-mail."""

from __future__ import annotations

import smtplib
from email.message import EmailMessage


def send(card: str, subject: str, text: str) -> None:
    """One message to the address that belongs to a card."""
    message = EmailMessage()
    message["To"] = f"{card}@members.library.example"
    message["Subject"] = subject
    message.set_content(text)
    with smtplib.SMTP("mail.library.example") as server:
        server.send_message(message)
