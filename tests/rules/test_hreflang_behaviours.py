"""hreflang codes of the catalogue that are behaviours: what the tool does, or keeps from doing."""

from __future__ import annotations

from urlset.checking.context import Context
from urlset.checking.engine import check
from urlset.reading.read import read
from urlset.rules.catalogue import own_rules
from urlset.spec import namespaces
from urlset.spec.engines import Engine

RULES = [rule for rule in own_rules() if rule.card.family == "H"]
GOOGLE = Context(engines=(Engine.GOOGLE,))
HEAD = f'<urlset xmlns="{namespaces.SITEMAP}" xmlns:xhtml="{namespaces.XHTML}">'


def cluster(*versions: tuple[str, str]) -> str:
    links = "".join(f'<xhtml:link rel="alternate" hreflang="{tag}" href="{address}"/>' for tag, address in versions)
    return "".join(f"<url><loc>{address}</loc>{links}</url>" for address in dict.fromkeys(dict(versions).values()))


def test_versions_on_other_hosts_are_nobodys_business() -> None:
    """H022: a page may have its versions on other hosts, listed here or in the sitemap of that host."""
    versions = [("en", "https://example.com/"), ("de", "https://example.de/"), ("x-default", "https://example.com/")]
    together = f"{HEAD}{cluster(*versions)}</urlset>"
    apart = f"{HEAD}{cluster(*versions)[: cluster(*versions).index('</url>') + 6]}</urlset>"
    for text in (together, apart):
        assert check(read(text.encode()), RULES, GOOGLE).findings == ()


def test_letter_case_of_codes_does_not_matter() -> None:
    """H029: EN-gb, en-GB and X-Default are as good as any other spelling."""
    tags = ("EN-gb", "en", "zh-HANT-tw", "DE", "X-DEFAULT")
    text = HEAD + cluster(*((tag, f"https://example.com/{number}") for number, tag in enumerate(tags))) + "</urlset>"
    assert check(read(text.encode()), RULES, GOOGLE).findings == ()


def test_links_count_as_bytes_and_not_as_entries() -> None:
    """H030: three pages with four links each are three entries, and every byte of the links is in the size."""
    tags = ("en", "de", "fr", "x-default")
    addresses = ("https://example.com/1", "https://example.com/2", "https://example.com/3", "https://example.com/1")
    data = f"{HEAD}{cluster(*zip(tags, addresses, strict=True))}</urlset>".encode()
    document = read(data)
    assert len(document) == 3
    assert [len(document.media(row).alternates) for row in range(3)] == [4, 4, 4]
    assert document.envelope.size == len(data)


def test_only_google_is_said_to_mind() -> None:
    """H032: under Bing alone no rule on hreflang says anything."""
    assert {engine for rule in RULES for engine in rule.card.severities} == {Engine.GOOGLE}


def codes(*entries: str) -> list[str]:
    data = f"{HEAD}{''.join(entries)}</urlset>".encode()
    return [finding.code for finding in check(read(data), RULES, GOOGLE).findings]


def test_one_fault_is_one_rules_business() -> None:
    home = '<xhtml:link rel="alternate" hreflang="x-default" href="https://example.com/"/>'
    german = '<xhtml:link rel="alternate" hreflang="de" href="https://example.com/de"/>'
    # a link to itself that is misspelt is not a missing one
    assert codes(f"<url><loc>https://example.com/de/</loc>{home}{german}</url>") == ["H028"]
    # nor is one whose address is relative
    relative = german.replace("https://example.com/de", "/de")
    assert codes(f"<url><loc>https://example.com/de</loc>{home}{relative}</url>") == ["H005"]
    # nor is it an answer that is missing
    pages = (
        f"<url><loc>https://example.com/</loc>{home}{german}</url>",
        f"<url><loc>https://example.com/de</loc>{german}{home.replace('href=', 'src=')}</url>",
    )
    assert codes(*pages) == ["H005"]
    # a wrong code does not make the link another one
    pages = (
        f"<url><loc>https://example.com/</loc>{home}{german}</url>",
        f"<url><loc>https://example.com/de</loc>{home}{german.replace('de', 'de_DE', 1)}</url>",
    )
    assert codes(*pages) == ["H010"]
