"""Template leftovers in a URL → their positions; one rule reports them, the others skip those bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from urlset.checking.subjects import AnyRow
from urlset.model.address import Address
from urlset.rules import Problem, Severity, Signal, rule
from urlset.rules.loc.origins import READERS
from urlset.rules.quoting import quoted
from urlset.spec.generator_artifacts import PLACEHOLDER, RESIDUE_WORD, RESIDUE_WORD_AT_HOME
from urlset.spec.lazy_pattern import lazy_pattern

_SECOND_SCHEME = lazy_pattern(r"https?://", re.IGNORECASE)
_SCHEME_AT_END = lazy_pattern(r"(?<![/.])https?:\Z", re.IGNORECASE)


@lru_cache(maxsize=16)
def leftovers(loc: str) -> tuple[tuple[int, int], ...]:
    """The spans of placeholders and of words such as null or undefined, in text order."""
    found: list[tuple[int, int]] = []
    if "{" in loc or "%" in loc or "[" in loc or "<" in loc or "/:" in loc:
        found += [match.span() for match in PLACEHOLDER.finditer(loc)]
    if "undefined" in loc or "null" in loc or "NaN" in loc or "None" in loc:
        segments = loc.partition("?")[0].lower().split("/")[3:]
        if RESIDUE_WORD_AT_HOME.isdisjoint(segments):
            found += [match.span() for match in RESIDUE_WORD.finditer(loc)]
    return tuple(sorted(found))


def second_url(address: Address) -> int | None:
    """Where a URL of the same host begins in the path, or one of any host right behind the host."""
    loc, (start, end) = address.raw, address.parts.path
    if not address.is_absolute or "//" not in loc[start:end]:
        return None
    joined = _SCHEME_AT_END.search(loc, 0, start)
    if joined is not None and loc.startswith("//", start):
        return joined.start()
    host = (address.host or "").lower()
    for found in _SECOND_SCHEME.finditer(loc, start, end):
        behind = found.end() + len(host)
        same = bool(host) and loc[found.end() : behind].lower() == host
        if same and loc[behind : behind + 1] in "/:?#" and not loc[found.start() - 1].isspace():
            return found.start()
    return None


def _is_illegal(address: Address) -> bool:
    """Such characters are illegal in a URL, whatever their replacement."""
    found = leftovers(address.raw)
    return any(low <= each.start < high for each in address.illegal_all() for low, high in found)


@rule(
    "L034",
    "template-residue-in-loc",
    on=AnyRow,
    when=Signal.RESIDUE | Signal.ILLEGAL | Signal.ESCAPED_BRACKET | Signal.ESCAPE_BROKEN | Signal.EMPTY_SEGMENT,
    severity=Severity.WARNING,
    engines=READERS,
    cites=("seen-in-the-wild",),
    bad=(
        "<loc>https://example.com/post/«undefined»</loc>",
        "<loc>https://example.com/post/«null»/comments</loc>",
        "<loc>https://example.com/?id=«NaN»&amp;page=2</loc>",
        "<loc>https://example.com/«undefined-undefined».html</loc>",
        "<loc>https://example.com/«{{ slug }}»</loc>",
        "<loc>https://example.com/«${product.slug}»</loc>",
        "<loc>https://«{host}»/a</loc>",
        "<loc>https://example.com/«%7B%7Bslug%7D%7D»</loc>",
        "<loc>https://example.com/«[object Object]»</loc>",
        "<loc>https://example.com/post/«%s»</loc>",
        "<loc>https://example.com/post/«:id»</loc>",
        "<loc>https://example.com/user/«:userId»/posts</loc>",
        "<loc>https://example.com/docs/«:path*»</loc>",
        "<loc>https://example.com/«%5B...path%5D»</loc>",
        "<loc>https://example.com/blog/«%5Bslug%5D»</loc>",
        "<loc>https://example.com/post/«&lt;int:pk&gt;»/</loc>",
        "<loc>https://example.com/item/«{id:int}»</loc>",
        "<loc>https://«[your-domain]»/</loc>",
        "<loc>https://example.com/«https://Example.com/a»</loc>",
        "<loc>https://example.com«https://example.com/a»</loc>",
        "<loc>https://example.com/a,«https://example.com/b»</loc>",
        "<loc>https://example.com/blog/«[slug]»/</loc>",
        "<sitemap><loc>https://example.com/«{{ name }}».xml</loc></sitemap>",
    ),
    good=(
        "<loc>https://example.com/null-hypothesis</loc>",
        "<loc>https://example.com/undefined-behaviour/</loc>",
        "<loc>https://example.com/none</loc>",
        "<loc>https://example.com/docs/reference/null</loc>",
        "<loc>https://example.com/NaNcy</loc>",
        "<loc>https://example.com/?q=null-hypothesis</loc>",
        "<loc>https://null.example.com/</loc>",
        "<loc>https://example.com/%d0%b0</loc>",
        "<loc>https://example.com/wiki/Help:id</loc>",
        "<loc>https://example.com/:smile:/</loc>",
        "<loc>https://example.com/wiki/:Category:Lamps</loc>",
        "<loc>https://example.com/a*b/M*A*S*H</loc>",
        "<loc>https://example.com/?filter%5Bcolour%5D=red</loc>",
        "<loc>https://example.com/web/2026/https://example.org/</loc>",
        "<loc>https://example.com/?next=https://example.com/a</loc>",
    ),
)
def template_residue_in_loc(listed: AnyRow) -> Iterator[Problem]:
    """A URL contains an unfilled template placeholder or a second URL.

    The generator had no value for a part of the URL, or put the site's URL in front of a URL that already had it.
    The page does not exist, and usually all entries from the same record are wrong.
    """
    found = leftovers(listed.loc)
    if not found:
        second, stop = second_url(listed.address), listed.address.parts.path[1]
        if second is not None:
            shown = quoted(listed.loc[second:stop])
            yield Problem(listed.part(second, stop), f"second URL {shown} inside the URL; write one URL")
        return
    start, end = found[0]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    yield Problem(
        listed.part(start, end),
        f"{quoted(listed.loc[start:end])} looks like an unfilled placeholder{more}; fix the template",
        severity=Severity.ERROR if _is_illegal(listed.address) else None,
    )
