"""A document → whether it was read completely, and is a sitemap at all: otherwise nothing in it can be fixed."""

from __future__ import annotations

from urlset.model.document import Document, Kind
from urlset.model.trouble import TroubleKind

_NOT_WHOLE = frozenset(
    {
        TroubleKind.TRUNCATED_GZIP,
        TroubleKind.CORRUPT_GZIP,
        TroubleKind.COMPRESSION_BOMB,
        TroubleKind.OTHER_COMPRESSION,
        TroubleKind.TOO_LARGE,
        TroubleKind.UNREADABLE,
        TroubleKind.TOO_DAMAGED,
        TroubleKind.TOO_MANY_ENTRIES,
    }
)
"""the document was not read completely, and a fix would hide that"""


def is_complete(document: Document) -> bool:
    """If not, no fix is offered or applied; an entity may hold anything, even entries."""
    return _is_whole(document) and not document.troubles.has(TroubleKind.ENTITY_USED)


def _is_whole(document: Document) -> bool:
    return document.envelope.complete and not document.troubles.has(*_NOT_WHOLE)


def is_other(document: Document) -> bool:
    """Other XML, a web page, or the source of a template: a rule says what it is, and no other rule applies to it."""
    other = document.kind in (Kind.OTHER_XML, Kind.HTML) or document.troubles.has(TroubleKind.UNRENDERED)
    return other and _is_whole(document)


def why_incomplete(document: Document) -> str:
    """The reason not to fix a document that is not complete."""
    if _is_whole(document):
        return "the file uses entities that its DOCTYPE declares; write their text instead"
    return "the file is incomplete; download or generate it again"
