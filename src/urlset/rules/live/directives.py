"""Is the page told to stay out of the index: by meta element, by header, by date, for one bot only?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.declare import EVERYONE as ALL_ENGINES
from urlset.checking.declare import Bad, Good, rule
from urlset.checking.live_page import LivePage
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.model.expiry import expired
from urlset.model.page import NOINDEX
from urlset.rules.live.bot_directives import EVERYONE, applies_to_every_bot, bot_names, speaks, words_for
from urlset.rules.live.wording import EVERY_READER, listed_words, of_target
from urlset.rules.quoting import quoted
from urlset.spec.engines import ENGINES, Engine
from urlset.spec.signals import PageSignal

_A = "> GET https://example.com/a\n"
_META = _A + '< 200\nContent-Type: text/html\n\n<meta name="{}" content="{}"><p>Words.\n'
_HEADER = _A + "< 200\nX-Robots-Tag: {}\nContent-Type: text/html\n\n<p>Words.\n"
_SEARCHING = tuple(engine for engine in ALL_ENGINES if ENGINES[engine].meta_tokens)
_OUT = "take it out of the sitemap, or the noindex off the page"


@rule(
    "A006",
    "noindex-in-meta",
    on=LivePage,
    when=PageSignal.DIRECTIVES,
    severity=Severity.ERROR,
    engines=EVERY_READER,
    cites=("google-robots-meta", "google-noindex"),
    bad=(
        Bad(_META.format("robots", "noindex")),
        Bad(_META.format("ROBOTS", "NoIndex, follow")),
        Bad(_A + '< 200\nContent-Type: text/html\n\n<body><p>Words.<meta name="robots" content="noindex">\n'),
    ),
    good=(
        Good(_META.format("robots", "index, follow")),
        Good(_META.format("robots", "max-image-preview:none")),
        Good(_META.format("description", "noindex")),
        Good(_META.format("googlebot", "noindex")),
        Good(_A + "< 404\nContent-Type: text/html\n\n<meta name=robots content=noindex><p>Not found.\n"),
    ),
)
def noindex_in_meta(page: LivePage) -> Iterator[Problem]:
    """A listed page tells search engines by a meta element not to index it.

    The sitemap asks for the page to be indexed and the page asks for the opposite; the page wins. The element counts
    in any letter case, in the body as in the head.
    """
    if speaks(page) and "noindex" in words_for(page.visit.robots, EVERYONE):
        yield page.problem(f'<meta name="robots"> says noindex{of_target(page)}; {_OUT}')


@rule(
    "A007",
    "noindex-in-header",
    on=LivePage,
    when=PageSignal.DIRECTIVES,
    severity=Severity.ERROR,
    engines=EVERY_READER,
    cites=("google-robots-meta",),
    bad=(
        Bad(_HEADER.format("noindex")),
        Bad(_HEADER.format("nofollow, NOINDEX")),
        Bad(_HEADER.format("max-snippet: 20\nX-Robots-Tag: noindex")),
    ),
    good=(
        Good(_HEADER.format("nofollow")),
        Good(_HEADER.format("bingbot: noindex")),
        Good(_HEADER.format("max-image-preview: none")),
    ),
)
def noindex_in_header(page: LivePage) -> Iterator[Problem]:
    """A listed page is served with a header that forbids to index it.

    X-Robots-Tag counts like the meta element, and is easily forgotten because the page does not show it. Every one of
    several such headers counts, and every word of a list.
    """
    if speaks(page) and "noindex" in words_for(page.visit.header_robots, EVERYONE):
        yield page.problem(f"X-Robots-Tag says noindex{of_target(page)}; {_OUT}")


@rule(
    "A008",
    "none-means-noindex",
    on=LivePage,
    when=PageSignal.DIRECTIVES,
    severity=Severity.ERROR,
    engines=(Engine.GOOGLE, Engine.BING, Engine.YANDEX),
    cites=("google-robots-meta",),
    bad=(Bad(_META.format("robots", "none")), Bad(_HEADER.format("none"))),
    good=(
        Good(_META.format("robots", "max-image-preview:none")),
        Good(_HEADER.format("max-image-preview: none")),
        Good(_META.format("robots", "nofollow")),
    ),
)
def none_means_noindex(page: LivePage) -> Iterator[Problem]:
    """A listed page has the robots directive none, which forbids to index it.

    The word reads like "no restrictions" and means noindex and nofollow.
    """
    if not speaks(page):
        return
    visit = page.visit
    for where, reported in (('<meta name="robots">', visit.robots), ("X-Robots-Tag", visit.header_robots)):
        words = words_for(reported, EVERYONE)
        if "none" in words and "noindex" not in words:
            yield page.problem(f"{where} says none{of_target(page)}, which means noindex and nofollow; {_OUT}")


@rule(
    "A009",
    "unavailable-after-passed",
    on=LivePage,
    when=PageSignal.DIRECTIVES,
    severity=Severity.ERROR,
    engines=(Engine.GOOGLE,),
    cites=("google-robots-meta",),
    bad=(
        Bad(_META.format("robots", "unavailable_after: 2020-09-21")),
        Bad(_HEADER.format("unavailable_after: 25 Jun 2020 15:00:00 PST")),
        Bad(_META.format("googlebot", "unavailable_after: Thursday, 25-Jun-20 15:00:00 GMT")),
        Bad(_META.format("robots", "noarchive, unavailable_after: Thu, 25 Jun 2020 15:00:00 +0000")),
    ),
    good=(
        Good(_META.format("robots", "unavailable_after: 2031-09-21")),
        Good(_META.format("robots", "unavailable_after: 2026-11-15")),
        Good(_META.format("robots", "unavailable_after: 31 Dec 2031 23:59:59 EST")),
        Good(_META.format("robots", "unavailable_after: after the sale")),
        Good(_META.format("bingbot", "unavailable_after: 2020-09-21")),
    ),
)
def unavailable_after_passed(page: LivePage) -> Iterator[Problem]:
    """A listed page is to be indexed until a day that has passed.

    Google treats it like noindex from then on. It reads RFC 822, RFC 850 and ISO 8601 dates and ignores others.
    """
    if not speaks(page):
        return
    for word in page.visit.directives_for(*bot_names(Engine.GOOGLE)):
        name, _, value = word.partition(":")
        if name == "unavailable_after" and expired(value.strip(), page.context.now):
            said = f"unavailable_after {quoted(value.strip())} has passed{of_target(page)}"
            yield page.problem(f"{said}, which counts as noindex; take the page out of the sitemap, or put the day off")
            return


@rule(
    "A010",
    "noindex-for-one-bot",
    on=LivePage,
    when=PageSignal.DIRECTIVES,
    severity=Severity.ERROR,
    engines=_SEARCHING,
    cites=("google-robots-meta", "crawler-tokens"),
    bad=(
        Bad(_META.format("googlebot", "noindex")),
        Bad(_HEADER.format("bingbot: noindex")),
        Bad(_HEADER.format("googlebot: nofollow, none")),
        Bad(_META.format("googlebot-news", "noindex")),
    ),
    good=(
        Good(_META.format("googlebot", "nofollow")),
        Good(_HEADER.format("otherbot: noindex")),
        Good(_META.format("robots", "noindex")),
        Good(_META.format("googlebot-image", "noindex")),
    ),
)
def noindex_for_one_bot(page: LivePage) -> Iterator[Problem]:
    """A listed page tells one search engine by name not to index it.

    What is said to a bot by name adds to what is said to all. Only the engines that were chosen are looked at; a
    noindex for Google News alone is a remark, as web search does not mind it.
    """
    if not speaks(page) or applies_to_every_bot(page):
        return
    reported = (*page.visit.robots, *page.visit.header_robots)
    named = {
        engine: name
        for engine in page.context.engines
        for name in bot_names(engine)
        if not NOINDEX.isdisjoint(words_for(reported, name))
    }
    if named:
        engines = listed_words(ENGINES[engine].title for engine in named)
        bots = listed_words(dict.fromkeys(named.values()))
        yield page.problem(f"{bots} is told noindex{of_target(page)}; {engines} will not show the page")
    elif Engine.GOOGLE in page.context.engines and not NOINDEX.isdisjoint(words_for(reported, "googlebot-news")):
        yield page.problem("googlebot-news is told noindex: kept out of Google News only", severity=Severity.INFO)
