"""A document → whether it was read completely: a truncated or corrupt file cannot be fixed."""

from __future__ import annotations

from urlset.model.document import Document
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
    }
)
"""the document was not read completely, and a fix would hide that"""


def is_complete(document: Document) -> bool:
    """If not, no fix is offered or applied."""
    return document.envelope.complete and not document.troubles.has(*_NOT_WHOLE)
