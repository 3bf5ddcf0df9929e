"""A rule's example → its document, with the marked bytes as places.

A short snippet is completed to a whole sitemap, so an example only shows what matters.
"""

from __future__ import annotations

import re
from datetime import datetime

import msgspec

from urlset.checking.context import Context
from urlset.checking.declare import Bad, Good
from urlset.model.document import Document
from urlset.model.place import Place
from urlset.reading.read import read
from urlset.spec import namespaces
from urlset.spec.engines import Engine
from urlset.spec.lazy_pattern import lazy_pattern

OPEN, CLOSE = "«", "»"
_PREFIXES = ("image", "video", "news", "xhtml", "mobile", "pagemap", "xsi")
_VIDEO = {
    "thumbnail_loc": "<video:thumbnail_loc>https://example.com/v.jpg</video:thumbnail_loc>",
    "title": "<video:title>Title</video:title>",
    "description": "<video:description>Words</video:description>",
    "content_loc": "<video:content_loc>https://example.com/v.mp4</video:content_loc>",
}
_NEWS = {
    "publication": "<news:publication><news:name>The Example Times</news:name>"
    "<news:language>en</news:language></news:publication>",
    "publication_date": "<news:publication_date>2026-11-15</news:publication_date>",
    "title": "<news:title>Headline</news:title>",
}
_WHOLE = lazy_pattern(r"\s*(?:<\?|<!|<(?:\w+:)?(?:urlset|sitemapindex|rss|feed|html)\b)|[^<«]", re.IGNORECASE)


class Built(msgspec.Struct, frozen=True):
    """A completed example."""

    data: bytes
    marks: tuple[Place, ...]


def complete(text: str) -> str:
    """The whole document for a snippet, including its marks."""
    bare = text.replace(OPEN, "").lstrip()
    if _WHOLE.match(bare) or not bare.startswith("<"):
        return text
    first = re.match(r"</?((?:\w+:)?\w+)", bare)
    name = first[1] if first else ""
    if name.startswith("video:") and name != "video:video":
        text = _inside("video:video", _VIDEO, name, text)
    elif name.startswith("news:") and name != "news:news":
        inner = _NEWS if name not in ("news:name", "news:language") else _NEWS | {"publication": ""}
        if inner["publication"] == "" and "publication" in inner:
            other = "language" if name == "news:name" else "name"
            default = {
                "language": "<news:language>en</news:language>",
                "name": "<news:name>The Example Times</news:name>",
            }
            parts = (default["name"], text) if other == "name" else (text, default["language"])
            text = f"<news:publication>{''.join(parts)}</news:publication>"
        text = _inside("news:news", inner, "news:publication" if not inner["publication"] else name, text)
    elif name.startswith("image:") and name != "image:image":
        loc = "" if name == "image:loc" else "<image:loc>https://example.com/i.png</image:loc>"
        text = f"<image:image>{loc}{text}</image:image>"
    if name.lower() not in ("url", "sitemap"):
        loc = "" if re.search(r"<«?loc\b", text, re.IGNORECASE) else "<loc>https://example.com/</loc>"
        text = f"<url>{loc}{text}</url>"
    return wrap(text, "sitemapindex" if name.lower() == "sitemap" else "urlset")


def _inside(element: str, fields: dict[str, str], name: str, text: str) -> str:
    given = {found.partition(":")[2] for found in re.findall(r"<«?(\w+:\w+)", text)} | {name.partition(":")[2]}
    others = "".join(field for key, field in fields.items() if key not in given)
    return f"<{element}>{others}{text}</{element}>"


def wrap(entries: str, root: str = "urlset") -> str:
    """Entries inside a valid root that declares only the prefixes in use."""
    bare = entries.replace(OPEN, "")
    used = [prefix for prefix in _PREFIXES if f"<{prefix}:" in bare or f" {prefix}:" in entries]
    declared = "".join(f' xmlns:{prefix}="{namespaces.BY_PREFIX[prefix].uri}"' for prefix in used)
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} xmlns="{namespaces.SITEMAP}"{declared}>\n'
    return f"{head}{entries}\n</{root}>\n"


def build(example: Bad | Good) -> Built:
    if example.data is not None:
        marks = example.marks if isinstance(example, Bad) else ()
        data = example.data() if callable(example.data) else example.data
        return Built(data, tuple(Place(offset, length) for offset, length in marks))
    return unmark(complete(example.text))


def unmark(text: str) -> Built:
    """Remove the marks from a text and return their places."""
    data = b""
    marks: list[Place] = []
    opened: int | None = None
    for piece in re.split(f"([{OPEN}{CLOSE}])", text):
        if piece == OPEN:
            opened = len(data)
        elif piece == CLOSE:
            assert opened is not None, f"» without « in {text!r}"
            marks.append(Place(opened, len(data) - opened))
        else:
            data += piece.encode("utf-8", "surrogatepass")
    return Built(data, tuple(marks))


def document_of(example: Bad | Good, data: bytes | None = None) -> Document:
    return read(build(example).data if data is None else data, name="example", url=example.at)


def context_of(example: Bad | Good, engines: tuple[Engine, ...]) -> Context:
    from urlset.reading.robots import read_robots  # examples are rarely used, but rules are declared with them

    robots = read_robots(example.robots.encode())[0] if example.robots is not None else None
    now = datetime.fromisoformat(example.now)
    base_url = example.base_url if isinstance(example, Good) else None
    return Context(now=now, engines=engines, robots=robots, base_url=base_url, policies=example.policies)
