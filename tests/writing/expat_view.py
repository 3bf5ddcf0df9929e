"""Bytes of a sitemap → entries, by way of the standard library's parser and nothing of urlset's reader."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from urlset.model.entry import Alternate, DataObject, Entry, Image, IndexEntry, Marked, Media, News, PageMap, Video
from urlset.spec import namespaces as ns

_MANY = {"tag": "tags", "price": "prices", "content_segment_loc": "content_segment_locs", "id": "ids"}
_MARKED = frozenset({"player_loc", "restriction", "platform", "uploader", "gallery_loc", *_MANY} - {"tag"})


def _text(element: ET.Element) -> str:
    return element.text or ""


def _local(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]


def _texts(element: ET.Element, namespace: str) -> dict[str, str]:
    return {_local(child): _text(child) for child in element if child.tag.startswith(f"{{{namespace}}}")}


def entries_in(data: bytes) -> list[Entry]:
    """Every entry with all its values; unknown elements in canonical form."""
    root = ET.fromstring(data)
    assert root.tag == f"{{{ns.SITEMAP}}}urlset"
    assert {child.tag for child in root} <= {f"{{{ns.SITEMAP}}}url"}
    return [Entry(**_texts(url, ns.SITEMAP) | {"loc": _loc(url)}, media=_media(url)) for url in root]


def children_in(data: bytes) -> list[IndexEntry]:
    root = ET.fromstring(data)
    assert root.tag == f"{{{ns.SITEMAP}}}sitemapindex"
    assert {child.tag for child in root} <= {f"{{{ns.SITEMAP}}}sitemap"}
    return [IndexEntry(_loc(child), _texts(child, ns.SITEMAP).get("lastmod")) for child in root]


def canonical(element: str) -> str:
    """Prefixes renumbered and comments gone, as an element comes out of the parser."""
    return ET.tostring(ET.fromstring(element), encoding="unicode")


def _loc(element: ET.Element) -> str | None:
    return _texts(element, ns.SITEMAP).get("loc")


def _media(url: ET.Element) -> Media:
    known = (ns.SITEMAP, ns.XHTML, ns.IMAGE, ns.VIDEO, ns.NEWS, ns.PAGEMAP, ns.MOBILE, ns.BAIDU_MOBILE)
    mobile = [child.get("type", "") for child in url if _local(child) == "mobile"]
    others = []
    for child in url:
        if child.tag[1:].partition("}")[0] not in known:
            child.tail = None
            others.append(ET.tostring(child, encoding="unicode"))
    return Media(
        images=tuple(Image(**_texts(image, ns.IMAGE)) for image in url.iter(f"{{{ns.IMAGE}}}image")),
        videos=tuple(_video(video) for video in url.iter(f"{{{ns.VIDEO}}}video")),
        news=tuple(_news(news) for news in url.iter(f"{{{ns.NEWS}}}news")),
        alternates=tuple(
            Alternate(link.get("hreflang"), link.get("href"), link.get("rel"), link.get("media"))
            for link in url.iter(f"{{{ns.XHTML}}}link")
        ),
        pagemaps=tuple(_pagemap(pagemap) for pagemap in url.iter(f"{{{ns.PAGEMAP}}}PageMap")),
        mobile=mobile[0] if mobile else None,
        unknown=tuple(others),
    )


def _video(video: ET.Element) -> Video:
    fields: dict[str, object] = {}
    for child in video:
        name = _local(child)
        value = Marked(_text(child), dict(child.attrib)) if name in _MARKED else _text(child)
        if name == "tvshow":
            fields[name] = _texts(child, ns.VIDEO)
        elif name in _MANY:
            many = fields.setdefault(_MANY[name], ())
            assert isinstance(many, tuple)
            fields[_MANY[name]] = (*many, value)
        else:
            fields[name] = value
    return Video(**fields)  # type: ignore[arg-type]


def _news(news: ET.Element) -> News:
    fields = _texts(news, ns.NEWS)
    fields.pop("publication", None)
    publication = news.find(f"{{{ns.NEWS}}}publication")
    return News(**fields | (_texts(publication, ns.NEWS) if publication is not None else {}))


def _pagemap(pagemap: ET.Element) -> PageMap:
    template = pagemap.find(f"{{{ns.PAGEMAP}}}Template")
    objects = [
        DataObject(
            found.get("type"),
            found.get("id"),
            tuple((datum.get("name"), datum.get("value", _text(datum))) for datum in found),
        )
        for found in pagemap.iter(f"{{{ns.PAGEMAP}}}DataObject")
    ]
    return PageMap(tuple(objects), None if template is None else template.get("src"))
