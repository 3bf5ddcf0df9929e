"""robots.txt and listed pages: blocked pages, and a noindex that crawlers cannot see."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.live_page import agents
from urlset.model.page import NOINDEX
from urlset.rules import Bad, Engine, Good, LivePage, PageSignal, Problem, Severity, rule
from urlset.rules.live.bot_directives import bot_names
from urlset.rules.live.wording import EVERY_READER, listed_words, readable
from urlset.rules.quoting import quoted
from urlset.spec.engines import ENGINES

_ROBOTS = "> GET https://example.com/robots.txt\n< 200\nContent-Type: text/plain\n\n{}\n\n"
_PAGE = "> GET https://example.com/a\n< 200\nContent-Type: text/html\n\n<title>A</title><p>Words.\n"
_NOINDEX = (
    "> GET https://example.com/a\n< 200\nContent-Type: text/html\n\n<meta name=robots content=noindex><p>Words.\n"
)
_KEPT_OUT = _ROBOTS.format("User-agent: *\nDisallow: /a")


@rule(
    "A011",
    "disallowed-page",
    when=PageSignal.DISALLOWED,
    severity=Severity.ERROR,
    engines=EVERY_READER,
    cites=("google-robots", "gsc-report", "rfc9309"),
    bad=(
        Bad(_KEPT_OUT + _PAGE),
        Bad(_ROBOTS.format("User-agent: bingbot\nDisallow: /\n\nUser-agent: *\nAllow: /") + _PAGE),
    ),
    good=(
        Good(_ROBOTS.format("User-agent: *\nDisallow: /a\nAllow: /a$") + _PAGE),
        Good(
            _ROBOTS.format("User-agent: otherbot\nDisallow: /\n\nUser-agent: *\nDisallow: /b") + _PAGE,
        ),
        Good(_ROBOTS.format("User-agent: *\nDisallow:") + _PAGE),
        Good("> GET https://example.com/robots.txt\n< 404\n\n" + _PAGE),
        Good("> GET https://example.com/robots.txt\n< 503\n\n" + _PAGE),
    ),
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


@rule(
    "A029",
    "hidden-noindex",
    when=PageSignal.DISALLOWED,
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE,),
    cites=("google-noindex", "google-robots-meta"),
    bad=(Bad(_KEPT_OUT + _NOINDEX),),
    good=(
        Good(_KEPT_OUT + _PAGE),
        Good(_ROBOTS.format("User-agent: *\nDisallow: /b") + _NOINDEX),
        Good(_ROBOTS.format("User-agent: Googlebot\nAllow: /\n\nUser-agent: *\nDisallow: /") + _NOINDEX),
    ),
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
