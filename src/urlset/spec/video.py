"""The video extension as a field table: today's documentation beside the schema of 2011."""

from __future__ import annotations

from urlset.spec.fields import WITHDRAWN_2022, YES_NO, AttributeSpec, ElementSpec, FieldKind, FieldSpec
from urlset.spec.protocol import MAX_VIDEO_TAGS

_NOW = ("google-video", "xsd-video")
_OLD = ("google-2022", "xsd-video")
_YES_NO_XSD = ("yes", "Yes", "YES", "no", "No", "NO")
_RELATIONSHIP = AttributeSpec("relationship", FieldKind.CHOICE, required=True, values=("allow", "deny"))


def _yes_no(name: str, order: int) -> FieldSpec:
    return FieldSpec(name, FieldKind.CHOICE, values=YES_NO, xsd_values=_YES_NO_XSD, xsd_order=order, cites=_NOW)


VIDEO = ElementSpec(
    "video",
    "video",
    "url",
    (
        FieldSpec("thumbnail_loc", FieldKind.URL, required=True, xsd_order=1, cites=_NOW),
        FieldSpec("title", FieldKind.TEXT, required=True, xsd_max_length=100, xsd_order=2, cites=_NOW),
        FieldSpec(
            "description",
            FieldKind.TEXT,
            required=True,
            max_length=2048,
            xsd_max_length=2048,
            xsd_order=3,
            cites=_NOW,
        ),
        FieldSpec("content_loc", FieldKind.URL, xsd_order=4, cites=_NOW),
        FieldSpec(
            "player_loc",
            FieldKind.URL,
            attributes=(
                AttributeSpec("allow_embed", FieldKind.CHOICE, values=_YES_NO_XSD, withdrawn=WITHDRAWN_2022),
                AttributeSpec("autoplay", FieldKind.TEXT, withdrawn=WITHDRAWN_2022),
            ),
            xsd_order=5,
            cites=_NOW,
        ),
        FieldSpec("duration", FieldKind.INTEGER, minimum=1, maximum=28_800, xsd_order=6, cites=_NOW),
        FieldSpec("expiration_date", FieldKind.DATETIME, xsd_order=7, cites=_NOW),
        FieldSpec("rating", FieldKind.DECIMAL, minimum=0.0, maximum=5.0, xsd_order=8, cites=_NOW),
        FieldSpec(
            "content_segment_loc",
            FieldKind.URL,
            repeatable=True,
            attributes=(AttributeSpec("duration", FieldKind.INTEGER),),
            documented=False,
            xsd_order=9,
            cites=("xsd-video",),
        ),
        FieldSpec("view_count", FieldKind.INTEGER, minimum=0, xsd_order=10, cites=_NOW),
        FieldSpec("publication_date", FieldKind.DATETIME, xsd_order=11, cites=_NOW),
        FieldSpec("tag", FieldKind.TEXT, repeatable=True, max_count=MAX_VIDEO_TAGS, xsd_order=12, cites=_NOW),
        FieldSpec(
            "category",
            FieldKind.TEXT,
            withdrawn=WITHDRAWN_2022,
            xsd_max_length=256,
            xsd_order=13,
            cites=_OLD,
        ),
        _yes_no("family_friendly", 14),
        FieldSpec(
            "restriction",
            FieldKind.COUNTRIES,
            attributes=(_RELATIONSHIP,),
            xsd_pattern="([A-Z]{2}( +[A-Z]{2})*)?",
            xsd_order=15,
            cites=_NOW,
        ),
        FieldSpec(
            "gallery_loc",
            FieldKind.URL,
            attributes=(AttributeSpec("title", FieldKind.TEXT, withdrawn=WITHDRAWN_2022),),
            withdrawn=WITHDRAWN_2022,
            xsd_order=16,
            cites=_OLD,
        ),
        FieldSpec(
            "price",
            FieldKind.DECIMAL,
            repeatable=True,
            attributes=(
                AttributeSpec(
                    "currency",
                    FieldKind.CURRENCY,
                    required=True,
                    withdrawn=WITHDRAWN_2022,
                    xsd_pattern="[A-Z]{3}",
                ),
                AttributeSpec(
                    "type",
                    FieldKind.CHOICE,
                    values=("purchase", "PURCHASE", "rent", "RENT"),
                    withdrawn=WITHDRAWN_2022,
                ),
                AttributeSpec(
                    "resolution",
                    FieldKind.CHOICE,
                    values=("sd", "SD", "hd", "HD"),
                    withdrawn=WITHDRAWN_2022,
                ),
            ),
            withdrawn=WITHDRAWN_2022,
            xsd_order=17,
            cites=_OLD,
        ),
        _yes_no("requires_subscription", 18),
        FieldSpec(
            "uploader",
            FieldKind.TEXT,
            max_length=255,
            attributes=(AttributeSpec("info", FieldKind.URL),),
            xsd_order=19,
            cites=_NOW,
        ),
        FieldSpec("tvshow", FieldKind.GROUP, withdrawn=WITHDRAWN_2022, xsd_order=20, cites=_OLD),
        FieldSpec(
            "platform",
            FieldKind.CHOICES,
            values=("web", "mobile", "tv"),
            attributes=(_RELATIONSHIP,),
            xsd_order=21,
            cites=_NOW,
        ),
        _yes_no("live", 22),
        FieldSpec(
            "id",
            FieldKind.TEXT,
            repeatable=True,
            attributes=(
                AttributeSpec(
                    "type",
                    FieldKind.CHOICE,
                    values=(
                        *("tms:series", "tms:program", "rovi:series", "rovi:program"),
                        *("freebase", "url"),
                    ),
                ),
            ),
            documented=False,
            xsd_order=23,
            cites=("xsd-video",),
        ),
    ),
    cites=_NOW,
    one_of=("content_loc", "player_loc"),
)

TVSHOW = ElementSpec(
    "tvshow",
    "video",
    "video",
    (
        FieldSpec(
            "show_title",
            FieldKind.TEXT,
            required=True,
            withdrawn=WITHDRAWN_2022,
            xsd_order=1,
            cites=_OLD,
        ),
        FieldSpec(
            "video_type",
            FieldKind.CHOICE,
            required=True,
            values=("full", "preview", "clip", "interview", "news", "other"),
            withdrawn=WITHDRAWN_2022,
            xsd_order=2,
            cites=_OLD,
        ),
        FieldSpec("episode_title", FieldKind.TEXT, withdrawn=WITHDRAWN_2022, xsd_order=3, cites=_OLD),
        FieldSpec("season_number", FieldKind.INTEGER, minimum=1, withdrawn=WITHDRAWN_2022, xsd_order=4, cites=_OLD),
        FieldSpec("episode_number", FieldKind.INTEGER, minimum=1, withdrawn=WITHDRAWN_2022, xsd_order=5, cites=_OLD),
        FieldSpec("premier_date", FieldKind.DATETIME, withdrawn=WITHDRAWN_2022, xsd_order=6, cites=_OLD),
    ),
    cites=_OLD,
    max_per_parent=1,
    withdrawn=WITHDRAWN_2022,
)
