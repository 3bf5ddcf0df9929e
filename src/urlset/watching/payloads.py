"""Alerts → what is sent: signed JSON, the shapes of Slack and Teams, plain text for mail and terminals."""

from __future__ import annotations

import hashlib
import hmac
import unicodedata
from collections.abc import Sequence
from typing import Any

import msgspec

from urlset.version import __version__
from urlset.watching.signals import Alert, Phase

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
    lines += [f"  {name.replace('_', ' ')}: {_value(value)}" for name, value in alert.details.items()]
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


def _value(value: Any) -> str:
    if isinstance(value, list):
        return "".join(f"\n    {item}" for item in value)
    return str(value)


def _safe(text: str) -> str:
    """Without control characters and marks that reorder a line."""
    return "".join(each if each in "\n\t" or unicodedata.category(each)[0] != "C" else "\ufffd" for each in text)
