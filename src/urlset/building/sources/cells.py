"""Cells of a row → addresses, dates, images, videos, news and alternates; texts, JSON and flat columns are the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import msgspec

from urlset.model.address import Address, percent_encode
from urlset.model.address_grammar import is_plain
from urlset.model.entry import NOTHING, Alternate, Entry, Image, Marked, Media, News, Video
from urlset.model.errors import ArgumentValueError
from urlset.model.moment import Fault, Moment
from urlset.model.page import join
from urlset.spec.extensions import IMAGE, NEWS, PUBLICATION, VIDEO, ElementSpec, FieldKind, FieldSpec
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import CHANGEFREQ, PRIORITY_MAX, PRIORITY_MIN
from urlset.writing.media import field_line

# An address as a source gives it → the absolute, escaped address without a fragment that a sitemap can list.

_UNDECODED = lazy_pattern("[\ud800-\udfff\ufffd]")


class LocError(ArgumentValueError):
    """A value that is not the address of a page."""


def to_loc(value: str, base_url: str | None = None) -> str:
    """A path that begins with `/` is taken below the host of `base_url`. Raises LocError."""
    if is_plain(value) and "#" not in value:
        return value
    text = value.strip()
    if not text:
        raise LocError("empty URL")
    if _UNDECODED.search(text):
        raise LocError(f"{text[:200].encode('utf-8', 'replace').decode()!r} is not UTF-8")
    if text.startswith("/"):
        joined = join(base_url, text) if base_url else None
        if joined is None:
            raise LocError(f"{text[:200]!r} is a path; set --base-url")
        return percent_encode(joined.partition("#")[0])
    if not Address.parse(text).is_web:
        raise LocError(f"{text[:200]!r} is not an http or https URL")
    return percent_encode(text).partition("#")[0]


# A date as a source gives it → a legal lastmod that says no more than the source did.

# The two usual shapes, quickly; days that not every month has are left to Moment.
_USUAL = lazy_pattern(
    r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])"
    r"(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?(?:Z|\+(?:0[0-9]|1[0-3]):[0-5][0-9]))?"
)
_LONGEST_REMEMBERED = 64
_LEAST_EXPONENT = -100
_SECONDS = range(10**8, 10**10)
_MILLISECONDS = range(10**11, 10**13)


class DateError(ArgumentValueError):
    """A value that is not a date, or is ambiguous."""


def to_lastmod(value: object, timezone: str | None = None) -> str | None:
    """None for nothing. A time without a zone gets `timezone`, or is kept to the day. Raises DateError."""
    if isinstance(value, str):
        if _USUAL.fullmatch(value):
            return value
        return (_remembered if len(value) < _LONGEST_REMEMBERED else _from_text)(value, timezone)
    if value is None:
        return None
    if isinstance(value, datetime):
        if value.tzinfo is None:
            return f"{value.isoformat(timespec='seconds')}{timezone}" if timezone else value.date().isoformat()
        return value.isoformat(timespec="seconds").replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _from_number(value)
    raise DateError(f"{value!r} is not a date")


def _from_text(value: str, timezone: str | None) -> str | None:
    text = value.strip()
    if not text:
        return None
    moment = Moment.parse(text)
    if moment.w3c_valid and not moment.faults:
        return text
    found = moment.suggestion or (moment.with_timezone(timezone) if timezone else None)
    if found is None and moment.reading is not None and moment.reading.lacks_zone:
        found = moment.reading.spell()[:10]
    if found is None:
        ambiguous = moment.has(Fault.DAY_MONTH_AMBIGUOUS) or moment.has(Fault.TWO_DIGIT_YEAR)
        raise DateError(f"{text[:80]!r} is {'an ambiguous' if ambiguous else 'not a'} date")
    return found


_remembered = lru_cache(4096)(_from_text)
"""days that a table names repeatedly"""


def _from_number(value: float) -> str:
    whole = int(value) if value == value and abs(value) < 10**15 else 0  # noqa: PLR0124 - not NaN
    if whole in _MILLISECONDS:
        whole //= 1000
    if whole not in _SECONDS:
        raise DateError(f"{value!r} is not a date: a number must be a Unix time in seconds or milliseconds")
    return datetime.fromtimestamp(whole, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def to_frequency(text: str) -> str | None:
    """One of CHANGEFREQ, empty for a blank; None for any other word."""
    word = text.strip().lower()
    return word if not word or word in CHANGEFREQ else None


def to_priority(text: str) -> str | None:
    """A number from 0.0 to 1.0 without an exponent, empty for a blank; None for anything else."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None if text.strip() else ""
    # an exponent is a few bytes that are written as any number of zeros
    is_legal = number.is_finite() and PRIORITY_MIN <= number <= PRIORITY_MAX and number.adjusted() >= _LEAST_EXPONENT
    return f"{number:f}" if is_legal else None


# An Entry → the named values that rows are made of, so both are read by the same rules.

OTHER_MEDIA = "other_media"
"""the cell of extensions that rows have no columns for, as a Media"""


def cells_of(entry: Entry) -> dict[str, object]:
    cells: dict[str, object] = {"loc": entry.loc, "lastmod": entry.lastmod}
    if entry.changefreq is not None:
        cells["changefreq"] = entry.changefreq
    if entry.priority is not None:
        cells["priority"] = entry.priority
    media = entry.media
    if media is NOTHING:
        return cells
    if media.images:
        cells["images"] = [msgspec.structs.asdict(image) for image in media.images]
    if media.videos:
        cells["videos"] = [_video(video) for video in media.videos]
    if media.news:
        cells["news"] = [msgspec.structs.asdict(news) for news in media.news]
    links = media.alternates
    if links:
        cells["alternates"] = [msgspec.structs.asdict(link) for link in links if _is_translation(link)]
        links = tuple(link for link in links if not _is_translation(link))
    if links or media.pagemaps or media.mobile is not None or media.unknown:
        cells[OTHER_MEDIA] = Media(
            alternates=links, pagemaps=media.pagemaps, mobile=media.mobile, unknown=media.unknown
        )
    return cells


def _is_translation(link: Alternate) -> bool:
    """Unlike a link to a mobile page."""
    return link.hreflang is not None and link.rel == "alternate" and link.media is None


def _video(video: Video) -> dict[str, Any]:
    given = zip(Video.__struct_fields__, msgspec.structs.astuple(video), strict=True)
    return {name: value if isinstance(value, str) else _spelled(value) for name, value in given if value}


def _spelled(value: object) -> object:
    if isinstance(value, Marked):
        return {**value.attributes, "text": value.text}
    return [_spelled(each) for each in value] if isinstance(value, tuple) else value


_SEPARATOR = lazy_pattern(r"\s*[|\n]\s*")
_PAIR = lazy_pattern(r"([A-Za-z0-9-]{1,35})\s*[=:]\s*(\S.*)")
_PLURAL = {"tag": "tags", "price": "prices", "id": "ids", "content_segment_loc": "content_segment_locs"}
_MARKED = frozenset({"player_loc", "restriction", "platform", "uploader", "gallery_loc"})
_MANY_MARKED = frozenset({"prices", "content_segment_locs", "ids"})
_ADDRESSES = frozenset(field.name for table in (IMAGE, VIDEO) for field in table.fields if field.kind is FieldKind.URL)
_DATES = frozenset(field.name for table in (NEWS, VIDEO) for field in table.fields if field.kind is FieldKind.DATETIME)
_SPECIAL = _ADDRESSES | _DATES | _MARKED | _MANY_MARKED | {"tvshow", "tags"}
"""fields that are not merely texts"""
_Medium = TypeVar("_Medium", Image, Video, News)


class CellError(ArgumentValueError):
    """A cell that cannot be used, with the reason."""


class Setting(msgspec.Struct, frozen=True):
    """What cells are read against."""

    base_url: str | None = None
    timezone: str | None = None


def images_of(cell: object, setting: Setting) -> tuple[Image, ...]:
    found = []
    for each in _several(cell):
        fields = each if isinstance(each, (dict, Mapping)) else {"loc": each}
        found.append(_filled(Image, fields, setting))
    return tuple(found)


def videos_of(cell: object, setting: Setting) -> tuple[Video, ...]:
    return tuple(_filled(Video, _mapping(each, "a video"), setting) for each in _several(cell))


def news_of(cell: object, setting: Setting) -> tuple[News, ...]:
    found = []
    for each in _several(cell):
        fields = dict(_mapping(each, "news"))
        publication = fields.pop("publication", None)
        if isinstance(publication, Mapping):
            fields = {**publication, **fields}
        elif publication is not None:
            fields.setdefault("name", publication)
        found.append(_filled(News, fields, setting))
    return tuple(found)


def alternates_of(cell: object, setting: Setting) -> tuple[Alternate, ...]:
    """`{"de": "https://…"}`, a list of `{"hreflang": …, "href": …}`, or `de=https://… | fr=https://…`."""
    found: list[Alternate] = []
    decoded = _decoded(cell)
    if isinstance(decoded, Mapping) and "href" not in decoded:
        decoded = [{"hreflang": language, "href": href} for language, href in decoded.items()]
    for each in _several(decoded):
        if isinstance(each, str):
            pair = _PAIR.fullmatch(each)
            if pair is None:
                raise CellError(f"{each[:120]!r} is not an alternate: write de=https://…")
            each = {"hreflang": pair[1], "href": pair[2]}  # noqa: PLW2901 - the same thing, spelled out
        fields = _mapping(each, "an alternate")
        language, href = (_text(fields.get(name)) for name in ("hreflang", "href"))
        if not language or not href:
            raise CellError("an alternate needs hreflang and href")
        found.append(Alternate(language, _address(href, setting), media=_text(fields.get("media"))))
    return tuple(found)


def are_usual(links: Iterable[Alternate]) -> bool:
    """Addresses that need no change, by visible ASCII, as every language code is."""
    return all(
        link.media is None and link.href and is_plain(link.href)
        and link.hreflang and link.hreflang.isascii() and link.hreflang.isprintable() and " " not in link.hreflang
        for link in links
    )  # fmt: skip


_LINK_FIELDS = frozenset({"hreflang", "href", "rel", "media"})


def links_by_language(links: object) -> object:
    """A list of translations, or one text, as addresses by language; anything else as it is."""
    if isinstance(links, str):
        links = _several(links)
    if not isinstance(links, list) or not links:
        return links
    found: dict[object, object] = {}
    for each in links:
        pair = _PAIR.fullmatch(each) if isinstance(each, str) else None
        if pair is not None:
            found[pair[1]] = pair[2]
        elif isinstance(each, dict) and each.keys() <= _LINK_FIELDS and not each.get("media"):
            found[each.get("hreflang")] = each.get("href")
    return found if len(found) == len(links) else links


READERS: dict[str, Callable[[object, Setting], tuple[Any, ...]]] = {
    "images": images_of,
    "videos": videos_of,
    "news": news_of,
    "alternates": alternates_of,
}


def _decoded(cell: object) -> object:
    if isinstance(cell, str) and cell.lstrip()[:1] in ("[", "{"):
        try:
            return msgspec.json.decode(cell)
        except (msgspec.DecodeError, RecursionError, UnicodeEncodeError) as error:
            raise CellError(f"{cell.strip()[:60]!r} is not valid JSON: {error}") from error
    return cell


def structured(cell: object) -> object:
    """Media that a text spells out, as values; anything else, broken JSON too, as it is."""
    with suppress(CellError):
        cell = _decoded(cell)
        return _several(cell) if isinstance(cell, str) and ("|" in cell or "\n" in cell) else cell
    return cell


def _several(cell: object) -> list[Any]:
    decoded = _decoded(cell)
    if decoded is None:
        return []
    if isinstance(decoded, str):
        return [each for each in _SEPARATOR.split(decoded.strip()) if each]
    if isinstance(decoded, (list, tuple)):
        return [each for each in decoded if each]
    return [decoded]


def _mapping(value: object, what: str) -> Mapping[str, Any]:
    if not isinstance(value, (dict, Mapping)):
        raise CellError(f"{what} must be JSON with named fields, not {str(value)[:60]!r}")
    return value


class _Form:
    """The fields of one kind of media."""

    def __init__(self, kind: type[msgspec.Struct], table: ElementSpec, outer: tuple[FieldSpec, ...] = ()) -> None:
        self.name = kind.__name__.lower()
        known = kind.__struct_fields__
        self.fields = {name: name for name in known} | {one: many for one, many in _PLURAL.items() if many in known}
        """what a cell calls it → the field"""
        self.required = tuple(each.name for each in (*table.fields, *outer) if each.required and each.name in known)
        self.one_of = table.one_of


_FORMS = {Image: _Form(Image, IMAGE), Video: _Form(Video, VIDEO), News: _Form(News, NEWS, PUBLICATION.fields)}


class TextField(NamedTuple):
    """A field whose value may be a mere text."""

    name: str
    names: tuple[str, ...]
    """what a cell may call it"""
    opening: str
    closing: str
    """what is written around the text"""
    is_address: bool
    is_date: bool
    is_many: bool
    """a list of texts, or one"""
    may_be_json: bool
    """a text that begins like JSON is read as such"""


def text_fields(name: str) -> tuple[list[TextField], tuple[str, ...], tuple[str, ...]]:
    """Those of an image, a video or news in the order of the schema; which are required, and of which one is."""
    table, form = {"image": (IMAGE, _FORMS[Image]), "video": (VIDEO, _FORMS[Video]), "news": (NEWS, _FORMS[News])}[name]
    found = []
    for spec in (*(PUBLICATION.fields if name == "news" else ()), *table.fields):
        field = _PLURAL.get(spec.name, spec.name)
        if field not in _MANY_MARKED and spec.kind is not FieldKind.GROUP:
            names = tuple(written for written, meant in form.fields.items() if meant == field)
            is_many = field == "tags"
            marks = field in _ADDRESSES, field in _DATES, is_many, is_many or field in _MARKED
            found.append(TextField(spec.name, names, *field_line(name, spec.name), *marks))
    return found, form.required, form.one_of


def _filled(kind: type[_Medium], fields: Mapping[str, Any], setting: Setting) -> _Medium:
    form = _FORMS[kind]
    values: dict[str, Any] = {}
    for written, value in fields.items():
        name = form.fields.get(written)
        if name is None:
            raise CellError(f"{form.name} has no field {written!r}")
        if value is not None and value != "":
            values[name] = _field(name, value, setting)
    missing = [name for name in form.required if not values.get(name)]
    if missing:
        raise CellError(f"{form.name} without {', '.join(missing)}")
    if form.one_of and not any(map(values.get, form.one_of)):
        raise CellError(f"{form.name} without {' or '.join(form.one_of)}")
    return kind(**values)


def _field(name: str, value: Any, setting: Setting) -> Any:
    if name not in _SPECIAL:
        return _text(value)
    if name == "tvshow":
        return {key: _text(text) or "" for key, text in _mapping(_decoded(value), "tvshow").items()}
    if name == "tags":
        return tuple(filter(None, (_text(each) for each in _several(value))))
    if name in _MANY_MARKED:
        return tuple(_marked(name, each, setting) for each in _several(value))
    if name in _MARKED:
        return _marked(name, _decoded(value), setting)
    if name in _DATES:
        try:
            return to_lastmod(value, setting.timezone)
        except DateError as error:
            raise CellError(f"{name}: {error}") from error
    text = _text(value)
    return _address(text, setting) if text else text


def _marked(name: str, value: object, setting: Setting) -> Marked:
    attributes: dict[str, str] = {}
    if isinstance(value, Mapping):
        attributes = {key: _text(each) or "" for key, each in value.items() if key != "text"}
        value = value.get("text")
    text = _text(value) or ""
    return Marked(_address(text, setting) if name in _ADDRESSES and text else text, attributes)


def _text(value: object) -> str | None:
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(filter(None, map(_text, value))) or None
    if isinstance(value, Mapping):
        raise CellError(f"{str(dict(value))[:60]} is not text")
    return None if value is None else str(value).strip() or None


def _address(text: str, setting: Setting) -> str:
    try:
        return to_loc(text, setting.base_url)
    except LocError as error:
        raise CellError(str(error)) from error
