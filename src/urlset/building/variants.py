"""An address → why it is not a page to list: a cart, a session, tracking, a page number, a facet, a file type."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.building.candidate import PolicyReason
from urlset.model.address import Address
from urlset.model.private_path import private_part
from urlset.spec.generator_artifacts import (
    AMBIGUOUS_SESSION_PARAMETERS,
    ARCHIVE_ENDINGS,
    ASSET_ENDINGS,
    FACET_PARAMETERS,
    FACET_PREFIXES,
    FEED_FILE,
    FEED_PARAMETER,
    PAGE_IN_PATH,
    PAGE_NAMES_LIKE_ASSETS,
    PAGE_PARAMETERS,
    RETURN_PARAMETERS,
    SEARCH_PARAMETERS_AT_ROOT,
    SESSION_IN_PATH,
    SESSION_PARAMETERS,
    SESSION_PREFIXES,
    SESSION_VALUE,
    SIGN_IN_PAGE,
    SITEMAP_FILE,
    TRACKING_PARAMETERS,
    TRACKING_PREFIXES,
)
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import ROBOTS_PLACE
from urlset.spec.signals import Signal

SUSPICIOUS = (
    (Signal.SESSION | Signal.AMBIGUOUS_SESSION | Signal.TRACKING | Signal.PAGED | Signal.FACET | Signal.SEARCH)
    | (Signal.PAGE_SEGMENT | Signal.FEED | Signal.ASSET | Signal.DOWNLOAD | Signal.RETURNING)
    | Signal.PRIVATE_PATH
)
"""`variants_of` finds nothing in an address that raises none of them, and no build writes such a file"""
_NUMBER = lazy_pattern(r"0*([0-9]{1,6})")


def variants_of(address: Address) -> Iterator[tuple[PolicyReason, str]]:
    """Every reason not to list the address for what it looks like, with the part that tells."""
    path = address.path
    query = address.query or ""
    asset = _asset(path, query)
    if asset:
        yield PolicyReason.ASSET, asset
    in_path = SESSION_IN_PATH.search(path)
    if in_path:
        yield PolicyReason.SESSION, in_path[0]
    page = PAGE_IN_PATH.search(path)
    if page and int(page[1]) > 1:
        yield PolicyReason.PAGINATED, page[0]
    if query:
        yield from _in_query(query, path)
    private = private_part(path)
    if private:
        yield PolicyReason.NOT_FOR_SEARCH, f"{private.what}, by {path[private.start : private.end]!r}"


def _in_query(query: str, path: str) -> Iterator[tuple[PolicyReason, str]]:
    at_root = path in ("", "/")
    for piece in query.split("&"):
        written, _, value = piece.partition("=")
        name = written.lower().replace("%5b", "[")
        if _is_session(name, value):
            yield PolicyReason.SESSION, piece
        elif name in TRACKING_PARAMETERS or name.startswith(TRACKING_PREFIXES):
            yield PolicyReason.TRACKING, piece
        elif name in PAGE_PARAMETERS:
            number = _NUMBER.fullmatch(value)
            if number and int(number[1]) > 1:
                yield PolicyReason.PAGINATED, piece
        elif _is_facet(name) or (at_root and value and name in SEARCH_PARAMETERS_AT_ROOT):
            yield PolicyReason.FACET, piece
        elif value and name in RETURN_PARAMETERS and SIGN_IN_PAGE.search(path):
            yield PolicyReason.RETURN_ADDRESS, piece


def _is_facet(name: str) -> bool:
    return name in FACET_PARAMETERS or name.startswith(FACET_PREFIXES)


def _is_session(name: str, value: str) -> bool:
    if name in AMBIGUOUS_SESSION_PARAMETERS:
        return SESSION_VALUE.fullmatch(value) is not None
    return bool(value) and (name in SESSION_PARAMETERS or name.startswith(SESSION_PREFIXES))


def _asset(path: str, query: str) -> str | None:
    name = path.rpartition("/")[2]
    stem, dot, ending = name.rpartition(".")
    ending = ending.lower() if stem and dot else ""
    if path == ROBOTS_PLACE:
        return "robots.txt"
    if ending and SITEMAP_FILE.fullmatch(f"/{name}"):
        return f"{name} is a sitemap"
    if FEED_FILE.fullmatch(path) or FEED_PARAMETER.search(query):
        return "a feed"
    if ending in ARCHIVE_ENDINGS:
        return f"a .{ending} file"
    if ending in ASSET_ENDINGS and not PAGE_NAMES_LIKE_ASSETS.search(path):
        return f"{ASSET_ENDINGS[ending]} (.{ending})"
    return None
