"""Read, check, fix, build and audit XML sitemaps.

Names are imported when first used, so that `urlset --help` stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from urlset.version import __version__

if TYPE_CHECKING:
    from urlset.model.address import Address
    from urlset.model.document import Document, Kind
    from urlset.model.entry import Entry, IndexEntry
    from urlset.model.media import Alternate, Image, Media, News, Video
    from urlset.model.moment import Moment
    from urlset.model.place import Place
    from urlset.model.trouble import Trouble, TroubleKind
    from urlset.reading.read import read
    from urlset.reading.tree import Tree, read_tree

__all__ = (
    "Address",
    "Alternate",
    "Document",
    "Entry",
    "Image",
    "IndexEntry",
    "Kind",
    "Media",
    "Moment",
    "News",
    "Place",
    "Tree",
    "Trouble",
    "TroubleKind",
    "Video",
    "__version__",
    "read",
    "read_tree",
)

_HOMES = {
    "urlset.model.address": ("Address",),
    "urlset.model.document": ("Document", "Kind"),
    "urlset.model.entry": ("Entry", "IndexEntry"),
    "urlset.model.media": ("Alternate", "Image", "Media", "News", "Video"),
    "urlset.model.moment": ("Moment",),
    "urlset.model.place": ("Place",),
    "urlset.model.trouble": ("Trouble", "TroubleKind"),
    "urlset.reading.read": ("read",),
    "urlset.reading.tree": ("Tree", "read_tree"),
}


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    message = f"module 'urlset' has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> tuple[str, ...]:
    return __all__
