"""What do scripts change on a page: noindex, the canonical, links, the text?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.auditing.second_look import CONTENT_SHARE, CONTENT_WORDS
from urlset.checking.declare import Bad, Good, rule
from urlset.checking.live_page import LivePage
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.model.address_key import key_of
from urlset.model.page import NOINDEX, Canonical, join
from urlset.rules.live.bot_directives import EVERYONE, words_for
from urlset.rules.live.wording import EVERY_READER, of_target, readable, shown
from urlset.spec.engines import Engine
from urlset.spec.signals import PageSignal

_HEAD = "> GET https://example.com/a\n< 200\nContent-Type: text/html\n\n"
_TEXT = "<p>" + "Forty lamps of brass and glass wait in the shop. " * 6
_SHELL = f"{_HEAD}<title>Lamps</title><div id=app></div><script src=/app.js></script>\n[rendered]\n<title>Lamps</title>"
_PAGE = _HEAD + "{}" + _TEXT + "<a href=/b>B</a>\n[rendered]\n{}" + _TEXT + "<a href=/b>B</a>{}\n"
_NOINDEX = '<meta name="robots" content="noindex">'
_CANONICAL = '<link rel="canonical" href="{}">'
_SELF, _OTHER = _CANONICAL.format("/a"), _CANONICAL.format("/b")
_RENDERS = (Engine.GOOGLE, Engine.BING, Engine.YANDEX)
_NEW_SHOWN = 3


@rule(
    "A039",
    "noindex-added-by-script",
    when=PageSignal.RENDERED,
    severity=Severity.ERROR,
    engines=_RENDERS,
    cites=("google-javascript", "google-robots-meta"),
    bad=(
        Bad(_PAGE.format("", _NOINDEX, "")),
        Bad(_PAGE.format('<meta name="robots" content="index">', '<meta name="robots" content="none">', "")),
    ),
    good=(
        Good(_PAGE.format("", "", "")),
        Good(_PAGE.format(_NOINDEX, _NOINDEX, "")),
        Good(_PAGE.format("", '<meta name="robots" content="nofollow">', "")),
        Good(_HEAD + _TEXT),
    ),
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


@rule(
    "A040",
    "canonical-changed-by-script",
    when=PageSignal.RENDERED,
    severity=Severity.WARNING,
    engines=_RENDERS,
    cites=("google-javascript", "google-canonical"),
    bad=(Bad(_PAGE.format(_SELF, _OTHER, "")), Bad(_PAGE.format(_SELF, "", "")), Bad(_PAGE.format(_OTHER, _SELF, ""))),
    good=(
        Good(_PAGE.format(_SELF, _SELF, "")),
        Good(_PAGE.format(_SELF, _CANONICAL.format("https://example.com/a"), "")),
        Good(_PAGE.format("", _SELF, "")),
        Good(_PAGE.format("", "", "")),
    ),
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


@rule(
    "A041",
    "links-only-after-rendering",
    when=PageSignal.RENDERED,
    severity=Severity.WARNING,
    engines=EVERY_READER,
    cites=("google-javascript",),
    bad=(Bad(_PAGE.format("", "", "<a href=/c>C</a>")), Bad(f"{_SHELL}<div id=app><a href=/b>B</a></div>\n")),
    good=(
        Good(_PAGE.format("", "", "")),
        Good(_PAGE.format("", "", "<a href=#top>Top</a><a href=https://social.example/share>Share</a>")),
        Good(_PAGE.format("", "", '<a href="/b#reviews">Reviews</a><a href="/a">Here</a>')),
    ),
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


@rule(
    "A042",
    "content-only-after-rendering",
    when=PageSignal.RENDERED,
    severity=Severity.WARNING,
    engines=EVERY_READER,
    cites=("google-javascript",),
    bad=(Bad(f"{_SHELL}<div id=app>{_TEXT}</div>\n"),),
    good=(Good(_PAGE.format("", "", "<p>We use cookies. Accept?</p>")), Good(_HEAD + _TEXT)),
)
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
