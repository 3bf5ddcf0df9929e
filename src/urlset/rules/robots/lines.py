"""Lines in robots.txt that crawlers cannot use."""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.findings.finding import replace
from urlset.model.address import Address
from urlset.model.document import Document
from urlset.model.place import Place, between
from urlset.model.robots import LineKind, RobotsLine
from urlset.model.trouble import TroubleKind
from urlset.rules import Fix, Problem, RobotsText, Safety, Severity
from urlset.rules.quoting import quoted
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import ROBOTS_PLACE

_RULES = frozenset({LineKind.ALLOW, LineKind.DISALLOW})
_ANOTHER_FIELD = lazy_pattern(r"\s(?:user-agent|(?:dis)?allow|sitemap|crawl-delay)\s*:", re.IGNORECASE)
_AGENTS = lazy_pattern(r"[\w*.-]+(?:\s*,\s*[\w*.-]+)+,?")
_LISTED_ONE_BY_ONE = 20
"""lines reported one by one; the rest share one message"""


def is_robots(document: Document) -> bool:
    """Judged by its path, because the content does not show it."""
    if document.url:
        return Address.parse(document.url).path == ROBOTS_PLACE
    return document.name.replace("\\", "/").rpartition("/")[2].lower() == ROBOTS_PLACE.strip("/")


def is_address(line: RobotsLine) -> bool:
    """A URL without a field: its scheme was parsed as the field."""
    return line.kind is LineKind.OTHER and line.written.lower() in ("http", "https") and line.value.startswith("//")


def junk_lines(robots: RobotsText) -> Iterator[Problem]:
    """Lines that are not `field: value`: text, markup, template code, bare URLs."""
    data = robots.document.data
    junk = [trouble for trouble in robots.document.troubles if trouble.kind is TroubleKind.BAD_LINE]
    for trouble in junk[:_LISTED_ONE_BY_ONE]:
        place = _trimmed(data, trouble.place)
        yield _warning(place, f"{quoted(trouble.detail)} is not a 'field: value' line, so crawlers ignore it")
    rest = junk[_LISTED_ONE_BY_ONE:]
    if rest:
        words = f"{len(rest):,} more lines are not 'field: value' lines"
        places = [_trimmed(data, each.place) for each in rest]
        yield Problem(places[0], words, count=len(rest), places=places, severity=Severity.WARNING)
    for line in filter(is_address, robots.robots.lines):
        place = _trimmed(data, between(line.place.offset, line.value_place.end))
        words = f"{quoted(place.cut(data).decode('utf-8', 'replace'))} has no field; did you mean Sitemap?"
        yield _warning(place, words, replace(Place(place.offset), "Sitemap: ", "write Sitemap", Safety.REVIEW))


def unmatchable_rules(robots: RobotsText) -> Iterator[Problem]:
    """Allow and Disallow lines that never match a URL."""
    agents = False
    orphans: list[RobotsLine] = []
    for line in robots.robots.lines:
        agents = agents or line.kind is LineKind.USER_AGENT
        if line.kind is LineKind.USER_AGENT:
            yield from _several_in_one(line)
        if line.kind not in _RULES:
            continue
        if not agents:
            orphans.append(line)
        if line.value:
            yield from _unmatchable(line)
    if orphans:
        more = f"; {len(orphans) - 1:,} more" if len(orphans) > 1 else ""
        words = f"the rule is before the first User-agent line, so crawlers ignore it{more}"
        places = [line.place for line in orphans]
        yield Problem(places[0], words, count=len(orphans), places=places, severity=Severity.WARNING)


def _several_in_one(line: RobotsLine) -> Iterator[Problem]:
    if _ANOTHER_FIELD.search(line.value):
        yield _warning(line.value_place, f"several fields in one line: {quoted(line.value)}; write one field per line")
    elif _AGENTS.fullmatch(line.value):
        words = f"{quoted(line.value)} is read as one name; write one User-agent line per crawler"
        yield _warning(line.value_place, words)


def _unmatchable(line: RobotsLine) -> Iterator[Problem]:
    value = line.value
    address = Address.parse(value)
    if address.is_web and address.host:
        path = value[address.parts.path[0] :].partition("#")[0] or "/"
        words = f"{quoted(value)} is a full URL, but rules match paths, so it matches nothing; write the path"
        yield _warning(line.value_place, words, replace(line.value_place, path, f"write {path}", Safety.REVIEW))
    elif not value.startswith(("/", "*", "$")):
        words = f"{quoted(value)} does not start with / or *, so it matches nothing; add the /"
        yield _warning(
            line.value_place, words, replace(Place(line.value_place.offset), "/", "add the /", Safety.REVIEW)
        )
    elif len(value.split()) > 1:
        words = f"whitespace inside {quoted(value)}; write one path per line"
        yield _warning(line.value_place, words)


def _warning(place: Place, words: str, fix: Fix | None = None) -> Problem:
    return Problem(place, words, fix, severity=Severity.WARNING)


def _trimmed(data: bytes, place: Place) -> Place:
    text = place.cut(data)
    lead = len(text) - len(text.lstrip())
    return Place(place.offset + lead, len(text.strip()))
