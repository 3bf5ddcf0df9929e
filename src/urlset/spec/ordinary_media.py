"""Images, videos, news and links as they should be → which values of their fields give no rule a reason to look.

Narrower than the documentation allows: what is not ordinary is looked at closely, nothing more. Values are judged as
read, references resolved. `reading/compiled_media_forms.pxi` has the first form as code; a test compares them.
"""

from __future__ import annotations

from typing import Final

from urlset.spec.lazy_pattern import lazy_pattern

_LEGAL = r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]++|%[0-9A-Fa-f]{2})*+"
_HOST = r"https?://[A-Za-z0-9][A-Za-z0-9\-._]*+(?::[0-9]{1,5})?"
_ADDRESS = rf"{_HOST}/{_LEGAL}(?:\?(?:{_LEGAL}\??)*+)?"
ADDRESS: Final = lazy_pattern(_ADDRESS)
"""absolute, of the web, made of legal characters, without a fragment"""
NUMBER: Final = lazy_pattern(r"0|[1-9][0-9]{0,8}")
DECIMAL: Final = lazy_pattern(r"[0-9](?:\.[0-9]{1,2})?")
RELATIONSHIPS: Final = frozenset({"allow", "deny"})
HEADLINE_SUSPECT: Final = lazy_pattern(r"[-\u2013\u2014|\u00bb:\u00b7\u2022]\s{1,3}(?:by|By|BY)\s|[0-9]{4}-[0-9]{2}-")
"""an author or a date may be in the headline"""
DIVIDER: Final = lazy_pattern(r"\s[-\u2013\u2014]\s|[|\u00bb:\u00b7\u2022]\s")
"""the name of the paper may come before or after one"""
PARENTHESES: Final = frozenset("(\uff08")
