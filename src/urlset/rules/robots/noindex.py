"""Does robots.txt contain Noindex lines?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.declare import Bad, Good, rule
from urlset.checking.subjects import RobotsText
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.model.robots import LineKind
from urlset.rules.quoting import quoted
from urlset.spec.engines import Engine

_SITEMAP = "Sitemap: https://example.com/sitemap.xml\n"


@rule(
    "A030",
    "noindex-in-robots-txt",
    severity=Severity.INFO,
    engines=(Engine.GOOGLE,),
    cites=("google-noindex",),
    bad=(Bad(_SITEMAP + "User-agent: *\n«Noindex: /drafts/»\n"),),
    good=(
        Good(_SITEMAP + "User-agent: *\nDisallow: /noindex/\n"),
        Good(_SITEMAP + "User-agent: *\nDisallow: /drafts/ # Noindex: /drafts/\n"),
    ),
)
def noindex_in_robots_txt(robots: RobotsText) -> Iterator[Problem]:
    """robots.txt has a Noindex line, which has no effect.

    Google never documented it and stopped supporting it in 2019. To keep pages out of the index, use a robots meta tag
    or an X-Robots-Tag header on pages that may be crawled.
    """
    for line in robots.robots.lines:
        if line.kind is LineKind.NOINDEX:
            yield Problem(
                line.place, f"Noindex {quoted(line.value.strip())} is ignored; use a robots meta tag or a header"
            )
