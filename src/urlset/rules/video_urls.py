"""Do the URLs of a video point to a video file, a thumbnail, and a player, each used by one video?"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from urlset.checking.declare import bad, good, google_error, google_info, google_warning
from urlset.checking.subjects import value_place
from urlset.findings.finding import quoted
from urlset.model.entry import Element
from urlset.model.place import Place
from urlset.rules import Has, Problem, Signal, Sitemap, VideoItem, media
from urlset.rules.loc.host import registered
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


@google_info("V037", kinds=Has.URL_ELEMENTS, cites=("google-video-best",))
@bad(
    _video("1", "https://example.com/1.jpg", "Bowline", "«https://example.com/v.mp4»")
    + _video("2", "https://example.com/2.jpg", "Clove hitch", "https://example.com/v.mp4"),
    _video("1", "«https://example.com/logo.jpg»", "Bowline", "https://example.com/1.mp4")
    + _video("2", "https://example.com/logo.jpg", "Clove hitch", "https://example.com/2.mp4"),
)
@good(
    _video("1", "https://example.com/1.jpg", "Bowline", "https://example.com/v.mp4")
    + _video("2", "https://example.com/1.jpg", "Bowline", "https://example.com/v.mp4")
)
def video_address_shared(sitemap: Sitemap) -> Iterator[Problem]:
    """Videos with different titles share a file or a thumbnail.

    Google identifies videos by their URLs and requires unique, stable ones. A thumbnail used for many videos is often a
    placeholder. The same video on several pages is not reported.
    """
    if not sitemap.extended:
        return
    repeated = sitemap.media_notes.repeated
    for name, word in _WORDS.items():
        if repeated is not None and name not in repeated:
            continue
        counts = media.counted_values(sitemap, namespaces.VIDEO, name)
        if len(counts) == counts.total():
            continue
        found = list(media.values(sitemap, namespaces.VIDEO, name))
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
    starts = [match.start() for match in media.tags(sitemap, namespaces.VIDEO, "video")]
    named = [(place.offset, value) for value, place in media.values(sitemap, namespaces.VIDEO, "title")]
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
        *("cfm", "dll", "exe", "json", "fcgi", "jspa"),
    }
)


@google_error("V020", when=Signal.MEDIA_SHAPE, cites=("google-video", "xsd-video"))
@bad(
    '<video:uploader info="https://«example.net»/users/ann">Ann</video:uploader>',
    fixed="<video:uploader>Ann</video:uploader>",
)
@good(
    '<video:uploader info="https://example.com/users/ann">Ann</video:uploader>',
    '<video:uploader info="https://www.example.com/users/ann">Ann</video:uploader>',
    "<video:uploader>Ann</video:uploader>",
)
def uploader_page_on_other_domain(video: VideoItem) -> Iterator[Problem]:
    """The uploader page is on a different domain than the video page.

    Google only accepts info URLs on the domain of <loc>.
    """
    page = video.listed.address.host
    for element in media.fields(video.element, "uploader"):
        info = element.attribute("info")
        if info is None or page is None:
            continue
        address = media.address_of(info.value.text)
        host = address.parts.host
        if host is not None and address.host and registered(address.host) != registered(page):
            yield Problem(
                info.value.locate(host[0], host[1] - host[0]),
                f"{quoted(address.host)} is not the domain of the page ({quoted(page)}), so Google rejects it; "
                "remove it",
                media.drop_attribute(video.listed.document, info, "remove info"),
            )


def _same_as_page(video: VideoItem, name: str, what: str) -> Iterator[Problem]:
    for element in media.fields(video.element, name):
        if media.same_page(element.text, video.listed.loc):
            yield Problem(value_place(element), f"<video:{name}> is the URL of the page itself, not {what}; replace it")


@google_error("V022", when=Signal.MEDIA_ADDRESS, cites=("google-video", "gsc-report"))
@bad("<video:content_loc>«https://example.com/»</video:content_loc>")
@good("<video:content_loc>https://example.com/v.mp4</video:content_loc>")
def video_file_is_the_page(video: VideoItem) -> Iterator[Problem]:
    """video:content_loc is the URL of the page.

    It must point to the video file. The page belongs in <loc>.
    """
    yield from _same_as_page(video, "content_loc", "a video file")


@google_error("V023", when=Signal.MEDIA_ADDRESS, cites=("google-video", "gsc-report"))
@bad("<video:player_loc>«HTTPS://example.com»</video:player_loc>")
@good("<video:player_loc>https://example.com/?embed=1</video:player_loc>")
def player_is_the_page(video: VideoItem) -> Iterator[Problem]:
    """video:player_loc is the URL of the page.

    It must point to a player for this video, usually the src of an <iframe> on the page.
    """
    yield from _same_as_page(video, "player_loc", "a player")


@google_error("V027", when=Signal.MEDIA_ADDRESS, cites=("google-video",))
@bad(
    "<video:content_loc>https://example.com/player«.swf»?v=1</video:content_loc>",
    "<video:content_loc>https://example.com/watch«.HTML»</video:content_loc>",
)
@good(
    "<video:content_loc>https://example.com/v.mp4?from=watch.html</video:content_loc>",
    "<video:player_loc>https://example.com/embed.html</video:player_loc>",
)
def video_file_is_html_or_flash(video: VideoItem) -> Iterator[Problem]:
    """video:content_loc points to an HTML page or a Flash file.

    Neither is a video file, so Google rejects both. The URL of a player page belongs in player_loc.
    """
    for element, place, ending in _endings(video):
        if ending in _PAGES_AND_FLASH:
            what = "a Flash file" if ending == "swf" else "an HTML page"
            yield Problem(
                place, f"{quoted(element.text)} is {what}, not a video file, so Google rejects it; replace it"
            )


def _endings(video: VideoItem) -> Iterator[tuple[Element, Place, str]]:
    for element in media.fields(video.element, "content_loc"):
        address = media.address_of(element.text)
        match = _ENDING.search(address.path)
        if match is not None and address.host:
            start = address.parts.path[0]
            yield element, element.value.part(start + match.start(), start + match.end()), match[1].lower()


@google_error("V028", when=Signal.MEDIA_ADDRESS, cites=("google-video", "google-video-best", "rfc3986"))
@bad(
    "<video:content_loc>«rtmp»://example.com/live/stream</video:content_loc>",
    "<video:thumbnail_loc>«data»:image/png;base64,iVBORw0KGgo=</video:thumbnail_loc>",
    "<video:player_loc>«/embed/1»</video:player_loc>",
)
@bad(
    "<video:content_loc>https://example.com/my« »video.mp4</video:content_loc>",
    fixed="<video:content_loc>https://example.com/my%20video.mp4</video:content_loc>",
)
@good(
    "<video:content_loc>ftp://example.com/v.mp4</video:content_loc>",
    "<video:content_loc>\n  https://example.com/v.mp4?a=1&amp;b=2\n</video:content_loc>",
)
def bad_video_address(video: VideoItem) -> Iterator[Problem]:
    """A video, thumbnail, or player URL cannot be fetched over HTTP or FTP.

    Google cannot fetch streaming protocols such as rtmp and rtsp, data: URLs, paths without a host, and unescaped URLs.
    """
    for name in _ADDRESSES:
        for element in media.fields(video.element, name):
            yield from media.address_faults(video.listed.document, element, _FETCHED)


@google_warning("V029", when=Signal.MEDIA_ADDRESS, cites=("google-video-best",))
@bad(
    "<video:content_loc>https://example.com/clip«.flv»</video:content_loc>",
    "<video:content_loc>https://example.com/clip«.mp3»?dl=1</video:content_loc>",
)
@good(
    "<video:content_loc>https://example.com/clip.MP4</video:content_loc>",
    "<video:content_loc>https://example.com/clip.mpg</video:content_loc>",
    "<video:content_loc>https://example.com/play/v1.2</video:content_loc>",
    "<video:content_loc>https://example.com/stream.php?id=7</video:content_loc>",
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
