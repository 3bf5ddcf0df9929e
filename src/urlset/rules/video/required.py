"""Does each video have the required fields, each at most once?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.rules import Bad, Problem, Safety, Severity, Signal, VideoItem, rule
from urlset.rules.media.byte_edits import drop
from urlset.rules.media.fields import GOOGLE, GOOGLE_AND_SCHEMA, field, fields, filled, missing, repeated, table
from urlset.spec.extensions import VIDEO

_CITES = ("google-video", "xsd-video", "gsc-report")
_PICTURE = "<video:thumbnail_loc>https://example.com/v.jpg</video:thumbnail_loc>"
_TITLE = "<video:title>Tying a bowline</video:title>"
_WORDS = "<video:description>The knot in four steps</video:description>"
_FILE = "<video:content_loc>https://example.com/v.mp4</video:content_loc>"
_PLAYER = "<video:player_loc>https://example.com/player?v=1</video:player_loc>"
_ONCE = table(VIDEO, lambda spec: not spec.repeatable and spec.withdrawn is None and spec.documented)
_UNREAD = "Google rejects the video"


@rule(
    "V001",
    "video-without-thumbnail",
    when=Signal.MEDIA_MISSING,
    severity=Severity.ERROR,
    engines=GOOGLE_AND_SCHEMA,
    cites=_CITES,
    bad=(
        f"«<video:video>»{_TITLE}{_WORDS}{_FILE}</video:video>",
        "«<video:thumbnail_loc/>»",
    ),
    good=(f"<video:video>{_PICTURE}{_TITLE}{_WORDS}{_FILE}</video:video>",),
)
def video_without_thumbnail(video: VideoItem) -> Iterator[Problem]:
    """A video has no video:thumbnail_loc.

    Search results show the thumbnail. It is required, and Google rejects videos without one.
    """
    yield from missing(video.element, VIDEO, "thumbnail_loc", _UNREAD)


@rule(
    "V002",
    "video-without-title",
    when=Signal.MEDIA_MISSING,
    severity=Severity.ERROR,
    engines=GOOGLE_AND_SCHEMA,
    cites=_CITES,
    bad=(
        f"«<video:video>»{_PICTURE}{_WORDS}{_FILE}</video:video>",
        "«<video:title>  </video:title>»",
    ),
    good=("<video:title><![CDATA[Tying a bowline]]></video:title>",),
)
def video_without_title(video: VideoItem) -> Iterator[Problem]:
    """A video has no video:title.

    The title is required. Search Console reports a missing title as an error.
    """
    yield from missing(video.element, VIDEO, "title", _UNREAD)


@rule(
    "V003",
    "video-without-description",
    when=Signal.MEDIA_MISSING,
    severity=Severity.ERROR,
    engines=GOOGLE_AND_SCHEMA,
    cites=("google-video", "xsd-video"),
    bad=(f"«<video:video>»{_PICTURE}{_TITLE}{_FILE}</video:video>", "«<video:description></video:description>»"),
    good=("<video:description>B</video:description>",),
)
def video_without_description(video: VideoItem) -> Iterator[Problem]:
    """A video has no video:description.

    The description is required and compared with the page. Google rejects videos without one.
    """
    yield from missing(video.element, VIDEO, "description", _UNREAD)


@rule(
    "V004",
    "video-without-location",
    when=Signal.MEDIA_MISSING,
    severity=Severity.ERROR,
    engines=GOOGLE,
    cites=("google-video", "xsd-tested"),
    bad=(
        f"«<video:video>»{_PICTURE}{_TITLE}{_WORDS}</video:video>",
        f"«<video:video>»{_PICTURE}{_TITLE}{_WORDS}<video:content_loc/></video:video>",
    ),
    good=(
        f"<video:video>{_PICTURE}{_TITLE}{_WORDS}{_PLAYER}</video:video>",
        f"<video:video>{_PICTURE}{_TITLE}{_WORDS}<video:content_loc/>{_PLAYER}</video:video>",
    ),
)
def video_without_location(video: VideoItem) -> Iterator[Problem]:
    """A video has neither video:content_loc nor video:player_loc.

    One of the two must point to the video file or to a player. The schema does not require it, so a valid file can
    still list videos without a location.
    """
    if not any(filled(element) for name in VIDEO.one_of for element in fields(video.element, name)):
        either = " or ".join(f"<video:{name}>" for name in VIDEO.one_of)
        yield Problem(video.place, f"{either} is missing, so {_UNREAD}; add one")


@rule(
    "V026",
    "video-field-repeated",
    when=Signal.MEDIA_SHAPE,
    severity=Severity.ERROR,
    engines=GOOGLE_AND_SCHEMA,
    cites=("google-video", "xsd-video"),
    bad=(
        "<video:title>Tying a bowline</video:title>«<video:title>»The bowline</video:title>",
        (
            '<video:restriction relationship="allow">DE</video:restriction>'
            '«<video:restriction relationship="deny">»FR</video:restriction>'
        ),
    ),
    good=(
        "<video:tag>knot</video:tag><video:tag>rope</video:tag>",
        '<video:price currency="EUR">1.99</video:price><video:price currency="USD">2.99</video:price>',
    ),
)
def video_field_repeated(video: VideoItem) -> Iterator[Problem]:
    """A video has a field more than once.

    Only tags may be repeated. For other fields it is undefined which value is used.
    """
    yield from repeated(video.element, VIDEO, _ONCE)


@rule(
    "V021",
    "too-many-video-tags",
    when=Signal.MEDIA_SHAPE,
    severity=Severity.ERROR,
    engines=GOOGLE_AND_SCHEMA,
    cites=("google-video", "xsd-video"),
    bad=(
        Bad(
            "".join(f"<video:tag>t{n}</video:tag>" for n in range(32))
            + "«<video:tag>»t32</video:tag><video:tag>t33</video:tag>",
            fixed="".join(f"<video:tag>t{n}</video:tag>" for n in range(32)),
            title="a video with 34 tags",
        ),
    ),
    good=("<video:tag>knot, rope, sailing and 30 other things in one tag</video:tag>",),
)
def too_many_video_tags(video: VideoItem) -> Iterator[Problem]:
    """A video has more than 32 tags.

    Google allows 32 tags per video.
    """
    tags, limit = fields(video.element, "tag"), field(VIDEO, "tag").max_count
    if limit is not None and len(tags) > limit:
        surplus = tags[limit:]
        yield Problem(
            surplus[0].open_tag,
            f"{len(tags):,} tags exceed the limit of {limit} per video; remove the tags from here on",
            drop(video.listed.document, surplus, f"keep the first {limit} tags", Safety.REVIEW),
        )
