"""What went wrong while reading, as data: rules turn it into findings, the reader has no notion of severity."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from urlset.model.place import Place
from urlset.model.shown import Shown


class TroubleKind(StrEnum):
    """Every way in which reading can meet something that should not be there."""

    # the bytes as delivered
    EMPTY = "empty"
    TRUNCATED_GZIP = "truncated-gzip"
    CORRUPT_GZIP = "corrupt-gzip"
    GZIP_TRAILING_GARBAGE = "gzip-trailing-garbage"
    GZIP_IN_GZIP = "gzip-in-gzip"
    COMPRESSION_BOMB = "compression-bomb"
    OTHER_COMPRESSION = "other-compression"
    TOO_LARGE = "too-large"
    UNREADABLE = "unreadable"
    # characters
    BYTE_ORDER_MARK = "byte-order-mark"
    NOT_UTF8 = "not-utf8"
    BAD_UTF8 = "bad-utf8"
    ENCODING_MISMATCH = "encoding-mismatch"
    UNKNOWN_ENCODING = "unknown-encoding"
    CONTROL_CHARACTER = "control-character"
    # before, around and after the root
    TEXT_BEFORE_DECLARATION = "text-before-declaration"
    BAD_DECLARATION = "bad-declaration"
    BAD_INSTRUCTION = "bad-instruction"
    BAD_PROLOG = "bad-prolog"
    XML_VERSION = "xml-version"
    DOCTYPE = "doctype"
    ENTITY_DECLARED = "entity-declared"
    EXTERNAL_ENTITY = "external-entity"
    MISSING_ROOT = "missing-root"
    BROKEN_ROOT = "broken-root"
    CONTENT_AFTER_ROOT = "content-after-root"
    TWO_ROOTS = "two-roots"
    TRUNCATED = "truncated"
    NOT_A_SITEMAP = "not-a-sitemap"
    # inside
    BARE_AMPERSAND = "bare-ampersand"
    STRAY_LT = "stray-lt"
    UNDEFINED_ENTITY = "undefined-entity"
    BAD_CHARACTER_REFERENCE = "bad-character-reference"
    MISMATCHED_TAG = "mismatched-tag"
    UNCLOSED_TAG = "unclosed-tag"
    BROKEN_TAG = "broken-tag"
    MISSPELLED_TAG = "misspelled-tag"
    DUPLICATE_ATTRIBUTE = "duplicate-attribute"
    BAD_ATTRIBUTE = "bad-attribute"
    UNBOUND_PREFIX = "unbound-prefix"
    BAD_COMMENT = "bad-comment"
    CDATA_END_IN_TEXT = "cdata-end-in-text"
    STRAY_TEXT = "stray-text"
    MISPLACED_ELEMENT = "misplaced-element"
    OTHER_MALFORMED = "other-malformed"
    # limits that protect the reader
    TOO_DEEP = "too-deep"
    TOKEN_TOO_LONG = "token-too-long"
    TOO_DAMAGED = "too-damaged"
    # what it cost
    ENTRY_LOST = "entry-lost"
    # text lists and robots.txt
    NOT_AN_ADDRESS = "not-an-address"
    BAD_LINE = "bad-line"


class Trouble(Shown, msgspec.Struct, frozen=True, gc=False):
    """One thing met while reading: what, where, the words of it, and the entry it touched."""

    kind: TroubleKind
    place: Place
    detail: str = ""
    row: int | None = None
    """The entry that was salvaged in spite of it; None when it touched no entry or the entry was lost."""
