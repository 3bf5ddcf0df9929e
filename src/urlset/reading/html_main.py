"""The elements that mark the main content of a page → the ones that hold it, and their text.

`main` and role=main say it outright. Without them it is the `article` with the page's heading, or all articles of a
list. What a page shows outside of these (views, recommendations, the time of the build) is not its content.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from urlset.reading.html_blocks import text_blocks

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


class HtmlElement(Protocol):
    """An element of a page, however it was found."""

    @property
    def tag(self) -> str | None: ...

    @property
    def attributes(self) -> dict[str, str | None]: ...

    @property
    def mem_id(self) -> int: ...

    @property
    def parent(self) -> HtmlElement | None: ...

    def text(self) -> str: ...


Found = TypeVar("Found", bound=HtmlElement)

_NAVIGATION = "nav,[role=navigation]"
_MAIN = "main"
_ARTICLE = "article"
_MOST_ARTICLES = 500
"""more are a list in which one of them decides little"""


def is_main_candidate(tag: str | None, attributes: Mapping[str, str | None]) -> bool:
    """`hidden` elements are drafts of another view."""
    return (tag in (_MAIN, _ARTICLE) or attributes.get("role") == _MAIN) and "hidden" not in attributes


def main_elements(
    candidates: Sequence[Found], frames: Sequence[HtmlElement], heading: HtmlElement | None
) -> list[Found]:
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


def main_text(nodes: Sequence[LexborNode]) -> tuple[str, ...]:
    """The text blocks of a marked page. Takes the navigation inside the elements out of the tree."""
    found: list[str] = []
    for node in nodes:
        # an element that matches in two ways is found twice
        for inner in reversed({each.mem_id: each for each in node.css(_NAVIGATION)}.values()):
            inner.decompose()
        found.extend(text_blocks(node))
    return tuple(found)


def ids_of(elements: Iterable[HtmlElement]) -> frozenset[int]:
    return frozenset(element.mem_id for element in elements)


def is_inside(node: HtmlElement | None, elements: Collection[int]) -> bool:
    """Whether the node is one of the elements, named by their ids, or below one."""
    while elements and node is not None:
        if node.mem_id in elements:
            return True
        node = node.parent
    return False


def _outermost(nodes: Sequence[Found]) -> list[Found]:
    ids = ids_of(nodes)
    return [node for node in nodes if not is_inside(node.parent, ids)]
