"""Alerts → a place that people or programs read. A channel says why it failed, without any secret."""

from __future__ import annotations

import hashlib
import hmac
import os
import subprocess
import unicodedata
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, Protocol
from urllib.parse import urlsplit

import msgspec

from urlset.version import __version__
from urlset.watching.store import Pending, WatchStore
from urlset.watching.tracker import Alert, Phase
from urlset.web.api import Api, ApiRequest, Mailbox, send_mail
from urlset.web.loop import run

_COMMAND_SECONDS, _POST_SECONDS = 60.0, 30.0
_LONGEST_ERROR = 200


class AlertChannel(Protocol):
    @property
    def name(self) -> str:
        """In the state and in metrics: never holds an address or a secret."""

    @property
    def together(self) -> bool:
        """Whether the alerts of one run are one message; else each is sent by itself."""

    def send(self, alerts: Sequence[Alert]) -> str:
        """Why they were not taken; empty where they were."""


class Stdout:
    """`show` prints one alert."""

    name = "stdout"
    together = False

    def __init__(self, show: Callable[[Alert], None]) -> None:
        self._show = show

    def send(self, alerts: Sequence[Alert]) -> str:
        try:
            self._show(alerts[0])
        except OSError as error:
            return error.strerror or type(error).__name__
        return ""


class Webhook:
    """One request per alert: its id is the idempotency key, and the signature covers every byte of the body."""

    together = False

    def __init__(self, url: str, secret: str) -> None:
        self._url, self._secret = url, secret
        self.name = _name("webhook", url)

    def send(self, alerts: Sequence[Alert]) -> str:
        alert = alerts[0]
        body = as_json(alert)
        headers = (
            (SIGNATURE, signature(body, self._secret)),
            ("X-Urlset-Event", f"{alert.kind}.{alert.phase}"),
            ("Idempotency-Key", alert.id),
        )
        return _post(self._url, body, headers)


class Chat:
    """Slack, Teams, and whatever takes their shapes."""

    together = True

    def __init__(self, kind: str, url: str) -> None:
        self._url = url
        self._shape = {"slack": as_slack, "teams": as_teams}[kind]
        self.name = _name(kind, url)

    def send(self, alerts: Sequence[Alert]) -> str:
        return _post(self._url, msgspec.json.encode(self._shape(alerts)), ())


class Mail:
    """One message for the alerts of one run."""

    together = True

    def __init__(self, mailbox: Mailbox, to: str) -> None:
        self._mailbox, self._to = mailbox, to
        self.name = _name("mail", to)

    def send(self, alerts: Sequence[Alert]) -> str:
        text = "\n\n".join(map(as_text, alerts)) + "\n"
        return send_mail(self._mailbox, self._to, subject_line(alerts), text, alerts[0].id)


class CommandChannel:
    """A program that gets the JSON of one alert on its standard input; exit code 0 means taken."""

    together = False

    def __init__(self, words: Sequence[str]) -> None:
        self._words = tuple(words)
        self.name = _name("command", "\0".join(words))

    def send(self, alerts: Sequence[Alert]) -> str:
        alert = alerts[0]
        known = {"URLSET_ALERT_ID": alert.id, "URLSET_ALERT_KIND": alert.kind, "URLSET_ALERT_PHASE": alert.phase}
        try:
            done = subprocess.run(  # noqa: S603 - the user names the command; no shell sees a text of a site
                self._words,
                input=as_json(alert) + b"\n",
                env=os.environ | known,
                timeout=_COMMAND_SECONDS,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"no end within {_COMMAND_SECONDS:.0f} s"
        except (OSError, ValueError) as error:
            return f"cannot be run: {getattr(error, 'strerror', None) or type(error).__name__}"
        return f"exit code {done.returncode}" if done.returncode else ""


def _name(kind: str, secret: str) -> str:
    return f"{kind}-{hashlib.sha256(secret.encode('utf-8', 'replace')).hexdigest()[:8]}"


def _post(url: str, body: bytes, headers: tuple[tuple[str, str], ...]) -> str:
    async def posted() -> str:
        parts = urlsplit(url)
        async with Api(timeout=_POST_SECONDS, tries=2, backoff=0.5, named=[url]) as api:
            api.hide([url, parts.path, parts.query, parts.password or "", parts.username or ""])
            answer = await api.call(ApiRequest("POST", url, headers, data=body))
            if answer.ok:
                return ""
            said = f"status {answer.status}" if answer.failure is None else api.redact(str(answer.failure))
            return said[:_LONGEST_ERROR]

    return run(posted())


# Alerts → what is sent: signed JSON, the shapes of Slack and Teams, plain text for mail and terminals.

SCHEMA = 1
SIGNATURE = "X-Urlset-Signature"
_MARKS = {Phase.PROBLEM: "Problem", Phase.RECOVERY: "Recovered", Phase.CHANGE: "Changed"}
_MOST = 20
"""alerts listed in one message for people"""
_LONGEST = 1_500
"""characters of one alert in a message: Slack and Teams refuse long ones"""


def as_json(alert: Alert) -> bytes:
    """The body of a webhook: docs/watch.md describes the fields."""
    body = {"schema": SCHEMA, "version": __version__, "command": "watch", **msgspec.structs.asdict(alert)}
    return msgspec.json.encode(body)


def signature(body: bytes, secret: str) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def headline(alert: Alert) -> str:
    return f"{_MARKS[alert.phase]}: {alert.message}"


def as_text(alert: Alert) -> str:
    """A few lines, with the details that a person needs to find the cause."""
    lines = [headline(alert), f"  site: {alert.site}"]
    if alert.subject != alert.site:
        lines.append(f"  about: {alert.subject}")
    for name, value in alert.details.items():
        shown = "".join(f"\n    {item}" for item in value) if isinstance(value, list) else value
        lines.append(f"  {name.replace('_', ' ')}: {shown}")
    lines.append(f"  first seen: {alert.since}")
    return _safe("\n".join(lines))[:_LONGEST]


def subject_line(alerts: Sequence[Alert]) -> str:
    more = f" (and {len(alerts) - 1} more)" if len(alerts) > 1 else ""
    return " ".join(_safe(f"[urlset] {headline(alerts[0])}{more}").split())[:200]


def as_slack(alerts: Sequence[Alert]) -> dict[str, Any]:
    """Plain text throughout: a URL of a hostile site cannot mention a channel or fake a link."""
    title = subject_line(alerts).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    blocks = [{"type": "section", "text": {"type": "plain_text", "text": text}} for text in _texts(alerts)]
    return {"text": title, "blocks": blocks}


def as_teams(alerts: Sequence[Alert]) -> dict[str, Any]:
    """An Adaptive Card of text runs, in which Markdown has no meaning."""
    runs = [
        {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": text}]}
        for text in (subject_line(alerts), *_texts(alerts))
    ]
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": runs,
    }
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": card}
    return {"type": "message", "attachments": [attachment]}


def _texts(alerts: Sequence[Alert]) -> list[str]:
    texts = [as_text(alert) for alert in alerts[:_MOST]]
    return texts + ([f"{len(alerts) - _MOST} more"] if len(alerts) > _MOST else [])


def _safe(text: str) -> str:
    """Without control characters and marks that reorder a line."""
    return "".join(each if each in "\n\t" or unicodedata.category(each)[0] != "C" else "\ufffd" for each in text)


# Alerts that wait → sent once on each channel, in their order; what fails waits longer each time.

_FIRST_WAIT = timedelta(seconds=30)
_LONGEST_WAIT = timedelta(hours=1)


class Outbox:
    """Written before and after each delivery: a kill in between repeats that one delivery, with the same id."""

    def __init__(
        self, store: WatchStore, channels: Sequence[AlertChannel], complain: Callable[[str], None] = lambda _line: None
    ) -> None:
        self._store, self._channels, self._complain = store, channels, complain
        self._taken: dict[str, set[int]] = {}
        """delivered by this process, where the disk was too full to note it"""

    @property
    def names(self) -> list[str]:
        return [channel.name for channel in self._channels]

    def deliver(self, now: datetime, *, eager: bool = False) -> int:
        """Send what may be sent; gives the number of alerts that were not taken. Raises StateError.

        `eager`: also what failed a moment ago.
        """
        return sum(self._drain(channel, now, eager=eager) for channel in self._channels)

    def next_time(self) -> str | None:
        return self._store.next_delivery(self.names)

    def _drain(self, channel: AlertChannel, now: datetime, *, eager: bool) -> int:
        waiting = self._store.pending(channel.name, now, eager=eager)
        sent = 0
        batches = [[each] for each in waiting]
        if channel.together:
            batches = [list(run) for _, run in groupby(waiting, key=lambda each: each.run)]
        for batch in batches:
            numbers = [each.number for each in batch]
            if not self._send(channel, batch, now):
                again = now + min(_FIRST_WAIT * 2 ** min(batch[0].tries, 10), _LONGEST_WAIT)
                self._store.refused(channel.name, numbers, self._error, again)
                self._complain(f"{channel.name}: not delivered, tried again later: {self._error}")
                break  # later ones would overtake it
            sent += len(batch)
        return len(waiting) - sent

    def _send(self, channel: AlertChannel, batch: Sequence[Pending], now: datetime) -> bool:
        numbers = [each.number for each in batch]
        taken = self._taken.setdefault(channel.name, set())
        self._error = ""
        if not taken.issuperset(numbers):
            self._store.claim(channel.name, numbers, now)
            self._error = channel.send([each.alert for each in batch])
            if self._error:
                return False
            taken.update(numbers)
        self._store.delivered(channel.name, numbers, now)
        taken.difference_update(numbers)
        return True
