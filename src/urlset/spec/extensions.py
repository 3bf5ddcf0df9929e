"""Sitemap extensions as field tables: image, video, news, Media RSS."""

from __future__ import annotations

from urlset.spec import namespaces
from urlset.spec.fields import WITHDRAWN_2022, AttributeSpec, ElementSpec, FieldKind, FieldSpec
from urlset.spec.protocol import MAX_IMAGES_PER_URL
from urlset.spec.video import TVSHOW, VIDEO

__all__ = ["ATTRIBUTE_NAMES", "ELEMENT_NAMES", "IMAGE", "MEDIA_ITEM", "NEWS", "PUBLICATION", "TVSHOW", "VIDEO"]

_IMAGE = ("google-image", "xsd-image")
_IMAGE_OLD = ("google-2022", "xsd-image")

IMAGE = ElementSpec(
    "image",
    "image",
    "url",
    (
        FieldSpec("loc", FieldKind.URL, required=True, xsd_order=1, cites=_IMAGE),
        FieldSpec("caption", FieldKind.TEXT, withdrawn=WITHDRAWN_2022, xsd_order=2, cites=_IMAGE_OLD),
        FieldSpec("geo_location", FieldKind.TEXT, withdrawn=WITHDRAWN_2022, xsd_order=3, cites=_IMAGE_OLD),
        FieldSpec("title", FieldKind.TEXT, withdrawn=WITHDRAWN_2022, xsd_order=4, cites=_IMAGE_OLD),
        FieldSpec("license", FieldKind.URL, withdrawn=WITHDRAWN_2022, xsd_order=5, cites=_IMAGE_OLD),
    ),
    cites=_IMAGE,
    max_per_parent=MAX_IMAGES_PER_URL,
)

_NEWS = ("google-news", "xsd-news")
_NEWS_OLD = ("xsd-news",)

PUBLICATION = ElementSpec(
    "publication",
    "news",
    "news",
    (
        FieldSpec("name", FieldKind.TEXT, required=True, xsd_order=1, cites=_NEWS),
        FieldSpec(
            "language",
            FieldKind.LANGUAGE,
            required=True,
            xsd_order=2,
            xsd_pattern="zh-cn|zh-tw|([a-z]{2,3})",
            cites=_NEWS,
        ),
    ),
    cites=_NEWS,
    max_per_parent=1,
)

NEWS = ElementSpec(
    "news",
    "news",
    "url",
    (
        FieldSpec("publication", FieldKind.GROUP, required=True, xsd_order=1, cites=_NEWS),
        FieldSpec(
            "access",
            FieldKind.CHOICE,
            values=("Subscription", "Registration"),
            documented=False,
            xsd_order=2,
            cites=_NEWS_OLD,
        ),
        FieldSpec(
            "genres",
            FieldKind.CHOICES,
            values=("PressRelease", "Satire", "Blog", "OpEd", "Opinion", "UserGenerated"),
            documented=False,
            xsd_order=3,
            cites=_NEWS_OLD,
        ),
        FieldSpec("publication_date", FieldKind.DATETIME, required=True, xsd_order=4, cites=_NEWS),
        FieldSpec("title", FieldKind.TEXT, required=True, xsd_order=5, cites=_NEWS),
        FieldSpec("keywords", FieldKind.TEXT, documented=False, xsd_order=6, cites=_NEWS_OLD),
        FieldSpec(
            "stock_tickers",
            FieldKind.TICKERS,
            documented=False,
            xsd_order=7,
            xsd_pattern=r"(\w+:\w+(, *\w+:\w+){0,4})?",
            cites=_NEWS_OLD,
        ),
        # Older than the schema that survives: known from files only.
        FieldSpec("geo_locations", FieldKind.TEXT, documented=False, cites=("seen-in-the-wild",)),
    ),
    cites=_NEWS,
    max_per_parent=1,
)

_MRSS = ("google-video", "media-rss")

MEDIA_ITEM = ElementSpec(
    "item",
    "media",
    "channel",
    (
        # Either its url attribute or media:player says where the video is.
        FieldSpec(
            "content",
            FieldKind.GROUP,
            required=True,
            repeatable=True,
            attributes=(
                AttributeSpec("medium", FieldKind.CHOICE, values=("video",)),
                AttributeSpec("url", FieldKind.URL),
                AttributeSpec("duration", FieldKind.INTEGER),
                AttributeSpec("fileSize", FieldKind.INTEGER),
                AttributeSpec("type", FieldKind.TEXT),
                AttributeSpec("height", FieldKind.INTEGER),
                AttributeSpec("width", FieldKind.INTEGER),
                AttributeSpec("isDefault", FieldKind.CHOICE, values=("true", "false")),
            ),
            cites=_MRSS,
        ),
        FieldSpec(
            "player",
            FieldKind.EMPTY,
            attributes=(AttributeSpec("url", FieldKind.URL, required=True),),
            cites=_MRSS,
        ),
        FieldSpec("title", FieldKind.TEXT, required=True, max_length=100, cites=_MRSS),
        FieldSpec("description", FieldKind.TEXT, required=True, max_length=2048, cites=_MRSS),
        FieldSpec(
            "thumbnail",
            FieldKind.EMPTY,
            required=True,
            repeatable=True,
            attributes=(
                AttributeSpec("url", FieldKind.URL, required=True),
                AttributeSpec("height", FieldKind.INTEGER),
                AttributeSpec("width", FieldKind.INTEGER),
            ),
            cites=_MRSS,
        ),
        FieldSpec(
            "restriction",
            FieldKind.COUNTRIES,
            attributes=(
                AttributeSpec("relationship", FieldKind.CHOICE, required=True, values=("allow", "deny")),
                AttributeSpec("type", FieldKind.CHOICE, required=True, values=("country",)),
            ),
            cites=_MRSS,
        ),
        FieldSpec(
            "price",
            FieldKind.EMPTY,
            repeatable=True,
            attributes=(
                # Listed as required, yet the same page shows a subscription without a currency.
                AttributeSpec("currency", FieldKind.CURRENCY),
                AttributeSpec("type", FieldKind.CHOICE, values=("rent", "purchase", "package", "subscription")),
                AttributeSpec("price", FieldKind.DECIMAL),
            ),
            cites=_MRSS,
        ),
    ),
    cites=_MRSS,
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
