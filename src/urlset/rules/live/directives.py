"""Does the page have noindex: in a meta tag, in a header, after a date, or for one bot?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.declare import EVERYONE as ALL_ENGINES
from urlset.model.page import NOINDEX
from urlset.model.robots import expired
from urlset.rules import Bad, Engine, Good, LivePage, PageSignal, Problem, Severity, rule
from urlset.rules.live.bot_directives import EVERYONE, applies_to_every_bot, bot_names, speaks, words_for
from urlset.rules.live.wording import EVERY_READER, listed_words, of_target
from urlset.rules.quoting import quoted
from urlset.spec.engines import ENGINES

_A = "> GET https://example.com/a\n"
_META = _A + '< 200\nContent-Type: text/html\n\n<meta name="{}" content="{}"><p>Words.\n'
_HEADER = _A + "< 200\nX-Robots-Tag: {}\nContent-Type: text/html\n\n<p>Words.\n"
_SEARCHING = tuple(engine for engine in ALL_ENGINES if ENGINES[engine].meta_tokens)
_OUT = "remove the page from the sitemap, or remove the noindex"


@rule(
    "A006",
    "noindex-in-meta",
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
    """A listed page has noindex in a meta tag.

    The sitemap and the page contradict each other, and the page wins. The tag works in any case, in the body and in the
    head.
    """
    if speaks(page) and "noindex" in words_for(page.visit.robots, EVERYONE):
        yield page.problem(f'<meta name="robots"> has noindex{of_target(page)}; {_OUT}')


@rule(
    "A007",
    "noindex-in-header",
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
    """A listed page has noindex in a header.

    X-Robots-Tag has the same effect as the meta tag, and is easily forgotten because the page does not show it. All
    such headers apply, and all directives in a list.
    """
    if speaks(page) and "noindex" in words_for(page.visit.header_robots, EVERYONE):
        yield page.problem(f"X-Robots-Tag has noindex{of_target(page)}; {_OUT}")


@rule(
    "A008",
    "none-means-noindex",
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
    """A listed page has the robots directive none, which includes noindex.

    The word looks like "no restrictions" but means noindex and nofollow.
    """
    if not speaks(page):
        return
    visit = page.visit
    for where, reported in (('<meta name="robots">', visit.robots), ("X-Robots-Tag", visit.header_robots)):
        words = words_for(reported, EVERYONE)
        if "none" in words and "noindex" not in words:
            yield page.problem(f"{where} has none{of_target(page)}, which means noindex and nofollow; {_OUT}")


@rule(
    "A009",
    "unavailable-after-passed",
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
    """A listed page has an unavailable_after date in the past.

    Google treats it as noindex from then on. It reads RFC 822, RFC 850, and ISO 8601 dates and ignores others.
    """
    if not speaks(page):
        return
    for word in page.visit.directives_for(*bot_names(Engine.GOOGLE)):
        name, _, value = word.partition(":")
        if name == "unavailable_after" and expired(value.strip(), page.context.now):
            said = f"unavailable_after {quoted(value.strip())} is in the past{of_target(page)}"
            yield page.problem(f"{said}, which means noindex; remove the page from the sitemap, or change the date")
            return


@rule(
    "A010",
    "noindex-for-one-bot",
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
    """A listed page has noindex for one search engine.

    Directives for a named bot add to those for all bots. Only selected engines are checked. A noindex for Google News
    alone is info, because it does not affect web search.
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
        yield page.problem(f"noindex for {bots}{of_target(page)}, so {engines} will not show the page; {_OUT}")
    elif Engine.GOOGLE in page.context.engines and not NOINDEX.isdisjoint(words_for(reported, "googlebot-news")):
        yield page.problem("noindex for googlebot-news; only Google News is affected", severity=Severity.INFO)
