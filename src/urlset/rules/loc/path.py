"""Is the path in normal form, as servers, caches, and search engines compare it?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.checking.subjects import AnyRow
from urlset.model.columns import Edit
from urlset.model.place import Place
from urlset.rules import Bad, Engine, Fix, ListedPage, Problem, Safety, Severity, Signal, rule
from urlset.rules.loc.origins import READERS
from urlset.rules.loc.template_leftovers import leftovers
from urlset.rules.quoting import quoted
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import LOC_MIN_LENGTH_XSD

_ESCAPE = lazy_pattern(r"%([0-9A-Fa-f]{2})")
_ESCAPES = lazy_pattern(r"(?:%[0-9A-Fa-f]{2})+")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_EMPTY_SEGMENT = lazy_pattern(r"(?<!:)//+")
_DOT_SEGMENT = lazy_pattern(r"/\.\.?(?:/|$)")


def _after_authority(listed: AnyRow) -> tuple[int, int]:
    """Path and query."""
    parts = listed.address.parts
    return parts.path[0], parts.query[1] if parts.query else parts.path[1]


@rule(
    "L010",
    "escapes-not-utf8",
    on=AnyRow,
    when=Signal.ESCAPE_NOT_UTF8,
    severity=Severity.INFO,
    engines=READERS,
    cites=("sitemaps-protocol",),
    bad=(
        "<loc>https://example.com/«%FC»ber</loc>",
        "<loc>https://example.com/%C3%BC«%FC»</loc>",
        "<loc>https://example.com/?q=«%C3»(</loc>",
        "<sitemap><loc>https://example.com/«%FC»ber.xml</loc></sitemap>",
    ),
    good=("<loc>https://example.com/%C3%BCber</loc>", "<loc>https://example.com/100%25%20sure</loc>"),
)
def escapes_not_utf8(listed: AnyRow) -> Iterator[Problem]:
    """The percent-encoding in a URL is not UTF-8.

    This is allowed if the server accepts it, but reports and other tools show such a URL garbled and may
    encode it again.
    """
    if "%" not in listed.loc:
        return
    for run in _ESCAPES.finditer(listed.loc, *_after_authority(listed)):
        try:
            bytes.fromhex(run[0].replace("%", "")).decode()
        except UnicodeDecodeError as error:
            start, end = run.start() + 3 * error.start, run.start() + 3 * error.end
            yield Problem(
                listed.part(start, end), f"{quoted(listed.loc[start:end])} is not percent-encoded UTF-8; use UTF-8"
            )
            return


@rule(
    "L028",
    "escapes-not-normalised",
    on=AnyRow,
    when=Signal.ESCAPE_RESPELLED,
    severity=Severity.INFO,
    engines=READERS,
    cites=("rfc3986",),
    bad=(
        Bad("<loc>https://example.com/«%c3%bc»%20%c3</loc>", fixed="<loc>https://example.com/%C3%BC%20%C3</loc>"),
        Bad("<loc>https://example.com/«%7E»me/%41</loc>", fixed="<loc>https://example.com/~me/A</loc>"),
        Bad("<loc>https://example.com/?a=1&amp;b=«%2d»</loc>", fixed="<loc>https://example.com/?a=1&amp;b=-</loc>"),
        Bad(
            "<sitemap><loc>https://example.com/«%7E»me.xml</loc></sitemap>",
            fixed="<sitemap><loc>https://example.com/~me.xml</loc></sitemap>",
        ),
    ),
    good=("<loc>https://example.com/%C3%BC%2F%20</loc>", "<loc>https://example.com/~me/A</loc>"),
)
def escapes_not_normalised(listed: AnyRow) -> Iterator[Problem]:
    """The percent-encoding in a URL is not in normal form.

    Lowercase hex digits and encoded letters that need no encoding create a second URL for the same page. A text
    comparison treats the two as different.
    """
    loc = listed.loc
    if "%" not in loc:
        return
    left_over = leftovers(loc)
    found = [
        match
        for match in _ESCAPE.finditer(loc, *_after_authority(listed))
        if _normal(match) != match[0] and not any(low <= match.start() < high for low, high in left_over)
    ]
    if not found:
        return
    end = found[0].end()
    for match in found[1:]:
        if match.start() == end:
            end = match.end()
    yield Problem(
        listed.part(found[0].start(), end),
        f"percent-encoding {quoted(loc[found[0].start() : end])} is not in normal form; write "
        f"{quoted(''.join(_normal(match) for match in found if match.end() <= end))}",
        Fix(
            "normalize the percent-encoding",
            listed.edits([(*match.span(), _normal(match)) for match in found]),
            Safety.REVIEW,
        ),
    )


def _normal(escape: re.Match[str]) -> str:
    character = chr(int(escape[1], 16))
    return character if character in _UNRESERVED else escape[0].upper()


@rule(
    "L029",
    "dot-segment-in-loc",
    on=AnyRow,
    when=Signal.DOT_SEGMENT,
    severity=Severity.WARNING,
    engines=READERS,
    cites=("rfc3986",),
    bad=(
        Bad("<loc>https://example.com/a«/..»/b</loc>", fixed="<loc>https://example.com/b</loc>"),
        Bad("<loc>https://example.com«/.»/a/./b/..</loc>", fixed="<loc>https://example.com/a/</loc>"),
        Bad("<loc>https://example.com«/..»/a?x=/../</loc>", fixed="<loc>https://example.com/a?x=/../</loc>"),
        Bad(
            "<sitemap><loc>https://example.com/a«/..»/b.xml</loc></sitemap>",
            fixed="<sitemap><loc>https://example.com/b.xml</loc></sitemap>",
        ),
    ),
    good=(
        "<loc>https://example.com/.well-known/a</loc>",
        "<loc>https://example.com/a...b/...</loc>",
        "<loc>https://example.com/?path=/../a</loc>",
    ),
)
def dot_segment_in_loc(listed: AnyRow) -> Iterator[Problem]:
    """A path contains `/./` or `/../`.

    Clients resolve these before the request, so the server never receives the listed URL.
    """
    start, end = listed.address.parts.path
    loc = listed.loc
    if "/." not in loc or not listed.address.is_absolute or not (first := _DOT_SEGMENT.search(loc[start:end])):
        return
    at = start + first.start()
    dots = at + len(first[0].rstrip("/"))
    yield Problem(
        listed.part(at, dots),
        f"clients resolve {quoted(loc[at:dots])} before the request; list the resolved URL",
        Fix(
            "resolve the dot segments",
            listed.edits([(low, high, "") for low, high in _resolved(loc, start, end)]),
            Safety.SAFE,
        ),
    )


def _resolved(loc: str, start: int, end: int) -> list[tuple[int, int]]:
    """The ranges that RFC 3986 section 5.2.4 removes, without overlaps."""
    kept: list[tuple[int, int]] = []
    gone: list[tuple[int, int]] = []
    at = start
    while at < end:
        stop = loc.find("/", at + 1, end)
        last, stop = stop < 0, end if stop < 0 else stop
        segment = loc[at + 1 : stop]
        if segment in (".", ".."):
            gone.append((at + 1 if last else at, stop))
            if segment == ".." and kept:
                gone.append(kept.pop())
        else:
            kept.append((at, stop))
        at = stop
    return sorted(gone)


@rule(
    "L030",
    "empty-path-segment",
    on=AnyRow,
    when=Signal.EMPTY_SEGMENT,
    severity=Severity.INFO,
    engines=READERS,
    cites=("general-knowledge",),
    bad=(
        "<loc>https://example.com/a«//»b</loc>",
        "<loc>https://example.com«//»a//b</loc>",
        "<sitemap><loc>https://example.com/a«//»b.xml</loc></sitemap>",
    ),
    good=(
        "<loc>https://example.com/a/b/</loc>",
        "<loc>https://example.com/web/2026/https://example.org/</loc>",
        "<loc>https://example.com/?next=//a</loc>",
    ),
)
def empty_path_segment(listed: AnyRow) -> Iterator[Problem]:
    """A path contains two consecutive slashes.

    Usually two parts were joined incorrectly. Most servers return the same page for both URLs, which creates a
    duplicate.
    """
    start, end = listed.address.parts.path
    if not listed.address.is_absolute:
        return
    found = _EMPTY_SEGMENT.search(listed.loc, start, end)
    if found is not None:
        yield Problem(
            listed.part(*found.span()),
            f"empty segment {found[0]!r} in the path {quoted(listed.address.path)}; use a single slash",
        )


@rule(
    "L039",
    "origin-without-slash",
    on=ListedPage,
    when=Signal.NO_PATH,
    severity=Severity.INFO,
    engines=READERS,
    cites=("sitemaps-protocol", "rfc3986"),
    bad=(
        Bad("<loc>«https://example.com»</loc>", fixed="<loc>https://example.com/</loc>"),
        Bad("<loc>«https://example.com»?a=1&amp;b=2</loc>", fixed="<loc>https://example.com/?a=1&amp;b=2</loc>"),
    ),
    good=(
        "<loc>https://example.com/</loc>",
        "<loc>https://example.com/a</loc>",
    ),
)
def origin_without_slash(listed: ListedPage) -> Iterator[Problem]:
    """The home page is listed without its slash.

    Clients request `/` in both cases, but a text comparison treats `https://example.com` and
    `https://example.com/` as different URLs.
    """
    address = listed.address
    authority = address.parts.authority
    if authority is None or address.path or not address.is_web or "\\" in listed.loc[slice(*authority)]:
        return  # parsers read a backslash as the slash that begins the path
    if len(listed.loc) < LOC_MIN_LENGTH_XSD and Engine.XSD_STRICT in listed.context.engines:
        return  # L005 reports it, with the same fix
    end = authority[1]
    safety = Safety.SAFE if address.host_ascii else Safety.REVIEW
    yield Problem(
        listed.part(0, end),
        f"{quoted(listed.loc[:end])} has no path; add a trailing slash",
        Fix("add the slash", lambda: (Edit(Place(listed.locate(0, end).end), b"/"),), safety),
    )
