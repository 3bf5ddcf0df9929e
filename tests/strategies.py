"""Hypothesis strategies for entries with every extension, and for the texts they are made of.

Texts hold whatever XML can hold, with the awkward characters far more often than chance would have them.
`trimmed=True` leaves out surrounding white space in elements, which the reader does not keep; attributes
always may have it.
"""

from __future__ import annotations

from functools import cache
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from urlset.model.entry import Alternate, DataObject, Entry, Image, IndexEntry, Marked, Media, News, PageMap, Video
from urlset.spec.extensions import TVSHOW, VIDEO
from urlset.spec.protocol import CHANGEFREQ

Value = TypeVar("Value")

_AWKWARD = (
    *("&", "<", ">", '"', "'", "]]>", "&amp;", "&#38;", "<![CDATA[", "-->", "<!--", "<?x?>", "</loc>"),
    *(
        "é",
        "ß",
        "日本",
        "Ω",
        "😀",
        "\u00a0",
        "\u2028",
        "\u200b",
        "\u0301",
        "\ufffd",
        "\ufeff",
        "%20",
        "%",
        " ",
    ),
)
_WHITE = ("\t", "\n", "\r", "\r\n", " ", "  ")
_CHARACTERS = st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="\ufffe\uffff")
_MARKED_ATTRIBUTES = {field.name: tuple(attribute.name for attribute in field.attributes) for field in VIDEO.fields}
_UNKNOWN = (
    '<x:note xmlns:x="http://example.com/x">a &amp; b</x:note>',
    '<note xmlns="http://example.com/x"/>',
    '<x:a xmlns:x="urn:x" x:b="1&#10;2"><x:c>é</x:c><!-- c --></x:a>',
    '<x:a xmlns:x="urn:x"><![CDATA[</url> & <loc>]]></x:a>',
    '<note xmlns="urn:x">\n  <loc>http://example.com/inner</loc>\n</note>',
)


def _pieces(*awkward: str) -> SearchStrategy[str]:
    piece = st.one_of(st.sampled_from(awkward), st.text(_CHARACTERS, max_size=4))
    return st.lists(piece, max_size=6).map("".join)


def core_texts() -> SearchStrategy[str]:
    """Text of `<loc>` and its siblings: no control characters, no white space around it."""
    return _pieces(*_AWKWARD).map(str.strip)


def texts(*, trimmed: bool = False) -> SearchStrategy[str]:
    """Anything XML can hold, TAB, LF and CR included."""
    anything = _pieces(*_AWKWARD, *_WHITE)
    return anything.map(str.strip) if trimmed else anything


def urls() -> SearchStrategy[str]:
    """Addresses as sites have them, some with text that belongs in no address."""
    usual = st.from_regex(r"https://(www\.)?[a-z]{1,8}\.example/[a-z0-9/_.-]{0,20}(\?a=[0-9]&b=[a-z])?", fullmatch=True)
    return st.one_of(usual, core_texts().map(lambda rest: f"https://example.com/{rest}".rstrip()))


def dates() -> SearchStrategy[str]:
    """Lastmod texts: mostly good ones."""
    moments = st.datetimes().map(lambda moment: f"{moment:%Y-%m-%dT%H:%M:%S}+00:00")
    return st.one_of(st.dates().map(str), moments, st.sampled_from(("", "2024", "yesterday", "2024-13-01")))


def _marked(name: str, value: SearchStrategy[str]) -> SearchStrategy[Marked]:
    names = _MARKED_ATTRIBUTES[name]
    attributes = st.dictionaries(st.sampled_from(names), texts(), max_size=len(names))
    return st.builds(Marked, value, attributes)


def _few(strategy: SearchStrategy[Value]) -> SearchStrategy[tuple[Value, ...]]:
    return st.lists(strategy, max_size=2).map(tuple)


def images(*, trimmed: bool = False) -> SearchStrategy[Image]:
    text = st.none() | texts(trimmed=trimmed)
    return st.one_of(
        st.builds(Image, urls() | texts(trimmed=trimmed)),
        st.builds(Image, text, text, text, text, text),
    )


def videos(*, trimmed: bool = False) -> SearchStrategy[Video]:
    value = texts(trimmed=trimmed)
    many = {"tags": "tag", "prices": "price", "content_segment_locs": "content_segment_loc", "ids": "id"}
    fields: dict[str, SearchStrategy[object]] = {
        name: st.none() | value for name in Video.__struct_fields__ if name not in many
    }
    for name in ("player_loc", "restriction", "platform", "uploader", "gallery_loc"):
        fields[name] = st.none() | _marked(name, value)
    for name, element in many.items():
        fields[name] = _few(value if name == "tags" else _marked(element, value))
    shows = st.sampled_from(tuple(field.name for field in TVSHOW.fields))
    fields["tvshow"] = st.dictionaries(shows, value, max_size=3)
    return st.builds(Video, **fields)


def news(*, trimmed: bool = False) -> SearchStrategy[News]:
    text = st.none() | texts(trimmed=trimmed)
    return st.builds(News, **dict.fromkeys(News.__struct_fields__, text))


def alternates() -> SearchStrategy[Alternate]:
    usual = st.builds(Alternate, st.sampled_from(("de", "en-GB", "x-default", "zh-Hant-TW")), urls())
    text = st.none() | texts()
    rel = st.sampled_from(("alternate", "canonical", None)) | text
    return st.one_of(usual, st.builds(Alternate, text, text), st.builds(Alternate, text, text, rel, text))


def pagemaps() -> SearchStrategy[PageMap]:
    text = st.none() | texts()
    objects = st.builds(DataObject, text, text, _few(st.tuples(text, texts())))
    return st.builds(PageMap, _few(objects), text)


def media(*, trimmed: bool = False) -> SearchStrategy[Media]:
    """Any mixture of extensions, often a single one."""
    parts: dict[str, SearchStrategy[object]] = {
        "images": _few(images(trimmed=trimmed)),
        "videos": _few(videos(trimmed=trimmed)),
        "news": _few(news(trimmed=trimmed)),
        "alternates": _few(alternates()),
        "pagemaps": _few(pagemaps()),
        "mobile": st.sampled_from((None, "", "mobile", "pc,mobile")),
        "unknown": _few(st.sampled_from(_UNKNOWN)),
    }
    single = [st.builds(Media, **{name: part}) for name, part in parts.items()]
    return st.one_of(*single, st.builds(Media, **parts))


@cache
def entries(*, trimmed: bool = False) -> SearchStrategy[Entry]:
    """Plain, hinted and extended entries; some without an address."""
    plain = st.builds(Entry, urls(), st.none() | dates())
    text = st.none() | core_texts()
    hinted = st.builds(
        Entry,
        urls(),
        st.none() | dates(),
        st.none() | st.sampled_from(CHANGEFREQ),
        st.sampled_from((None, "0.5")),
    )
    odd = st.builds(Entry, text, text, text, text)
    extended = st.builds(Entry, urls() | text, text, text, text, media(trimmed=trimmed))
    return st.one_of(plain, hinted, odd, extended)


def index_entries() -> SearchStrategy[IndexEntry]:
    text = st.none() | core_texts()
    return st.one_of(st.builds(IndexEntry, urls(), st.none() | dates()), st.builds(IndexEntry, text, text))
