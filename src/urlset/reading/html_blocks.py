"""A parsed HTML page → the texts of its block elements, in order, white space collapsed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_BLOCKS = 20_000

_INLINE = frozenset(
    {
        *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i"),
        *("ins", "kbd", "label", "mark", "nobr", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup"),
        *("time", "tt", "u", "var", "wbr", "img", "ruby", "rb", "rt", "rp", "rtc", "-comment"),
    }
)
UNSEEN = ("script", "style", "template", "noscript", "svg", "math", "iframe", "object", "canvas")
"""Elements whose text no reader of the page sees as its text."""

_TEXT = "-text"


def text_blocks(body: LexborNode) -> tuple[str, ...]:
    """The unseen elements must have been taken out before."""
    blocks: list[str] = []
    pieces: list[str] = []
    home = -1

    def end_block() -> None:
        text = " ".join("".join(pieces).split())
        pieces.clear()
        if text:
            blocks.append(text)

    for node in body.traverse(include_text=True):
        tag = node.tag
        if tag == _TEXT:
            text = node.text_content
            if not text:
                continue
            # text after a nested block belongs to the outer one again, which the order of nodes does not show
            block = _home(node)
            if block != home:
                end_block()
                home = block
            pieces.append(text)
        elif tag not in _INLINE:
            end_block()
            if len(blocks) >= MAX_BLOCKS:
                return tuple(blocks)
    end_block()
    return tuple(blocks)


def _home(node: LexborNode) -> int:
    """Which block element the text stands in."""
    above = node.parent
    while above is not None and above.tag in _INLINE:
        above = above.parent
    return -1 if above is None else above.mem_id
