"""A document → whether what was read is all there is: the rest of a file that is cut or damaged cannot be mended."""

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
    }
)
"""what was read is not all there is, and mending it would hide that"""


def is_complete(document: Document) -> bool:
    """Where not, no fix is announced and none is made."""
    return document.envelope.complete and not any(trouble.kind in _NOT_WHOLE for trouble in document.troubles)
