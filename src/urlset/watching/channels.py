"""Alerts → a place that people or programs read. A channel says why it failed, without any secret."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Callable, Sequence
from typing import Protocol
from urllib.parse import urlsplit

import msgspec

from urlset.watching.payloads import SIGNATURE, as_json, as_slack, as_teams, as_text, signature, subject_line
from urlset.watching.signals import Alert
from urlset.web.api import Api, ApiRequest
from urlset.web.loop import run
from urlset.web.smtp import Mailbox, send_mail

_COMMAND_SECONDS = 60.0
_LONGEST_ERROR = 200


class AlertChannel(Protocol):
    @property
    def name(self) -> str:
        """In the state and in metrics: never holds an address or a secret."""

    @property
    def together(self) -> bool:
        """Whether the alerts of one run are one message."""

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
            for alert in alerts:
                self._show(alert)
        except OSError as error:
            return error.strerror or type(error).__name__
        return ""


class Webhook:
    """One request per alert: its id is the idempotency key, and the signature covers every byte of the body."""

    together = False

    def __init__(self, url: str, secret: str, *, timeout: float = 30.0) -> None:
        self._url, self._secret, self._timeout = url, secret, timeout
        self.name = _name("webhook", url)

    def send(self, alerts: Sequence[Alert]) -> str:
        for alert in alerts:
            body = as_json(alert)
            headers = (
                (SIGNATURE, signature(body, self._secret)),
                ("X-Urlset-Event", f"{alert.kind}.{alert.phase}"),
                ("Idempotency-Key", alert.id),
            )
            error = _post(self._url, body, headers, self._timeout)
            if error:
                return error
        return ""


class Chat:
    """Slack, Teams, and whatever takes their shapes."""

    together = True

    def __init__(self, kind: str, url: str, *, timeout: float = 30.0) -> None:
        self._url, self._timeout = url, timeout
        self._shape = {"slack": as_slack, "teams": as_teams}[kind]
        self.name = _name(kind, url)

    def send(self, alerts: Sequence[Alert]) -> str:
        return _post(self._url, msgspec.json.encode(self._shape(alerts)), (), self._timeout)


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
        for alert in alerts:
            error = self._run(alert)
            if error:
                return error
        return ""

    def _run(self, alert: Alert) -> str:
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


def _post(url: str, body: bytes, headers: tuple[tuple[str, str], ...], timeout: float) -> str:
    return run(_posted(ApiRequest("POST", url, headers, data=body), timeout))


async def _posted(request: ApiRequest, timeout: float) -> str:  # noqa: ASYNC109 - of the connection, not of the call
    parts = urlsplit(request.url)
    async with Api(timeout=timeout, tries=2, backoff=0.5, hosts=[parts.hostname or ""]) as api:
        api.hide([request.url, parts.path, parts.query, parts.password or "", parts.username or ""])
        answer = await api.call(request)
        if answer.ok:
            return ""
        said = f"status {answer.status}" if answer.failure is None else api.redact(str(answer.failure))
        return said[:_LONGEST_ERROR]
