"""Does each video have the required fields once, with text of the right length, and no withdrawn fields?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.checking.declare import bad, error_rule, good, google_error, google_info, info_rule, warning_rule
from urlset.checking.subjects import value_place
from urlset.findings.finding import quoted
from urlset.model.columns import Edit
from urlset.model.entry import Element
from urlset.model.moment import Moment
from urlset.rules import Fix, Problem, Safety, Signal, VideoItem, media
from urlset.spec.extensions import TVSHOW, VIDEO, AttributeSpec, FieldKind, FieldSpec

# Are the texts of a video short enough, and without markup?

_DESCRIPTION = media.field(VIDEO, "description").max_length or 0
_TITLE = media.field(VIDEO, "title").xsd_max_length or 0
_UPLOADER = media.field(VIDEO, "uploader").max_length or 0
# How far back to look for the end of a word.
_WORD_REACH = 80
_TEXTS = media.table(VIDEO, lambda spec: spec.kind is FieldKind.TEXT and spec.documented and spec.withdrawn is None)


@error_rule("V005", when=Signal.MEDIA_TEXT, engines=media.GOOGLE_AND_SCHEMA, cites=("google-video", "xsd-video"))
@bad(
    f"<video:description>{'a' * (_DESCRIPTION - 6)} knot «s and ropes»</video:description>",
    fixed=f"<video:description>{'a' * (_DESCRIPTION - 6)} knot</video:description>",
    title="a description of 2,060 characters",
)
@bad(
    f"<video:description>{'é' * _DESCRIPTION}«é»</video:description>",
    fixed=f"<video:description>{'é' * _DESCRIPTION}</video:description>",
    title="a description of 2,049 characters without a space",
)
@good(
    f"<video:description>{'é' * _DESCRIPTION}</video:description>",
    f"<video:description>\n   {'&amp;' * _DESCRIPTION}   \n</video:description>",
)
def video_description_too_long(video: VideoItem) -> Iterator[Problem]:
    """video:description has more than 2,048 characters.

    This is Google's limit. `&amp;` counts as one character, and surrounding whitespace does not count.
    """
    for element in media.fields(video.element, "description"):
        for problem in media.too_long(element, _DESCRIPTION, "Google reads"):
            yield Problem(problem.place, problem.message, _cut(video, element, _DESCRIPTION))


def _cut(video: VideoItem, element: Element, limit: int) -> Fix | None:
    """The text up to the limit, or up to the end of a word near it."""
    text = element.text
    end = limit
    if not text[limit : limit + 1].isspace():
        space = max(text.rfind(" ", limit - _WORD_REACH, limit), text.rfind("\n", limit - _WORD_REACH, limit))
        end = space if space > 0 else limit
    end = len(text[:end].rstrip())
    place = element.value.part(end, len(text))
    raw = place.cut(video.listed.document.data)
    if b"<" in raw or b"]]>" in raw:
        return None
    return Fix(f"shorten to {end:,} characters", (Edit(place, b""),), Safety.REVIEW)


@warning_rule(
    "V006",
    when=Signal.MEDIA_TEXT,
    fails_schema=True,
    engines=media.GOOGLE_AND_SCHEMA,
    cites=("xsd-video", "google-video"),
)
@bad(f"<video:title>{'a' * _TITLE}«bc»</video:title>", title="a title of 102 characters")
@good(f"<video:title>{'ü' * _TITLE}</video:title>")
def video_title_too_long(video: VideoItem) -> Iterator[Problem]:
    """video:title has more than 100 characters.

    The schema and Media RSS allow 100 characters. The documentation of video sitemaps has no limit. A longer title
    may be truncated or rejected.
    """
    for element in media.fields(video.element, "title"):
        yield from media.too_long(element, _TITLE, "the schema allows")


@google_error("V019", when=Signal.MEDIA_TEXT, cites=("google-video",))
@bad(f"<video:uploader>{'a' * _UPLOADER}«b»</video:uploader>", title="a name of 256 characters")
@good(f"<video:uploader>{'a' * _UPLOADER}</video:uploader>")
def uploader_name_too_long(video: VideoItem) -> Iterator[Problem]:
    """video:uploader has more than 255 characters.

    Google allows a name of at most 255 characters.
    """
    for element in media.fields(video.element, "uploader"):
        yield from media.too_long(element, _UPLOADER, "Google reads")


@error_rule("V031", when=Signal.MEDIA_TEXT, engines=media.GOOGLE_AND_SCHEMA, cites=("google-video",))
@bad(
    "<video:title>Tying a «<b>»bowline</b></video:title>",
    fixed="<video:title>Tying a &lt;b>bowline&lt;/b></video:title>",
)
@bad(
    "<video:description>Four steps:«<br/>»one &amp; two</video:description>",
    fixed="<video:description>Four steps:&lt;br/>one &amp; two</video:description>",
)
@good(
    "<video:title><![CDATA[Tying a <b>bowline</b> &amp; more]]></video:title>",
    "<video:title>Tying a &lt;b&gt;bowline&lt;/b&gt;</video:title>",
    "<video:description>Knots &amp; ropes, &amp;nbsp; &#169; 2026 <!-- draft --></video:description>",
)
def markup_in_video_text(video: VideoItem) -> Iterator[Problem]:
    """The title, description, or another text of a video contains tags.

    HTML in a text field must be escaped or in a CDATA section. Otherwise its tags are parsed as unknown elements of the
    sitemap, and their text is lost. An unescaped `&` makes the file malformed and has its own code.
    """
    for spec, element in media.known_fields(video.element, _TEXTS):
        if element.children:
            first = element.children[0]
            yield Problem(
                first.open_tag,
                f"unescaped tag <{first.written}> in <video:{spec.name}>, so its text is lost; escape it or use CDATA",
                _as_text(video, element),
            )


def _as_text(video: VideoItem, element: Element) -> Fix | None:
    """Escape all tags inside; not possible with comments or CDATA sections between them."""
    inner = element.inner.cut(video.listed.document.data)
    if b"<!" in inner or b"<?" in inner or video.listed.salvaged:
        return None
    return Fix("escape the tags", (Edit(element.inner, inner.replace(b"<", b"&lt;")),), Safety.REVIEW)


# Deprecated and undocumented fields of a video, and whether they match the schema.

_WITHDRAWN = media.table(VIDEO, lambda spec: spec.withdrawn is not None)
_UNDOCUMENTED = media.table(VIDEO, lambda spec: not spec.documented)
_ODD_ATTRIBUTES = media.table(VIDEO, lambda spec: any(attribute.withdrawn for attribute in spec.attributes))
_LEGACY = _WITHDRAWN | _UNDOCUMENTED | _ODD_ATTRIBUTES
_KEPT = (
    "<video:video><video:thumbnail_loc>https://example.com/v.jpg</video:thumbnail_loc>"
    "<video:title>Tying a bowline</video:title><video:description>The knot in four steps</video:description>"
    "<video:content_loc>https://example.com/v.mp4</video:content_loc>"
)


@google_info("V024", when=Signal.MEDIA_SHAPE, cites=("google-2022", "google-video"))
@bad(f"{_KEPT}«<video:category>Sailing</video:category>»</video:video>", fixed=f"{_KEPT}</video:video>")
@bad(
    '«<video:price currency="EUR">1.99</video:price>»',
    "«<video:tvshow><video:show_title>Knots</video:show_title><video:video_type>full</video:video_type></video:tvshow>»",
)
@good(f"{_KEPT}<video:tag>category</video:tag></video:video>")
def withdrawn_video_field(video: VideoItem) -> Iterator[Problem]:
    """A video has a category, gallery_loc, price, or tvshow, which engines ignore.

    Google deprecated these fields in August 2022. They do no harm and have no effect.
    """
    for spec, element in media.known_fields(video.element, _WITHDRAWN):
        yield Problem(
            element.place,
            f"<video:{spec.name}> has had no effect since {spec.withdrawn}; remove it",
            media.drop(video.listed.document, [element], f"remove {spec.name}", Safety.REVIEW),
        )


@google_info("V025", when=Signal.MEDIA_SHAPE, cites=("google-2022", "google-video"))
@bad(
    '<video:player_loc «allow_embed="yes"» «autoplay="ap=1"»>https://example.com/embed/1</video:player_loc>',
    fixed="<video:player_loc>https://example.com/embed/1</video:player_loc>",
)
@good("<video:player_loc>https://example.com/embed/1?autoplay=1</video:player_loc>")
def withdrawn_player_attribute(video: VideoItem) -> Iterator[Problem]:
    """video:player_loc has allow_embed or autoplay, which engines ignore.

    Google deprecated both attributes in August 2022.
    """
    withdrawn = {spec.name: spec.withdrawn for spec in media.field(VIDEO, "player_loc").attributes if spec.withdrawn}
    for element in media.fields(video.element, "player_loc"):
        for attribute in element.attributes:
            if not attribute.namespace and attribute.local in withdrawn:
                yield Problem(
                    attribute.place,
                    f"{attribute.local} has had no effect since {withdrawn[attribute.local]}; remove it",
                    media.drop_attribute(video.listed.document, attribute, f"remove {attribute.local}"),
                )


@google_info("V030", when=Signal.MEDIA_SHAPE, cites=("xsd-video", "google-video"))
@bad(
    f'{_KEPT}«<video:id type="url">https://example.com/videos/1</video:id>»</video:video>',
    fixed=f"{_KEPT}</video:video>",
)
@bad('«<video:content_segment_loc duration="60">https://example.com/v-1.mp4</video:content_segment_loc>»')
@good(f"{_KEPT}<video:tag>id</video:tag></video:video>")
def undocumented_video_field(video: VideoItem) -> Iterator[Problem]:
    """A video has content_segment_loc or id, which are not documented.

    The 2011 schema defines them, but the documentation does not, so engines may ignore them.
    """
    for spec, element in media.known_fields(video.element, _UNDOCUMENTED):
        yield Problem(
            element.place,
            f"<video:{spec.name}> is in the schema but not documented, and may be ignored; remove it",
            media.drop(video.listed.document, [element], f"remove {spec.name}", Safety.REVIEW),
        )


@info_rule("V034", fails_schema=True, engines=media.SCHEMA, cites=("xsd-video", "xsd-tested"))
@bad(
    "<video:title>Tying a bowline</video:title>\n"
    "«<video:thumbnail_loc>»https://example.com/t.jpg</video:thumbnail_loc>\n"
    "<video:description>The knot</video:description>\n<video:content_loc>https://example.com/v.mp4</video:content_loc>",
    fixed="<video:thumbnail_loc>https://example.com/t.jpg</video:thumbnail_loc>\n"
    "<video:title>Tying a bowline</video:title>\n"
    "<video:description>The knot</video:description>\n<video:content_loc>https://example.com/v.mp4</video:content_loc>",
)
@good(f"{_KEPT}<video:duration>600</video:duration><video:live>no</video:live></video:video>")
def video_fields_out_of_schema_order(video: VideoItem) -> Iterator[Problem]:
    """The fields of a video are not in schema order.

    Google's own example uses a different order, and engines accept any order. Only validators reject it.
    """
    yield from media.out_of_order(video.listed.document, video.element, VIDEO, salvaged=video.listed.salvaged)


@info_rule("V035", fails_schema=True, engines=media.SCHEMA, cites=("xsd-video",))
@bad(
    f"<video:category>{'a' * 256}«b»</video:category>",
    '<video:price currency="«euro»">1.99</video:price>',
    "«<video:price>»1.99</video:price>",
    '<video:price currency="EUR" type="«lease»">1.99</video:price>',
    "<video:tvshow><video:show_title>Knots</video:show_title><video:video_type>«teaser»</video:video_type></video:tvshow>",
    "«<video:tvshow>»<video:video_type>full</video:video_type></video:tvshow>",
    "<video:tvshow><video:show_title>Knots</video:show_title><video:video_type>full</video:video_type>"
    "<video:season_number>«0»</video:season_number></video:tvshow>",
    '<video:player_loc allow_embed="«true»">https://example.com/embed/1</video:player_loc>',
)
@good(
    '<video:price currency="EUR" type="RENT" resolution="HD">1.99</video:price>',
    "<video:tvshow><video:show_title>Knots</video:show_title><video:video_type>full</video:video_type>"
    "<video:episode_number>3</video:episode_number></video:tvshow>",
    f"<video:category>{'a' * 256}</video:category>",
)
def withdrawn_video_field_against_schema(video: VideoItem) -> Iterator[Problem]:
    """A deprecated field does not match the schema.

    Categories, prices, and shows have no effect. Validators still reject an invalid currency code, or an episode
    without a show.
    """
    for spec, element in media.known_fields(video.element, _LEGACY):
        for inner in TVSHOW.fields if spec.kind is FieldKind.GROUP else ():
            if inner.required:
                yield from media.missing(element, TVSHOW, inner.name, "the schema rejects the show")
            for each in media.fields(element, inner.name):
                yield from _value_faults(each, inner)
        if spec.kind is FieldKind.GROUP:
            continue
        unread = spec.name in _WITHDRAWN or spec.name in _UNDOCUMENTED
        if unread:
            yield from _value_faults(element, spec)
        for attribute in spec.attributes:
            if unread or attribute.withdrawn:
                yield from _attribute_faults(element, attribute)


def _value_faults(element: Element, spec: FieldSpec) -> Iterator[Problem]:
    text = element.text
    if spec.xsd_max_length is not None:
        yield from media.too_long(element, spec.xsd_max_length, "the schema allows")
    if not text:
        return
    fault: str | None = None
    if spec.kind in (FieldKind.INTEGER, FieldKind.DECIMAL):
        fault = media.number_fault(spec, text)
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


_CITES = ("google-video", "xsd-video", "gsc-report")
_PICTURE = "<video:thumbnail_loc>https://example.com/v.jpg</video:thumbnail_loc>"
_REQUIRED_TITLE = "<video:title>Tying a bowline</video:title>"
_WORDS = "<video:description>The knot in four steps</video:description>"
_FILE = "<video:content_loc>https://example.com/v.mp4</video:content_loc>"
_PLAYER = "<video:player_loc>https://example.com/player?v=1</video:player_loc>"
_ONCE = media.table(VIDEO, lambda spec: not spec.repeatable and spec.withdrawn is None and spec.documented)
_UNREAD = "Google rejects the video"


@error_rule("V001", when=Signal.MEDIA_MISSING, engines=media.GOOGLE_AND_SCHEMA, cites=_CITES)
@bad(f"«<video:video>»{_REQUIRED_TITLE}{_WORDS}{_FILE}</video:video>", "«<video:thumbnail_loc/>»")
@good(f"<video:video>{_PICTURE}{_REQUIRED_TITLE}{_WORDS}{_FILE}</video:video>")
def video_without_thumbnail(video: VideoItem) -> Iterator[Problem]:
    """A video has no video:thumbnail_loc.

    Search results show the thumbnail. It is required, and Google rejects videos without one.
    """
    yield from media.missing(video.element, VIDEO, "thumbnail_loc", _UNREAD)


@error_rule("V002", when=Signal.MEDIA_MISSING, engines=media.GOOGLE_AND_SCHEMA, cites=_CITES)
@bad(f"«<video:video>»{_PICTURE}{_WORDS}{_FILE}</video:video>", "«<video:title>  </video:title>»")
@good("<video:title><![CDATA[Tying a bowline]]></video:title>")
def video_without_title(video: VideoItem) -> Iterator[Problem]:
    """A video has no video:title.

    The title is required. Search Console reports a missing title as an error.
    """
    yield from media.missing(video.element, VIDEO, "title", _UNREAD)


@error_rule("V003", when=Signal.MEDIA_MISSING, engines=media.GOOGLE_AND_SCHEMA, cites=("google-video", "xsd-video"))
@bad(f"«<video:video>»{_PICTURE}{_REQUIRED_TITLE}{_FILE}</video:video>", "«<video:description></video:description>»")
@good("<video:description>B</video:description>")
def video_without_description(video: VideoItem) -> Iterator[Problem]:
    """A video has no video:description.

    The description is required and compared with the page. Google rejects videos without one.
    """
    yield from media.missing(video.element, VIDEO, "description", _UNREAD)


@google_error("V004", when=Signal.MEDIA_MISSING, cites=("google-video", "xsd-tested"))
@bad(
    f"«<video:video>»{_PICTURE}{_REQUIRED_TITLE}{_WORDS}</video:video>",
    f"«<video:video>»{_PICTURE}{_REQUIRED_TITLE}{_WORDS}<video:content_loc/></video:video>",
)
@good(
    f"<video:video>{_PICTURE}{_REQUIRED_TITLE}{_WORDS}{_PLAYER}</video:video>",
    f"<video:video>{_PICTURE}{_REQUIRED_TITLE}{_WORDS}<video:content_loc/>{_PLAYER}</video:video>",
)
def video_without_location(video: VideoItem) -> Iterator[Problem]:
    """A video has neither video:content_loc nor video:player_loc.

    One of the two must point to the video file or to a player. The schema does not require it, so a valid file can
    still list videos without a location.
    """
    if not any(media.filled(element) for name in VIDEO.one_of for element in media.fields(video.element, name)):
        either = " or ".join(f"<video:{name}>" for name in VIDEO.one_of)
        yield Problem(video.place, f"{either} is missing, so {_UNREAD}; add one")


@error_rule("V026", when=Signal.MEDIA_SHAPE, engines=media.GOOGLE_AND_SCHEMA, cites=("google-video", "xsd-video"))
@bad(
    "<video:title>Tying a bowline</video:title>«<video:title>»The bowline</video:title>",
    '<video:restriction relationship="allow">DE</video:restriction>'
    '«<video:restriction relationship="deny">»FR</video:restriction>',
)
@good(
    "<video:tag>knot</video:tag><video:tag>rope</video:tag>",
    '<video:price currency="EUR">1.99</video:price><video:price currency="USD">2.99</video:price>',
)
def video_field_repeated(video: VideoItem) -> Iterator[Problem]:
    """A video has a field more than once.

    Only tags may be repeated. For other fields it is undefined which value is used.
    """
    yield from media.repeated(video.element, VIDEO, _ONCE)


@error_rule("V021", when=Signal.MEDIA_SHAPE, engines=media.GOOGLE_AND_SCHEMA, cites=("google-video", "xsd-video"))
@bad(
    "".join(f"<video:tag>t{n}</video:tag>" for n in range(32))
    + "«<video:tag>»t32</video:tag><video:tag>t33</video:tag>",
    fixed="".join(f"<video:tag>t{n}</video:tag>" for n in range(32)),
    title="a video with 34 tags",
)
@good("<video:tag>knot, rope, sailing and 30 other things in one tag</video:tag>")
def too_many_video_tags(video: VideoItem) -> Iterator[Problem]:
    """A video has more than 32 tags.

    Google allows 32 tags per video.
    """
    tags, limit = media.fields(video.element, "tag"), media.field(VIDEO, "tag").max_count
    if limit is not None and len(tags) > limit:
        surplus = tags[limit:]
        yield Problem(
            surplus[0].open_tag,
            f"{len(tags):,} tags exceed the limit of {limit} per video; remove the tags from here on",
            media.drop(video.listed.document, surplus, f"keep the first {limit} tags", Safety.REVIEW),
        )
