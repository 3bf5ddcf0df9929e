"""One row's bytes → images, videos and alternates written the usual way, by one pattern.

Only for rows that the fast path took (they are well-formed, their extensions prefixed and two levels deep), in
documents whose prefixes mean what they usually mean. Whatever is not quite usual is left to expat
(reading/media.py): a test compares the two.
"""

from __future__ import annotations

from urlset.model.media import Alternate, Image, Marked, Media, Video
from urlset.reading.media import VIDEO_MARKED, VIDEO_TEXT
from urlset.spec.lazy_pattern import lazy_pattern

_TOKEN = lazy_pattern(
    r"<(/?)([\w-]+):([A-Za-z_]+)([^<>]*)>(?:([^<\r]*)</|<!\[CDATA\[((?:[^\]\r]++|\](?!\]>))*+)\]\]></)?"
)
_ATTRIBUTE = lazy_pattern(r"([a-z_]+)=\"([^\"\x00-\x1f]*)\"")
_REFERENCE = lazy_pattern(r"&(amp|lt|gt|quot|apos);")
_ODD_REFERENCE = lazy_pattern(r"&(?!(?:amp|lt|gt|quot|apos);)")
_CHARACTERS = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_IMAGE_FIELDS = frozenset(Image.__struct_fields__)


_LINK = lazy_pattern(r'<xhtml:link rel="alternate" hreflang="([^"&\x00-\x1f]*)" href="([^"\x00-\x1f]*)" *+/>')
_BESIDES_LINKS = lazy_pattern(
    r'<(?!xhtml:link rel="alternate" hreflang="[^"&\x00-\x1f]*+" href="[^"\x00-\x1f]*+" *+/>)/?[\w-]+:'
)


class _UnusualError(Exception):
    """Something that expat has to look at."""


def usual_media(data: bytes, start: int, end: int) -> Media | None:
    """None when anything unusual stands in the row."""
    text = data[start:end].decode()
    if "\r" in text:
        return None
    links = _LINK.findall(text)
    if links and _BESIDES_LINKS.search(text) is None:
        return _alternates(links)
    collector = _Collector()
    try:
        cdata = 0
        for slash, prefix, local, attributes, value, section in _TOKEN.findall(text):
            if section:
                cdata += 1
                value = section  # noqa: PLW2901 - the one text of the element
            elif "&" in value:
                value = _plain(value)  # noqa: PLW2901
            collector.take(slash, prefix, local, attributes, value.strip())
        if text.count("<![CDATA[") != cdata or collector.is_open:
            return None
    except _UnusualError:
        return None
    return Media(tuple(collector.images), tuple(collector.videos), (), tuple(collector.alternates))


class _Collector:
    """Puts leaves into the image or video that is open."""

    def __init__(self) -> None:
        self.images: list[Image] = []
        self.videos: list[Video] = []
        self.alternates: list[Alternate] = []
        self._open: str | None = None
        self._fields: dict[str, str | Marked] = {}
        self._tags: list[str] = []

    @property
    def is_open(self) -> bool:
        """An image or video whose end was not seen: its two tags stood side by side."""
        return self._open is not None

    def take(self, slash: str, prefix: str, local: str, attributes: str, value: str) -> None:
        if slash:
            self._close(prefix, local)
        elif prefix == "xhtml" and self._open is None and local == "link" and attributes.endswith("/") and not value:
            self.alternates.append(_alternate(attributes))
        elif self._open == "image" == prefix and not attributes and local in _IMAGE_FIELDS:
            self._fields.setdefault(local, value)
        elif self._open == "video" == prefix:
            self._take_video(local, attributes, value)
        elif self._open is None and local == prefix and prefix in ("image", "video") and not attributes and not value:
            self._open = prefix
            self._fields = {}
            self._tags = []
        else:
            raise _UnusualError

    def _take_video(self, local: str, attributes: str, value: str) -> None:
        if local in VIDEO_TEXT and not attributes:
            self._fields.setdefault(local, value)
        elif local == "tag" and not attributes:
            self._tags.append(value)
        elif local in VIDEO_MARKED and not attributes.endswith("/"):
            self._fields.setdefault(local, Marked(value, _attributes(attributes)))
        else:
            raise _UnusualError

    def _close(self, prefix: str, local: str) -> None:
        if prefix != local or self._open != prefix:
            raise _UnusualError
        if prefix == "image":
            self.images.append(Image(**self._fields))  # type: ignore[arg-type]  # names come from the struct
        else:
            self.videos.append(Video(**self._fields, tags=tuple(self._tags)))  # type: ignore[arg-type]  # likewise
        self._open = None


def _alternates(links: list[tuple[str, str]]) -> Media | None:
    """A row with nothing but alternates of the commonest shape."""
    try:
        return Media(alternates=tuple(Alternate(hreflang, _plain(href)) for hreflang, href in links))
    except _UnusualError:
        return None


def _alternate(attributes: str) -> Alternate:
    get = _attributes(attributes[:-1]).get
    rel = get("rel")
    return Alternate(get("hreflang"), get("href"), "alternate" if rel == "alternate" else rel, get("media"))


def _attributes(text: str) -> dict[str, str]:
    found = _ATTRIBUTE.findall(text)
    if text.count('"') != 2 * len(found) or "'" in text or ":" in text.split('"', 1)[0]:
        raise _UnusualError
    return {name: _plain(value) for name, value in found}


def _plain(value: str) -> str:
    if "&" in value:
        if _ODD_REFERENCE.search(value):
            raise _UnusualError
        value = _REFERENCE.sub(lambda match: _CHARACTERS[match[1]], value)
    return value
