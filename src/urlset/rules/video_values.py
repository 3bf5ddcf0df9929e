"""Are the numbers, dates, countries, platforms, and yes/no fields of a video valid?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from functools import partial
from itertools import islice

from urlset.checking.declare import bad, error_rule, good, warning_rule
from urlset.checking.subjects import lacks, value_place
from urlset.findings.finding import quoted
from urlset.model.entry import Element
from urlset.model.moment import DateForm
from urlset.model.place import Place
from urlset.rules import Engine, Fix, Problem, Safety, Severity, Signal, VideoItem, media
from urlset.spec.extensions import VIDEO
from urlset.spec.languages import REGIONS, RESERVED, Reservation
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import LASTMOD_FORMS_VIDEO

# Are the dates of a video valid and plausible?

_FORMS = (DateForm.DAY, DateForm.SECOND)
_FIELDS = ("publication_date", "expiration_date")
_OPEN = (
    "<video:video><video:thumbnail_loc>https://example.com/v.jpg</video:thumbnail_loc>"
    "<video:title>Tying a bowline</video:title><video:description>The knot in four steps</video:description>"
    "<video:content_loc>https://example.com/v.mp4</video:content_loc>"
)


video_error = partial(error_rule, engines=media.GOOGLE_AND_SCHEMA)
video_warning = partial(warning_rule, engines=media.GOOGLE_AND_SCHEMA)


@video_error("V010", when=Signal.MEDIA_DATE, cites=("google-video", "xsd-tested"))
@bad(
    "<video:publication_date>«2026-11»</video:publication_date>",
    "<video:expiration_date>2027-11-15T«10:00:00»</video:expiration_date>",
)
@bad(
    "<video:publication_date>«2026-11-15T10:00+01:00»</video:publication_date>",
    fixed="<video:publication_date>2026-11-15T10:00:00+01:00</video:publication_date>",
)
@bad(
    "<video:publication_date>«2026-11-14T10:00:00.123Z»</video:publication_date>",
    fixed="<video:publication_date>2026-11-14T10:00:00Z</video:publication_date>",
)
@bad(
    "<video:publication_date>2026-11-14« »10:00:00+00:00</video:publication_date>",
    fixed="<video:publication_date>2026-11-14T10:00:00+00:00</video:publication_date>",
)
@bad("<video:publication_date>«14/11/2026»</video:publication_date>", "«<video:publication_date/>»")
@good(
    "<video:publication_date>2026-11-15</video:publication_date>",
    "<video:expiration_date>2027-11-15T23:59:59-08:00</video:expiration_date>",
    "<video:publication_date> 2026-11-14T10:00:00Z </video:publication_date>",
)
def bad_video_date(video: VideoItem) -> Iterator[Problem]:
    """A video date is not in a supported format.

    Videos support fewer formats than lastmod: a full date, or date and time with seconds and a UTC offset. Years,
    months, and times without seconds or offset are not documented for videos.
    """
    for name in _FIELDS:
        for element in media.fields(video.element, name):
            if element.text:
                yield from media.date_faults(video.listed, element, _FORMS, LASTMOD_FORMS_VIDEO)
            else:
                yield Problem(element.place, f"<video:{name}> is empty; set a date or remove it")


@video_warning("V011", when=Signal.MEDIA_DATE, engines=media.GOOGLE, cites=("google-video",))
@bad("<video:expiration_date>«2026-11-13»</video:expiration_date>")
@bad(
    f"{_OPEN}</video:video>{_OPEN}<video:expiration_date>«2020-01-01T00:00:00Z»</video:expiration_date></video:video>",
    fixed=f"{_OPEN}</video:video>",
)
@good(
    "<video:expiration_date>2026-11-15</video:expiration_date>",
    "<video:expiration_date>2026-11-15T12:00:01Z</video:expiration_date>",
    "<video:expiration_date>2027-01-01</video:expiration_date>",
)
def video_expired(video: VideoItem) -> Iterator[Problem]:
    """video:expiration_date is in the past.

    Google does not show an expired video. A date without a time has passed when the day is over in all time zones.
    """
    expires = media.first_field(video.element, "expiration_date")
    moment = media.legal_moment(expires)
    covered = None if moment is None else moment.certain_interval()
    if expires is not None and covered is not None and covered[1] <= video.context.now:
        yield Problem(
            value_place(expires),
            f"the video expired on {quoted(expires.text)}, so Google no longer shows it; remove it",
            media.drop(video.listed.document, [video.element], "remove the video", Safety.REVIEW),
        )


@video_warning("V036", when=Signal.MEDIA_DATE, engines=media.GOOGLE, cites=("general-knowledge",))
@bad("<video:publication_date>«2027-03-01»</video:publication_date>")
@bad(
    "<video:publication_date>2026-11-10T12:00:00Z</video:publication_date>"
    "<video:expiration_date>«2026-11-08»</video:expiration_date>",
    now="2026-11-09T13:00:00+00:00",
)
@good(
    "<video:publication_date>2026-11-16T09:00:00Z</video:publication_date>",
    "<video:publication_date>2026-11-14</video:publication_date><video:expiration_date>2026-11-14</video:expiration_date>",
)
def implausible_video_dates(video: VideoItem) -> Iterator[Problem]:
    """A video is published in the future, or expires before it is published.

    Both are impossible for a video that is online, so one of the dates is wrong. One day of tolerance is allowed for
    clocks.
    """
    published, expires = (media.first_field(video.element, name) for name in _FIELDS)
    start, end = media.legal_moment(published), media.legal_moment(expires)
    forgiven = video.context.now + timedelta(hours=video.context.thresholds.future_hours)
    if published is not None and start is not None and start.is_after(forgiven):
        message = f"{quoted(published.text)} is in the future; use the date of publication"
        yield Problem(value_place(published), message)
    if (
        published is not None
        and expires is not None
        and start is not None
        and end is not None
        and start.newer_than(end)
    ):
        yield Problem(
            value_place(expires),
            f"the video expires on {quoted(expires.text)}, before its publication on {quoted(published.text)}; "
            "correct the dates",
        )


# Are the country and platform restrictions of a video valid?

# More than the number of countries: longer lists are corrupt, and one finding per word would be noise.
_MOST = 300
_TOKEN = lazy_pattern(r"[^\s,;|/]+")
_SEPARATED_BY_SPACE = lazy_pattern(r"[^,;|/]*")


def _bad_relationship(video: VideoItem, name: str, what: str) -> Iterator[Problem]:
    (spec,) = (attribute for attribute in media.field(VIDEO, name).attributes if attribute.name == "relationship")
    words = " or ".join(spec.values)
    for element in media.fields(video.element, name):
        attribute = element.attribute("relationship")
        if attribute is None and not lacks(element, "relationship"):
            continue
        if attribute is None:
            yield Problem(
                element.open_tag,
                f"no relationship attribute, so it is unclear whether {what} {quoted(element.text)} is allowed; "
                f"add {words}",
            )
        elif attribute.value.text not in spec.values:
            yield Problem(
                attribute.value.place if attribute.value.text else attribute.place,
                f"{quoted(attribute.value.text)} is not a valid relationship; use {words}",
            )


@video_error("V013", when=Signal.MEDIA_SHAPE, cites=("google-video", "xsd-video", "xsd-tested"))
@bad(
    "«<video:restriction>»US CA</video:restriction>",
    '<video:restriction relationship="«include»">US CA</video:restriction>',
)
@good('<video:restriction relationship="deny">US CA</video:restriction>')
def restriction_without_relationship(video: VideoItem) -> Iterator[Problem]:
    """video:restriction has no valid relationship.

    A list of countries can be an allow list or a deny list. Without relationship="allow" or "deny", engines cannot tell
    where the video may be shown.
    """
    yield from _bad_relationship(video, "restriction", "showing in")


@video_error("V014", when=Signal.MEDIA_VALUE, cites=("google-video", "xsd-video", "xsd-tested", "iso-3166"))
@bad(
    '<video:restriction relationship="allow">«us,ca»</video:restriction>',
    fixed='<video:restriction relationship="allow">US CA</video:restriction>',
)
@bad(
    '<video:restriction relationship="allow">IE «UK»</video:restriction>',
    '<video:restriction relationship="deny">«USA»</video:restriction>',
)
@good(
    '<video:restriction relationship="allow">US  CA</video:restriction>',
    '<video:restriction relationship="deny"></video:restriction>',
    '<video:restriction relationship="allow">RS XK</video:restriction>',
)
def bad_restriction_countries(video: VideoItem) -> Iterator[Problem]:
    """video:restriction contains something other than country codes.

    Use uppercase two-letter ISO 3166-1 codes, separated by spaces. Anything else has no effect.
    """
    for element in media.fields(video.element, "restriction"):
        text = element.text
        codes = list(_TOKEN.finditer(text))
        tidy = " ".join(code.group().upper() for code in codes)
        if codes and (text != text.upper() or _SEPARATED_BY_SPACE.fullmatch(text) is None):
            yield Problem(
                value_place(element),
                f"{quoted(text)} is ignored; write uppercase country codes separated by spaces",
                media.rewrite(video.listed.document, element, tidy, f"write {tidy}"),
            )
        for code in codes[:_MOST]:
            yield from _unknown_country(element.value.part(*code.span()), code.group().upper())


def _unknown_country(place: Place, code: str) -> Iterator[Problem]:
    reserved = RESERVED.get(code)
    if code in REGIONS or (reserved is not None and reserved.reservation is Reservation.USER):
        return
    meant = f"; write {' '.join(reserved.instead)} for {reserved.meant}" if reserved and reserved.instead else ""
    yield Problem(place, f"{quoted(code)} is not an ISO 3166-1 country code, so it has no effect{meant}")


@video_error("V015", when=Signal.MEDIA_SHAPE, cites=("google-video", "xsd-video"))
@bad("«<video:platform>»web tv</video:platform>", '<video:platform relationship="«only»">web</video:platform>')
@good('<video:platform relationship="allow">web tv</video:platform>')
def platform_without_relationship(video: VideoItem) -> Iterator[Problem]:
    """video:platform has no valid relationship.

    Like a list of countries, a list of platforms can be an allow list or a deny list.
    """
    yield from _bad_relationship(video, "platform", "playing on")


@video_error("V016", when=Signal.MEDIA_VALUE, cites=("google-video", "xsd-video"))
@bad(
    '<video:platform relationship="allow">«desktop» tv</video:platform>',
    '<video:platform relationship="deny">«web,mobile»</video:platform>',
    '<video:platform relationship="allow">«TV»</video:platform>',
)
@good('<video:platform relationship="allow">web mobile tv</video:platform>')
def unknown_video_platform(video: VideoItem) -> Iterator[Problem]:
    """video:platform contains something other than web, mobile, and tv.

    These three values, separated by spaces, are the only ones supported.
    """
    known = media.field(VIDEO, "platform").values
    for element in media.fields(video.element, "platform"):
        for word in islice(re.finditer(r"\S+", element.text), _MOST):
            if word.group() not in known:
                yield Problem(
                    element.value.part(*word.span()),
                    f"{quoted(word.group())} is not a platform; use {', '.join(known)}, separated by spaces",
                )


def _shown(element: Element) -> str:
    return quoted(element.text) if element.text else f"<{element.written}>"


_DURATION = media.field(VIDEO, "duration")
_RATING = media.field(VIDEO, "rating")
_VIEW_COUNT = media.field(VIDEO, "view_count")
_ISO_DURATION = lazy_pattern(r"P(?:([0-9]+)D)?(?:T(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9]+)S)?)?", re.IGNORECASE)
_CLOCK = lazy_pattern(r"(?:([0-9]{1,3}):)?([0-9]{1,3}):([0-5][0-9])")
_WHOLE = lazy_pattern(r"([0-9]+)[.,]0+")
# Groups of three digits with the same separator; a single period could be a decimal point.
_GROUPED = lazy_pattern(
    r"[0-9]{1,3}(?:([,'\u2019_\u0020\u00a0\u202f])[0-9]{3})(?:\1[0-9]{3})*|[0-9]{1,3}(?:\.[0-9]{3}){2,}"
)
_YES = frozenset({"true", "1", "yes", "y"})
_NO = frozenset({"false", "0", "no", "n"})


@video_error("V007", when=Signal.MEDIA_VALUE, cites=("google-video", "xsd-video", "xsd-tested"))
@bad("<video:duration>«PT8M12S»</video:duration>", fixed="<video:duration>492</video:duration>")
@bad("<video:duration>«1:02:03»</video:duration>", fixed="<video:duration>3723</video:duration>")
@bad(
    "<video:duration>«0»</video:duration>",
    "<video:duration>«28801»</video:duration>",
    "<video:duration>«ten minutes»</video:duration>",
    "«<video:duration/>»",
)
@good("<video:duration>1</video:duration>", "<video:duration> 28800 </video:duration>")
def bad_video_duration(video: VideoItem) -> Iterator[Problem]:
    """video:duration is not a whole number of seconds from 1 to 28,800.

    Google allows at most eight hours. Clock times and ISO 8601 durations, as used in structured data, are not
    supported.
    """
    for element in media.fields(video.element, "duration"):
        text = element.text
        fault = media.number_fault(_DURATION, text)
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
    if seconds is None or media.number_fault(_DURATION, str(seconds)) is not None:
        return None
    return media.rewrite(video.listed.document, element, str(seconds), f"write {seconds} seconds", Safety.REVIEW)


@video_error("V008", when=Signal.MEDIA_VALUE, cites=("google-video", "xsd-video"))
@bad(
    "<video:rating>«5.5»</video:rating>",
    "<video:rating>«-1»</video:rating>",
    "<video:rating>«4,2»</video:rating>",
    "<video:rating>«85%»</video:rating>",
)
@good("<video:rating>0.0</video:rating>", "<video:rating>5</video:rating>", "<video:rating>4.25</video:rating>")
def bad_video_rating(video: VideoItem) -> Iterator[Problem]:
    """video:rating is not a decimal number from 0.0 to 5.0.

    Convert ratings on other scales. A decimal comma is not supported.
    """
    for element in media.fields(video.element, "rating"):
        fault = media.number_fault(_RATING, element.text)
        if fault is not None:
            message = f"{_shown(element)} is {fault}; write a rating from 0.0 to 5.0"
            yield Problem(value_place(element), message)


@video_error("V009", when=Signal.MEDIA_VALUE, cites=("xsd-video", "google-video"))
@bad("<video:view_count>«1,234,567»</video:view_count>", fixed="<video:view_count>1234567</video:view_count>")
@bad("<video:view_count>«1 234»</video:view_count>", fixed="<video:view_count>1234</video:view_count>")
@bad(
    "<video:view_count>«1.234»</video:view_count>",
    "<video:view_count>«-1»</video:view_count>",
    "<video:view_count>«12k»</video:view_count>",
)
@good("<video:view_count>0</video:view_count>", "<video:view_count>12345678901</video:view_count>")
def bad_video_view_count(video: VideoItem) -> Iterator[Problem]:
    """video:view_count is not a whole number.

    Use digits only, without separators or abbreviations.
    """
    for element in media.fields(video.element, "view_count"):
        text = element.text
        fault = media.number_fault(_VIEW_COUNT, text)
        if fault is None:
            continue
        fix = None
        if len(text) <= 40 and _GROUPED.fullmatch(text) is not None:
            digits = str(Decimal(re.sub(r"[^0-9]", "", text)))
            fix = media.rewrite(video.listed.document, element, digits, f"write {digits}")
        yield Problem(value_place(element), f"{_shown(element)} is {fault}; write a whole number of at least 0", fix)


def _not_yes_or_no(video: VideoItem, name: str) -> Iterator[Problem]:
    """The schema also allows Yes, YES, No, and NO; they are not documented."""
    spec = media.field(VIDEO, name)
    for element in media.fields(video.element, name):
        text = element.text
        if text in spec.values:
            continue
        in_schema = text in spec.xsd_values
        if in_schema and Engine.GOOGLE not in video.context.engines:
            continue
        meant = "yes" if text.lower() in _YES else "no" if text.lower() in _NO else None
        fix = None if meant is None else media.rewrite(video.listed.document, element, meant, f"write {meant}")
        yield Problem(
            value_place(element),
            f"{quoted(text)} is valid in the schema but not documented; write yes or no"
            if in_schema
            else f"{quoted(text)} is not a valid <video:{name}>; write yes or no",
            fix,
            severity=Severity.INFO if in_schema else None,
        )


@video_error("V012", when=Signal.MEDIA_VALUE, cites=("google-video", "xsd-video", "xsd-tested"))
@bad(
    "<video:family_friendly>«true»</video:family_friendly>", fixed="<video:family_friendly>yes</video:family_friendly>"
)
@bad("<video:family_friendly>«No»</video:family_friendly>", fixed="<video:family_friendly>no</video:family_friendly>")
@bad("<video:family_friendly>«general»</video:family_friendly>")
@good("<video:family_friendly>no</video:family_friendly>")
def bad_family_friendly(video: VideoItem) -> Iterator[Problem]:
    """video:family_friendly is neither yes nor no.

    The field determines whether the video appears with SafeSearch on. Other values have no defined meaning.
    """
    yield from _not_yes_or_no(video, "family_friendly")


@video_error("V017", when=Signal.MEDIA_VALUE, cites=("google-video", "xsd-video"))
@bad(
    "<video:requires_subscription>«1»</video:requires_subscription>",
    fixed="<video:requires_subscription>yes</video:requires_subscription>",
)
@bad("<video:requires_subscription>«free»</video:requires_subscription>")
@good("<video:requires_subscription>yes</video:requires_subscription>")
def bad_requires_subscription(video: VideoItem) -> Iterator[Problem]:
    """video:requires_subscription is neither yes nor no.

    The field tells viewers whether they need a subscription. Other values have no defined meaning.
    """
    yield from _not_yes_or_no(video, "requires_subscription")


@video_error("V018", when=Signal.MEDIA_VALUE, cites=("google-video", "xsd-video"))
@bad("<video:live>«FALSE»</video:live>", fixed="<video:live>no</video:live>")
@bad("<video:live>«upcoming»</video:live>")
@good("<video:live>no</video:live>")
def bad_live_flag(video: VideoItem) -> Iterator[Problem]:
    """video:live is neither yes nor no.

    The field indicates a live stream. Other values have no defined meaning.
    """
    yield from _not_yes_or_no(video, "live")
