"""A page → the links on it that a crawler may follow, and those marked nofollow."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.crawling.found import FoundLink, Looked, Via

_NEIGHBOURS = frozenset({"next", "prev", "previous"})
_NOT_FOLLOWED = frozenset({"nofollow", "none"})


def page_nofollow(looked: Looked, token: str) -> bool:
    """The page, or the header it came with, asks everyone or us not to follow any of its links."""
    return not _NOT_FOLLOWED.isdisjoint(looked.visit.directives_for(token))


def links_of(looked: Looked, token: str) -> Iterator[FoundLink]:
    """In the order of the page, declarations of the head first; as written."""
    facts = looked.facts
    whole = page_nofollow(looked, token)
    for target, rels in looked.link_headers:
        via = _via_of(rels)
        if via is not None:
            yield FoundLink(target, via, whole)
    if facts is None:
        return
    for canonical in facts.canonicals:
        yield FoundLink(canonical.href, Via.CANONICAL, whole)
    for alternate in facts.alternates:
        yield FoundLink(alternate.href or "", Via.ALTERNATE, whole)
    for href in facts.neighbors:
        yield FoundLink(href, Via.NEXT, whole)
    if facts.refresh is not None:
        yield FoundLink(facts.refresh.target, Via.REFRESH, whole)
    for link in facts.links:
        yield FoundLink(link.href, Via.LINK, whole or (bool(link.rel) and "nofollow" in link.rel))


def _via_of(rels: tuple[str, ...]) -> Via | None:
    if "canonical" in rels:
        return Via.CANONICAL
    if not _NEIGHBOURS.isdisjoint(rels):
        return Via.NEXT
    return Via.ALTERNATE if "alternate" in rels else None
