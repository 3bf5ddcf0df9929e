"""Images, videos, news, alternates, PageMaps and mobile marks of one entry → XML lines, in schema order.

Prefixes are the usual ones of `spec.namespaces`; the writer of the root must declare `extensions_of`.
"""

from __future__ import annotations

from pyexpat import ExpatError, ParserCreate

from urlset.model.entry import Alternate, Image, Marked, Media, News, PageMap, Video
from urlset.spec import namespaces
from urlset.spec.extensions import IMAGE, NEWS, PUBLICATION, TVSHOW, VIDEO
from urlset.writing.xml import attribute_list, checked_name, escaped, escaped_attribute, group, leaf

_IN_URL, _IN_GROUP, _IN_SUBGROUP = " " * 4, " " * 6, " " * 8
_Tags = tuple[tuple[str, str], ...]
"""the attribute of a value and the tag that it is written in"""
_MARK = "*"
_MANY = {"tag": "tags", "price": "prices", "content_segment_loc": "content_segment_locs", "id": "ids"}
_IMAGE_TAGS: _Tags = tuple((field.name, f"image:{field.name}") for field in IMAGE.fields)
_VIDEO_TAGS: _Tags = tuple((_MANY.get(field.name, field.name), f"video:{field.name}") for field in VIDEO.fields)
_NEWS_TAGS: _Tags = tuple((field.name, f"news:{field.name}") for field in NEWS.fields if field.name != "publication")
_PUBLICATION_TAGS: _Tags = tuple((field.name, f"news:{field.name}") for field in PUBLICATION.fields)
_TVSHOW_ORDER = {field.name: rank for rank, field in enumerate(TVSHOW.fields)}
_ATTRIBUTE_ORDER = {
    field.name: {attribute.name: rank for rank, attribute in enumerate(field.attributes)} for field in VIDEO.fields
}


def element_lines(name: str) -> tuple[str, str]:
    """What is written before and after the fields of an image, a video or news."""
    opening, _, closing = group(_IN_URL, f"{name}:{name}", _MARK).partition(_MARK)
    return opening, closing


def field_line(name: str, field: str) -> tuple[str, str]:
    """What is written before and after the text of one of its fields.

    The first and the last field of the publication of news, both of which are required, bring its own tags along.
    """
    tag = f"{name}:{field}"
    inner = [each for _, each in _PUBLICATION_TAGS] if name == "news" else []
    opening, _, closing = leaf(_IN_SUBGROUP if tag in inner else _IN_GROUP, tag, _MARK).partition(_MARK)
    before, _, behind = group(_IN_GROUP, "news:publication", _MARK).partition(_MARK)
    return before * (tag in inner[:1]) + opening, closing + behind * (tag in inner[-1:])


def extensions_of(media: Media) -> frozenset[str]:
    """Names (in `spec.namespaces.BY_NAME`) of the extensions that `media_xml` will use."""
    used = {
        "xhtml": media.alternates,
        "image": media.images,
        "video": media.videos,
        "news": media.news,
        "pagemap": media.pagemaps,
        # Only Baidu's element has a type; without one it is the same element, and Google's is the older.
        "baidu-mobile": media.mobile,
        "mobile": media.mobile == "",
    }
    return frozenset(name for name, items in used.items() if items)


def media_xml(media: Media) -> str:
    """The lines inside `<url>` after the core fields."""
    lines = [
        *map(_alternate, media.alternates),
        *(group(_IN_URL, "image:image", _leaves(_IN_GROUP, each, _IMAGE_TAGS)) for each in media.images),
        *map(_video, media.videos),
        *map(_news, media.news),
        *map(_pagemap, media.pagemaps),
    ]
    if media.mobile is not None:
        lines.append(group(_IN_URL, "mobile:mobile", "", attribute_list([("type", media.mobile or None)])))
    lines += [f"{_IN_URL}{element}\n" for element in media.unknown if stands_alone(element)]
    return "".join(lines)


def left_out(media: Media) -> tuple[str, ...]:
    """The unknown elements that writing drops, because they lean on declarations made elsewhere."""
    return tuple(element for element in media.unknown if not stands_alone(element))


class _DoesNotStandAlone(Exception):  # noqa: N818 - never leaves this module
    pass


def stands_alone(element: str) -> bool:
    """Whether raw text is one well-formed element that means the same inside any `<url>`.

    An element without a namespace of its own would take on the sitemap's, and a document type or an XML
    declaration may only open a file.
    """
    parser = ParserCreate("utf-8", " ")

    def refuse(*_: object) -> None:
        raise _DoesNotStandAlone

    def outermost(name: str, _: dict[str, str]) -> None:
        parser.StartElementHandler = None
        namespace = name.rpartition(" ")[0]
        meant = namespaces.recognise(namespace)
        if not namespace or (meant is not None and meant.uri == namespaces.SITEMAP):
            raise _DoesNotStandAlone

    parser.StartDoctypeDeclHandler = refuse
    parser.XmlDeclHandler = refuse
    parser.StartElementHandler = outermost
    try:
        parser.Parse(element.encode(), True)
    except (_DoesNotStandAlone, ExpatError, UnicodeEncodeError):
        return False
    return True


def _alternate(link: Alternate) -> str:
    if link.rel == "alternate" and link.media is None and link.hreflang is not None and link.href is not None:
        return translation_line(link.hreflang, link.href)
    attributes = attribute_list(
        [("rel", link.rel), ("hreflang", link.hreflang), ("media", link.media), ("href", link.href)]
    )
    return group(_IN_URL, "xhtml:link", "", attributes)


def translation_line(hreflang: str, href: str) -> str:
    """One page in another language, which nearly every alternate is."""
    name, target = escaped_attribute(hreflang), escaped_attribute(href)
    return f'{_IN_URL}<xhtml:link rel="alternate" hreflang="{name}" href="{target}"/>\n'


def _news(news: News) -> str:
    publication = _leaves(_IN_SUBGROUP, news, _PUBLICATION_TAGS)
    # The publication comes first in the schema too.
    first = group(_IN_GROUP, "news:publication", publication) if publication else ""
    return group(_IN_URL, "news:news", first + _leaves(_IN_GROUP, news, _NEWS_TAGS))


def _leaves(indent: str, medium: Image | News, tags: _Tags) -> str:
    return "".join(
        [
            f"{indent}<{tag}>{escaped(text)}</{tag}>\n"
            for name, tag in tags
            if (text := getattr(medium, name)) is not None
        ]
    )


def _video(video: Video) -> str:
    lines: list[str] = []
    for name, tag in _VIDEO_TAGS:
        value: str | Marked | dict[str, str] | tuple[str | Marked, ...] | None = getattr(video, name)
        if isinstance(value, str):
            lines.append(f"{_IN_GROUP}<{tag}>{escaped(value)}</{tag}>\n")
        elif isinstance(value, dict):
            lines += [_tvshow(value)] if value else []
        elif value is not None:
            for one in value if isinstance(value, tuple) else (value,):
                if isinstance(one, Marked):
                    lines.append(_marked(tag.partition(":")[2], one))
                else:
                    lines.append(leaf(_IN_GROUP, tag, one))
    return group(_IN_URL, "video:video", "".join(lines))


def _marked(name: str, marked: Marked) -> str:
    # Equal mappings must give equal bytes, whatever order they were filled in.
    order = _ATTRIBUTE_ORDER[name]
    names = sorted(marked.attributes, key=lambda attribute: (order.get(attribute, len(order)), attribute))
    attributes = attribute_list((checked_name(attribute), marked.attributes[attribute]) for attribute in names)
    return leaf(_IN_GROUP, f"video:{name}", marked.text, attributes)


def _tvshow(fields: dict[str, str]) -> str:
    names = sorted(fields, key=lambda name: (_TVSHOW_ORDER.get(name, len(_TVSHOW_ORDER)), name))
    lines = (leaf(_IN_SUBGROUP, f"video:{checked_name(name)}", fields[name]) for name in names)
    return group(_IN_GROUP, "video:tvshow", "".join(lines))


def _pagemap(pagemap: PageMap) -> str:
    lines = []
    if pagemap.template is not None:
        lines.append(group(_IN_GROUP, "pagemap:Template", "", attribute_list([("src", pagemap.template)])))
    for each in pagemap.objects:
        data = "".join(_data(name, value) for name, value in each.attributes)
        attributes = attribute_list([("type", each.type), ("id", each.id)])
        lines.append(group(_IN_GROUP, "pagemap:DataObject", data, attributes))
    return group(_IN_URL, "pagemap:PageMap", "".join(lines))


def _data(name: str | None, value: str) -> str:
    # Readers trim a text and keep an attribute as it is; the schema takes the value in either place.
    if value != value.strip():
        attributes = attribute_list([("name", name), ("value", value)])
        return group(_IN_SUBGROUP, "pagemap:Attribute", "", attributes)
    return leaf(_IN_SUBGROUP, "pagemap:Attribute", value, attribute_list([("name", name)]))
