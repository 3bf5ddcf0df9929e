"""The img elements of a page → its images, each once, without counting pixels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from urlset.model.page import PageImage
from urlset.reading.html_blocks import MARK

MAX_IMAGES = 1000
_SRCSET = re.compile(r"\s*,*\s*(\S*[^\s,])(?:\s+([^,(]*(?:\([^)]*\)[^,]*)?))?(?:,|$)")


def images_of(elements: Iterable[dict[str, str | None]]) -> Iterator[PageImage]:
    """By the attributes of each."""
    seen: set[str] = set()
    for attributes in elements:
        if {_stripped(attributes, "width"), _stripped(attributes, "height")} & {"0", "1"}:
            continue  # a counting pixel
        src = source_of(attributes)
        if src and src not in seen:
            seen.add(src)
            yield PageImage(src, _stripped(attributes, "alt"))
            if len(seen) >= MAX_IMAGES:
                return


def source_of(attributes: dict[str, str | None]) -> str:
    """The address of an image that may be loaded late; empty when it has none or is inside the page."""
    src = _stripped(attributes, "src")
    if not src or src.lower().startswith("data:"):
        src = _stripped(attributes, "data-src") or largest(attributes.get("srcset") or "")
    return "" if src.lower().startswith("data:") else src


def largest(srcset: str) -> str:
    """The address with the highest width or density of a `srcset`; the first of equals, empty when there is none."""
    best, best_size = "", -1.0
    at = 0
    srcset = srcset[:65536].strip()
    while at < len(srcset) and (match := _SRCSET.match(srcset, at)):
        at = match.end()
        size = re.match(r"\s*([\d.]{1,9})[wx]", match[2] or "1x")
        try:
            value = float(size[1]) if size else 0.0
        except ValueError:
            value = 0.0
        if value > best_size:
            best, best_size = match[1], value
        if match.end() == match.start():
            break
    return best


def _stripped(attributes: dict[str, str | None], name: str) -> str:
    return (attributes.get(name) or "").strip().replace(MARK, "")
