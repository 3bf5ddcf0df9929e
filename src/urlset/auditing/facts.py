"""The answer of a server, or a file of a build folder → a visit: its state, what it says of itself, what that means."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

import msgspec

from urlset.auditing.page_text import PageText
from urlset.auditing.soft404 import ErrorProbe, marks_of, soft_404, unique_words
from urlset.auditing.state import shown_state, state_of
from urlset.model.answer import Answer
from urlset.model.entry import Alternate
from urlset.model.page import PageFacts
from urlset.model.visit import Likelihood, State, Visit
from urlset.reading.fingerprint import facet_hashes, facet_items, main_fingerprint, sketch_of
from urlset.reading.host_robots import path_of
from urlset.reading.html import read_page, refresh_of
from urlset.reading.robots import header_directives

Reader = Callable[..., PageFacts]
"""called with the body, `declared` and `links=False`"""

_HTML = frozenset({"text/html", "application/xhtml+xml"})
_QUALIFYING = frozenset({"hreflang", "media", "type", "lang"})
_LOOKS_LIKE_HTML = (b"<!doctype html", b"<html", b"<head", b"<body", b"<title", b"<meta")
_MOST_ROBOTS_HEADERS = 50
_OUTSIDE = 1 << 31
"""added to the words of a block outside the main element, whose change is none of the page"""


class PendingVisit(msgspec.Struct, frozen=True):
    """A visit before it is judged against the rest of its site, small enough to be kept until that is known."""

    visit: Visit
    blocks: tuple[int, ...] = ()
    """hashes of the text blocks in order, for `reading.fingerprint.BlockCounter`; its facets follow"""
    words: tuple[int, ...] = ()
    """of each of those blocks; none in what the page marks as navigation, site header or footer, and in facets"""


def seen_of(
    answer: Answer,
    *,
    reader: Reader = read_page,
    baseline: ErrorProbe | None = None,
    in_full: bool = True,
    facets: bool = False,
) -> PendingVisit:
    """Everything that this one answer says, beside the answer of its host to an address that cannot exist.

    Unless `in_full`, the text of a long page is left out, about which text decides nothing. With `facets` it is kept
    with what tells whether the page changed.
    """
    readable = answer.ok and not answer.not_modified and is_html(answer)
    if not readable:
        state, reason = state_of(answer)
        said = _from_exchange(answer, state, reason)
        return PendingVisit(
            Visit(**said, **_from_headers(answer)) if state in (State.OK, State.REDIRECTED) else Visit(**said)
        )
    enough = {} if in_full else {"enough": unique_words(baseline)}
    facts = reader(answer.body, declared=answer.header("content-type"), links=False, facets=facets, **enough)
    is_root = path_of(answer.final_url or answer.url) == "/"
    text = PageText(facts, answer.body, _apart(baseline, is_root=is_root)) if facts.words is None else None
    marks = None if text is None else marks_of(text, baseline, is_root=is_root)
    verdict = state_of(answer, words=facts.words if text is None else text.shown_words)
    state, reason = shown_state(answer, verdict, marks)
    said = _from_exchange(answer, state, reason)
    if state not in (State.OK, State.REDIRECTED):
        return PendingVisit(Visit(**said))  # a challenge or login page says nothing about the page that was requested
    said |= _from_headers(answer)
    said |= {name: getattr(facts, name) for name in _SAME_ON_PAGE}
    said["alternates"] = (*facts.alternates, *said["alternates"])
    said["refresh"] = facts.refresh or said["refresh"]
    if text is None:
        return PendingVisit(Visit(**said))
    said["marks"] = marks
    said["sketch"] = sketch_of(text.texts, text.counts)
    visit = Visit(**said)
    if not facets or not text.blocks:
        return PendingVisit(visit, tuple(text.blocks), tuple(text.counts))
    items, main = facet_items(facts), frozenset(facts.main)
    words = (
        count if said_in in main or not main else count | _OUTSIDE
        for said_in, count in zip(text.texts, text.counts, strict=True)
    )
    return PendingVisit(visit, (*text.blocks, *items), (*words, *(0 for _ in items)))


def words_of(count: int) -> int:
    """The words of a block, wherever on the page it is."""
    return count & ~_OUTSIDE


def judged(
    seen: PendingVisit, *, baseline: ErrorProbe | None = None, boilerplate: Collection[int] = frozenset()
) -> Visit:
    """The visit with words, fingerprint, soft 404 and thinness, as far as what is known of the site tells them."""
    visit = seen.visit
    if not seen.blocks and visit.marks is None:
        return visit
    is_root = path_of(visit.final_url or visit.url) == "/"
    apart = _apart(baseline, is_root=is_root)
    own: list[int] = []
    main: list[int] = []
    words = 0
    for block, count in zip(seen.blocks, seen.words, strict=True):
        if count and block not in boilerplate and block not in apart:
            own.append(block)
            words += words_of(count)
            if not count & _OUTSIDE:
                main.append(block)
    if visit.truncated or not visit.complete:
        return msgspec.structs.replace(visit, words=words)  # of half a page nothing is judged
    missing = soft_404(visit, words, boilerplate)
    return msgspec.structs.replace(
        visit,
        words=words,
        fingerprint=main_fingerprint(own, ()),
        facets=facet_hashes(seen.blocks, main, boilerplate),
        soft_404=missing,
        thin=thin(visit, words) if missing is None else None,
    )


def _apart(baseline: ErrorProbe | None, *, is_root: bool) -> frozenset[int]:
    """What an error page shows is on every page, unless the home page is shown for errors."""
    return frozenset() if baseline is None or is_root else baseline.blocks


def renewed(before: Visit, answer: Answer) -> Visit:
    """What was known, after the server confirmed by 304 that it still holds; headers it sent again count."""
    state, reason = state_of(answer)
    if not answer.not_modified or state not in (State.OK, State.REDIRECTED):
        raise ValueError(f"{answer.url} not confirmed: {reason}")
    again = {name: value for name, value in _from_headers(answer).items() if value}
    said = {**_from_exchange(answer, state, reason), **again}
    for name in ("status", "media_type", "size", "truncated"):
        said.pop(name, None)  # of the page, not of the confirmation
    return msgspec.structs.replace(before, **said)  # which says that it is unchanged


def is_html(answer: Answer) -> bool:
    """By its Content-Type; by its first bytes where it has none."""
    kind = answer.media_type
    if kind is not None:
        return kind in _HTML
    start = answer.body[:512].lstrip(b"\xef\xbb\xbf \t\r\n\f").lower()
    return start.startswith(_LOOKS_LIKE_HTML) or (start.startswith(b"<!--") and b"<html" in answer.body[:4096].lower())


_SAME_ON_PAGE = (
    *("charset", "title", "language", "base_href", "canonicals", "qualified_canonicals", "robots", "dates"),
    *("lifetime", "complete"),
)
_SAME_IN_VISIT = (
    *("url", "status", "failure", "hops", "media_type", "truncated", "seconds", "first_byte", "moment"),
    *("tries", "retried"),
)


def _from_exchange(answer: Answer, state: State, reason: str) -> dict[str, Any]:
    return {
        **{name: getattr(answer, name) for name in _SAME_IN_VISIT},
        "state": state,
        "reason": reason,
        "final_url": answer.final_url or answer.url,
        "size": len(answer.body),
        "unchanged": answer.not_modified,
    }


def _from_headers(answer: Answer) -> dict[str, Any]:
    links = tuple(header_links(answer.all("link")))
    refresh = answer.header("refresh")
    robots = answer.all("x-robots-tag")[:_MOST_ROBOTS_HEADERS]
    return {
        "last_modified": answer.header("last-modified"),
        "etag": answer.header("etag"),
        "header_robots": tuple(each for value in robots for each in header_directives(value)),
        "link_canonicals": tuple(
            each.target
            for each in links
            if "canonical" in each.rels and each.target and _QUALIFYING.isdisjoint(each.attributes)
        ),
        "alternates": tuple(
            Alternate(each.attributes["hreflang"], each.target)
            for each in links
            if "alternate" in each.rels and each.attributes.get("hreflang") and each.target
        ),
        "refresh": refresh_of(refresh) if refresh else None,
    }


# The values of Link headers → the links they name: target, relations and attributes, as RFC 8288 writes them.

MOST_LINKS = 500
_LONGEST = 65_536
_TARGET = re.compile(r"[\s,]*<([^>]*)>")
_PARAMETER = re.compile(
    r"""\s*;\s*(?:([A-Za-z0-9!\#$&+\-.^_`|~*]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?)?""", re.DOTALL
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


class HeaderLink(msgspec.Struct, frozen=True):
    target: str
    """as written"""
    rels: tuple[str, ...]
    """lowercase"""
    attributes: dict[str, str]
    """names in lowercase; of a repeated one the first, as the standard requires"""


def header_links(values: Iterable[str]) -> Iterator[HeaderLink]:
    """Never raises; what follows a fault is skipped to the next `<`."""
    left = MOST_LINKS
    for value in values:
        text, at = value[:_LONGEST], 0
        while left and (start := text.find("<", at)) >= 0:
            target = _TARGET.match(text, start)
            if target is None:
                break
            at = target.end()
            attributes: dict[str, str] = {}
            while parameter := _PARAMETER.match(text, at):
                at = parameter.end()
                name, quoted, bare = parameter.groups()
                if name:
                    said = _ESCAPED.sub(r"\1", quoted) if quoted is not None else bare or ""
                    attributes.setdefault(name.lower(), said.strip())
            left -= 1
            yield HeaderLink(target[1].strip(), tuple(attributes.get("rel", "").lower().split()), attributes)


# A page → how likely it has almost no content, and the evidence.

FEW_WORDS = 60
"""with this many words of its own a page is short, not thin"""
REPORTED = 0.5
_STEPS = ((5, 0.95), (15, 0.85), (30, 0.6), (FEW_WORDS, 0.35))


def thin(visit: Visit, words: int) -> Likelihood | None:
    """None also if unknown: scripts fill the page, it was not read completely, it leads elsewhere."""
    marks = visit.marks
    if marks is None or words >= FEW_WORDS or not visit.complete or visit.truncated or visit.refresh is not None:
        return None
    if marks.made_by_scripts and words < 20:
        return None
    certainty = next(each for most, each in _STEPS if words <= most)
    if marks.has_login or marks.fields >= 2:
        certainty -= 0.5  # a page to do something on
    if marks.pictures >= 3 or marks.players:
        certainty -= 0.5  # a gallery, a film, a map
    elif marks.pictures:
        certainty -= 0.15
    if certainty < REPORTED:
        return None
    signs = [f"{words} {'word' if words == 1 else 'words'} of unique text"]
    if not marks.pictures:
        signs.append("no unique image or player")
    if not marks.fields:
        signs.append("no form")
    return Likelihood(round(certainty, 2), tuple(signs))
