"""A finding that stands for several entries says where each of them is."""

from __future__ import annotations

from datetime import UTC, datetime

from urlset import check

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
HEAD = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">'


def subjects(body: str, code: str) -> list[tuple[str | None, ...]]:
    verdict = check(f"{HEAD}{body}</urlset>".encode(), now=NOW)
    return [tuple(place.subject for place in each.places) for each in verdict.findings if each.code == code]


def test_build_stamps() -> None:
    body = "".join(
        f"<url><loc>https://e.com/{n}</loc><lastmod>2026-11-15T10:00:{n:02d}Z</lastmod></url>" for n in range(30)
    )
    other = "<url><loc>https://e.com/old</loc><lastmod>2020-01-01T10:00:00Z</lastmod></url>"
    assert subjects(other + body, "D017") == [tuple(f"https://e.com/{n}" for n in range(30))]


def test_missing_return_links() -> None:
    def link(language: str, number: int) -> str:
        return f'<xhtml:link rel="alternate" hreflang="{language}" href="https://e.com/{language}/{number}"/>'

    body = "".join(
        f"<url><loc>https://e.com/de/{n}</loc>{link('de', n)}{link('en', n)}</url>"
        f"<url><loc>https://e.com/en/{n}</loc>{link('en', n)}</url>"
        for n in range(3)
    )
    assert subjects(body, "H016") == [tuple(f"https://e.com/de/{n}" for n in range(3))]
