"""Access logs → how often, when and with which status a crawler requested each page."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

import msgspec

from urlset.building.sources.lists import lines_of
from urlset.model.address_key import key_of
from urlset.reading.access_log import LoggedRequest, read_line

MOST_PAGES = 2_000_000
"""different URLs that are remembered; requests for further ones are counted only"""
_ANY = "http://host"


class RangesError(ValueError):
    """A list of IP ranges that cannot be used."""


class Hits(msgspec.Struct):
    """The requests for one page."""

    target: str
    count: int = 0
    last: datetime | None = None
    status: int = 0
    """of the last one"""
    is_listed: bool = False


class HitCounter:
    """Filled line by line; only lines that name the crawler are looked at closely."""

    def __init__(self, bot: str, ranges: Iterable[str] = ()) -> None:
        self._bot = re.compile(rf"(?<![\w-]){re.escape(bot)}(?![\w-])", re.IGNORECASE)
        self._networks = [ipaddress.ip_network(each) for each in ranges]
        self._known_addresses: dict[str, bool] = {}
        self.pages: dict[tuple[str, str], Hits] = {}
        """by host (empty where unknown) and path"""
        self.lines = 0
        self.unread = 0
        """lines with the name of the crawler that record no request"""
        self.requests = 0
        self.spoofed = 0
        self.beyond = 0
        self.first: datetime | None = None
        self.last: datetime | None = None

    def read(self, file: BinaryIO, name: str) -> None:
        """Plain or packed. Raises SourceBroken where the file breaks off."""
        for _, line in lines_of(file, name):
            self.lines += 1
            text = "" if line is None else line.decode("utf-8", "replace")
            if self._bot.search(text):
                self._note(read_line(text))

    def _note(self, request: LoggedRequest | None) -> None:
        if request is None:
            self.unread += 1
            return
        if not self._bot.search(request.agent):
            return  # the name is elsewhere in the line
        if self._networks and not self._is_genuine(request.address):
            self.spoofed += 1
            return
        self.requests += 1
        if request.time is not None:
            self.first = request.time if self.first is None else min(self.first, request.time)
            self.last = request.time if self.last is None else max(self.last, request.time)
        key = (request.host, path_key(request.target))
        found = self.pages.get(key)
        if found is None:
            if len(self.pages) >= MOST_PAGES:
                self.beyond += 1
                return
            found = self.pages[key] = Hits(request.target)
        found.count += 1
        if found.last is None or (request.time is not None and request.time >= found.last):
            found.last, found.status = request.time, request.status

    def _is_genuine(self, address: str) -> bool:
        known = self._known_addresses.get(address)
        if known is None:
            try:
                found = ipaddress.ip_address(address)
                known = any(found in network for network in self._networks)
            except ValueError:
                known = False
            self._known_addresses[address] = known
        return known

    def hits_of(self, url: str) -> Hits | None:
        """Those of a listed page; a log without hosts fits any."""
        host, path = _parts(url)
        found = self.pages.get((host, path)) or self.pages.get(("", path))
        if found is not None:
            found.is_listed = True
        return found


def path_key(target: str) -> str:
    return key_of(_ANY + target)[len(_ANY) :]


def _parts(url: str) -> tuple[str, str]:
    key = key_of(url)
    host, slash, rest = key.partition("://")[2].partition("/")
    return host.partition(":")[0], slash + rest


def read_ranges(path: Path) -> Iterator[str]:
    """The file that Google and Bing publish for a crawler: `{"prefixes": [{"ipv4Prefix": …}]}`. Raises RangesError."""
    try:
        found = msgspec.json.decode(path.read_bytes(), type=dict[str, msgspec.Raw])
        prefixes = msgspec.json.decode(found["prefixes"], type=list[dict[str, str]])
        for prefix in prefixes:
            for network in prefix.values():
                ipaddress.ip_network(network)
                yield network
    except (msgspec.MsgspecError, KeyError, ValueError) as error:
        raise RangesError(f"{path}: not a list of IP ranges with `prefixes`: {error}") from error
