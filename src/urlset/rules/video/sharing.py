"""Do the videos in a file have different files and thumbnails?"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator

from urlset.checking.declare import rule
from urlset.checking.subjects import Sitemap
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.model.document import Kind
from urlset.model.place import Place
from urlset.rules.media.fields import GOOGLE
from urlset.rules.media.tags import all_differ, extended, tags, values
from urlset.rules.quoting import quoted
from urlset.spec import namespaces

_WORDS = {"content_loc": "file", "thumbnail_loc": "thumbnail"}


def _video(page: str, picture: str, title: str, file: str) -> str:
    return (
        f"<url><loc>https://example.com/{page}</loc><video:video>"
        f"<video:thumbnail_loc>{picture}</video:thumbnail_loc><video:title>{title}</video:title>"
        f"<video:description>Words</video:description><video:content_loc>{file}</video:content_loc></video:video></url>"
    )


@rule(
    "V037",
    "video-address-shared",
    kinds=(Kind.URLSET,),
    severity=Severity.INFO,
    engines=GOOGLE,
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
