"""Deprecated and undocumented fields of a video, and whether they match the schema."""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.checking.elements import value_place
from urlset.model.element import Element
from urlset.model.moment import Moment
from urlset.rules import Bad, Problem, Safety, Severity, Signal, VideoItem, rule
from urlset.rules.media.byte_edits import drop, drop_attribute
from urlset.rules.media.fields import GOOGLE, SCHEMA, field, fields, known_fields, missing, table, too_long
from urlset.rules.media.numbers import number_fault
from urlset.rules.media.order import out_of_order
from urlset.rules.quoting import quoted
from urlset.spec.extensions import TVSHOW, VIDEO
from urlset.spec.fields import AttributeSpec, FieldKind, FieldSpec

_WITHDRAWN = table(VIDEO, lambda spec: spec.withdrawn is not None)
_UNDOCUMENTED = table(VIDEO, lambda spec: not spec.documented)
_ODD_ATTRIBUTES = table(VIDEO, lambda spec: any(attribute.withdrawn for attribute in spec.attributes))
_LEGACY = _WITHDRAWN | _UNDOCUMENTED | _ODD_ATTRIBUTES
_KEPT = (
    "<video:video><video:thumbnail_loc>https://example.com/v.jpg</video:thumbnail_loc>"
    "<video:title>Tying a bowline</video:title><video:description>The knot in four steps</video:description>"
    "<video:content_loc>https://example.com/v.mp4</video:content_loc>"
)


@rule(
    "V024",
    "withdrawn-video-field",
    when=Signal.MEDIA_SHAPE,
    severity=Severity.INFO,
    engines=GOOGLE,
    cites=("google-2022", "google-video"),
    bad=(
        Bad(
            f"{_KEPT}«<video:category>Sailing</video:category>»</video:video>",
            fixed=f"{_KEPT}</video:video>",
        ),
        '«<video:price currency="EUR">1.99</video:price>»',
        "«<video:tvshow><video:show_title>Knots</video:show_title><video:video_type>full</video:video_type></video:tvshow>»",
    ),
    good=(f"{_KEPT}<video:tag>category</video:tag></video:video>",),
)
def withdrawn_video_field(video: VideoItem) -> Iterator[Problem]:
    """A video has a category, gallery_loc, price, or tvshow, which engines ignore.

    Google deprecated these fields in August 2022. They do no harm and have no effect.
    """
    for spec, element in known_fields(video.element, _WITHDRAWN):
        yield Problem(
            element.place,
            f"<video:{spec.name}> has had no effect since {spec.withdrawn}; remove it",
            drop(video.listed.document, [element], f"remove {spec.name}", Safety.REVIEW),
        )


@rule(
    "V025",
    "withdrawn-player-attribute",
    when=Signal.MEDIA_SHAPE,
    severity=Severity.INFO,
    engines=GOOGLE,
    cites=("google-2022", "google-video"),
    bad=(
        Bad(
            '<video:player_loc «allow_embed="yes"» «autoplay="ap=1"»>https://example.com/embed/1</video:player_loc>',
            fixed="<video:player_loc>https://example.com/embed/1</video:player_loc>",
        ),
    ),
    good=("<video:player_loc>https://example.com/embed/1?autoplay=1</video:player_loc>",),
)
def withdrawn_player_attribute(video: VideoItem) -> Iterator[Problem]:
    """video:player_loc has allow_embed or autoplay, which engines ignore.

    Google deprecated both attributes in August 2022.
    """
    withdrawn = {spec.name: spec.withdrawn for spec in field(VIDEO, "player_loc").attributes if spec.withdrawn}
    for element in fields(video.element, "player_loc"):
        for attribute in element.attributes:
            if not attribute.namespace and attribute.local in withdrawn:
                yield Problem(
                    attribute.place,
                    f"{attribute.local} has had no effect since {withdrawn[attribute.local]}; remove it",
                    drop_attribute(video.listed.document, attribute, f"remove {attribute.local}"),
                )


@rule(
    "V030",
    "undocumented-video-field",
    when=Signal.MEDIA_SHAPE,
    severity=Severity.INFO,
    engines=GOOGLE,
    cites=("xsd-video", "google-video"),
    bad=(
        Bad(
            f'{_KEPT}«<video:id type="url">https://example.com/videos/1</video:id>»</video:video>',
            fixed=f"{_KEPT}</video:video>",
        ),
        '«<video:content_segment_loc duration="60">https://example.com/v-1.mp4</video:content_segment_loc>»',
    ),
    good=(f"{_KEPT}<video:tag>id</video:tag></video:video>",),
)
def undocumented_video_field(video: VideoItem) -> Iterator[Problem]:
    """A video has content_segment_loc or id, which are not documented.

    The 2011 schema defines them, but the documentation does not, so engines may ignore them.
    """
    for spec, element in known_fields(video.element, _UNDOCUMENTED):
        yield Problem(
            element.place,
            f"<video:{spec.name}> is in the schema but not documented, and may be ignored; remove it",
            drop(video.listed.document, [element], f"remove {spec.name}", Safety.REVIEW),
        )


@rule(
    "V034",
    "video-fields-out-of-schema-order",
    severity=Severity.INFO,
    fails_schema=True,
    engines=SCHEMA,
    cites=("xsd-video", "xsd-tested"),
    bad=(
        Bad(
            "<video:title>Tying a bowline</video:title>\n"
            "«<video:thumbnail_loc>»https://example.com/t.jpg</video:thumbnail_loc>\n"
            "<video:description>The knot</video:description>\n<video:content_loc>https://example.com/v.mp4</video:content_loc>",
            fixed="<video:thumbnail_loc>https://example.com/t.jpg</video:thumbnail_loc>\n"
            "<video:title>Tying a bowline</video:title>\n"
            "<video:description>The knot</video:description>\n<video:content_loc>https://example.com/v.mp4</video:content_loc>",
        ),
    ),
    good=(f"{_KEPT}<video:duration>600</video:duration><video:live>no</video:live></video:video>",),
)
def video_fields_out_of_schema_order(video: VideoItem) -> Iterator[Problem]:
    """The fields of a video are not in schema order.

    Google's own example uses a different order, and engines accept any order. Only validators reject it.
    """
    yield from out_of_order(video.listed.document, video.element, VIDEO, salvaged=video.listed.salvaged)


@rule(
    "V035",
    "withdrawn-video-field-against-schema",
    severity=Severity.INFO,
    fails_schema=True,
    engines=SCHEMA,
    cites=("xsd-video",),
    bad=(
        f"<video:category>{'a' * 256}«b»</video:category>",
        '<video:price currency="«euro»">1.99</video:price>',
        "«<video:price>»1.99</video:price>",
        '<video:price currency="EUR" type="«lease»">1.99</video:price>',
        "<video:tvshow><video:show_title>Knots</video:show_title><video:video_type>«teaser»</video:video_type></video:tvshow>",
        "«<video:tvshow>»<video:video_type>full</video:video_type></video:tvshow>",
        (
            "<video:tvshow><video:show_title>Knots</video:show_title><video:video_type>full</video:video_type>"
            "<video:season_number>«0»</video:season_number></video:tvshow>"
        ),
        '<video:player_loc allow_embed="«true»">https://example.com/embed/1</video:player_loc>',
    ),
    good=(
        '<video:price currency="EUR" type="RENT" resolution="HD">1.99</video:price>',
        (
            "<video:tvshow><video:show_title>Knots</video:show_title><video:video_type>full</video:video_type>"
            "<video:episode_number>3</video:episode_number></video:tvshow>"
        ),
        f"<video:category>{'a' * 256}</video:category>",
    ),
)
def withdrawn_video_field_against_schema(video: VideoItem) -> Iterator[Problem]:
    """A deprecated field does not match the schema.

    Categories, prices, and shows have no effect. Validators still reject an invalid currency code, or an episode
    without a show.
    """
    for spec, element in known_fields(video.element, _LEGACY):
        if spec.kind is FieldKind.GROUP:
            yield from _tvshow_faults(element)
            continue
        unread = spec.name in _WITHDRAWN or spec.name in _UNDOCUMENTED
        if unread:
            yield from _value_faults(element, spec)
        for attribute in spec.attributes:
            if unread or attribute.withdrawn:
                yield from _attribute_faults(element, attribute)


def _tvshow_faults(show: Element) -> Iterator[Problem]:
    for spec in TVSHOW.fields:
        if spec.required:
            yield from missing(show, TVSHOW, spec.name, "the schema rejects the show")
        for element in fields(show, spec.name):
            yield from _value_faults(element, spec)


def _value_faults(element: Element, spec: FieldSpec) -> Iterator[Problem]:
    text = element.text
    if spec.xsd_max_length is not None:
        yield from too_long(element, spec.xsd_max_length, "the schema allows")
    if not text:
        return
    fault: str | None = None
    if spec.kind in (FieldKind.INTEGER, FieldKind.DECIMAL):
        fault = number_fault(spec, text)
    elif spec.kind is FieldKind.CHOICE and text not in spec.values:
        fault = f"not one of {', '.join(spec.values)}"
    elif spec.kind is FieldKind.DATETIME and not Moment.parse(text).xsd_valid:
        fault = "not a valid xsd:date or xsd:dateTime"
    if fault is not None:
        message = f"{quoted(text)} is {fault}, so the schema rejects this <{element.written}>"
        yield Problem(value_place(element), message)


def _attribute_faults(element: Element, spec: AttributeSpec) -> Iterator[Problem]:
    found = element.attribute(spec.name)
    if found is None:
        if spec.required:
            message = f"{spec.name} is missing, so the schema rejects this <{element.written}>; add it"
            yield Problem(element.open_tag, message)
        return
    text = found.value.text
    misfit = (spec.values and text not in spec.values) or (
        spec.xsd_pattern is not None and re.fullmatch(spec.xsd_pattern, text) is None
    )
    if misfit:
        wanted = f"one of {', '.join(spec.values)}" if spec.values else f"the form {spec.xsd_pattern}"
        yield Problem(
            found.value.place if text else found.place,
            f"{spec.name} is {quoted(text)}, but the schema requires {wanted}",
        )
