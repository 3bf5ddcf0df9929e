"""The prefixes that a root declares → those that a scanner can rely on, and what elements with them are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from urlset.spec import namespaces

if TYPE_CHECKING:
    from urlset.model.document import Root
    from urlset.reading.compiled import MediaReader
    from urlset.reading.vocabulary import NamespaceMap

MAX_PREFIXES = 32
"""a root may declare thousands; each is tried at every element"""
_KINDS = {namespaces.IMAGE: 1, namespaces.VIDEO: 2, namespaces.NEWS: 3, namespaces.XHTML: 4}
"""as the compiled reader of media counts them"""


class Prefixes(msgspec.Struct, frozen=True):
    """The prefix of the core elements, with its colon, and those of other namespaces."""

    own: bytes
    known: tuple[bytes, ...]
    kinds: bytes
    """for each known one the kind of media; 0 for none"""

    def reader(self, data: bytes) -> MediaReader:
        from urlset.reading.compiled import MediaReader

        return MediaReader(data, self.own, self.known, self.kinds)


def prefixes(root: Root, namespace_map: NamespaceMap) -> Prefixes:
    """Nothing is known in kinds of documents whose fields may be of several namespaces."""
    core = root.written.rpartition(":")[0]
    known = (
        ()
        if namespace_map.vocabulary.strict_namespace
        else sorted(
            (prefix, uri)
            for prefix, uri in root.declared.items()
            if prefix and prefix != core and re.fullmatch(r"[A-Za-z_][\w-]*", prefix) and not namespace_map.is_core(uri)
        )[:MAX_PREFIXES]
    )
    return Prefixes(
        f"{core}:".encode() if core else b"",
        tuple(f"{prefix}:".encode() for prefix, _ in known),
        bytes(_KINDS.get(_meant(uri), 0) for _, uri in known),
    )


def _meant(uri: str) -> str:
    recognised = namespaces.recognise(uri)
    return uri if recognised is None else recognised.uri
