"""The text of a loc → whether it is a valid xsd:anyURI for the official schema.

Validators percent-encode all characters that are illegal in URLs (XLink 5.4), then require a URI or relative
reference by RFC 3986. Spaces, non-ASCII letters, and `|` pass; malformed percent-encoding and stray brackets fail.
"""

from __future__ import annotations

from urlset.spec.lazy_pattern import lazy_pattern

_ESCAPED_ANYWAY = lazy_pattern(r"[^\x21-\x7e]|[<>\"{}|\\^`]")
_NAME = r"[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2}"
_UNIT = rf"{_NAME}|@"
_SEGMENT = rf"(?:{_UNIT}|:)*+"
_REST = rf"(?:/{_SEGMENT})*+"
_AUTHORITY = rf"//(?:(?:{_NAME}|:)*+@)?(?:\[[^\]/?#]*+\]|(?:{_NAME})*+)(?::[0-9]++)?"
_TAIL = rf"(?:\?(?:{_UNIT}|[:/?])*+)?(?:#(?:{_UNIT}|[:/?])*+)?"
_ANY_URI = lazy_pattern(
    rf"(?:[A-Za-z][A-Za-z0-9+.-]*+:(?:{_AUTHORITY}{_REST}|/?(?!/)(?:{_SEGMENT}{_REST})?)"
    rf"|{_AUTHORITY}{_REST}|/(?!/){_SEGMENT}{_REST}|(?:{_UNIT})*+{_REST}){_TAIL}"
)


def is_any_uri(text: str) -> bool:
    return _ANY_URI.fullmatch(_ESCAPED_ANYWAY.sub("_", text)) is not None
