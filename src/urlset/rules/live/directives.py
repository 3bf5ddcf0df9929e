"""May engines index the page: robots.txt, meta tags, headers, for each bot, and after rendering?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.auditing.second_look import CONTENT_SHARE, CONTENT_WORDS
from urlset.checking.declare import EVERYONE as ALL_ENGINES
from urlset.checking.declare import (
    bad,
    error_rule,
    good,
    google_error,
    google_info,
    google_warning,
    reader_error,
    reader_warning,
    warning_rule,
)
from urlset.checking.live_page import agents
from urlset.findings.finding import quoted
from urlset.model.address import key_of
from urlset.model.document import expired
from urlset.model.page import NOINDEX, BotDirectives, Canonical, join
from urlset.reading.robots import EVERYONE
from urlset.rules import Engine, LivePage, PageSignal, Problem, Severity
from urlset.rules.live import listed_words, of_target, readable, shown
from urlset.spec.engines import ENGINES

# Robots directives of a visit → which engines must not index the page, and the directives.


def words_for(reported: tuple[BotDirectives, ...], *bots: str) -> tuple[str, ...]:
    """The directives for one of these bot names, each once."""
    return tuple(dict.fromkeys(word for each in reported if each.bot in bots for word in each.directives))


def bot_names(engine: Engine) -> tuple[str, ...]:
    """The names of an engine's web search bot in meta tags and headers, in lowercase."""
    spec = ENGINES[engine]
    main = spec.meta_tokens[:1] + spec.robots_tokens[:1]
    if engine is Engine.YANDEX:
        main += spec.robots_tokens
    return tuple(dict.fromkeys(name.lower() for name in main if name != "*"))


def speaks(page: LivePage) -> bool:
    """The page has directives that at least one of the selected engines can see."""
    visit = page.visit
    hidden = page.robots is not None and len(page.kept_out) == len(agents(page.context.engines))
    return bool(visit.robots or visit.header_robots) and readable(page) and not hidden


# robots.txt and listed pages: blocked pages, and a noindex that crawlers cannot see.

_ROBOTS = "> GET https://example.com/robots.txt\n< 200\nContent-Type: text/plain\n\n{}\n\n"
_PAGE = "> GET https://example.com/a\n< 200\nContent-Type: text/html\n\n<title>A</title><p>Words.\n"
_NOINDEX = (
    "> GET https://example.com/a\n< 200\nContent-Type: text/html\n\n<meta name=robots content=noindex><p>Words.\n"
)
_KEPT_OUT = _ROBOTS.format("User-agent: *\nDisallow: /a")


@reader_error("A011", when=PageSignal.DISALLOWED, cites=("google-robots", "gsc-report", "rfc9309"))
@bad(_KEPT_OUT + _PAGE, _ROBOTS.format("User-agent: bingbot\nDisallow: /\n\nUser-agent: *\nAllow: /") + _PAGE)
@good(
    _ROBOTS.format("User-agent: *\nDisallow: /a\nAllow: /a$") + _PAGE,
    _ROBOTS.format("User-agent: otherbot\nDisallow: /\n\nUser-agent: *\nDisallow: /b") + _PAGE,
    _ROBOTS.format("User-agent: *\nDisallow:") + _PAGE,
    "> GET https://example.com/robots.txt\n< 404\n\n" + _PAGE,
    "> GET https://example.com/robots.txt\n< 503\n\n" + _PAGE,
)
def disallowed_page(page: LivePage) -> Iterator[Problem]:
    """robots.txt blocks a listed page.

    The sitemap and robots.txt contradict each other, and the page is not crawled. Checked for each selected engine with
    its own group. A robots.txt that cannot be fetched has its own rule and is not reported for each page.
    """
    found = page.kept_out
    if not found:
        return
    line = next(iter(found.values())).line
    assert line is not None
    names = agents(page.context.engines)
    bots = listed_words("all crawlers" if names[engine] == "*" else names[engine] for engine in found)
    said = quoted(f"{line.written.strip()}: {line.value.strip()}")
    message = (
        f"blocked for {bots} by {said} on line {line.number} of robots.txt; allow it or remove it from the sitemap"
    )
    yield page.problem(message)


@google_warning("A029", when=PageSignal.DISALLOWED, cites=("google-noindex", "google-robots-meta"))
@bad(_KEPT_OUT + _NOINDEX)
@good(
    _KEPT_OUT + _PAGE,
    _ROBOTS.format("User-agent: *\nDisallow: /b") + _NOINDEX,
    _ROBOTS.format("User-agent: Googlebot\nAllow: /\n\nUser-agent: *\nDisallow: /") + _NOINDEX,
)
def hidden_noindex(page: LivePage) -> Iterator[Problem]:
    """A page has noindex, but robots.txt blocks Google from seeing it.

    The URL can still be indexed, without its content. Only reported for pages fetched with --ignore-robots, because
    otherwise the audit does not fetch the page.
    """
    if not readable(page) or Engine.GOOGLE not in page.kept_out:
        return
    if not NOINDEX.isdisjoint(page.visit.directives_for(*bot_names(Engine.GOOGLE))):
        yield page.problem(
            f"the page has noindex, but {ENGINES[Engine.GOOGLE].title} cannot see it because robots.txt blocks it; "
            "allow crawling"
        )


# Robots directives that contradict each other, or have less effect than expected.

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


@google_info("A031", when=PageSignal.DIRECTIVES, cites=("google-robots-meta",))
@bad(_META.format("robots", "noindex, indexifembedded"))
@good(_META.format("robots", "noindex"), _META.format("robots", "indexifembedded"))
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


@google_info("A032", when=PageSignal.DIRECTIVES, cites=("google-robots-meta",))
@bad(
    _META.format("robots", "index, noindex"),
    _BOTH.format("noindex", "index, follow"),
    _META.format("robots", "max-snippet:20, max-snippet:50"),
    _META.format("robots", "nosnippet, max-snippet:50"),
)
@good(
    _META.format("robots", "index, follow, max-snippet:-1, max-image-preview:large"),
    _META.format("robots", "index, follow, max-image-preview:none"),
    _BOTH.format("index", "index, follow"),
    _META.format("robots", "noindex, nofollow"),
    _META.format("robots", "noindex, follow"),
    _BOTH.format("bingbot: noindex", "index"),
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


# What do scripts change on a page: noindex, the canonical, links, the text?

_HEAD = "> GET https://example.com/a\n< 200\nContent-Type: text/html\n\n"
_TEXT = "<p>" + "Forty lamps of brass and glass wait in the shop. " * 6
_SHELL = f"{_HEAD}<title>Lamps</title><div id=app></div><script src=/app.js></script>\n[rendered]\n<title>Lamps</title>"
_RENDERED = _HEAD + "{}" + _TEXT + "<a href=/b>B</a>\n[rendered]\n{}" + _TEXT + "<a href=/b>B</a>{}\n"
_NOINDEX_TAG = '<meta name="robots" content="noindex">'
_CANONICAL = '<link rel="canonical" href="{}">'
_SELF, _OTHER = _CANONICAL.format("/a"), _CANONICAL.format("/b")
_RENDERS = (Engine.GOOGLE, Engine.BING, Engine.YANDEX)
_NEW_SHOWN = 3


@error_rule("A039", when=PageSignal.RENDERED, engines=_RENDERS, cites=("google-javascript", "google-robots-meta"))
@bad(
    _RENDERED.format("", _NOINDEX_TAG, ""),
    _RENDERED.format('<meta name="robots" content="index">', '<meta name="robots" content="none">', ""),
)
@good(
    _RENDERED.format("", "", ""),
    _RENDERED.format(_NOINDEX_TAG, _NOINDEX_TAG, ""),
    _RENDERED.format("", '<meta name="robots" content="nofollow">', ""),
    _HEAD + _TEXT,
)
def noindex_added_by_script(page: LivePage) -> Iterator[Problem]:
    """A script adds noindex to a listed page.

    The HTML from the server allows indexing, so a check without a browser finds nothing. Google renders the page, sees
    the tag, and drops the page.
    """
    rendered = page.visit.rendered
    if rendered is None or not readable(page):
        return
    added = [word for word in words_for(rendered.robots, EVERYONE) if word in NOINDEX]
    sent = (*words_for(page.visit.robots, EVERYONE), *words_for(page.visit.header_robots, EVERYONE))
    if added and NOINDEX.isdisjoint(sent):
        yield page.problem(
            f"a script adds {added[0]}{of_target(page)}; stop the script, or remove the page from the sitemap"
        )


@warning_rule("A040", when=PageSignal.RENDERED, engines=_RENDERS, cites=("google-javascript", "google-canonical"))
@bad(_RENDERED.format(_SELF, _OTHER, ""), _RENDERED.format(_SELF, "", ""), _RENDERED.format(_OTHER, _SELF, ""))
@good(
    _RENDERED.format(_SELF, _SELF, ""),
    _RENDERED.format(_SELF, _CANONICAL.format("https://example.com/a"), ""),
    _RENDERED.format("", _SELF, ""),
    _RENDERED.format("", "", ""),
)
def canonical_changed_by_script(page: LivePage) -> Iterator[Problem]:
    """A script changes or removes the canonical.

    The HTML and the rendered page then contradict each other, and which one counts is not known. A script may add a
    canonical to a page that has none.
    """
    visit, rendered = page.visit, page.visit.rendered
    if rendered is None or rendered.problem or not readable(page):
        return
    before = _named(page, visit.canonicals, visit.base_href)
    after = _named(page, rendered.canonicals, rendered.base_href)
    if not before or {key_of(url) for url in before} == {key_of(url) for url in after}:
        return
    change = f"changes the canonical from {shown(before[0])} to {shown(after[0])}" if after else "removes the canonical"
    yield page.problem(f"a script {change}{of_target(page)}; set one canonical in the HTML and leave it alone")


@reader_warning("A041", when=PageSignal.RENDERED, cites=("google-javascript",))
@bad(_RENDERED.format("", "", "<a href=/c>C</a>"), f"{_SHELL}<div id=app><a href=/b>B</a></div>\n")
@good(
    _RENDERED.format("", "", ""),
    _RENDERED.format("", "", "<a href=#top>Top</a><a href=https://social.example/share>Share</a>"),
    _RENDERED.format("", "", '<a href="/b#reviews">Reviews</a><a href="/a">Here</a>'),
)
def links_only_after_rendering(page: LivePage) -> Iterator[Problem]:
    """Links to pages of the site appear only after rendering.

    Crawlers that run no scripts do not find them, and those that do find them later. Pages that only such links lead to
    depend on the sitemap.
    """
    rendered = page.visit.rendered
    if rendered is None or not rendered.links_added or not readable(page):
        return
    few = ", ".join(map(shown, rendered.new_links[:_NEW_SHOWN]))
    more = rendered.links_added - min(_NEW_SHOWN, len(rendered.new_links))
    total = rendered.links_added + rendered.links_sent
    yield page.problem(
        f"{rendered.links_added:,} of {total:,} links to pages of this site appear only after rendering: {few}"
        f"{f' and {more:,} more' if more > 0 else ''}; put them into the HTML"
    )


@reader_warning("A042", when=PageSignal.RENDERED, cites=("google-javascript",))
@bad(f"{_SHELL}<div id=app>{_TEXT}</div>\n")
@good(_RENDERED.format("", "", "<p>We use cookies. Accept?</p>"), _HEAD + _TEXT)
def content_only_after_rendering(page: LivePage) -> Iterator[Problem]:
    """Much of the text appears only after rendering.

    Search engines and AI crawlers that run no scripts see an empty or incomplete page. Google indexes the text after
    rendering, which can be later.
    """
    rendered = page.visit.rendered
    if rendered is None or not readable(page):
        return
    if rendered.words_added >= CONTENT_WORDS and rendered.words_added >= CONTENT_SHARE * rendered.words:
        yield page.problem(
            f"{rendered.words_added:,} of {rendered.words:,} words appear only after rendering; "
            "render the page on the server"
        )


def _named(page: LivePage, canonicals: tuple[Canonical, ...], base_href: str | None) -> list[str]:
    """Absolute, without those outside the head, which search engines ignore."""
    base = (join(page.final_url, base_href) if base_href else None) or page.final_url
    return [url for each in canonicals if each.in_head and (url := join(base, each.href)) is not None]


_HEADER = _A + "< 200\nX-Robots-Tag: {}\nContent-Type: text/html\n\n<p>Words.\n"
_SEARCHING = tuple(engine for engine in ALL_ENGINES if ENGINES[engine].meta_tokens)
_OUT = "remove the page from the sitemap, or remove the noindex"


@reader_error("A006", when=PageSignal.DIRECTIVES, cites=("google-robots-meta", "google-noindex"))
@bad(
    _META.format("robots", "noindex"),
    _META.format("ROBOTS", "NoIndex, follow"),
    _A + '< 200\nContent-Type: text/html\n\n<body><p>Words.<meta name="robots" content="noindex">\n',
)
@good(
    _META.format("robots", "index, follow"),
    _META.format("robots", "max-image-preview:none"),
    _META.format("description", "noindex"),
    _META.format("googlebot", "noindex"),
    _A + "< 404\nContent-Type: text/html\n\n<meta name=robots content=noindex><p>Not found.\n",
)
def noindex_in_meta(page: LivePage) -> Iterator[Problem]:
    """A listed page has noindex in a meta tag.

    The sitemap and the page contradict each other, and the page wins. The tag works in any case, in the body and in the
    head.
    """
    if speaks(page) and "noindex" in words_for(page.visit.robots, EVERYONE):
        yield page.problem(f'<meta name="robots"> has noindex{of_target(page)}; {_OUT}')


@reader_error("A007", when=PageSignal.DIRECTIVES, cites=("google-robots-meta",))
@bad(
    _HEADER.format("noindex"),
    _HEADER.format("nofollow, NOINDEX"),
    _HEADER.format("max-snippet: 20\nX-Robots-Tag: noindex"),
)
@good(_HEADER.format("nofollow"), _HEADER.format("bingbot: noindex"), _HEADER.format("max-image-preview: none"))
def noindex_in_header(page: LivePage) -> Iterator[Problem]:
    """A listed page has noindex in a header.

    X-Robots-Tag has the same effect as the meta tag, and is easily forgotten because the page does not show it. All
    such headers apply, and all directives in a list.
    """
    if speaks(page) and "noindex" in words_for(page.visit.header_robots, EVERYONE):
        yield page.problem(f"X-Robots-Tag has noindex{of_target(page)}; {_OUT}")


@error_rule(
    "A008",
    when=PageSignal.DIRECTIVES,
    engines=(Engine.GOOGLE, Engine.BING, Engine.YANDEX),
    cites=("google-robots-meta",),
)
@bad(_META.format("robots", "none"), _HEADER.format("none"))
@good(
    _META.format("robots", "max-image-preview:none"),
    _HEADER.format("max-image-preview: none"),
    _META.format("robots", "nofollow"),
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


@google_error("A009", when=PageSignal.DIRECTIVES, cites=("google-robots-meta",))
@bad(
    _META.format("robots", "unavailable_after: 2020-09-21"),
    _HEADER.format("unavailable_after: 25 Jun 2020 15:00:00 PST"),
    _META.format("googlebot", "unavailable_after: Thursday, 25-Jun-20 15:00:00 GMT"),
    _META.format("robots", "noarchive, unavailable_after: Thu, 25 Jun 2020 15:00:00 +0000"),
)
@good(
    _META.format("robots", "unavailable_after: 2031-09-21"),
    _META.format("robots", "unavailable_after: 2026-11-15"),
    _META.format("robots", "unavailable_after: 31 Dec 2031 23:59:59 EST"),
    _META.format("robots", "unavailable_after: after the sale"),
    _META.format("bingbot", "unavailable_after: 2020-09-21"),
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


@error_rule("A010", when=PageSignal.DIRECTIVES, engines=_SEARCHING, cites=("google-robots-meta", "crawler-tokens"))
@bad(
    _META.format("googlebot", "noindex"),
    _HEADER.format("bingbot: noindex"),
    _HEADER.format("googlebot: nofollow, none"),
    _META.format("googlebot-news", "noindex"),
)
@good(
    _META.format("googlebot", "nofollow"),
    _HEADER.format("otherbot: noindex"),
    _META.format("robots", "noindex"),
    _META.format("googlebot-image", "noindex"),
)
def noindex_for_one_bot(page: LivePage) -> Iterator[Problem]:
    """A listed page has noindex for one search engine.

    Directives for a named bot add to those for all bots. Only selected engines are checked. A noindex for Google News
    alone is info, because it does not affect web search.
    """
    if not speaks(page) or not NOINDEX.isdisjoint(page.visit.directives_for()):
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
