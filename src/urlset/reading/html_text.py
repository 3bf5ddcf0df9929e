"""The tree of an HTML page → its text in blocks, whitespace collapsed, and the elements with its main content.

Walking the tree node by node costs more than building it. So a mark goes in front of every tag that starts or ends
a block before the tree is built, and the text of the whole body is cut at the marks. The mark is a form feed, white
space to HTML: it changes no tree, and it matters only where whitespace does.

`main` and role=main mark the main content. Without them it is the `article` with the page's heading, or all articles
of a list. What a page shows outside of these (views, recommendations, the time of the build) is not its content.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from urlset.spec.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_BLOCKS = 20_000
MARK = "\f"
_RARE_SPACE = "\t\r\v\x1c\x1d\x1e\x1f"
"""ASCII whitespace except the space, the line feed and the mark"""

UNSEEN = frozenset({"script", "style", "template", "noscript", "svg", "math", "iframe", "object", "canvas"})
"""Elements whose text is not text of the page."""

# Tags that end no run of text: inline elements and the unseen. Written by first letters, which halves the time.
_INLINE = (
    rb"(?:a(?:bbr|cronym)?|b(?:d[io]|ig)?|c(?:anvas|ite|ode)|d(?:ata|el|fn)|em|font|i(?:frame|mg|ns)?|kbd|label"
    rb"|ma(?:rk|th)|no(?:br|script)|object|q|r(?:uby|tc|[bpt])|s(?:amp|cript|mall|pan|trike|trong|tyle|u[bp]|vg)?"
    rb"|t(?:emplate|ime|t)|u|var|wbr)"
)
# Both cases are spelled out: IGNORECASE takes half as long again. Mixed case counts as a block.
_BLOCK_TAG = lazy_pattern(rb"<(?![^/a-zA-Z]|/?" + _INLINE + rb"[\s/>]|/?" + _INLINE.upper() + rb"[\s/>])")

_NAVIGATION = "nav,[role=navigation]"
_MAIN = "main"
_ARTICLE = "article"
_MOST_ARTICLES = 500
"""more are a list in which one of them decides little"""


def marked(data: bytes) -> bytes:
    """The page with a mark in front of every tag, opening or closing, that ends a run of text."""
    return _BLOCK_TAG.sub(b"\f<", data)


def text_blocks(node: LexborNode) -> tuple[str, ...]:
    """Of a marked page, with the unseen elements removed."""
    text = node.text()
    pieces = islice(filter(None, map(str.strip, text.split(MARK, MAX_BLOCKS * 10))), MAX_BLOCKS)
    # Splitting all would take five times as long. Printable text has no whitespace except spaces.
    if text.isascii() and not any(map(text.__contains__, _RARE_SPACE)):
        return tuple(
            [piece if "\n" not in piece and "  " not in piece else " ".join(piece.split()) for piece in pieces]
        )
    return tuple([piece if piece.isprintable() and "  " not in piece else " ".join(piece.split()) for piece in pieces])


def collapsed(text: str) -> str:
    """Whitespace at the ends removed, every other run of it one space."""
    bare = text.strip()
    return bare if bare.isprintable() and "  " not in bare else " ".join(bare.split())


def is_main_candidate(tag: str | None, attributes: Mapping[str, str | None]) -> bool:
    """`hidden` elements are drafts of another view."""
    return (tag in (_MAIN, _ARTICLE) or attributes.get("role") == _MAIN) and "hidden" not in attributes


def main_elements(
    candidates: Sequence[LexborNode], frames: Sequence[LexborNode], heading: LexborNode | None
) -> list[LexborNode]:
    """None of them inside another; articles in an aside or a site footer do not count."""
    named = [node for node in candidates if node.tag != _ARTICLE or node.attributes.get("role") == _MAIN]
    if named:
        return _outermost(named)
    if not candidates or len(candidates) > _MOST_ARTICLES:
        return []
    framed = ids_of(frames)
    articles = [node for node in _outermost(candidates) if not is_inside(node, framed)]
    with_heading = [node for node in articles if is_inside(heading, {node.mem_id})]
    return with_heading or articles


# In the class or id of a list of other pages, which changes with them.
_LIST_NAME = lazy_pattern("related|recommend|breadcrumb|paginat|pager|prev-next|see-also|read-next")
_PERMALINK_NAME = lazy_pattern("headerlink|header-anchor|header-link|hash-link|heading-anchor|anchor-link|permalink")


def is_named_list(attributes: Mapping[str, str | None]) -> bool:
    return bool(_LIST_NAME.search(attributes.get("class") or "") or _LIST_NAME.search(attributes.get("id") or ""))


def is_named_permalink(attributes: Mapping[str, str | None]) -> bool:
    return _PERMALINK_NAME.search(attributes.get("class") or "") is not None


_WHOLE = frozenset({"html", "body", "main", "article"})


def is_mostly_links(node: LexborNode) -> bool:
    """Whether an element is a list of links to other pages; its headings and labels do not count."""
    if node.tag in _WHOLE:
        return False
    linked = sum(_size(link) for link in node.css("a"))
    return 0 < _size(node) - sum(_size(heading) for heading in node.css("h1,h2,h3,h4,h5,h6")) <= 2 * linked


def _size(node: LexborNode) -> int:
    return len("".join(node.text().split()))


def remove_bare(permalinks: Iterable[LexborNode]) -> None:
    """The marks with which themes link their headings, such as ¶, which are not text of the page."""
    for node in permalinks:
        if not any(map(str.isalnum, node.text())):
            node.decompose()


def main_text(nodes: Sequence[LexborNode], lists: Sequence[LexborNode] = ()) -> tuple[str, ...]:
    """The text blocks of the main elements of a marked page. Removes the navigation inside them from the tree."""
    found: list[str] = []
    for node in reversed(_outermost(lists)):
        node.decompose()
    for node in nodes:
        # an element that matches in two ways is found twice
        for inner in reversed({each.mem_id: each for each in node.css(_NAVIGATION)}.values()):
            inner.decompose()
        found.extend(text_blocks(node))
    return tuple(found)


def ids_of(elements: Iterable[LexborNode]) -> frozenset[int]:
    return frozenset([element.mem_id for element in elements])


def is_inside(node: LexborNode | None, elements: Collection[int]) -> bool:
    """Whether the node is one of the elements, named by their ids, or below one."""
    while elements and node is not None:
        if node.mem_id in elements:
            return True
        node = node.parent
    return False


def _outermost(nodes: Sequence[LexborNode]) -> list[LexborNode]:
    ids = ids_of(nodes)
    return [node for node in nodes if not is_inside(node.parent, ids)]
