"""Are the numbers and the yes/no fields of a video valid?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from urlset.checking.elements import value_place
from urlset.model.element import Element
from urlset.rules import Bad, Engine, Fix, Problem, Safety, Severity, Signal, VideoItem, rule
from urlset.rules.media.byte_edits import rewrite
from urlset.rules.media.fields import GOOGLE_AND_SCHEMA, field, fields
from urlset.rules.media.numbers import number_fault
from urlset.rules.quoting import quoted
from urlset.spec.extensions import VIDEO
from urlset.spec.lazy_pattern import lazy_pattern


def _shown(element: Element) -> str:
    return quoted(element.text) if element.text else f"<{element.written}>"


_DURATION = field(VIDEO, "duration")
_RATING = field(VIDEO, "rating")
_VIEW_COUNT = field(VIDEO, "view_count")
_ISO_DURATION = lazy_pattern(r"P(?:([0-9]+)D)?(?:T(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9]+)S)?)?", re.IGNORECASE)
_CLOCK = lazy_pattern(r"(?:([0-9]{1,3}):)?([0-9]{1,3}):([0-5][0-9])")
_WHOLE = lazy_pattern(r"([0-9]+)[.,]0+")
# Groups of three digits with the same separator; a single period could be a decimal point.
_GROUPED = lazy_pattern(
    r"[0-9]{1,3}(?:([,'\u2019_\u0020\u00a0\u202f])[0-9]{3})(?:\1[0-9]{3})*|[0-9]{1,3}(?:\.[0-9]{3}){2,}"
)
_YES = frozenset({"true", "1", "yes", "y"})
_NO = frozenset({"false", "0", "no", "n"})


@rule(
    "V007",
    "bad-video-duration",
    when=Signal.MEDIA_VALUE,
    severity=Severity.ERROR,
    engines=GOOGLE_AND_SCHEMA,
    cites=("google-video", "xsd-video", "xsd-tested"),
    bad=(
        Bad("<video:duration>«PT8M12S»</video:duration>", fixed="<video:duration>492</video:duration>"),
        Bad("<video:duration>«1:02:03»</video:duration>", fixed="<video:duration>3723</video:duration>"),
        "<video:duration>«0»</video:duration>",
        "<video:duration>«28801»</video:duration>",
        "<video:duration>«ten minutes»</video:duration>",
        "«<video:duration/>»",
    ),
    good=("<video:duration>1</video:duration>", "<video:duration> 28800 </video:duration>"),
)
def bad_video_duration(video: VideoItem) -> Iterator[Problem]:
    """video:duration is not a whole number of seconds from 1 to 28,800.

    Google allows at most eight hours. Clock times and ISO 8601 durations, as used in structured data, are not
    supported.
    """
    for element in fields(video.element, "duration"):
        text = element.text
        fault = number_fault(_DURATION, text)
        if fault is None or (text.strip("+0") == "" and text and Engine.GOOGLE not in video.context.engines):
            continue  # the schema allows a duration of 0
        yield Problem(
            value_place(element),
            f"{_shown(element)} is {fault}; write the duration in seconds, from 1 to 28800",
            _in_seconds(video, element),
        )


def _in_seconds(video: VideoItem, element: Element) -> Fix | None:
    text = element.text
    seconds: int | None = None
    if len(text) <= 30:
        if (iso := _ISO_DURATION.fullmatch(text)) is not None:
            seconds = sum(
                int(count or 0) * unit for count, unit in zip(iso.groups(), (86_400, 3600, 60, 1), strict=True)
            )
        elif (clock := _CLOCK.fullmatch(text)) is not None:
            seconds = sum(int(count or 0) * unit for count, unit in zip(clock.groups(), (3600, 60, 1), strict=True))
        elif (whole := _WHOLE.fullmatch(text)) is not None:
            seconds = int(whole[1])
    if seconds is None or number_fault(_DURATION, str(seconds)) is not None:
        return None
    return rewrite(video.listed.document, element, str(seconds), f"write {seconds} seconds", Safety.REVIEW)


@rule(
    "V008",
    "bad-video-rating",
    when=Signal.MEDIA_VALUE,
    severity=Severity.ERROR,
    engines=GOOGLE_AND_SCHEMA,
    cites=("google-video", "xsd-video"),
    bad=(
        "<video:rating>«5.5»</video:rating>",
        "<video:rating>«-1»</video:rating>",
        "<video:rating>«4,2»</video:rating>",
        "<video:rating>«85%»</video:rating>",
    ),
    good=("<video:rating>0.0</video:rating>", "<video:rating>5</video:rating>", "<video:rating>4.25</video:rating>"),
)
def bad_video_rating(video: VideoItem) -> Iterator[Problem]:
    """video:rating is not a decimal number from 0.0 to 5.0.

    Convert ratings on other scales. A decimal comma is not supported.
    """
    for element in fields(video.element, "rating"):
        fault = number_fault(_RATING, element.text)
        if fault is not None:
            message = f"{_shown(element)} is {fault}; write a rating from 0.0 to 5.0"
            yield Problem(value_place(element), message)


@rule(
    "V009",
    "bad-video-view-count",
    when=Signal.MEDIA_VALUE,
    severity=Severity.ERROR,
    engines=GOOGLE_AND_SCHEMA,
    cites=("xsd-video", "google-video"),
    bad=(
        Bad("<video:view_count>«1,234,567»</video:view_count>", fixed="<video:view_count>1234567</video:view_count>"),
        Bad("<video:view_count>«1 234»</video:view_count>", fixed="<video:view_count>1234</video:view_count>"),
        "<video:view_count>«1.234»</video:view_count>",
        "<video:view_count>«-1»</video:view_count>",
        "<video:view_count>«12k»</video:view_count>",
    ),
    good=("<video:view_count>0</video:view_count>", "<video:view_count>12345678901</video:view_count>"),
)
def bad_video_view_count(video: VideoItem) -> Iterator[Problem]:
    """video:view_count is not a whole number.

    Use digits only, without separators or abbreviations.
    """
    for element in fields(video.element, "view_count"):
        text = element.text
        fault = number_fault(_VIEW_COUNT, text)
        if fault is None:
            continue
        fix = None
        if len(text) <= 40 and _GROUPED.fullmatch(text) is not None:
            digits = str(Decimal(re.sub(r"[^0-9]", "", text)))
            fix = rewrite(video.listed.document, element, digits, f"write {digits}")
        yield Problem(value_place(element), f"{_shown(element)} is {fault}; write a whole number of at least 0", fix)


def _not_yes_or_no(video: VideoItem, name: str) -> Iterator[Problem]:
    """The schema also allows Yes, YES, No, and NO; they are not documented."""
    spec = field(VIDEO, name)
    for element in fields(video.element, name):
        text = element.text
        if text in spec.values:
            continue
        in_schema = text in spec.xsd_values
        if in_schema and Engine.GOOGLE not in video.context.engines:
            continue
        meant = "yes" if text.lower() in _YES else "no" if text.lower() in _NO else None
        fix = None if meant is None else rewrite(video.listed.document, element, meant, f"write {meant}")
        yield Problem(
            value_place(element),
            f"{quoted(text)} is valid in the schema but not documented; write yes or no"
            if in_schema
            else f"{quoted(text)} is not a valid <video:{name}>; write yes or no",
            fix,
            severity=Severity.INFO if in_schema else None,
        )


@rule(
    "V012",
    "bad-family-friendly",
    when=Signal.MEDIA_VALUE,
    severity=Severity.ERROR,
    engines=GOOGLE_AND_SCHEMA,
    cites=("google-video", "xsd-video", "xsd-tested"),
    bad=(
        Bad(
            "<video:family_friendly>«true»</video:family_friendly>",
            fixed="<video:family_friendly>yes</video:family_friendly>",
        ),
        Bad(
            "<video:family_friendly>«No»</video:family_friendly>",
            fixed="<video:family_friendly>no</video:family_friendly>",
        ),
        "<video:family_friendly>«general»</video:family_friendly>",
    ),
    good=("<video:family_friendly>no</video:family_friendly>",),
)
def bad_family_friendly(video: VideoItem) -> Iterator[Problem]:
    """video:family_friendly is neither yes nor no.

    The field determines whether the video appears with SafeSearch on. Other values have no defined meaning.
    """
    yield from _not_yes_or_no(video, "family_friendly")


@rule(
    "V017",
    "bad-requires-subscription",
    when=Signal.MEDIA_VALUE,
    severity=Severity.ERROR,
    engines=GOOGLE_AND_SCHEMA,
    cites=("google-video", "xsd-video"),
    bad=(
        Bad(
            "<video:requires_subscription>«1»</video:requires_subscription>",
            fixed="<video:requires_subscription>yes</video:requires_subscription>",
        ),
        "<video:requires_subscription>«free»</video:requires_subscription>",
    ),
    good=("<video:requires_subscription>yes</video:requires_subscription>",),
)
def bad_requires_subscription(video: VideoItem) -> Iterator[Problem]:
    """video:requires_subscription is neither yes nor no.

    The field tells viewers whether they need a subscription. Other values have no defined meaning.
    """
    yield from _not_yes_or_no(video, "requires_subscription")


@rule(
    "V018",
    "bad-live-flag",
    when=Signal.MEDIA_VALUE,
    severity=Severity.ERROR,
    engines=GOOGLE_AND_SCHEMA,
    cites=("google-video", "xsd-video"),
    bad=(
        Bad("<video:live>«FALSE»</video:live>", fixed="<video:live>no</video:live>"),
        "<video:live>«upcoming»</video:live>",
    ),
    good=("<video:live>no</video:live>",),
)
def bad_live_flag(video: VideoItem) -> Iterator[Problem]:
    """video:live is neither yes nor no.

    The field indicates a live stream. Other values have no defined meaning.
    """
    yield from _not_yes_or_no(video, "live")
