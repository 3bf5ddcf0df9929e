"""Are the country and platform restrictions of a video valid?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from urlset.checking.elements import lacks, value_place
from urlset.model.place import Place
from urlset.rules import Bad, Problem, Severity, Signal, VideoItem, rule
from urlset.rules.media.byte_edits import rewrite
from urlset.rules.media.fields import GOOGLE_AND_SCHEMA, field, fields, part
from urlset.rules.quoting import quoted
from urlset.spec.extensions import VIDEO
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.regions import REGIONS, RESERVED, Reservation

# More than the number of countries: longer lists are corrupt, and one finding per word would be noise.
_MOST = 300
_TOKEN = lazy_pattern(r"[^\s,;|/]+")
_SEPARATED_BY_SPACE = lazy_pattern(r"[^,;|/]*")


def _bad_relationship(video: VideoItem, name: str, what: str) -> Iterator[Problem]:
    (spec,) = (attribute for attribute in field(VIDEO, name).attributes if attribute.name == "relationship")
    words = " or ".join(spec.values)
    for element in fields(video.element, name):
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


@rule(
    "V013",
    "restriction-without-relationship",
    when=Signal.MEDIA_SHAPE,
    severity=Severity.ERROR,
    engines=GOOGLE_AND_SCHEMA,
    cites=("google-video", "xsd-video", "xsd-tested"),
    bad=(
        "«<video:restriction>»US CA</video:restriction>",
        '<video:restriction relationship="«include»">US CA</video:restriction>',
    ),
    good=('<video:restriction relationship="deny">US CA</video:restriction>',),
)
def restriction_without_relationship(video: VideoItem) -> Iterator[Problem]:
    """video:restriction has no valid relationship.

    A list of countries can be an allow list or a deny list. Without relationship="allow" or "deny", engines cannot tell
    where the video may be shown.
    """
    yield from _bad_relationship(video, "restriction", "showing in")


@rule(
    "V014",
    "bad-restriction-countries",
    when=Signal.MEDIA_VALUE,
    severity=Severity.ERROR,
    engines=GOOGLE_AND_SCHEMA,
    cites=("google-video", "xsd-video", "xsd-tested", "iso-3166"),
    bad=(
        Bad(
            '<video:restriction relationship="allow">«us,ca»</video:restriction>',
            fixed='<video:restriction relationship="allow">US CA</video:restriction>',
        ),
        '<video:restriction relationship="allow">IE «UK»</video:restriction>',
        '<video:restriction relationship="deny">«USA»</video:restriction>',
    ),
    good=(
        '<video:restriction relationship="allow">US  CA</video:restriction>',
        '<video:restriction relationship="deny"></video:restriction>',
        '<video:restriction relationship="allow">RS XK</video:restriction>',
    ),
)
def bad_restriction_countries(video: VideoItem) -> Iterator[Problem]:
    """video:restriction contains something other than country codes.

    Use uppercase two-letter ISO 3166-1 codes, separated by spaces. Anything else has no effect.
    """
    for element in fields(video.element, "restriction"):
        text = element.text
        codes = list(_TOKEN.finditer(text))
        tidy = " ".join(code.group().upper() for code in codes)
        if codes and (text != text.upper() or _SEPARATED_BY_SPACE.fullmatch(text) is None):
            yield Problem(
                value_place(element),
                f"{quoted(text)} is ignored; write uppercase country codes separated by spaces",
                rewrite(video.listed.document, element, tidy, f"write {tidy}"),
            )
        for code in codes[:_MOST]:
            yield from _unknown_country(part(element, *code.span()), code.group().upper())


def _unknown_country(place: Place, code: str) -> Iterator[Problem]:
    reserved = RESERVED.get(code)
    if code in REGIONS or (reserved is not None and reserved.reservation is Reservation.USER):
        return
    meant = f"; write {' '.join(reserved.instead)} for {reserved.meant}" if reserved and reserved.instead else ""
    yield Problem(place, f"{quoted(code)} is not an ISO 3166-1 country code, so it has no effect{meant}")


@rule(
    "V015",
    "platform-without-relationship",
    when=Signal.MEDIA_SHAPE,
    severity=Severity.ERROR,
    engines=GOOGLE_AND_SCHEMA,
    cites=("google-video", "xsd-video"),
    bad=(
        "«<video:platform>»web tv</video:platform>",
        '<video:platform relationship="«only»">web</video:platform>',
    ),
    good=('<video:platform relationship="allow">web tv</video:platform>',),
)
def platform_without_relationship(video: VideoItem) -> Iterator[Problem]:
    """video:platform has no valid relationship.

    Like a list of countries, a list of platforms can be an allow list or a deny list.
    """
    yield from _bad_relationship(video, "platform", "playing on")


@rule(
    "V016",
    "unknown-video-platform",
    when=Signal.MEDIA_VALUE,
    severity=Severity.ERROR,
    engines=GOOGLE_AND_SCHEMA,
    cites=("google-video", "xsd-video"),
    bad=(
        '<video:platform relationship="allow">«desktop» tv</video:platform>',
        '<video:platform relationship="deny">«web,mobile»</video:platform>',
        '<video:platform relationship="allow">«TV»</video:platform>',
    ),
    good=('<video:platform relationship="allow">web mobile tv</video:platform>',),
)
def unknown_video_platform(video: VideoItem) -> Iterator[Problem]:
    """video:platform contains something other than web, mobile, and tv.

    These three values, separated by spaces, are the only ones supported.
    """
    known = field(VIDEO, "platform").values
    for element in fields(video.element, "platform"):
        for word in islice(re.finditer(r"\S+", element.text), _MOST):
            if word.group() not in known:
                yield Problem(
                    part(element, *word.span()),
                    f"{quoted(word.group())} is not a platform; use {', '.join(known)}, separated by spaces",
                )
