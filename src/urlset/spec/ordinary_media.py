"""Images, videos and links as they should be → which values of their fields give no rule a reason to look.

Narrower than the documentation allows: what is not ordinary is looked at closely, nothing more.
"""

from __future__ import annotations

from typing import Final

from urlset.spec.lazy_pattern import lazy_pattern

# texts are as written, so an ampersand is a reference
_LEGAL = r"(?:[A-Za-z0-9\-._~!$'()*+,;=:@/]++|&amp;|%[0-9A-Fa-f]{2})*+"
_HOST = r"https?://[A-Za-z0-9][A-Za-z0-9\-._]*+(?::[0-9]{1,5})?"
ADDRESS: Final = lazy_pattern(rf"{_HOST}/{_LEGAL}(?:\?(?:{_LEGAL}\??)*+)?")
"""absolute, of the web, made of legal characters, without a fragment"""
TEXT: Final = lazy_pattern(r"(?:[^<>&]++|&(?:quot|apos);|&amp;(?![#A-Za-z0-9]+;))*+")
"""no markup, and nothing that would become some when it is read once more"""
NUMBER: Final = lazy_pattern(r"0|[1-9][0-9]{0,8}")
DECIMAL: Final = lazy_pattern(r"[0-9](?:\.[0-9]{1,2})?")
RELATIONSHIP: Final = frozenset({' relationship="allow"', ' relationship="deny"'})
LINKS: Final = (
    r'<{prefix}:link rel="alternate" hreflang="([^"<&\s]+)" href="([^"<]*)" ?/>',
    r'<{prefix}:link rel="alternate" hreflang="([^"<&\s]+)" href="([^"<]*)"></{prefix}:link>',
    r"<{prefix}:link rel='alternate' hreflang='([^'<&\s]+)' href='([^'<]*)' ?/>",
)
"""the ways in which most generators write a link"""
