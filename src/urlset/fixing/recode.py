"""A file that is not plain UTF-8 → whether to write it as UTF-8 or in its original encoding.

The reader converts all encodings to UTF-8 without a byte order mark, and edits refer to that. A byte order mark or
UTF-16 without a declaration needs no edit: writing the result is the fix.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.engine import run
from urlset.findings.fix_result import Applied
from urlset.fixing.choose import FixOptions
from urlset.model.document import Document, Envelope

_CODES = ("X003", "X006", "X007", "R010")
_MARKS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}


def is_plain(envelope: Envelope) -> bool:
    return envelope.encoding == "utf-8" and not envelope.byte_order_mark


def recoded(document: Document, rules: Sequence[AnyRule], context: Context, options: FixOptions) -> list[Applied]:
    """The changes from writing plain UTF-8; empty if that was not selected."""
    envelope = document.envelope
    if is_plain(envelope):
        return []
    found = run(document, [rule for rule in rules if rule.code in _CODES], context).problems
    reported = [(rule, problem.fix) for rule, problem, _ in found if problem.fix is not None]
    before = f"{envelope.encoding}{' with a byte order mark' if envelope.byte_order_mark else ''}"
    return [
        Applied(rule.code, rule.name, fix.title, fix.safety, 1, 1, before, "utf-8")
        for rule, fix in reported
        if options.allows(rule.code, fix.safety)
    ]


def as_it_was(envelope: Envelope, data: bytes) -> bytes | None:
    """UTF-8 bytes in the original encoding of the file; None if it cannot represent them."""
    try:
        encoded = data if envelope.encoding == "utf-8" else data.decode().encode(envelope.encoding)
    except (UnicodeError, LookupError):
        return None
    return (_MARKS[envelope.encoding] if envelope.byte_order_mark else b"") + encoded
