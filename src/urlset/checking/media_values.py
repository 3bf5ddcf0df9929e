"""The text of an image or video field → whether it is plain and no rule has to check it."""

from __future__ import annotations

from collections.abc import Callable

from urlset.model.address_key import key_of
from urlset.spec import ordinary_media
from urlset.spec.fields import FieldKind
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import VIDEO_FILE_TYPES
from urlset.spec.signals import ORDINARY_DATE

Test = Callable[[str], bool]

ENDLESS = 1 << 30
_ENDING = lazy_pattern(r"\.([A-Za-z][A-Za-z0-9]{1,4})\Z")


OF_VIDEOS = tuple(f".{ending}" for ending in VIDEO_FILE_TYPES)


def never(_text: str) -> bool:
    return False


def is_address(text: str) -> bool:
    return ordinary_media.ADDRESS.fullmatch(text) is not None


def is_file(text: str) -> bool:
    """A URL with a video extension, or without an extension."""
    if ordinary_media.ADDRESS.fullmatch(text) is None:
        return False
    if text.endswith(OF_VIDEOS):
        return True
    ending = _ENDING.search(text.partition("?")[0])
    return ending is None or ending[1].lower() in VIDEO_FILE_TYPES


def may_be(text: str, page: str) -> bool:
    """Whether the URL of a video file or player may be the page URL."""
    if text.endswith(OF_VIDEOS) and "%" not in page and text[text.rindex(".") :] not in page.lower():
        return False
    return key_of(text.replace("&amp;", "&")) == key_of(page.strip())


def is_text(most: int, text: str) -> bool:
    if len(text) > most:
        return False
    return ("&" not in text and ">" not in text) or ordinary_media.TEXT.fullmatch(text) is not None


def is_number(kind: FieldKind, minimum: float, maximum: float, text: str) -> bool:
    form = ordinary_media.NUMBER if kind is FieldKind.INTEGER else ordinary_media.DECIMAL
    return form.fullmatch(text) is not None and minimum <= float(text) <= maximum


def is_day_or_second(text: str) -> bool:
    return "." not in text and ORDINARY_DATE.fullmatch(text) is not None


def are_known(values: frozenset[str], text: str) -> bool:
    """One or more of the values, each once, separated by single spaces."""
    words = text.split(" ")
    return len(set(words)) == len(words) and values.issuperset(words)
