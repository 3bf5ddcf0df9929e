"""An HTML page → the texts of its block elements, in order, whitespace collapsed.

Walking the tree node by node costs more than building it. So a mark goes in front of every tag that starts or ends
a block before the tree is built, and the text of the whole body is cut at the marks. The mark is a form feed, white
space to HTML: it changes no tree, and it matters only where whitespace does.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from urlset.spec.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_BLOCKS = 20_000
MARK = "\f"
_RARE_SPACE = "\t\r\v\x1c\x1d\x1e\x1f"
"""ASCII whitespace except the space, the line feed and the mark"""

UNSEEN = ("script", "style", "template", "noscript", "svg", "math", "iframe", "object", "canvas")
"""Elements whose text no reader of the page sees as its text."""

# Tags that end no run of text: inline elements and the unseen. Written by first letters, which halves the time.
_INLINE = (
    rb"(?:a(?:bbr|cronym)?|b(?:d[io]|ig)?|c(?:anvas|ite|ode)|d(?:ata|el|fn)|em|font|i(?:frame|mg|ns)?|kbd|label"
    rb"|ma(?:rk|th)|no(?:br|script)|object|q|r(?:uby|tc|[bpt])|s(?:amp|cript|mall|pan|trike|trong|tyle|u[bp]|vg)?"
    rb"|t(?:emplate|ime|t)|u|var|wbr)"
)
# Both cases spelled out: asking for any case takes half as long again. Mixed case counts as a block, and is not met.
_BLOCK_TAG = lazy_pattern(rb"<(?![^/a-zA-Z]|/?" + _INLINE + rb"[\s/>]|/?" + _INLINE.upper() + rb"[\s/>])")


def marked(data: bytes) -> bytes:
    """The page with a mark in front of every tag, opening or closing, that ends a run of text."""
    return _BLOCK_TAG.sub(b"\f<", data)


def text_blocks(node: LexborNode) -> tuple[str, ...]:
    """Of a page that was marked, with the unseen elements taken out."""
    text = node.text()
    pieces = islice(filter(None, map(str.strip, text.split(MARK, MAX_BLOCKS * 10))), MAX_BLOCKS)
    # Splitting all would take five times as long. Printable text has no whitespace except spaces.
    if text.isascii() and not any(odd in text for odd in _RARE_SPACE):
        return tuple(
            [piece if "\n" not in piece and "  " not in piece else " ".join(piece.split()) for piece in pieces]
        )
    return tuple([piece if piece.isprintable() and "  " not in piece else " ".join(piece.split()) for piece in pieces])


def collapsed(text: str) -> str:
    """Whitespace at the ends gone, every other run of it one space."""
    bare = text.strip()
    return bare if bare.isprintable() and "  " not in bare else " ".join(bare.split())
