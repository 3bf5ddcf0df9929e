"""The offset of a tag → the tag, and the name in it."""

from __future__ import annotations

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


_TAG = lazy_pattern(rb"""<(?:[^<>"']++|"[^"]*+"|'[^']*+')*+>""")
_NAME = lazy_pattern(rb"</?([^\s/<>]++)")
