"""The elements and JSON-LD of a page → its images, and its key images and stated facts in one spelling each.

The order of keys, whitespace, and the parts of an image URL that only change its version or size do not count, nor does
the host it is served from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import unescape
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from urlset.model.page import PageImage
from urlset.reading.html_structured import ON_THE_WAY, nodes_of, types_of
from urlset.reading.html_text import MARK, collapsed
from urlset.reading.page_facets import plain_number
from urlset.spec.page_facets import NOT_THE_PAGE, OF_OFFERS, OF_RATINGS, PROPERTIES, Facet

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_IMAGES = 1000
_SRCSET = re.compile(r"\s*,*\s*(\S*[^\s,])(?:\s+([^,(]*(?:\([^)]*\)[^,]*)?))?(?:,|$)")

Stated = tuple[Facet, str]
ShownImage = tuple[dict[str, str | None], Callable[[], bool]]
"""the attributes of an image, and whether it is in the frame of the page"""
_MOST_FACTS = 500
_MOST_IMAGES = 10
_LARGE = 200
"""pixels of width from which an image after the first is a key image"""
_SMALL = 64
_DEPTH = 5
_LONGEST = 20_000
_PREVIEW = ("og:image", "og:image:url", "og:image:secure_url", "twitter:image")
_SITE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:)?//[^/]*|^(?:\.{1,2}/)+", re.IGNORECASE)
_SIZE_IN_NAME = re.compile(r"[-_@]\d+x(?:\d+)?(?=\.[a-z0-9]+$|$)")
_FORMAT = re.compile(r"\.(?:jpe?g|png|webp|avif|gif|jxl)$")
_FETCHED_ANEW = re.compile(
    r"(?:v|ver|version|t|ts|time|timestamp|cb|cache|cachebuster|bust|rev|hash|_|mtime|updated|itok|sig|signature|s"
    r"|expires|token|w|h|width|height|q|quality|dpr|fit|crop|auto|fm|format|resize|ssl|strip|size|sz|x-amz-[a-z-]+)"
)


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


def stated_by(
    structured: list[Any],
    metas: Sequence[Mapping[str, str | None]],
    marked: Sequence[LexborNode],
    images: Iterable[ShownImage],
) -> tuple[Stated, ...]:
    """`metas` are meta and link elements, `marked` others with itemprop; `images` those of the main content."""
    found: dict[Stated, None] = {}
    for each in (*_of_json_ld(structured), *_of_microdata(metas, marked), *_previews(metas), *_shown(images)):
        found[each] = None
        if len(found) >= _MOST_FACTS:
            break
    return tuple(found)


def image_key(address: str) -> str | None:
    """What tells one image from another, however it is fetched; None for one inside the page."""
    address = address.strip().replace(MARK, "")
    if not address or address[:5].lower() == "data:":
        return None
    address, _, query = address.partition("#")[0].partition("?")
    path = _SITE.sub("", address).lstrip("/")
    name = _FORMAT.sub("", _SIZE_IN_NAME.sub("", (unquote(path).lstrip("/") if "%" in path else path).casefold()))
    if not query:
        return name or None
    parts = (part for part in query.replace("&amp;", "&").split("&") if "=" in part)
    telling = sorted(part for part in parts if not _FETCHED_ANEW.fullmatch(part.partition("=")[0].lower()))
    return "&".join((name, *telling)) if name or telling else None


def _image(address: Any) -> Iterator[Stated]:
    key = image_key(address) if isinstance(address, str) else None
    if key:
        yield Facet.IMAGES, key


def _previews(metas: Sequence[Mapping[str, str | None]]) -> Iterator[Stated]:
    for meta in metas:
        if (meta.get("property") or meta.get("name") or "").strip().lower() in _PREVIEW:
            yield from _image(meta.get("content") or "")


def _shown(images: Iterable[ShownImage]) -> Iterator[Stated]:
    """The first image of the main content, and the others that are said to be large."""
    count = 0
    for attributes, is_framed in images:
        sizes = [int(size) for name in ("width", "height") if (size := (attributes.get(name) or "")).isdecimal()]
        is_large = bool(sizes) and sizes[0] >= _LARGE
        if (sizes and min(sizes) < _SMALL) or not (is_large or count == 0) or is_framed():
            continue
        for each in _image(source_of(attributes)):
            count += 1
            yield each
        if count >= _MOST_IMAGES:
            return


def _of_json_ld(values: list[Any]) -> Iterator[Stated]:
    for node in nodes_of(values, ON_THE_WAY):
        types = types_of(node)
        if types & NOT_THE_PAGE or any(each.endswith("page") for each in types):
            continue
        kind = min(types, default="")
        for name, value in node.items():
            facet = PROPERTIES.get(name)
            if facet is Facet.IMAGES:
                yield from _images_in(value)
            elif facet is not None:
                yield from _fact(facet, f"{kind}.{name}" if facet is Facet.DATA else name, value)
        below = [node[name] for name in (*OF_OFFERS, *OF_RATINGS) if name in node]
        for inner in nodes_of(below, (*OF_OFFERS, *OF_RATINGS)):
            for name, value in inner.items():
                facet = PROPERTIES.get(name)
                if facet is not None and facet not in (Facet.DATA, Facet.IMAGES):
                    yield from _fact(facet, name, value)


def _images_in(value: Any) -> Iterator[Stated]:
    for each in (value if isinstance(value, list) else [value])[:_MOST_IMAGES]:
        yield from _image((each.get("url") or each.get("contentUrl")) if isinstance(each, dict) else each)


def _of_microdata(metas: Sequence[Mapping[str, str | None]], marked: Sequence[LexborNode]) -> Iterator[Stated]:
    """Prices, stock, ratings and images; of the rest what readers do not see, as the text has what they do."""
    for attributes in metas:
        if "itemprop" in attributes:
            yield from _property(attributes, None)
    for node in marked:
        yield from _property(node.attributes, node)


def _property(attributes: Mapping[str, str | None], node: LexborNode | None) -> Iterator[Stated]:
    name = (attributes.get("itemprop") or "").strip()
    facet = PROPERTIES.get(name)
    if facet is None:
        return
    value = next((given for key in ("content", "href", "src") if (given := attributes.get(key))), None)
    if facet is Facet.IMAGES:
        yield from _image(value or "")
    elif facet is Facet.DATA:
        yield from _fact(facet, name, attributes.get("content"))
    elif value is not None or node is not None:
        yield from _fact(facet, name, value if value is not None or node is None else node.text())


def _fact(facet: Facet, name: str, value: Any) -> Iterator[Stated]:
    said = _spelled(value)
    if not said:
        return
    if facet is Facet.AVAILABILITY:
        said = said.rpartition("/")[2]
    elif facet is not Facet.DATA:
        said = plain_number(said)
    yield facet, f"{name}={said}"


def _spelled(value: Any, depth: int = 0) -> str:
    """One text for a value of any shape; nodes by what they say, not by their identifiers and addresses."""
    if isinstance(value, bool) or value is None or depth > _DEPTH:
        return ""
    if isinstance(value, (int, float)):
        return plain_number(f"{value:.6f}".rstrip("0").rstrip("."))
    if isinstance(value, str):
        return collapsed(unescape(value[:_LONGEST]).replace(MARK, "")).casefold()
    if isinstance(value, list):
        return "; ".join(filter(None, (_spelled(each, depth + 1) for each in value[:_MOST_FACTS])))
    if isinstance(value, dict):
        inner = ((name, _spelled(each, depth + 1)) for name, each in value.items() if _is_told(name, each))
        return ", ".join(f"{name}: {said}" for name, said in sorted(inner) if said)
    return ""


def _is_told(name: Any, value: Any) -> bool:
    """Not `@id`, `sameAs`, the address and picture of an author, or a date."""
    if not isinstance(name, str) or (name.startswith("@") and name != "@value") or name.startswith("date"):
        return False
    is_address = isinstance(value, str) and "://" in value[:12]
    return name not in ("image", "logo", "url", "sameAs", "interactionStatistic") and not is_address
