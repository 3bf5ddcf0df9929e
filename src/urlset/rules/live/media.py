"""Can the images and videos that a sitemap names be fetched, by those who are to show them?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.auditing.state import state_of
from urlset.checking.declare import Bad, Good, rule
from urlset.checking.live_page import MediaAsset, MediaKind
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.model.visit import State
from urlset.reading.robots_match import Match
from urlset.rules.live.image_size import image_size
from urlset.rules.quoting import quoted
from urlset.spec.engines import Engine
from urlset.spec.protocol import THUMBNAIL_FILE_TYPES, THUMBNAIL_MIN_SIZE

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
    return f"line {match.line.number} of its robots.txt, {quoted(f'{match.line.written}: {match.line.value.strip()}')}"


def _fault(asset: MediaAsset) -> str | None:
    """Why there is no file, where that is certain; what may be said to programs only is not."""
    answer = asset.answer
    if state_of(answer)[0] not in (State.GONE, State.ERROR):
        return None
    return str(answer.failure) if answer.failure is not None else f"answers {answer.status}"


@rule(
    "M007",
    "disallowed-image",
    on=MediaAsset,
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE,),
    cites=("google-image",),
    bad=(Bad(_IMAGE.format(_ROBOTS) + _WEBP),),
    good=(
        Good(_IMAGE.format(_ROBOTS.replace("/img/", "/cgi/")) + _WEBP),
        Good(_IMAGE.format(_ROBOTS.replace("*", "otherbot")) + _WEBP),
        Good(_IMAGE.format("") + _WEBP),
    ),
)
def disallowed_image(asset: MediaAsset) -> Iterator[Problem]:
    """An image of a listed page is one that robots.txt keeps Google from.

    The robots.txt that counts is that of the host on which the image lies.
    """
    match = _forbidden(asset) if asset.kind is MediaKind.IMAGE else None
    if match is not None:
        yield asset.problem(f"{_line(match)}, keeps Google from the image")


@rule(
    "M013",
    "image-not-served",
    on=MediaAsset,
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE,),
    cites=("general-knowledge",),
    bad=(
        Bad(_IMAGE.format("") + "< 404\n"),
        Bad(_IMAGE.format("") + "< 200\nContent-Type: text/html\n\n<title>Not found</title>\n"),
        Bad(_IMAGE.format("") + "! dns"),
    ),
    good=(
        Good(_IMAGE.format("") + _WEBP),
        Good(_IMAGE.format("") + "< 403\n"),
        Good(_IMAGE.format("") + "< 200\n\nbytes\n"),
    ),
)
def image_not_served(asset: MediaAsset) -> Iterator[Problem]:
    """An image of a listed page is not there, or what is there is no image.

    No search engine can show a picture that it does not get. 401, 403 and 429 are not held against it: many hosts
    answer so to programs they do not know.
    """
    if asset.kind is not MediaKind.IMAGE:
        return
    fault = _fault(asset)
    kind = asset.answer.media_type
    if fault is not None:
        yield asset.problem(f"{fault}: the image cannot be had")
    elif asset.answer.ok and kind is not None and not kind.startswith("image/"):
        yield asset.problem(f"served as {quoted(kind)}, which is no image")


@rule(
    "V032",
    "video-out-of-reach",
    on=MediaAsset,
    severity=Severity.ERROR,
    engines=(Engine.GOOGLE,),
    cites=("google-video",),
    bad=(
        Bad(_VIDEO.format(_ROBOTS) + _MP4),
        Bad(_VIDEO.format("") + "< 401\n"),
        Bad(_VIDEO.format("") + "< 404\n"),
        Bad(_VIDEO.format("") + "< 403\n"),
    ),
    good=(
        Good(_VIDEO.format("") + _MP4),
        Good(_VIDEO.format(_ROBOTS.replace("*", "otherbot")) + _MP4),
        Good(_IMAGE.format("") + "< 404\n"),
    ),
)
def video_out_of_reach(asset: MediaAsset) -> Iterator[Problem]:
    """A video, thumbnail or player that a sitemap names cannot be fetched.

    Google must be able to read all that is named, without a login and past any firewall. A warning where the answer
    may be meant for unknown programs only: 403 and 429.
    """
    if asset.kind not in _VIDEO_KINDS:
        return
    match, fault, status = _forbidden(asset), _fault(asset), asset.answer.status
    if match is not None:
        yield asset.problem(f"{_line(match)}, keeps Google from the {asset.kind}")
    elif fault is not None or status == 401:
        yield asset.problem(f"{fault or 'asks for a password'}: the {asset.kind} cannot be had")
    elif status in _KEPT_OUT:
        yield asset.problem(
            f"{status}: the {asset.kind} was kept from urlset; see that Googlebot may pass", severity=Severity.WARNING
        )


_THUMBNAIL = "asked for: thumbnail\n> GET https://example.com/a\n< 200\nContent-Type: {}\n\n[hex {}]\n"
_PNG = "89504e470d0a1a0a0000000d49484452{:08x}{:08x}"


@rule(
    "V033",
    "unsuitable-thumbnail",
    on=MediaAsset,
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE,),
    cites=("google-video-best",),
    bad=(
        Bad(_THUMBNAIL.format("image/png", _PNG.format(16, 16))),
        Bad(_THUMBNAIL.format("image/vnd.microsoft.icon", "00000100")),
    ),
    good=(
        Good(_THUMBNAIL.format("image/png", _PNG.format(1280, 720))),
        Good(_THUMBNAIL.format("image/png", _PNG.format(60, 30))),
        Good(_THUMBNAIL.format("image/avif", "00000000")),
        Good(_THUMBNAIL.format("image/png", _PNG.format(16, 16)).replace("thumbnail", "image")),
    ),
)
def unsuitable_thumbnail(asset: MediaAsset) -> Iterator[Problem]:
    """The thumbnail of a video is too small or of a type that Google does not take.

    Google wants at least 60 by 30 pixels, as BMP, GIF, JPEG, PNG, WebP, SVG or AVIF; read from the first bytes. How
    transparent it is, which must be little, is not looked at.
    """
    if asset.kind is not MediaKind.THUMBNAIL or not asset.answer.ok:
        return
    kind = asset.answer.media_type or ""
    name = kind.removeprefix("image/").removeprefix("x-").removesuffix("+xml").removeprefix("ms-")
    if kind.startswith("image/") and name not in (*THUMBNAIL_FILE_TYPES, "jpg"):
        yield asset.problem(f"a thumbnail of type {quoted(kind)}; Google takes {', '.join(THUMBNAIL_FILE_TYPES)}")
        return
    size = image_size(asset.answer.body)
    width, height = THUMBNAIL_MIN_SIZE
    if size is not None and (size[0] < width or size[1] < height):
        yield asset.problem(f"a thumbnail of {size[0]} by {size[1]} pixels; Google wants at least {width} by {height}")
