"""Patterns that cut markup that may be broken into tags, attributes, references and text."""

from __future__ import annotations

from functools import lru_cache

from urlset.reading.characters import CONTROL
from urlset.reading.vocabulary import FIELD_NAMES
from urlset.spec.lazy_pattern import lazy_pattern

_WORD_OF_NAME = rb"[A-Za-z_\x80-\xff][\w.\x80-\xff-]*+"
NAME = _WORD_OF_NAME + rb"(?::" + _WORD_OF_NAME + rb")?+"
"""in any script; `is_name` decides whether every character is allowed"""
_ASCII_NAME = rb"[A-Za-z_][\w.-]*+(?::[A-Za-z_][\w.-]*+)?+"
LEAVES = frozenset(name.encode() for name in FIELD_NAMES)
FIELDS = LEAVES | {b"link", b"guid", b"pubDate", b"updated", b"published"}
"""also those of feeds"""
_QUOTED_OR_BARE = rb"(?:\"[^\"<]*+\"|'[^'<]*+'|(?:[^ \t\r\n<>\"'/]|/(?!>))*+)"
_EQUALS = rb"[ \t\r\n]*+=[ \t\r\n]*+"
"""only with the whitespace of XML: a vertical tab or a form feed is a character that must go"""
_WORD = rb"[^<> \t\r\n=/]++"
TOKEN = lazy_pattern(
    rb"(?P<cdata><!\[CDATA\[)"
    rb"|(?P<comment><!--)"
    rb"|(?P<instruction><\?)"
    rb"|(?P<close></\s*+(?P<close_name>" + NAME + rb")[^<>]*+>)"
    rb"|(?P<unended></(?P<unended_name>" + NAME + rb")(?=\s*+(?:<|\Z)))"
    rb"|(?P<open><(?P<open_name>" + NAME + rb")"
    rb"(?P<attributes>(?:[ \t\r\n]++" + _WORD + rb"(?:" + _EQUALS + _QUOTED_OR_BARE + rb")?+)*+)"
    rb"[ \t\r\n]*+(?P<empty>/?)>)"
    rb"|(?P<glued><(?:loc|lastmod|changefreq|priority)(?=[^\s<>/]|\s++(?:https?://|[0-9])[^<>]*+</))"
    rb"|(?P<lt><)"
    rb"|(?P<reference>&(?:amp|lt|gt|quot|apos|\#[0-9]+|\#x[0-9a-fA-F]+);)"
    rb"|(?P<entity>&[A-Za-z][A-Za-z0-9]*+;)"
    rb"|(?P<amp>&)"
    rb"|(?P<cdata_end>\]\]>)"
    rb"|(?P<control>" + CONTROL + rb")",
)
SECTION_ENDS = {"cdata": b"]]>", "comment": b"-->", "instruction": b"?>"}
ATTRIBUTE = lazy_pattern(
    rb"[ \t\r\n]++(?P<name>" + _WORD + rb")(?:" + _EQUALS + rb"(?P<value>" + _QUOTED_OR_BARE + rb"))?+"
)
RUN = lazy_pattern(rb"<{8,}(?=<<)|&{8,}(?=&)")
SOUND = lazy_pattern(rb"(?:[ \t\r\n]*+<(" + _ASCII_NAME + rb")>[^<&\]\x00-\x08\x0b\x0c\x0e-\x1f\xef]*+</\1>)++")
"""open tag, plain text, close tag; again and again"""
ANGLE = lazy_pattern(rb"[<>]")
BARE = lazy_pattern(rb"&(?!(?:amp|lt|gt|quot|apos|\#[0-9]+|\#x[0-9a-fA-F]+);)")
PREDEFINED = frozenset({b"&amp;", b"&lt;", b"&gt;", b"&quot;", b"&apos;"})


@lru_cache(256)
def is_leaf(name: bytes) -> bool:
    return name.rpartition(b":")[2].lower() in LEAVES
