"""News codes of the catalogue that are behaviours: what the tool does, or keeps from doing."""

from __future__ import annotations

from datetime import UTC, datetime

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule, Rule
from urlset.checking.engine import check
from urlset.reading.read import read
from urlset.rules import news_dates, news_fields
from urlset.rules.loc import form
from urlset.spec import namespaces
from urlset.spec.engines import Engine

NEWS_RULES: list[AnyRule] = [
    value for module in (news_dates, news_fields) for value in vars(module).values() if isinstance(value, Rule)
]
NOW = Context(now=datetime(2026, 11, 15, 12, tzinfo=UTC), engines=tuple(Engine))
HEAD = f'<urlset xmlns="{namespaces.SITEMAP}" xmlns:news="{namespaces.NEWS}">'


def test_a_news_sitemap_without_articles_is_harmless() -> None:
    """N017: between two articles a news sitemap may be empty."""
    for data in (f"{HEAD}</urlset>", f"{HEAD}\n<!-- no news is good news -->\n</urlset>"):
        verdict = check(read(data.encode(), name="news.xml"), NEWS_RULES, NOW)
        assert verdict.findings == ()


def test_addresses_of_articles_are_judged_like_any_other() -> None:
    """N021: the rules on page addresses hold in a news sitemap."""
    article = (
        "<url><loc>https://example.com/storm#latest</loc><news:news><news:publication><news:name>The Example Times"
        "</news:name><news:language>en</news:language></news:publication><news:publication_date>2026-11-15"
        "</news:publication_date><news:title>Storm reaches the coast</news:title></news:news></url>"
    )
    rules = [value for value in vars(form).values() if isinstance(value, Rule)]
    verdict = check(read(f"{HEAD}{article}</urlset>".encode(), name="news.xml"), rules, NOW)
    assert [(finding.code, finding.subject) for finding in verdict.findings] == [
        ("L013", "https://example.com/storm#latest")
    ]
