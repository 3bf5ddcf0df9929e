"""A visit → the addresses it names as canonical, those that count and those that do not."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from urlset.model.address import key_of
from urlset.model.page import join
from urlset.model.visit import State, Visit


class Named(msgspec.Struct, frozen=True):
    """One canonical that search engines take notice of."""

    written: str
    target: str | None
    """absolute; None where it names no web address"""
    key: str
    """by which spellings of one address are the same; empty where it names none"""
    by_header: bool


def named_canonicals(visit: Visit) -> tuple[Named, ...]:
    """Those in the head of the page, then those of Link headers; one that a script adds counts if the HTML has none."""
    written, base_href = visit.canonicals, visit.base_href
    if not written and visit.rendered is not None:
        written, base_href = visit.rendered.canonicals, visit.rendered.base_href
    if visit.state not in (State.OK, State.REDIRECTED) or not (written or visit.link_canonicals):
        return ()
    here = visit.final_url or visit.url
    base = (join(here, base_href) if base_href else None) or here
    in_page = [_named(base, each.href, by_header=False) for each in written if each.in_head]
    in_header = [_named(here, href, by_header=True) for href in visit.link_canonicals]
    return (*in_page, *in_header)


def first_canonical(visit: Visit) -> str | None:
    """The first web address named, whatever the others say; None where the page names none."""
    return next((each.target for each in named_canonicals(visit) if each.target is not None), None)


def conflicting(visit: Visit) -> tuple[str, ...]:
    """The canonicals of a page that names several different ones: which one counts is not known."""
    named = {each.key: each.target for each in named_canonicals(visit) if each.target is not None}
    return tuple(named.values()) if len(named) > 1 else ()


def agreed_canonical(visit: Visit) -> str | None:
    """The canonical address without a fragment; None where the page names none, or several that differ."""
    named = [each for each in named_canonicals(visit) if each.target is not None]
    if not named or any(each.key != named[0].key for each in named):
        return None
    return (named[0].target or "").partition("#")[0]


def own_key(visit: Visit) -> str:
    """The page that speaks: the listed one, or where its redirects lead."""
    return key_of(visit.final_url or visit.url)


def elsewhere(visit: Visit) -> str | None:
    """The canonical address, where the page names one without contradicting itself and it is another page's."""
    keys = {each.key: each.target for each in named_canonicals(visit)}
    if len(keys) != 1:
        return None
    ((key, target),) = keys.items()
    return target if target is not None and key != own_key(visit) else None


@lru_cache(64)
def _named(base: str, href: str, *, by_header: bool) -> Named:
    """What a page names is needed a dozen times in a row."""
    target = join(base, href)
    if target is None or not target.startswith(("http://", "https://")):
        return Named(href, None, "", by_header)
    return Named(href, target, key_of(target), by_header)
