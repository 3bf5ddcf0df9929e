"""A message → handed to a mail server; credentials are sent over TLS only."""

from __future__ import annotations

import smtplib
import ssl
from email.message import EmailMessage
from email.utils import formatdate

import msgspec

from urlset.web.api import is_loopback

_SECONDS = 30.0
_TLS_FROM_THE_START = 465


class Mailbox(msgspec.Struct, frozen=True):
    """Where mail is handed in, and as whom."""

    host: str
    port: int
    sender: str
    user: str = ""
    password: str = ""

    def __repr__(self) -> str:
        return f"Mailbox({self.host}:{self.port})"


def send_mail(mailbox: Mailbox, to: str, subject: str, text: str, message_id: str) -> str:
    """Why it was not taken; empty where it was. The same `message_id` on a second try lets servers drop a copy."""
    try:
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = mailbox.sender, to, subject
        message["Date"] = formatdate()
        message["Message-ID"] = f"<{message_id}@urlset.invalid>"
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(text)
        with _connected(mailbox) as server:
            server.send_message(message)
    except smtplib.SMTPAuthenticationError:
        return "the mail server refused the user name or password"
    except smtplib.SMTPResponseException as error:
        return f"the mail server answered {error.smtp_code}"
    except smtplib.SMTPRecipientsRefused:
        return "the mail server refused the recipient"
    except (smtplib.SMTPException, ValueError) as error:
        return str(error)[:200] or type(error).__name__
    except OSError as error:
        return error.strerror or type(error).__name__
    return ""


def _connected(mailbox: Mailbox) -> smtplib.SMTP:
    context = ssl.create_default_context()
    if mailbox.port == _TLS_FROM_THE_START:
        server: smtplib.SMTP = smtplib.SMTP_SSL(mailbox.host, mailbox.port, timeout=_SECONDS, context=context)
    else:
        server = smtplib.SMTP(mailbox.host, mailbox.port, timeout=_SECONDS)
        server.ehlo_or_helo_if_needed()
        if server.has_extn("starttls"):
            server.starttls(context=context)
        elif mailbox.user and not is_loopback(f"smtp://{mailbox.host}/"):
            server.close()
            raise smtplib.SMTPException("the mail server offers no TLS, so the password was not sent")
    if mailbox.user:
        server.login(mailbox.user, mailbox.password)
    return server
