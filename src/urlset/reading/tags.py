"""The offset of a tag → the tag, and the name in it; what can be a name."""

from __future__ import annotations

from functools import lru_cache
from pyexpat import ExpatError, ParserCreate

from urlset.spec.lazy_pattern import lazy_pattern


def tag_at(data: bytes, at: int) -> bytes:
    """The whole open tag that begins at `at`."""
    tag = _TAG.match(data, at)
    assert tag is not None
    return tag.group()


def name_at(data: bytes, at: int) -> bytes:
    """The name in the tag that begins at `at`."""
    name = _NAME.match(data, at)
    assert name is not None
    return name[1]


@lru_cache(256)
def is_name(found: bytes) -> bool:
    """Whether expat accepts what a pattern found: names can have letters of any script, but not every character."""
    if found.isascii():
        return True
    try:
        ParserCreate("utf-8").Parse(b"<" + found + b"/>", True)
    except ExpatError:
        return False
    return True


_TAG = lazy_pattern(rb"""<(?:[^<>"']++|"[^"]*+"|'[^']*+')*+>""")
_NAME = lazy_pattern(rb"</?([^\s/<>]++)")
