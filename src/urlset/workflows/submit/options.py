"""The options of a submission."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from urlset.model.frames import FrameTable, Tabular, table_of
from urlset.model.shown import Shown
from urlset.spec.submission import RETIRED, RETIRED_SPELLINGS, Channel, Retired
from urlset.submitting.receipt import Receipt
from urlset.web.options import WebOptions


class SubmitOptions(msgspec.Struct, frozen=True, kw_only=True):
    sitemaps: tuple[str, ...]
    """addresses of sitemaps or indexes"""
    to: tuple[Channel, ...]
    state: Path
    property: str | None = None
    """the Search Console property, where it is not to be chosen"""
    dry_run: bool = False
    send_all: bool = False
    """a first submission of URLs sends the whole set instead of recording it as known"""
    only_if_published: bool = False
    """a set that is not live yet is nothing to do, not a refusal"""
    key_location: str | None = None
    """where the IndexNow key file is, when it is not at the root of the host"""
    environment: Mapping[str, str] = msgspec.field(default_factory=lambda: os.environ)
    web: WebOptions = WebOptions()


class SubmitReport(Shown, Tabular, msgspec.Struct, frozen=True):
    receipts: tuple[Receipt, ...]
    requests: tuple[dict[str, Any], ...] = ()
    """with `dry_run`: what would be sent, secrets replaced"""
    notes: tuple[str, ...] = ()

    def tables(self) -> Mapping[str, Callable[[], FrameTable]]:
        """Rows: receipts."""
        return {
            "receipts": lambda: table_of(Receipt, lambda: self.receipts),
        }


class ChannelError(ValueError):
    """A channel that does not exist, or no longer; the message says what to use."""


def channels(names: str) -> tuple[Channel, ...]:
    """`google,bing` → channels, each once; raises ChannelError."""
    found: dict[Channel, None] = {}
    for name in filter(None, (part.strip().lower() for part in names.split(","))):
        if name in RETIRED_SPELLINGS:
            raise ChannelError(explain_retired(RETIRED[RETIRED_SPELLINGS[name]]))
        try:
            found[Channel(name)] = None
        except ValueError:
            known = ", ".join(channel.value for channel in Channel)
            raise ChannelError(f"unknown engine {name!r}; choose from {known}") from None
    if not found:
        raise ChannelError("no engine given; use --to google,bing,yandex,indexnow")
    return tuple(found)


def explain_retired(retired: Retired) -> str:
    return f"{retired.title} is not available (since {retired.since}): {retired.why}; {retired.instead}"
