"""A document → the rows on which no rule about links can fire, without looking at any row closely."""

from __future__ import annotations

from urllib.parse import unquote

from urlset.checking.subjects import Sitemap
from urlset.model.columns import Mark
from urlset.rules.hreflang.graph import graph_of


def plain_link_rows(sitemap: Sitemap) -> bytearray:
    """1 for each row on which no rule on a LinkSet can have anything to say.

    Sound, not complete: a test runs every example, and damaged ones, with and without it.
    """
    graph = graph_of(sitemap)
    plain = bytearray(not mark & Mark.EXTENDED or not mark & _CLOSELY for mark in sitemap.columns.marks)
    for block in graph.blocks:
        for row in block.rows:
            loc = graph.loc(row)
            plain[row] = block.plain and (loc in block.targets or _names_another(loc, block.targets))
    return plain


_CLOSELY = Mark.SALVAGED | Mark.ODD | Mark.COMMENTED


def _names_another(loc: str, targets: frozenset[str]) -> bool:
    rough = roughly(loc)
    return all(roughly(address) != rough for address in targets)


def roughly(address: str) -> str:
    """The address without what people get wrong: scheme, www, letter case, escapes, closing slash."""
    rest = unquote(address, errors="replace").casefold().partition("://")[2] or address.casefold()
    return rest.removeprefix("www.").rstrip("/")
