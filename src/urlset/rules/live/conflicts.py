"""Robots directives that contradict each other, or have less effect than expected."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.declare import Bad, Good, rule
from urlset.checking.live_page import LivePage
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.model.page import NOINDEX
from urlset.rules.live.bot_directives import bot_names, speaks
from urlset.rules.live.wording import listed_words, of_target
from urlset.spec.engines import Engine
from urlset.spec.signals import PageSignal

_A = "> GET https://example.com/a\n"
_META = _A + '< 200\nContent-Type: text/html\n\n<meta name="{}" content="{}"><p>Words.\n'
_BOTH = _A + '< 200\nX-Robots-Tag: {}\nContent-Type: text/html\n\n<meta name="robots" content="{}"><p>Words.\n'

_OPPOSITES = (
    ("index", frozenset({"noindex", "none"})),
    ("all", frozenset({"noindex", "none", "nofollow"})),
    ("follow", frozenset({"nofollow", "none"})),
    ("archive", frozenset({"noarchive"})),
)
"""a directive that allows, and those that revoke it"""
_VALUED = ("max-snippet", "max-image-preview", "max-video-preview")


@rule(
    "A031",
    "indexifembedded-beside-noindex",
    when=PageSignal.DIRECTIVES,
    severity=Severity.INFO,
    engines=(Engine.GOOGLE,),
    cites=("google-robots-meta",),
    bad=(Bad(_META.format("robots", "noindex, indexifembedded")),),
    good=(Good(_META.format("robots", "noindex")), Good(_META.format("robots", "indexifembedded"))),
)
def indexifembedded_beside_noindex(page: LivePage) -> Iterator[Problem]:
    """A listed page is only indexed when other pages embed it.

    indexifembedded overrides noindex for content embedded in another page. The page itself is not indexed.
    """
    if speaks(page):
        words = page.visit.directives_for(*bot_names(Engine.GOOGLE))
        if "indexifembedded" in words and not NOINDEX.isdisjoint(words):
            yield page.problem(
                "noindex with indexifembedded: only embedding pages are indexed, not this one; remove the entry"
            )


@rule(
    "A032",
    "conflicting-robots-directives",
    when=PageSignal.DIRECTIVES,
    severity=Severity.INFO,
    engines=(Engine.GOOGLE,),
    cites=("google-robots-meta",),
    bad=(
        Bad(_META.format("robots", "index, noindex")),
        Bad(_BOTH.format("noindex", "index, follow")),
        Bad(_META.format("robots", "max-snippet:20, max-snippet:50")),
        Bad(_META.format("robots", "nosnippet, max-snippet:50")),
    ),
    good=(
        Good(_META.format("robots", "index, follow, max-snippet:-1, max-image-preview:large")),
        Good(_META.format("robots", "index, follow, max-image-preview:none")),
        Good(_BOTH.format("index", "index, follow")),
        Good(_META.format("robots", "noindex, nofollow")),
        Good(_META.format("robots", "noindex, follow")),
        Good(_BOTH.format("bingbot: noindex", "index")),
    ),
)
def conflicting_robots_directives(page: LivePage) -> Iterator[Problem]:
    """A page has contradictory robots directives.

    Google applies the most restrictive of all applicable directives. Other engines may choose differently.
    """
    if not speaks(page):
        return
    words = page.visit.directives_for(*bot_names(Engine.GOOGLE))
    pairs = [f"{word} and {no}" for word, taken in _OPPOSITES if word in words for no in words if no in taken]
    for name in _VALUED:
        values = [word for word in words if word.startswith(f"{name}:")]
        if len(values) > 1 or (values and name == "max-snippet" and "nosnippet" in words and values != [f"{name}:0"]):
            pairs.append(listed_words([*values, *(["nosnippet"] if len(values) == 1 else [])]))
    if pairs:
        yield page.problem(
            f"contradictory directives {'; '.join(pairs)}{of_target(page)}; the most restrictive applies"
        )
