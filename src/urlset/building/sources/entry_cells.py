"""An Entry → the named values that rows are made of, so both are read by the same rules."""

from __future__ import annotations

from typing import Any

import msgspec

from urlset.model.entry import Entry
from urlset.model.media import NOTHING, Alternate, Marked, Media, Video

OTHER_MEDIA = "other_media"
"""the cell of extensions that rows have no columns for, as a Media"""


def cells_of(entry: Entry) -> dict[str, object]:
    cells: dict[str, object] = {"loc": entry.loc, "lastmod": entry.lastmod}
    if entry.changefreq is not None:
        cells["changefreq"] = entry.changefreq
    if entry.priority is not None:
        cells["priority"] = entry.priority
    if entry.media is not NOTHING:
        cells.update(_media(entry.media))
        media = entry.media
        links = tuple(link for link in media.alternates if not _is_translation(link))
        other = Media(alternates=links, pagemaps=media.pagemaps, mobile=media.mobile, unknown=media.unknown)
        if other != NOTHING:
            cells[OTHER_MEDIA] = other
    return cells


def _media(media: Media) -> dict[str, object]:
    found: dict[str, list[dict[str, Any]]] = {
        "images": [msgspec.structs.asdict(image) for image in media.images],
        "videos": [_video(video) for video in media.videos],
        "news": [msgspec.structs.asdict(news) for news in media.news],
        "alternates": [msgspec.structs.asdict(link) for link in media.alternates if _is_translation(link)],
    }
    return {name: cells for name, cells in found.items() if cells}


def _is_translation(link: Alternate) -> bool:
    """Unlike a link to a mobile page."""
    return link.hreflang is not None and link.rel == "alternate" and link.media is None


def _video(video: Video) -> dict[str, Any]:
    fields = msgspec.structs.asdict(video)
    return {name: _spelled(value) for name, value in fields.items() if value not in (None, (), {})}


def _spelled(value: object) -> object:
    if isinstance(value, Marked):
        return {**value.attributes, "text": value.text}
    return [_spelled(each) for each in value] if isinstance(value, tuple) else value
