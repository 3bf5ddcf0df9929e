"""Are the dates of a video valid and plausible?"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from urlset.checking.elements import value_place
from urlset.model.element import Element
from urlset.model.moment import DateForm
from urlset.rules import Bad, Problem, Safety, Severity, Signal, VideoItem, rule
from urlset.rules.media.byte_edits import drop
from urlset.rules.media.dates import date_faults, legal_moment
from urlset.rules.media.fields import GOOGLE, GOOGLE_AND_SCHEMA, fields
from urlset.rules.quoting import quoted
from urlset.spec.protocol import LASTMOD_FORMS_VIDEO

_FORMS = (DateForm.DAY, DateForm.SECOND)
_FIELDS = ("publication_date", "expiration_date")
_OPEN = (
    "<video:video><video:thumbnail_loc>https://example.com/v.jpg</video:thumbnail_loc>"
    "<video:title>Tying a bowline</video:title><video:description>The knot in four steps</video:description>"
    "<video:content_loc>https://example.com/v.mp4</video:content_loc>"
)


def _first(video: VideoItem, name: str) -> Element | None:
    return next(iter(fields(video.element, name)), None)


@rule(
    "V010",
    "bad-video-date",
    when=Signal.MEDIA_DATE,
    severity=Severity.ERROR,
    engines=GOOGLE_AND_SCHEMA,
    cites=("google-video", "xsd-tested"),
    bad=(
        "<video:publication_date>«2026-11»</video:publication_date>",
        "<video:expiration_date>2027-11-15T«10:00:00»</video:expiration_date>",
        Bad(
            "<video:publication_date>«2026-11-15T10:00+01:00»</video:publication_date>",
            fixed="<video:publication_date>2026-11-15T10:00:00+01:00</video:publication_date>",
        ),
        Bad(
            "<video:publication_date>«2026-11-14T10:00:00.123Z»</video:publication_date>",
            fixed="<video:publication_date>2026-11-14T10:00:00Z</video:publication_date>",
        ),
        Bad(
            "<video:publication_date>2026-11-14« »10:00:00+00:00</video:publication_date>",
            fixed="<video:publication_date>2026-11-14T10:00:00+00:00</video:publication_date>",
        ),
        "<video:publication_date>«14/11/2026»</video:publication_date>",
        "«<video:publication_date/>»",
    ),
    good=(
        "<video:publication_date>2026-11-15</video:publication_date>",
        "<video:expiration_date>2027-11-15T23:59:59-08:00</video:expiration_date>",
        "<video:publication_date> 2026-11-14T10:00:00Z </video:publication_date>",
    ),
)
def bad_video_date(video: VideoItem) -> Iterator[Problem]:
    """A video date is not in a supported format.

    Videos support fewer formats than lastmod: a full date, or date and time with seconds and a UTC offset. Years,
    months, and times without seconds or offset are not documented for videos.
    """
    for name in _FIELDS:
        for element in fields(video.element, name):
            if element.text:
                yield from date_faults(video.listed, element, _FORMS, LASTMOD_FORMS_VIDEO)
            else:
                yield Problem(element.place, f"<video:{name}> is empty; set a date or remove it")


@rule(
    "V011",
    "video-expired",
    when=Signal.MEDIA_DATE,
    severity=Severity.WARNING,
    engines=GOOGLE,
    cites=("google-video",),
    bad=(
        "<video:expiration_date>«2026-11-13»</video:expiration_date>",
        Bad(
            f"{_OPEN}</video:video>{_OPEN}<video:expiration_date>«2020-01-01T00:00:00Z»</video:expiration_date></video:video>",
            fixed=f"{_OPEN}</video:video>",
        ),
    ),
    good=(
        "<video:expiration_date>2026-11-15</video:expiration_date>",
        "<video:expiration_date>2026-11-15T12:00:01Z</video:expiration_date>",
        "<video:expiration_date>2027-01-01</video:expiration_date>",
    ),
)
def video_expired(video: VideoItem) -> Iterator[Problem]:
    """video:expiration_date is in the past.

    Google does not show an expired video. A date without a time has passed when the day is over in all time zones.
    """
    expires = _first(video, "expiration_date")
    moment = legal_moment(expires)
    covered = None if moment is None else moment.certain_interval()
    if expires is not None and covered is not None and covered[1] <= video.context.now:
        yield Problem(
            value_place(expires),
            f"the video expired on {quoted(expires.text)}, so Google no longer shows it; remove it",
            drop(video.listed.document, [video.element], "remove the video", Safety.REVIEW),
        )


@rule(
    "V036",
    "implausible-video-dates",
    when=Signal.MEDIA_DATE,
    severity=Severity.WARNING,
    engines=GOOGLE,
    cites=("general-knowledge",),
    bad=(
        "<video:publication_date>«2027-03-01»</video:publication_date>",
        Bad(
            "<video:publication_date>2026-11-10T12:00:00Z</video:publication_date>"
            "<video:expiration_date>«2026-11-08»</video:expiration_date>",
            now="2026-11-09T13:00:00+00:00",
        ),
    ),
    good=(
        "<video:publication_date>2026-11-16T09:00:00Z</video:publication_date>",
        "<video:publication_date>2026-11-14</video:publication_date><video:expiration_date>2026-11-14</video:expiration_date>",
    ),
)
def implausible_video_dates(video: VideoItem) -> Iterator[Problem]:
    """A video is published in the future, or expires before it is published.

    Both are impossible for a video that is online, so one of the dates is wrong. One day of tolerance is allowed for
    clocks.
    """
    published, expires = _first(video, "publication_date"), _first(video, "expiration_date")
    start, end = legal_moment(published), legal_moment(expires)
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
