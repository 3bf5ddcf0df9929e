"""Can search engines fetch the images and videos in a sitemap, and are images large enough?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.auditing.state import state_of
from urlset.checking.declare import bad, good, google_error, google_warning
from urlset.checking.live_page import MediaAsset, MediaKind
from urlset.findings.finding import quoted
from urlset.model.visit import State
from urlset.reading.robots import Match
from urlset.rules import Problem, Severity
from urlset.spec.protocol import THUMBNAIL_FILE_TYPES, THUMBNAIL_MIN_SIZE

# The first bytes of an image → its width and height, if they contain them.

_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""JPEG segments that contain the size"""
_LONE = frozenset({0x01, *range(0xD0, 0xD8)})
"""JPEG segments without a length"""
_MOST_SEGMENTS = 1000


def image_size(data: bytes) -> tuple[int, int] | None:
    """PNG, GIF, BMP, WebP, and JPEG; None for other formats or truncated data."""
    try:
        if data.startswith(b"\x89PNG\r\n\x1a\n"):
            return _number(data, 16, 4, big=True), _number(data, 20, 4, big=True)
        if data.startswith(b"GIF8"):
            return _number(data, 6, 2), _number(data, 8, 2)
        if data.startswith(b"BM"):
            height = _number(data, 22, 4)
            return _number(data, 18, 4), height if height < 1 << 31 else (1 << 32) - height  # stored top-down
        if data.startswith(b"RIFF"):
            return _webp(data)
        return _jpeg(data) if data.startswith(b"\xff\xd8") else None
    except IndexError:
        return None


def _number(data: bytes, start: int, length: int, *, big: bool = False) -> int:
    piece = data[start : start + length]
    if len(piece) < length:
        raise IndexError
    return int.from_bytes(piece, "big" if big else "little")


def _webp(data: bytes) -> tuple[int, int] | None:
    kind = data[12:16]
    if data[8:12] != b"WEBP":
        return None
    if kind == b"VP8 ":
        return _number(data, 26, 2) & 0x3FFF, _number(data, 28, 2) & 0x3FFF
    if kind == b"VP8L":
        bits = _number(data, 21, 4)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8X":
        return _number(data, 24, 3) + 1, _number(data, 27, 3) + 1
    return None


def _jpeg(data: bytes) -> tuple[int, int] | None:
    at = 2
    for _ in range(_MOST_SEGMENTS):
        while data[at] != 0xFF:
            at += 1
        kind = data[at + 1]
        if kind == 0xFF:
            at += 1
        elif kind in _FRAMES:
            return _number(data, at + 7, 2, big=True), _number(data, at + 5, 2, big=True)
        elif kind in _LONE:
            at += 2
        elif kind == 0xDA:
            return None  # the image data: no size came before
        else:
            at += 2 + _number(data, at + 2, 2, big=True)
    return None


_ROBOTS = "> GET https://example.com/robots.txt\n< 200\nContent-Type: text/plain\n\nUser-agent: *\nDisallow: /img/\n\n"
_IMAGE = "asked for: image\n{}> GET https://example.com/img/a.webp\n"
_VIDEO = "asked for: video\n{}> GET https://example.com/img/a.mp4\n"
_WEBP, _MP4 = "< 200\nContent-Type: image/webp\n\nbytes\n", "< 200\nContent-Type: video/mp4\n\nbytes\n"
_VIDEO_KINDS = (MediaKind.THUMBNAIL, MediaKind.CONTENT, MediaKind.PLAYER)
_AGENTS = {MediaKind.CONTENT: "Googlebot-Video", MediaKind.PLAYER: "Googlebot"}
_KEPT_OUT = (401, 403, 429)


def _forbidden(asset: MediaAsset) -> Match | None:
    if asset.robots is None:
        return None
    match = asset.robots.match(_AGENTS.get(asset.kind, "Googlebot-Image"), asset.url)
    return match if not match.allowed and match.line is not None else None


def _line(match: Match) -> str:
    assert match.line is not None
    return (
        f"{quoted(f'{match.line.written}: {match.line.value.strip()}')} on line {match.line.number} of its robots.txt"
    )


def _fault(asset: MediaAsset) -> str | None:
    """Why the file is certainly missing; None if the response may be specific to this client."""
    answer = asset.answer
    if state_of(answer)[0] not in (State.GONE, State.ERROR):
        return None
    return str(answer.failure) if answer.failure is not None else f"returns {answer.status}"


@google_warning("M007", cites=("google-image",))
@bad(_IMAGE.format(_ROBOTS) + _WEBP)
@good(
    _IMAGE.format(_ROBOTS.replace("/img/", "/cgi/")) + _WEBP,
    _IMAGE.format(_ROBOTS.replace("*", "otherbot")) + _WEBP,
    _IMAGE.format("") + _WEBP,
)
def disallowed_image(asset: MediaAsset) -> Iterator[Problem]:
    """robots.txt blocks Google from an image of a listed page.

    The robots.txt of the image's host applies.
    """
    match = _forbidden(asset) if asset.kind is MediaKind.IMAGE else None
    if match is not None:
        yield asset.problem(f"blocked for Google by {_line(match)}; allow the image")


@google_warning("M013", cites=("general-knowledge",))
@bad(
    _IMAGE.format("") + "< 404\n",
    _IMAGE.format("") + "< 200\nContent-Type: text/html\n\n<title>Not found</title>\n",
    _IMAGE.format("") + "! dns",
)
@good(_IMAGE.format("") + _WEBP, _IMAGE.format("") + "< 403\n", _IMAGE.format("") + "< 200\n\nbytes\n")
def image_not_served(asset: MediaAsset) -> Iterator[Problem]:
    """An image of a listed page is missing, or is not an image.

    Search engines cannot show an image they cannot fetch. 401, 403, and 429 are not reported, because many hosts return
    them to unknown clients.
    """
    if asset.kind is not MediaKind.IMAGE:
        return
    fault = _fault(asset)
    kind = asset.answer.media_type
    if fault is not None:
        yield asset.problem(f"{fault}, so the image cannot be fetched; correct the URL")
    elif asset.answer.ok and kind is not None and not kind.startswith("image/"):
        yield asset.problem(f"served as {quoted(kind)}, which is not an image; correct the URL or the Content-Type")


@google_error("V032", cites=("google-video",))
@bad(
    _VIDEO.format(_ROBOTS) + _MP4,
    _VIDEO.format("") + "< 401\n",
    _VIDEO.format("") + "< 404\n",
    _VIDEO.format("") + "< 403\n",
)
@good(_VIDEO.format("") + _MP4, _VIDEO.format(_ROBOTS.replace("*", "otherbot")) + _MP4, _IMAGE.format("") + "< 404\n")
def video_out_of_reach(asset: MediaAsset) -> Iterator[Problem]:
    """A video, thumbnail, or player in a sitemap cannot be fetched.

    Google must be able to fetch all of them, without a login or a firewall in between. 403 and 429 are a warning,
    because they may be specific to unknown clients.
    """
    if asset.kind not in _VIDEO_KINDS:
        return
    match, fault, status = _forbidden(asset), _fault(asset), asset.answer.status
    if match is not None:
        yield asset.problem(f"blocked for Google by {_line(match)}; allow the {asset.kind}")
    elif fault is not None or status == 401:
        message = (
            f"{fault or 'requires a password'}, so the {asset.kind} cannot be fetched; correct the URL or the server"
        )
        yield asset.problem(message)
    elif status in _KEPT_OUT:
        yield asset.problem(
            f"{status}: the {asset.kind} was blocked; check that Googlebot can fetch it", severity=Severity.WARNING
        )


_THUMBNAIL = "asked for: thumbnail\n> GET https://example.com/a\n< 200\nContent-Type: {}\n\n[hex {}]\n"
_PNG = "89504e470d0a1a0a0000000d49484452{:08x}{:08x}"


@google_warning("V033", cites=("google-video-best",))
@bad(_THUMBNAIL.format("image/png", _PNG.format(16, 16)), _THUMBNAIL.format("image/vnd.microsoft.icon", "00000100"))
@good(
    _THUMBNAIL.format("image/png", _PNG.format(1280, 720)),
    _THUMBNAIL.format("image/png", _PNG.format(60, 30)),
    _THUMBNAIL.format("image/avif", "00000000"),
    _THUMBNAIL.format("image/png", _PNG.format(16, 16)).replace("thumbnail", "image"),
)
def unsuitable_thumbnail(asset: MediaAsset) -> Iterator[Problem]:
    """The thumbnail of a video is too small or has an unsupported type.

    Google requires at least 60 by 30 pixels, in BMP, GIF, JPEG, PNG, WebP, SVG, or AVIF. The size is read from the
    first bytes. Transparency, which must be low, is not checked.
    """
    if asset.kind is not MediaKind.THUMBNAIL or not asset.answer.ok:
        return
    kind = asset.answer.media_type or ""
    name = kind.removeprefix("image/").removeprefix("x-").removesuffix("+xml").removeprefix("ms-")
    if kind.startswith("image/") and name not in (*THUMBNAIL_FILE_TYPES, "jpg"):
        yield asset.problem(f"thumbnail has type {quoted(kind)}; use one of {', '.join(THUMBNAIL_FILE_TYPES)}")
        return
    size = image_size(asset.answer.body)
    width, height = THUMBNAIL_MIN_SIZE
    if size is not None and (size[0] < width or size[1] < height):
        yield asset.problem(f"thumbnail has {size[0]} by {size[1]} pixels; use at least {width} by {height}")
