"""A format and a verdict → the whole output as one text, and what no output may contain."""

from __future__ import annotations

import re

from urlset.findings.card import Severity
from urlset.findings.verdict import Verdict
from urlset.reports.format import ReportOptions, reporter

UNSAFE = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffe\uffff\ud800-\udfff]"
)
"""all but the line end"""
PAINT = re.compile("\x1b\\[[0-9;]+m")


def written(
    name: str,
    verdict: Verdict,
    *,
    color: bool = False,
    width: int = 100,
    show: Severity | None = None,
    fail_on: Severity = Severity.ERROR,
) -> str:
    options = ReportOptions(
        color=color, width=width, show=show, fail_on=fail_on, version="0.0.0", target=("public/sitemap.xml",)
    )
    return "".join(reporter(name)(verdict, options))
