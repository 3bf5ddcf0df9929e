"""For whom is a video, and is that said so that it is understood?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from urlset.checking.declare import Bad, rule
from urlset.checking.subjects import VideoItem, value_place
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.model.place import Place
from urlset.rules.media.byte_edits import rewrite
from urlset.rules.media.fields import GOOGLE_AND_SCHEMA, field, fields, part
from urlset.rules.quoting import quoted
from urlset.spec.extensions import VIDEO
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.regions import REGIONS, RESERVED, Reservation
from urlset.spec.signals import Signal

# More than there are countries: beyond it a list is damage, and one finding per word of it would be noise.
_MOST = 300
_TOKEN = lazy_pattern(r"[^\s,;|/]+")
_SEPARATED_BY_SPACE = lazy_pattern(r"[^,;|/]*")


def _bad_relationship(video: VideoItem, name: str, what: str) -> Iterator[Problem]:
    (spec,) = (attribute for attribute in field(VIDEO, name).attributes if attribute.name == "relationship")
    words = " or ".join(spec.values)
    for element in fields(video.element, name):
        attribute = element.attribute("relationship")
        if attribute is None:
            yield Problem(
                element.open_tag,
                f"no relationship: whether {what} {quoted(element.text)} is allowed or denied is not said",
            )
        elif attribute.value.text not in spec.values:
            yield Problem(
                attribute.value.place if attribute.value.text else attribute.place,
                f"{quoted(attribute.value.text)} is not a relationship: only {words} is understood",
            )


@rule(
    "V013",
    "restriction-without-relationship",
    on=VideoItem,
    when=Signal.VIDEOS,
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
    """A video:restriction does not say whether it allows or denies.

    A list of countries can mean either. Without relationship="allow" or "deny" nobody can tell where the video
    may be shown.
    """
    yield from _bad_relationship(video, "restriction", "showing in")


@rule(
    "V014",
    "bad-restriction-countries",
    on=VideoItem,
    when=Signal.VIDEOS,
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
    """A video:restriction lists something other than country codes.

    Countries are two-letter codes of ISO 3166-1 in capitals with spaces between them. What is not one of them
    restricts nothing.
    """
    for element in fields(video.element, "restriction"):
        text = element.text
        codes = list(_TOKEN.finditer(text))
        tidy = " ".join(code.group().upper() for code in codes)
        if codes and (text != text.upper() or _SEPARATED_BY_SPACE.fullmatch(text) is None):
            yield Problem(
                value_place(element),
                f"{quoted(text)} is not read: countries are written in capitals with spaces between them",
                rewrite(video.listed.document, element, tidy, f"write {tidy}"),
            )
        for code in codes[:_MOST]:
            yield from _unknown_country(part(element, *code.span()), code.group().upper())


def _unknown_country(place: Place, code: str) -> Iterator[Problem]:
    reserved = RESERVED.get(code)
    if code in REGIONS or (reserved is not None and reserved.reservation is Reservation.USER):
        return
    meant = f" ({reserved.meant}: {' '.join(reserved.instead)})" if reserved is not None and reserved.instead else ""
    yield Problem(place, f"{quoted(code)} is no country code of ISO 3166-1{meant}: it restricts nothing")


@rule(
    "V015",
    "platform-without-relationship",
    on=VideoItem,
    when=Signal.VIDEOS,
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
    """A video:platform does not say whether it allows or denies.

    Like a list of countries, a list of platforms can mean either.
    """
    yield from _bad_relationship(video, "platform", "playing on")


@rule(
    "V016",
    "unknown-video-platform",
    on=VideoItem,
    when=Signal.VIDEOS,
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
    """A video:platform lists something other than web, mobile and tv.

    The three words are all there are, with spaces between them; any other is not understood.
    """
    known = field(VIDEO, "platform").values
    for element in fields(video.element, "platform"):
        for word in islice(re.finditer(r"\S+", element.text), _MOST):
            if word.group() not in known:
                yield Problem(
                    part(element, *word.span()),
                    f"{quoted(word.group())} is no platform: known are {', '.join(known)}, with spaces between them",
                )
