"""Are the texts of a video short enough, and without markup?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.declare import Bad, rule
from urlset.checking.subjects import VideoItem
from urlset.findings.finding import Problem
from urlset.findings.fix import Fix, Safety
from urlset.findings.severity import Severity
from urlset.model.columns import Edit
from urlset.model.element import Element
from urlset.rules.media.fields import GOOGLE, GOOGLE_AND_SCHEMA, field, fields, known_fields, part, table, too_long
from urlset.spec.extensions import VIDEO
from urlset.spec.fields import FieldKind
from urlset.spec.signals import Signal

_DESCRIPTION = field(VIDEO, "description").max_length or 0
_TITLE = field(VIDEO, "title").xsd_max_length or 0
_UPLOADER = field(VIDEO, "uploader").max_length or 0
# How far back to look for the end of a word.
_WORD_REACH = 80
_TEXTS = table(VIDEO, lambda spec: spec.kind is FieldKind.TEXT and spec.documented and spec.withdrawn is None)


@rule(
    "V005",
    "video-description-too-long",
    when=Signal.MEDIA_TEXT,
    severity=Severity.ERROR,
    engines=GOOGLE_AND_SCHEMA,
    cites=("google-video", "xsd-video"),
    bad=(
        Bad(
            f"<video:description>{'a' * (_DESCRIPTION - 6)} knot «s and ropes»</video:description>",
            fixed=f"<video:description>{'a' * (_DESCRIPTION - 6)} knot</video:description>",
            title="a description of 2,060 characters",
        ),
        Bad(
            f"<video:description>{'é' * _DESCRIPTION}«é»</video:description>",
            fixed=f"<video:description>{'é' * _DESCRIPTION}</video:description>",
            title="a description of 2,049 characters without a space",
        ),
    ),
    good=(
        f"<video:description>{'é' * _DESCRIPTION}</video:description>",
        f"<video:description>\n   {'&amp;' * _DESCRIPTION}   \n</video:description>",
    ),
)
def video_description_too_long(video: VideoItem) -> Iterator[Problem]:
    """video:description has more than 2,048 characters.

    This is Google's limit. `&amp;` counts as one character, and surrounding whitespace does not count.
    """
    for element in fields(video.element, "description"):
        for problem in too_long(element, _DESCRIPTION, "Google reads"):
            yield Problem(problem.place, problem.message, _cut(video, element, _DESCRIPTION))


def _cut(video: VideoItem, element: Element, limit: int) -> Fix | None:
    """The text up to the limit, or up to the end of a word near it."""
    text = element.text
    end = limit
    if not text[limit : limit + 1].isspace():
        space = max(text.rfind(" ", limit - _WORD_REACH, limit), text.rfind("\n", limit - _WORD_REACH, limit))
        end = space if space > 0 else limit
    end = len(text[:end].rstrip())
    place = part(element, end, len(text))
    raw = place.cut(video.listed.document.data)
    if b"<" in raw or b"]]>" in raw:
        return None
    return Fix(f"shorten to {end:,} characters", (Edit(place, b""),), Safety.REVIEW)


@rule(
    "V006",
    "video-title-too-long",
    when=Signal.MEDIA_TEXT,
    severity=Severity.WARNING,
    fails_schema=True,
    engines=GOOGLE_AND_SCHEMA,
    cites=("xsd-video", "google-video"),
    bad=(Bad(f"<video:title>{'a' * _TITLE}«bc»</video:title>", title="a title of 102 characters"),),
    good=(f"<video:title>{'ü' * _TITLE}</video:title>",),
)
def video_title_too_long(video: VideoItem) -> Iterator[Problem]:
    """video:title has more than 100 characters.

    The schema and Media RSS allow 100 characters. The documentation of video sitemaps has no limit. A longer title
    may be truncated or rejected.
    """
    for element in fields(video.element, "title"):
        yield from too_long(element, _TITLE, "the schema allows")


@rule(
    "V019",
    "uploader-name-too-long",
    when=Signal.MEDIA_TEXT,
    severity=Severity.ERROR,
    engines=GOOGLE,
    cites=("google-video",),
    bad=(Bad(f"<video:uploader>{'a' * _UPLOADER}«b»</video:uploader>", title="a name of 256 characters"),),
    good=(f"<video:uploader>{'a' * _UPLOADER}</video:uploader>",),
)
def uploader_name_too_long(video: VideoItem) -> Iterator[Problem]:
    """video:uploader has more than 255 characters.

    Google allows a name of at most 255 characters.
    """
    for element in fields(video.element, "uploader"):
        yield from too_long(element, _UPLOADER, "Google reads")


@rule(
    "V031",
    "markup-in-video-text",
    when=Signal.MEDIA_TEXT,
    severity=Severity.ERROR,
    engines=GOOGLE_AND_SCHEMA,
    cites=("google-video",),
    bad=(
        Bad(
            "<video:title>Tying a «<b>»bowline</b></video:title>",
            fixed="<video:title>Tying a &lt;b>bowline&lt;/b></video:title>",
        ),
        Bad(
            "<video:description>Four steps:«<br/>»one &amp; two</video:description>",
            fixed="<video:description>Four steps:&lt;br/>one &amp; two</video:description>",
        ),
    ),
    good=(
        "<video:title><![CDATA[Tying a <b>bowline</b> &amp; more]]></video:title>",
        "<video:title>Tying a &lt;b&gt;bowline&lt;/b&gt;</video:title>",
        "<video:description>Knots &amp; ropes, &amp;nbsp; &#169; 2026 <!-- draft --></video:description>",
    ),
)
def markup_in_video_text(video: VideoItem) -> Iterator[Problem]:
    """The title, description, or another text of a video contains tags.

    HTML in a text field must be escaped or in a CDATA section. Otherwise its tags are parsed as unknown elements of the
    sitemap, and their text is lost. An unescaped `&` makes the file malformed and has its own code.
    """
    for spec, element in known_fields(video.element, _TEXTS):
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
