"""Sitemap extensions as field tables: image, video, news."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final

import msgspec

from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import MAX_IMAGES_PER_URL, MAX_VIDEO_TAGS

# The shape of a field table: element → fields → attributes, with limits, schema facts and sources.

WITHDRAWN_2022 = "2022-08-06"  # cites: google-2022
YES_NO = ("yes", "no")


class FieldKind(StrEnum):
    """What the text of a field or attribute has to be."""

    TEXT = "text"
    URL = "url"
    INTEGER = "integer"
    DECIMAL = "decimal"
    DATETIME = "datetime"
    CHOICE = "choice"  # exactly one of `values`
    CHOICES = "choices"  # a list of `values`
    COUNTRIES = "countries"  # ISO 3166-1 alpha-2, space-separated
    CURRENCY = "currency"  # ISO 4217
    LANGUAGE = "language"  # ISO 639, two or three letters, or zh-cn, zh-tw
    TICKERS = "tickers"  # EXCHANGE:SYMBOL, comma-separated
    GROUP = "group"  # an element with its own fields


class AttributeSpec(msgspec.Struct, frozen=True):
    """One attribute of a field or element."""

    name: str
    kind: FieldKind
    required: bool = False
    values: tuple[str, ...] = ()
    withdrawn: str | None = None
    xsd_pattern: str | None = None


class FieldSpec(msgspec.Struct, frozen=True):
    """One child element: what the documentation asks, and where the schema differs from it."""

    name: str
    kind: FieldKind
    required: bool = False
    repeatable: bool = False
    max_count: int | None = None
    max_length: int | None = None
    minimum: float | None = None
    maximum: float | None = None
    values: tuple[str, ...] = ()
    attributes: tuple[AttributeSpec, ...] = ()
    withdrawn: str | None = None  # ISO date from which it has no effect
    documented: bool = True  # False: in the schema, gone from the documentation, no date known
    xsd_order: int | None = None  # position in the schema's sequence; None where there is no schema
    xsd_max_length: int | None = None
    xsd_values: tuple[str, ...] = ()
    xsd_pattern: str | None = None
    cites: tuple[str, ...] = ()


class ElementSpec(msgspec.Struct, frozen=True):
    """One element with fields: video:video, news:publication, PageMap …"""

    name: str
    namespace: str  # a name in urlset.spec.namespaces.BY_NAME
    parent: str  # its parent element, "url" for the outermost
    fields: tuple[FieldSpec, ...]
    cites: tuple[str, ...]
    one_of: tuple[str, ...] = ()  # at least one of these fields must be there
    max_per_parent: int | None = None
    withdrawn: str | None = None

    def field(self, name: str) -> FieldSpec | None:
        """The field of that local name, or None when the element has no such field."""
        return next((field for field in self.fields if field.name == name), None)

    @property
    def xsd_sequence(self) -> tuple[str, ...]:
        """Field names in the order the schema wants them."""
        ordered = [(field.xsd_order, field.name) for field in self.fields if field.xsd_order is not None]
        return tuple(name for _, name in sorted(ordered))


# The video extension as a field table: today's documentation beside the schema of 2011.

_NOW = ("google-video", "xsd-video")
_OLD = ("google-2022", "xsd-video")
_YES_NO_XSD = ("yes", "Yes", "YES", "no", "No", "NO")
_RELATIONSHIP = AttributeSpec("relationship", FieldKind.CHOICE, required=True, values=("allow", "deny"))


def _sequence(cites: tuple[str, ...], *fields: FieldSpec) -> tuple[FieldSpec, ...]:
    """In the order of the schema; `cites` are the sources of fields that name none."""
    return tuple(
        msgspec.structs.replace(field, xsd_order=number, cites=field.cites or cites)
        for number, field in enumerate(fields, 1)
    )


def _yes_no(name: str) -> FieldSpec:
    return FieldSpec(name, FieldKind.CHOICE, values=YES_NO, xsd_values=_YES_NO_XSD)


def _old(name: str, kind: FieldKind, **more: Any) -> FieldSpec:
    return FieldSpec(name, kind, withdrawn=WITHDRAWN_2022, cites=_OLD, **more)


def _old_attribute(name: str, kind: FieldKind, **more: Any) -> AttributeSpec:
    return AttributeSpec(name, kind, withdrawn=WITHDRAWN_2022, **more)


def _in_schema_only(name: str, kind: FieldKind, cite: str, **more: Any) -> FieldSpec:
    return FieldSpec(name, kind, documented=False, cites=(cite,), **more)


VIDEO = ElementSpec(
    "video",
    "video",
    "url",
    _sequence(
        _NOW,
        FieldSpec("thumbnail_loc", FieldKind.URL, required=True),
        FieldSpec("title", FieldKind.TEXT, required=True, xsd_max_length=100),
        FieldSpec("description", FieldKind.TEXT, required=True, max_length=2048, xsd_max_length=2048),
        FieldSpec("content_loc", FieldKind.URL),
        FieldSpec(
            "player_loc",
            FieldKind.URL,
            attributes=(
                _old_attribute("allow_embed", FieldKind.CHOICE, values=_YES_NO_XSD),
                _old_attribute("autoplay", FieldKind.TEXT),
            ),
        ),
        FieldSpec("duration", FieldKind.INTEGER, minimum=1, maximum=28_800),
        FieldSpec("expiration_date", FieldKind.DATETIME),
        FieldSpec("rating", FieldKind.DECIMAL, minimum=0.0, maximum=5.0),
        _in_schema_only(
            "content_segment_loc",
            FieldKind.URL,
            "xsd-video",
            repeatable=True,
            attributes=(AttributeSpec("duration", FieldKind.INTEGER),),
        ),
        FieldSpec("view_count", FieldKind.INTEGER, minimum=0),
        FieldSpec("publication_date", FieldKind.DATETIME),
        FieldSpec("tag", FieldKind.TEXT, repeatable=True, max_count=MAX_VIDEO_TAGS),
        _old("category", FieldKind.TEXT, xsd_max_length=256),
        _yes_no("family_friendly"),
        FieldSpec(
            "restriction", FieldKind.COUNTRIES, attributes=(_RELATIONSHIP,), xsd_pattern="([A-Z]{2}( +[A-Z]{2})*)?"
        ),
        _old("gallery_loc", FieldKind.URL, attributes=(_old_attribute("title", FieldKind.TEXT),)),
        _old(
            "price",
            FieldKind.DECIMAL,
            repeatable=True,
            attributes=(
                _old_attribute("currency", FieldKind.CURRENCY, required=True, xsd_pattern="[A-Z]{3}"),
                _old_attribute("type", FieldKind.CHOICE, values=("purchase", "PURCHASE", "rent", "RENT")),
                _old_attribute("resolution", FieldKind.CHOICE, values=("sd", "SD", "hd", "HD")),
            ),
        ),
        _yes_no("requires_subscription"),
        FieldSpec("uploader", FieldKind.TEXT, max_length=255, attributes=(AttributeSpec("info", FieldKind.URL),)),
        _old("tvshow", FieldKind.GROUP),
        FieldSpec("platform", FieldKind.CHOICES, values=("web", "mobile", "tv"), attributes=(_RELATIONSHIP,)),
        _yes_no("live"),
        _in_schema_only(
            "id",
            FieldKind.TEXT,
            "xsd-video",
            repeatable=True,
            attributes=(
                AttributeSpec(
                    "type",
                    FieldKind.CHOICE,
                    values=(*("tms:series", "tms:program", "rovi:series", "rovi:program"), *("freebase", "url")),
                ),
            ),
        ),
    ),
    cites=_NOW,
    one_of=("content_loc", "player_loc"),
)

TVSHOW = ElementSpec(
    "tvshow",
    "video",
    "video",
    _sequence(
        _OLD,
        _old("show_title", FieldKind.TEXT, required=True),
        _old(
            "video_type",
            FieldKind.CHOICE,
            required=True,
            values=("full", "preview", "clip", "interview", "news", "other"),
        ),
        _old("episode_title", FieldKind.TEXT),
        _old("season_number", FieldKind.INTEGER, minimum=1),
        _old("episode_number", FieldKind.INTEGER, minimum=1),
        _old("premier_date", FieldKind.DATETIME),
    ),
    cites=_OLD,
    max_per_parent=1,
    withdrawn=WITHDRAWN_2022,
)


# Images, videos, news and links as they should be → which values of their fields give no rule a reason to look.
#
# Narrower than the documentation allows: what is not ordinary is looked at closely, nothing more. Values are judged
# as read, references resolved. `reading/compiled_media_signals.pxi` has the first form as code; a test compares them.

_LEGAL = r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]++|%[0-9A-Fa-f]{2})*+"
_HOST = r"https?://[A-Za-z0-9][A-Za-z0-9\-._]*+(?::[0-9]{1,5})?"
_ADDRESS = rf"{_HOST}/{_LEGAL}(?:\?(?:{_LEGAL}\??)*+)?"
ADDRESS: Final = lazy_pattern(_ADDRESS)
"""absolute, of the web, made of legal characters, without a fragment"""
NUMBER: Final = lazy_pattern(r"0|[1-9][0-9]{0,8}")
DECIMAL: Final = lazy_pattern(r"[0-9](?:\.[0-9]{1,2})?")
RELATIONSHIPS: Final = frozenset({"allow", "deny"})
HEADLINE_SUSPECT: Final = lazy_pattern(r"[-\u2013\u2014|\u00bb:\u00b7\u2022]\s{1,3}(?:by|By|BY)\s|[0-9]{4}-[0-9]{2}-")
"""an author or a date may be in the headline"""
DIVIDER: Final = lazy_pattern(r"\s[-\u2013\u2014]\s|[|\u00bb:\u00b7\u2022]\s")
"""the name of the paper may come before or after one"""
PARENTHESES: Final = frozenset("(\uff08")


_IMAGE = ("google-image", "xsd-image")
_IMAGE_OLD = ("google-2022", "xsd-image")

IMAGE = ElementSpec(
    "image",
    "image",
    "url",
    _sequence(
        _IMAGE,
        FieldSpec("loc", FieldKind.URL, required=True),
        FieldSpec("caption", FieldKind.TEXT, withdrawn=WITHDRAWN_2022, cites=_IMAGE_OLD),
        FieldSpec("geo_location", FieldKind.TEXT, withdrawn=WITHDRAWN_2022, cites=_IMAGE_OLD),
        FieldSpec("title", FieldKind.TEXT, withdrawn=WITHDRAWN_2022, cites=_IMAGE_OLD),
        FieldSpec("license", FieldKind.URL, withdrawn=WITHDRAWN_2022, cites=_IMAGE_OLD),
    ),
    cites=_IMAGE,
    max_per_parent=MAX_IMAGES_PER_URL,
)

_NEWS = ("google-news", "xsd-news")

PUBLICATION = ElementSpec(
    "publication",
    "news",
    "news",
    _sequence(
        _NEWS,
        FieldSpec("name", FieldKind.TEXT, required=True),
        FieldSpec("language", FieldKind.LANGUAGE, required=True, xsd_pattern="zh-cn|zh-tw|([a-z]{2,3})"),
    ),
    cites=_NEWS,
    max_per_parent=1,
)

NEWS = ElementSpec(
    "news",
    "news",
    "url",
    (
        *_sequence(
            _NEWS,
            FieldSpec("publication", FieldKind.GROUP, required=True),
            _in_schema_only("access", FieldKind.CHOICE, "xsd-news", values=("Subscription", "Registration")),
            _in_schema_only(
                "genres",
                FieldKind.CHOICES,
                "xsd-news",
                values=("PressRelease", "Satire", "Blog", "OpEd", "Opinion", "UserGenerated"),
            ),
            FieldSpec("publication_date", FieldKind.DATETIME, required=True),
            FieldSpec("title", FieldKind.TEXT, required=True),
            _in_schema_only("keywords", FieldKind.TEXT, "xsd-news"),
            _in_schema_only("stock_tickers", FieldKind.TICKERS, "xsd-news", xsd_pattern=r"(\w+:\w+(, *\w+:\w+){0,4})?"),
        ),
        # Older than the schema that survives: known from files only.
        FieldSpec("geo_locations", FieldKind.TEXT, documented=False, cites=("seen-in-the-wild",)),
    ),
    cites=_NEWS,
    max_per_parent=1,
)


def _elements(*specs: ElementSpec) -> frozenset[str]:
    return frozenset(name for spec in specs for name in (spec.name, *(field.name for field in spec.fields)))


# What sitemaps have of XHTML and PageMap (cites: google-hreflang, google-pse, xsd-pagemap).
ELEMENT_NAMES: dict[str, frozenset[str]] = {
    namespaces.IMAGE: _elements(IMAGE),
    namespaces.VIDEO: _elements(VIDEO, TVSHOW),
    namespaces.NEWS: _elements(NEWS, PUBLICATION),
    namespaces.XHTML: frozenset({"link"}),
    namespaces.PAGEMAP: frozenset({"PageMap", "DataObject", "Attribute", "Template"}),
    namespaces.MOBILE: frozenset({"mobile"}),
}
"""by namespace: the names of all its elements"""
ATTRIBUTE_NAMES: dict[str, frozenset[str]] = {
    namespaces.VIDEO: frozenset(each.name for field in (*VIDEO.fields, *TVSHOW.fields) for each in field.attributes),
    namespaces.XHTML: frozenset({"rel", "hreflang", "href", "media", "type"}),
    namespaces.PAGEMAP: frozenset({"type", "id", "name", "value", "src"}),
}
