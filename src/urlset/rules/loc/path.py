"""Is the path in normal form, without session and tracking parameters, and does it lead to a page?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import msgspec

from urlset.checking.declare import bad, good, reader_info, reader_warning
from urlset.checking.subjects import AnyRow
from urlset.findings.finding import quoted
from urlset.fixing.markup import remove_entries
from urlset.model.columns import Edit, Mark
from urlset.model.place import Place
from urlset.rules import Engine, Fix, Kind, ListedPage, Problem, Safety, Signal
from urlset.rules.loc.form import leftovers
from urlset.spec import generator_artifacts
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import LOC_MIN_LENGTH_XSD, ROBOTS_PLACE

# Does the URL contain session or tracking parameters?


class Parameter(msgspec.Struct, frozen=True):
    """One `name=value` of a query; start and end are offsets in the URL."""

    name: str
    """in lowercase"""
    value: str
    start: int
    end: int


def parameters(listed: AnyRow) -> list[Parameter]:
    before, mark, query = listed.loc.partition("#")[0].partition("?")
    if not mark:
        return []
    found: list[Parameter] = []
    at = len(before) + 1
    for piece in query.split("&"):
        name, _, value = piece.partition("=")
        found.append(Parameter(name.lower() if name.isascii() else name, value, at, at + len(piece)))
        at += len(piece) + 1
    return found


def _without(every: list[Parameter], unwanted: list[Parameter]) -> list[tuple[int, int, str]]:
    """The edits that remove parameters, each with an adjacent `&`, or the `?` if none is left."""
    if len(unwanted) == len(every):
        return [(every[0].start - 1, every[-1].end, "")]
    spans: list[tuple[int, int]] = []
    kept_before = False
    for parameter in every:
        if parameter not in unwanted:
            kept_before = True
        elif kept_before:
            spans.append((parameter.start - 1, parameter.end))
        else:
            spans.append((parameter.start, parameter.end + 1))
    return [(start, end, "") for start, end in spans]


def _found(
    listed: AnyRow, is_unwanted: Callable[[Parameter], bool]
) -> tuple[list[Parameter], list[tuple[int, int, str]]]:
    every = parameters(listed)
    unwanted = [parameter for parameter in every if is_unwanted(parameter)]
    return unwanted, _without(every, unwanted) if unwanted else []


@reader_warning(
    "L025", on=AnyRow, when=Signal.SESSION | Signal.AMBIGUOUS_SESSION, cites=("sitemaps-faq", "google-troubleshoot")
)
@bad("<loc>https://example.com/a«;jsessionid=1A2B»?b=1</loc>", fixed="<loc>https://example.com/a?b=1</loc>")
@bad("<loc>https://example.com/?«PHPSESSID=k3j2»&amp;b=1</loc>", fixed="<loc>https://example.com/?b=1</loc>")
@bad(
    "<loc>https://example.com/a?b=1&amp;«sid=9f86d081884c7d659a2f»</loc>", fixed="<loc>https://example.com/a?b=1</loc>"
)
@bad("<loc>https://example.com«/(S(lit3py55t21z5v55vlm25s55))»/a</loc>", fixed="<loc>https://example.com/a</loc>")
@bad(
    "<sitemap><loc>https://example.com/a.php?«PHPSESSID=k3j2»</loc></sitemap>",
    fixed="<sitemap><loc>https://example.com/a.php</loc></sitemap>",
)
@bad("<loc>https://example.com/?«sessionid=ab120»</loc>", fixed="<loc>https://example.com/</loc>")
@good(
    "<loc>https://example.com/talk?sessionid=1204</loc>",
    "<loc>https://example.com/talk?sessionid=BRK204</loc>",
    "<loc>https://example.com/?sid=12</loc>",
    "<loc>https://example.com/?session=spring-2026</loc>",
    "<loc>https://example.com/jsessionid=explained</loc>",
    "<loc>https://example.com/?sid=</loc>",
)
def session_id_in_loc(listed: AnyRow) -> Iterator[Problem]:
    """A URL contains a session ID.

    The same page gets a new URL with each visit, so it is indexed many times, or not at all after the session
    expires. A visitor who follows the link may enter another visitor's session.
    """
    in_path = generator_artifacts.SESSION_IN_PATH.search(listed.loc, *listed.address.parts.path)
    unwanted, changes = _found(listed, _is_session)
    if in_path is not None:
        start, end = in_path.span()
        changes.append((start, end, ""))
    elif unwanted:
        start, end = unwanted[0].start, unwanted[0].end
    else:
        return
    yield Problem(
        listed.part(start, end),
        f"session ID {quoted(listed.loc[start:end])} in the URL; remove it",
        Fix("remove the session ID", listed.edits(changes), Safety.REVIEW),
    )


def _is_session(parameter: Parameter) -> bool:
    name, value = parameter.name, parameter.value
    if name in generator_artifacts.AMBIGUOUS_SESSION_PARAMETERS:
        short = name in generator_artifacts.SHORT_SESSION_PARAMETERS
        return generator_artifacts.SESSION_VALUE.fullmatch(value) is not None or (
            short and generator_artifacts.SHORT_SESSION_VALUE.fullmatch(value) is not None
        )
    return bool(value) and (
        name in generator_artifacts.SESSION_PARAMETERS or name.startswith(generator_artifacts.SESSION_PREFIXES)
    )


@reader_warning("L026", on=ListedPage, when=Signal.TRACKING, cites=("google-canonical", "seen-in-the-wild"))
@bad(
    "<loc>https://example.com/?«utm_source=x»&amp;id=1&amp;utm_medium=y</loc>",
    fixed="<loc>https://example.com/?id=1</loc>",
)
@bad("<loc>https://example.com/a?«gclid=abc»#top</loc>", fixed="<loc>https://example.com/a#top</loc>")
@bad("https://example.com/a?id=1&«fbclid=abc»\n", fixed="https://example.com/a?id=1\n")
@good(
    "<loc>https://example.com/utm_source=x</loc>",
    "<loc>https://example.com/?ref=menu&amp;source=web</loc>",
    "<loc>https://example.com/?utm=33N</loc>",
    "<loc>https://example.com/?q=gclid</loc>",
)
def tracking_parameter_in_loc(listed: ListedPage) -> Iterator[Problem]:
    """A URL contains a tracking parameter.

    The page is the same without it, so the listed URL is not the canonical one. Analytics attributes visits
    from search to the wrong campaign.
    """
    unwanted, changes = _found(listed, _is_tracking)
    if unwanted:
        names = ", ".join(quoted(parameter.name) for parameter in unwanted[:3])
        more = f" and {len(unwanted) - 3} more" if len(unwanted) > 3 else ""
        yield Problem(
            listed.part(unwanted[0].start, unwanted[0].end),
            f"tracking parameters {names}{more} in the URL; remove them"
            if len(unwanted) > 1
            else f"tracking parameter {names} in the URL; remove it",
            Fix("remove tracking parameters", listed.edits(changes), Safety.REVIEW),
        )


def _is_tracking(parameter: Parameter) -> bool:
    return parameter.name in generator_artifacts.TRACKING_PARAMETERS or parameter.name.startswith(
        generator_artifacts.TRACKING_PREFIXES
    )


# Does the URL point to something that can appear in search results?


def ending_of(path: str) -> str:
    """The text after the last dot of the last segment, in lowercase; empty if there is none."""
    name, dot, ending = path.rpartition("/")[2].rpartition(".")
    return ending.lower() if name and dot and ending.isascii() else ""


def drop_entry(listed: ListedPage) -> Fix | None:
    """Not the last entry: a sitemap must list at least one URL."""
    if len(listed.document) == 1:
        return None
    return remove_entries(listed.document, [listed.row], "remove the entry", Safety.REVIEW)


@reader_warning(
    "L035", when=Signal.DOWNLOAD | Signal.FEED, cites=("google-build", "google-file-types", "general-knowledge")
)
@bad(
    "<url><loc>https://example.com/</loc></url>\n<url><loc>https://example.com«/sitemap2.xml»</loc></url>",
    fixed="<url><loc>https://example.com/</loc></url>",
)
@bad(
    "<loc>https://example.com«/wp-sitemap-posts-post-1.xml.gz»</loc>",
    "<loc>https://example.com«/robots.txt»</loc>",
    "<loc>https://example.com«/blog/feed.xml»</loc>",
    "<loc>https://example.com/?«feed=rss2»</loc>",
    "<loc>https://example.com«/downloads/setup.exe»?v=2</loc>",
)
@good(
    "<loc>https://example.com/sitemap</loc>",
    "<loc>https://example.com/sitemap.html</loc>",
    "<loc>https://example.com/blog/what-is-a-sitemap.xml-file/</loc>",
    "<loc>https://example.com/blog/robots.txt/</loc>",
    "<loc>https://example.com/feed/</loc>",
    "<loc>https://example.com/report.pdf</loc>",
    "<loc>https://example.com/licence.txt</loc>",
    "<loc>https://example.com/v1.gz/about</loc>",
    "<loc>https://example.com/.env</loc>",
)
def loc_not_a_page(listed: ListedPage) -> Iterator[Problem]:
    """A URL points to a sitemap, a feed, robots.txt, or a download.

    Search engines do not show these in results. List sitemaps in an index or in robots.txt; crawlers do not read
    them as sitemaps when they are listed as pages.
    """
    address = listed.address
    path, span = address.path, address.parts.path
    ending = ending_of(path)
    query = generator_artifacts.FEED_PARAMETER.search(address.query or "")
    if path == ROBOTS_PLACE:
        what = "is not a page; remove it"
    elif ending and generator_artifacts.SITEMAP_FILE.fullmatch(path[path.rfind("/") :]):
        if listed.document.kind is Kind.URLSET and listed.mark & Mark.IRREGULAR and listed.element.local == "sitemap":
            return  # S006 reports it
        what = "is a sitemap, not a page; list it in an index or in robots.txt"
    elif generator_artifacts.FEED_FILE.fullmatch(path):
        what = "is a feed, which does not appear in search results; remove it"
    elif query is not None and address.parts.query is not None:
        start = address.parts.query[0]
        span = (start + query.start() + query[0].startswith("&"), start + query.end() - query[0].endswith("&"))
        what = "requests a feed, which does not appear in search results; remove it"
    elif ending in generator_artifacts.ARCHIVE_ENDINGS:
        what = f"is a file of type {ending}, which does not appear in search results; remove it"
    else:
        return
    yield Problem(listed.part(*span), f"{quoted(listed.loc[slice(*span)])} {what}", drop_entry(listed))


_ESCAPE = lazy_pattern(r"%([0-9A-Fa-f]{2})")
_ESCAPES = lazy_pattern(r"(?:%[0-9A-Fa-f]{2})+")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_EMPTY_SEGMENT = lazy_pattern(r"(?<!:)//+")
_DOT_SEGMENT = lazy_pattern(r"/\.\.?(?:/|$)")


def _after_authority(listed: AnyRow) -> tuple[int, int]:
    """Path and query."""
    parts = listed.address.parts
    return parts.path[0], parts.query[1] if parts.query else parts.path[1]


@reader_info("L010", on=AnyRow, when=Signal.ESCAPE_NOT_UTF8, cites=("sitemaps-protocol",))
@bad(
    "<loc>https://example.com/«%FC»ber</loc>",
    "<loc>https://example.com/%C3%BC«%FC»</loc>",
    "<loc>https://example.com/?q=«%C3»(</loc>",
    "<sitemap><loc>https://example.com/«%FC»ber.xml</loc></sitemap>",
)
@good("<loc>https://example.com/%C3%BCber</loc>", "<loc>https://example.com/100%25%20sure</loc>")
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


@reader_info("L028", on=AnyRow, when=Signal.ESCAPE_RESPELLED, cites=("rfc3986",))
@bad("<loc>https://example.com/«%c3%bc»%20%c3</loc>", fixed="<loc>https://example.com/%C3%BC%20%C3</loc>")
@bad("<loc>https://example.com/«%7E»me/%41</loc>", fixed="<loc>https://example.com/~me/A</loc>")
@bad("<loc>https://example.com/?a=1&amp;b=«%2d»</loc>", fixed="<loc>https://example.com/?a=1&amp;b=-</loc>")
@bad(
    "<sitemap><loc>https://example.com/«%7E»me.xml</loc></sitemap>",
    fixed="<sitemap><loc>https://example.com/~me.xml</loc></sitemap>",
)
@good("<loc>https://example.com/%C3%BC%2F%20</loc>", "<loc>https://example.com/~me/A</loc>")
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


@reader_warning("L029", on=AnyRow, when=Signal.DOT_SEGMENT, cites=("rfc3986",))
@bad("<loc>https://example.com/a«/..»/b</loc>", fixed="<loc>https://example.com/b</loc>")
@bad("<loc>https://example.com«/.»/a/./b/..</loc>", fixed="<loc>https://example.com/a/</loc>")
@bad("<loc>https://example.com«/..»/a?x=/../</loc>", fixed="<loc>https://example.com/a?x=/../</loc>")
@bad(
    "<sitemap><loc>https://example.com/a«/..»/b.xml</loc></sitemap>",
    fixed="<sitemap><loc>https://example.com/b.xml</loc></sitemap>",
)
@good(
    "<loc>https://example.com/.well-known/a</loc>",
    "<loc>https://example.com/a...b/...</loc>",
    "<loc>https://example.com/?path=/../a</loc>",
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


@reader_info("L030", on=AnyRow, when=Signal.EMPTY_SEGMENT, cites=("general-knowledge",))
@bad(
    "<loc>https://example.com/a«//»b</loc>",
    "<loc>https://example.com«//»a//b</loc>",
    "<sitemap><loc>https://example.com/a«//»b.xml</loc></sitemap>",
)
@good(
    "<loc>https://example.com/a/b/</loc>",
    "<loc>https://example.com/web/2026/https://example.org/</loc>",
    "<loc>https://example.com/?next=//a</loc>",
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


@reader_info("L039", on=ListedPage, when=Signal.NO_PATH, cites=("sitemaps-protocol", "rfc3986"))
@bad("<loc>«https://example.com»</loc>", fixed="<loc>https://example.com/</loc>")
@bad("<loc>«https://example.com»?a=1&amp;b=2</loc>", fixed="<loc>https://example.com/?a=1&amp;b=2</loc>")
@good("<loc>https://example.com/</loc>", "<loc>https://example.com/a</loc>")
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
