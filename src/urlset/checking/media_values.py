"""The value of a field of an image, a video or an article → whether it is ordinary, so no rule has to look."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from urlset.model.address_key import key_of
from urlset.spec import ordinary_media
from urlset.spec.fields import FieldKind
from urlset.spec.languages import COUNTRY_TRAPS, LANGUAGES, WITHDRAWN, X_DEFAULT
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import NEWS_MAX_AGE_DAYS, VIDEO_FILE_TYPES
from urlset.spec.regions import REGIONS
from urlset.spec.scripts import SCRIPTS
from urlset.spec.signals import ORDINARY_DATE

Test = Callable[[str], bool]
AttributesTest = Callable[[Mapping[str, str], str], bool]
"""attributes by name, and the address of the page"""

ENDLESS = 1 << 30
_DAY = len("2026-01-01")
_ENDING = lazy_pattern(r"\.([A-Za-z][A-Za-z0-9]{1,4})\Z")
_OF_VIDEOS = tuple(f".{ending}" for ending in VIDEO_FILE_TYPES)
_SUBTAGS = lazy_pattern(r"([A-Za-z]{2})(?:-([A-Za-z]{4}))?(?:-([A-Za-z]{2}))?")


def is_address(text: str) -> bool:
    return ordinary_media.ADDRESS.fullmatch(text) is not None


def ends_like_video(address: str) -> bool:
    """It ends like a video, or like nothing."""
    if address.endswith(_OF_VIDEOS):
        return True
    ending = _ENDING.search(address.partition("?")[0])
    return ending is None or ending[1].lower() in VIDEO_FILE_TYPES


def differs_from_page(address: str, page: str) -> bool:
    """Whether the address of a video file or player cannot be that of the page."""
    if address.endswith(_OF_VIDEOS) and "%" not in page and address[address.rindex(".") :] not in page.lower():
        return True
    return key_of(address) != key_of(page)


def is_number(kind: FieldKind, minimum: float, maximum: float, text: str) -> bool:
    form = ordinary_media.NUMBER if kind is FieldKind.INTEGER else ordinary_media.DECIMAL
    return form.fullmatch(text) is not None and minimum <= float(text) <= maximum


def is_day_or_second(text: str) -> bool:
    return "." not in text and ORDINARY_DATE.fullmatch(text) is not None


def is_between(first: str, last: str, text: str) -> bool:
    """A date from one day to another."""
    return first <= text[:10] <= last and is_day_or_second(text)


def is_news_at(now: datetime, text: str) -> bool:
    """A date not in the future, and not older than news may be."""
    if not is_day_or_second(text):
        return False
    oldest = now - timedelta(days=NEWS_MAX_AGE_DAYS)
    if len(text) == _DAY:  # it ends first where clocks are 14 hours ahead
        return datetime.fromisoformat(f"{text}T10:00:00+00:00") > oldest and text <= f"{now:%Y-%m-%d}"
    return oldest < datetime.fromisoformat(text) <= now


def are_known(values: frozenset[str], text: str) -> bool:
    """One or more of the values, each once, with one space between them."""
    words = text.split(" ")
    return len(set(words)) == len(words) and values.issuperset(words)


def is_paper(text: str) -> bool:
    return ordinary_media.PARENTHESES.isdisjoint(text)


def is_headline(title: str, paper: str) -> bool:
    """Neither author nor date nor the name of the paper seems to be in it."""
    if ordinary_media.HEADLINE_SUSPECT.search(title):
        return False
    return ordinary_media.DIVIDER.search(title) is None or paper.strip().casefold() not in title.casefold()


def is_news_language(text: str) -> bool:
    return text in LANGUAGES and text != "zh"


def is_language_tag(tag: str) -> bool:
    """A language of two letters, alone or with a script and a country."""
    if tag.lower() == X_DEFAULT:
        return True
    parts = _SUBTAGS.fullmatch(tag)
    if parts is None:
        return False
    language, script, region = parts[1].lower(), parts[2], parts[3]
    if language not in LANGUAGES or language in WITHDRAWN or language in COUNTRY_TRAPS:
        return False
    return (script is None or script.capitalize() in SCRIPTS) and (region is None or region.upper() in REGIONS)


def have_relationship(attributes: Mapping[str, str], _page: str) -> bool:
    return len(attributes) == 1 and attributes.get("relationship") in ordinary_media.RELATIONSHIPS


def are_of_uploader(attributes: Mapping[str, str], page: str) -> bool:
    """Nothing, or a page on the host of the page."""
    info = attributes.get("info", "")
    return not attributes or (
        len(attributes) == 1 and is_address(info) and info.split("/")[2:3] == page.split("/")[2:3]
    )
