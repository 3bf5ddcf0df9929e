"""What robots.txt says of listed pages: kept from them, and a noindex that nobody gets to see."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.declare import Bad, Good, rule
from urlset.checking.live_page import LivePage, agents
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.model.page import NOINDEX
from urlset.rules.live.bot_directives import bot_names
from urlset.rules.live.wording import EVERY_READER, listed_words, readable
from urlset.rules.quoting import quoted
from urlset.spec.engines import ENGINES, Engine
from urlset.spec.signals import PageSignal

_ROBOTS = "> GET https://example.com/robots.txt\n< 200\nContent-Type: text/plain\n\n{}\n\n"
_PAGE = "> GET https://example.com/a\n< 200\nContent-Type: text/html\n\n<title>A</title><p>Words.\n"
_NOINDEX = (
    "> GET https://example.com/a\n< 200\nContent-Type: text/html\n\n<meta name=robots content=noindex><p>Words.\n"
)
_KEPT_OUT = _ROBOTS.format("User-agent: *\nDisallow: /a")


@rule(
    "A011",
    "disallowed-page",
    on=LivePage,
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
    """A listed page is one that robots.txt keeps search engines from.

    The sitemap invites and robots.txt turns away, so the page is not read. Judged for each chosen engine by the group
    that counts for it. A robots.txt that fails altogether is a fault of its own and not told of every page.
    """
    found = page.kept_out
    if not found:
        return
    line = next(iter(found.values())).line
    assert line is not None
    names = agents(page.context.engines)
    bots = listed_words("everyone" if names[engine] == "*" else names[engine] for engine in found)
    said = quoted(f"{line.written.strip()}: {line.value.strip()}")
    yield page.problem(f"line {line.number} of robots.txt, {said}, keeps out {bots}; list it or forbid it, not both")


@rule(
    "A029",
    "hidden-noindex",
    on=LivePage,
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
    """A page says noindex, but robots.txt keeps Google from reading that.

    So the address can be indexed all the same, without its content. Known only where the page was fetched in spite of
    robots.txt (--ignore-robots), because otherwise the audit does not read the page either.
    """
    if not readable(page) or Engine.GOOGLE not in page.kept_out:
        return
    if not NOINDEX.isdisjoint(page.visit.directives_for(*bot_names(Engine.GOOGLE))):
        yield page.problem(
            f"the page says noindex, which {ENGINES[Engine.GOOGLE].title} never sees because robots.txt keeps it out;"
            " allow it, so that the noindex works"
        )
