"""Do the URLs of a video point to a video file, a thumbnail, and a player, each used by one video?"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from functools import partial

from urlset.checking.elements import value_place
from urlset.model.address import Address
from urlset.model.element import Element
from urlset.model.place import Place
from urlset.rules import Bad, Has, Problem, Severity, Signal, Sitemap, VideoItem, rule
from urlset.rules.media import (
    GOOGLE,
    address_faults,
    address_of,
    drop_attribute,
    fields,
    part,
    same_page,
    site_of,
)
from urlset.rules.media_tags import all_differ, extended, tags, values
from urlset.rules.quoting import quoted
from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import VIDEO_FILE_TYPES

# Do the videos in a file have different files and thumbnails?

_WORDS = {"content_loc": "file", "thumbnail_loc": "thumbnail"}


def _video(page: str, picture: str, title: str, file: str) -> str:
    return (
        f"<url><loc>https://example.com/{page}</loc><video:video>"
        f"<video:thumbnail_loc>{picture}</video:thumbnail_loc><video:title>{title}</video:title>"
        f"<video:description>Words</video:description><video:content_loc>{file}</video:content_loc></video:video></url>"
    )


video_rule = partial(rule, engines=GOOGLE)


@video_rule(
    "V037",
    "video-address-shared",
    kinds=Has.URL_ELEMENTS,
    severity=Severity.INFO,
    cites=("google-video-best",),
    bad=(
        _video("1", "https://example.com/1.jpg", "Bowline", "«https://example.com/v.mp4»")
        + _video("2", "https://example.com/2.jpg", "Clove hitch", "https://example.com/v.mp4"),
        _video("1", "«https://example.com/logo.jpg»", "Bowline", "https://example.com/1.mp4")
        + _video("2", "https://example.com/logo.jpg", "Clove hitch", "https://example.com/2.mp4"),
    ),
    good=(
        _video("1", "https://example.com/1.jpg", "Bowline", "https://example.com/v.mp4")
        + _video("2", "https://example.com/1.jpg", "Bowline", "https://example.com/v.mp4"),
    ),
)
def video_address_shared(sitemap: Sitemap) -> Iterator[Problem]:
    """Videos with different titles share a file or a thumbnail.

    Google identifies videos by their URLs and requires unique, stable ones. A thumbnail used for many videos is often a
    placeholder. The same video on several pages is not reported.
    """
    if not extended(sitemap):
        return
    for name, word in _WORDS.items():
        if all_differ(sitemap, namespaces.VIDEO, name):
            continue
        found = values(sitemap, namespaces.VIDEO, name)
        counts = Counter(value for value, _ in found)
        if len(counts) == len(found):
            continue
        titles = _titles(sitemap, found)
        shared: dict[bytes, set[bytes]] = {}
        first: dict[bytes, Place] = {}
        for (value, place), title in zip(found, titles, strict=True):
            if counts[value] > 1 and title:
                shared.setdefault(value, set()).add(title)
                first.setdefault(value, place)
        guilty = [value for value, different in shared.items() if len(different) > 1]
        if guilty:
            videos = sum(counts[value] for value in guilty)
            others = f" and {len(guilty) - 1:,} more {word}s" if len(guilty) > 1 else ""
            yield Problem(
                first[guilty[0]],
                f"{videos:,} videos with different titles share the {word} "
                f"{quoted(guilty[0].decode('utf-8', 'replace'))}{others}; use a unique URL for each video",
                count=videos,
                places=[place for value, place in found if value in guilty],
            )


def _titles(sitemap: Sitemap, found: list[tuple[bytes, Place]]) -> list[bytes]:
    """The title of the video for each value; empty if it has none."""
    starts = [match.start() for match in tags(sitemap, namespaces.VIDEO, "video")]
    named = [(place.offset, value) for value, place in values(sitemap, namespaces.VIDEO, "title")]
    title_of: dict[int, bytes] = {}
    for offset, title in named:
        title_of.setdefault(bisect_right(starts, offset), title)
    return [title_of.get(bisect_right(starts, place.offset), b"") for _, place in found]


_FETCHED = ("http", "https", "ftp")
_ADDRESSES = ("thumbnail_loc", "content_loc", "player_loc")
_ENDING = lazy_pattern(r"\.([A-Za-z][A-Za-z0-9]{1,4})\Z")
_PAGES_AND_FLASH = frozenset({"html", "htm", "xhtml", "shtml", "swf"})
# Alternative extensions of a listed type, and server programs, which may return any type.
_SAME_TYPE = frozenset({"mpg", "mpe", "mp4v", "qt"})
_PROGRAMS = frozenset(
    {
        *("php", "php5", "phtml", "asp", "aspx", "ashx", "axd", "jsp", "jspx", "cgi", "pl", "py", "rb", "do"),
        *("cfm", "dll", "exe", "json", "fcgi", "jspa", "axd"),
    }
)


def _ending(address: Address) -> tuple[str, int, int] | None:
    """The file extension in lowercase, and its position in the URL."""
    start, _ = address.parts.path
    match = _ENDING.search(address.path)
    if match is None or not address.host:
        return None
    return match[1].lower(), start + match.start(), start + match.end()


@video_rule(
    "V020",
    "uploader-page-on-other-domain",
    when=Signal.MEDIA_SHAPE,
    severity=Severity.ERROR,
    cites=("google-video", "xsd-video"),
    bad=(
        Bad(
            '<video:uploader info="https://«example.net»/users/ann">Ann</video:uploader>',
            fixed="<video:uploader>Ann</video:uploader>",
        ),
    ),
    good=(
        '<video:uploader info="https://example.com/users/ann">Ann</video:uploader>',
        '<video:uploader info="https://www.example.com/users/ann">Ann</video:uploader>',
        "<video:uploader>Ann</video:uploader>",
    ),
)
def uploader_page_on_other_domain(video: VideoItem) -> Iterator[Problem]:
    """The uploader page is on a different domain than the video page.

    Google only accepts info URLs on the domain of <loc>.
    """
    page = video.listed.address.host
    for element in fields(video.element, "uploader"):
        info = element.attribute("info")
        if info is None or page is None:
            continue
        address = address_of(info.value.text)
        host = address.parts.host
        if host is not None and address.host and site_of(address.host) != site_of(page):
            yield Problem(
                info.value.locate(host[0], host[1] - host[0]),
                f"{quoted(address.host)} is not the domain of the page ({quoted(page)}), so Google rejects it; "
                "remove it",
                drop_attribute(video.listed.document, info, "remove info"),
            )


def _same_as_page(video: VideoItem, name: str, what: str) -> Iterator[Problem]:
    for element in fields(video.element, name):
        if same_page(element.text, video.listed.loc):
            yield Problem(value_place(element), f"<video:{name}> is the URL of the page itself, not {what}; replace it")


@video_rule(
    "V022",
    "video-file-is-the-page",
    when=Signal.MEDIA_ADDRESS,
    severity=Severity.ERROR,
    cites=("google-video", "gsc-report"),
    bad=("<video:content_loc>«https://example.com/»</video:content_loc>",),
    good=("<video:content_loc>https://example.com/v.mp4</video:content_loc>",),
)
def video_file_is_the_page(video: VideoItem) -> Iterator[Problem]:
    """video:content_loc is the URL of the page.

    It must point to the video file. The page belongs in <loc>.
    """
    yield from _same_as_page(video, "content_loc", "a video file")


@video_rule(
    "V023",
    "player-is-the-page",
    when=Signal.MEDIA_ADDRESS,
    severity=Severity.ERROR,
    cites=("google-video", "gsc-report"),
    bad=("<video:player_loc>«HTTPS://example.com»</video:player_loc>",),
    good=("<video:player_loc>https://example.com/?embed=1</video:player_loc>",),
)
def player_is_the_page(video: VideoItem) -> Iterator[Problem]:
    """video:player_loc is the URL of the page.

    It must point to a player for this video, usually the src of an <iframe> on the page.
    """
    yield from _same_as_page(video, "player_loc", "a player")


@video_rule(
    "V027",
    "video-file-is-html-or-flash",
    when=Signal.MEDIA_ADDRESS,
    severity=Severity.ERROR,
    cites=("google-video",),
    bad=(
        "<video:content_loc>https://example.com/player«.swf»?v=1</video:content_loc>",
        "<video:content_loc>https://example.com/watch«.HTML»</video:content_loc>",
    ),
    good=(
        "<video:content_loc>https://example.com/v.mp4?from=watch.html</video:content_loc>",
        "<video:player_loc>https://example.com/embed.html</video:player_loc>",
    ),
)
def video_file_is_html_or_flash(video: VideoItem) -> Iterator[Problem]:
    """video:content_loc points to an HTML page or a Flash file.

    Neither is a video file, so Google rejects both. The URL of a player page belongs in player_loc.
    """
    for element, place, ending in _endings(video):
        if ending in _PAGES_AND_FLASH:
            yield Problem(
                place, f"{quoted(element.text)} is {_kind(ending)}, not a video file, so Google rejects it; replace it"
            )


def _kind(ending: str) -> str:
    return "a Flash file" if ending == "swf" else "an HTML page"


def _endings(video: VideoItem) -> Iterator[tuple[Element, Place, str]]:
    for element in fields(video.element, "content_loc"):
        found = _ending(address_of(element.text))
        if found is not None:
            ending, start, end = found
            yield element, part(element, start, end), ending


@video_rule(
    "V028",
    "bad-video-address",
    when=Signal.MEDIA_ADDRESS,
    severity=Severity.ERROR,
    cites=("google-video", "google-video-best", "rfc3986"),
    bad=(
        "<video:content_loc>«rtmp»://example.com/live/stream</video:content_loc>",
        "<video:thumbnail_loc>«data»:image/png;base64,iVBORw0KGgo=</video:thumbnail_loc>",
        "<video:player_loc>«/embed/1»</video:player_loc>",
        Bad(
            "<video:content_loc>https://example.com/my« »video.mp4</video:content_loc>",
            fixed="<video:content_loc>https://example.com/my%20video.mp4</video:content_loc>",
        ),
    ),
    good=(
        "<video:content_loc>ftp://example.com/v.mp4</video:content_loc>",
        "<video:content_loc>\n  https://example.com/v.mp4?a=1&amp;b=2\n</video:content_loc>",
    ),
)
def bad_video_address(video: VideoItem) -> Iterator[Problem]:
    """A video, thumbnail, or player URL cannot be fetched over HTTP or FTP.

    Google cannot fetch streaming protocols such as rtmp and rtsp, data: URLs, paths without a host, and unescaped URLs.
    """
    for name in _ADDRESSES:
        for element in fields(video.element, name):
            yield from address_faults(video.listed.document, element, _FETCHED)


@video_rule(
    "V029",
    "unlisted-video-file-type",
    when=Signal.MEDIA_ADDRESS,
    severity=Severity.WARNING,
    cites=("google-video-best",),
    bad=(
        "<video:content_loc>https://example.com/clip«.flv»</video:content_loc>",
        "<video:content_loc>https://example.com/clip«.mp3»?dl=1</video:content_loc>",
    ),
    good=(
        "<video:content_loc>https://example.com/clip.MP4</video:content_loc>",
        "<video:content_loc>https://example.com/clip.mpg</video:content_loc>",
        "<video:content_loc>https://example.com/play/v1.2</video:content_loc>",
        "<video:content_loc>https://example.com/stream.php?id=7</video:content_loc>",
    ),
)
def unlisted_video_file_type(video: VideoItem) -> Iterator[Problem]:
    """A video file has an extension that is not on Google's list of file types.

    Files of other types are not indexed as videos. A URL without an extension, or of a server program, is not checked.
    """
    for _, place, ending in _endings(video):
        if ending not in {*VIDEO_FILE_TYPES, *_SAME_TYPE, *_PROGRAMS, *_PAGES_AND_FLASH}:
            yield Problem(
                place, f"{quoted('.' + ending)} is not a video file type that Google indexes; use mp4 or webm"
            )
