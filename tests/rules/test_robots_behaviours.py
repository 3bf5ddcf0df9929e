"""robots.txt codes of the catalogue that are behaviours, and what the rules make of whole files."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from urlset.checking.context import Context
from urlset.checking.engine import check
from urlset.findings.verdict import Verdict
from urlset.model.address import Address
from urlset.reading.read import read
from urlset.rules import RobotsText
from urlset.rules.catalogue import own_rules
from urlset.spec.engines import Engine

RULES = [rule for rule in own_rules() if rule.on is RobotsText or rule.card.family == "R"]
ALL = Context(engines=tuple(Engine))


def checked(text: str | bytes, url: str | None = "https://example.com/robots.txt", name: str = "robots.txt") -> Verdict:
    data = text.encode() if isinstance(text, str) else text
    return check(read(data, name=name, url=url), RULES, ALL)


def test_case_matters_in_values_only() -> None:
    """R013: SITEMAP: is Sitemap:, but /A is not /a."""
    document = read(b"USER-AGENT: *\nDISALLOW: /A\nSITEMAP: https://example.com/A.xml\n")
    assert document.robots is not None
    assert [line.value for line in document.robots.groups[0].lines] == ["/A"]
    assert [line.value for line in document.robots.sitemaps] == ["https://example.com/A.xml"]
    text = "user-agent: *\nallow: /\nsitemap: https://example.com/A.xml\nSitemap: https://example.com/a.xml\n"
    assert checked(text).findings == ()


def test_no_number_of_sitemap_lines_is_too_many() -> None:
    """R016: two thousand sitemaps in one robots.txt."""
    text = "".join(f"Sitemap: https://example.com/{number}.xml\n" for number in range(2000))
    assert checked(text).findings == ()


def test_a_site_is_scheme_host_and_port() -> None:
    """R020: robots.txt speaks for one origin."""
    home = Address.parse("https://example.com/robots.txt").origin
    assert Address.parse("HTTPS://EXAMPLE.com:443/page").origin == home
    for other in ("http://example.com/", "https://www.example.com/", "https://example.com:8443/"):
        assert Address.parse(other).origin != home


def test_an_ordinary_file_is_clean() -> None:
    text = (
        "# hello\n\nUser-agent: *\nDisallow: /cart\nAllow: /cart/help$\n\nUser-agent: Yandex\nCrawl-delay: 2\n"
        "Clean-param: ref /\nHost: example.com\n\nSitemap: https://example.com/sitemap.xml\n"
    )
    for end in ("\n", "\r\n"):
        assert checked(text.replace("\n", end)).findings == ()


def test_html_is_told_by_its_place() -> None:
    page = "<!doctype html><html><body>User-agent: *</body></html>"
    assert [finding.code for finding in checked(page).findings] == ["R011"]
    assert [finding.code for finding in checked(page, url=None, name="site/robots.txt").findings] == ["R011"]
    assert checked(page, url=None, name="index.html").findings == ()


lines = st.sampled_from(
    [
        "User-agent: *",
        "Sitemap:",
        "sitemap x",
        "Site-map: /a b",
        "Disallow: /ä",
        "Alow: /",
        ":",
        "#",
        "\x00",
        "Sitemap: http://[",
        "Sitemap://",
    ]
)


@given(st.lists(lines | st.text(max_size=20), max_size=12), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_whatever_stands_in_it_the_rules_hold(texts: list[str], end: str, known: bool) -> None:
    data = end.join(["User-agent: *", *texts]).encode("utf-8", "surrogatepass")
    verdict = checked(data, url="https://example.com/robots.txt" if known else None)
    assert [finding.message for finding in verdict.findings if finding.code == "T001"] == []
