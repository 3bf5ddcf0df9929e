"""The caps that keep hostile input cheap (engineering choices, not norms), and which scanner reads."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from pyexpat import ParserCreate, XMLParserType

from urlset.model.errors import UrlsetError

MAX_DEPTH = 64
"""A video sitemap is five levels deep."""

MAX_TOKEN = 1 << 20
"""Bytes of one tag, comment or text; the longest legal one is a 2,048-character address or description."""

MAX_REPAIRS = 100_000
"""Repairs of one entry, or of one stretch between two: what needs more is not an entry."""

MAX_DAMAGED = 100_000
"""Malformed entries, and stretches between entries, twice as many as a sitemap may have entries: each costs many
times what a sound entry costs."""

MAX_ENTRY = 1 << 23
"""Bytes of one entry: a thousand images take a few hundred thousand."""

MAX_ROWS = 1 << 20
"""Entries of one document, twenty times what the protocol allows: each takes 100 to 200 bytes of memory, and `<url/>`
has six. Also the number of comments, and of other elements between entries."""

FIRST_CHUNK = 4096
CHUNK = 1 << 18
"""Bytes handed to the parser at once: it copies them, so after an error it starts small again."""


def new_parser() -> XMLParserType:
    """An expat parser that answers at once.

    Since 2.6, expat puts off tokens that are not finished, against a quadratic cost that MAX_TOKEN and CHUNK bound
    here. A fault at the end of a piece would be missed, and places would be those of an earlier token.
    """
    parser = ParserCreate("utf-8", " ")
    if (defer := getattr(parser, "SetReparseDeferralEnabled", None)) is not None:
        defer(False)
    return parser


LOCAL_CAP = 1 << 30
"""Unpacked bytes of a local file."""

REMOTE_CAP = 52_428_800 + 1
"""One byte over the protocol's limit is enough to know that it is over."""

BOMB_RATIO = 250
"""Real sitemaps shrink 8 to 60 times; deflate cannot pass 1,032."""

BOMB_FLOOR = 52_428_800
"""A high ratio only matters once the output is larger than any legal sitemap."""


VARIABLE = "URLSET_SCANNER"
PYTHON, COMPILED = "python", "compiled"


class ScannerError(UrlsetError, RuntimeError):
    """The requested scanner is not available; the text says why."""


@cache
def scanner() -> str:
    """The name of the scanner in use. Raises ScannerError for a choice that cannot be met."""
    wanted = os.environ.get(VARIABLE, "")
    if wanted not in ("", PYTHON, COMPILED):
        raise ScannerError(f"unknown scanner {wanted!r} ({VARIABLE}); use {PYTHON!r} or {COMPILED!r}")
    if wanted == PYTHON:
        return PYTHON
    try:
        import_module("urlset.reading.compiled")
    except ImportError as error:
        if wanted == COMPILED:
            raise ScannerError(
                f"{VARIABLE} requests the compiled scanner, which is not installed: "
                "reinstall urlset with a C compiler, or unset the variable"
            ) from error
        return PYTHON
    return COMPILED


def is_compiled() -> bool:
    """Whether `urlset.reading.compiled` may be imported and is to be used."""
    return scanner() == COMPILED
