"""What the official schemas accept and what the protocol's prose allows, row by row, as tested with libxml2.

Under `xsd-strict` alone a document has an error exactly when the schema rejects it; under `protocol` alone it has
the findings named here, and beyond them nothing but remarks.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from urlset.checking.context import Context
from urlset.checking.declare import wrap
from urlset.checking.engine import check
from urlset.findings.card import Severity
from urlset.reading.read import read
from urlset.spec.engines import Engine

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
LOC = "<loc>https://www.example.com/page</loc>"
CHILD = "<loc>https://www.example.com/a.xml</loc>"
Codes = dict[str, Severity]
ACCEPTED: Codes = {}


def found(document: str, engine: Engine) -> Codes:
    from urlset.rules.catalogue import all_rules

    rules = [rule for rule in all_rules() if engine in rule.card.severities]
    verdict = check(read(document.encode(), name="sitemap.xml"), rules, Context(now=NOW, engines=(engine,)))
    return {finding.code: finding.severity for finding in verdict.findings}


def agree(document: str, schema: Codes, prose: Codes) -> None:
    assert found(document, Engine.XSD_STRICT) == schema
    by_protocol = found(document, Engine.PROTOCOL)
    remarks = {code for code, severity in by_protocol.items() if severity is INFO} - prose.keys()
    assert {code: severity for code, severity in by_protocol.items() if code not in remarks} == prose


@pytest.mark.parametrize(
    ("text", "schema", "prose"),
    [
        ("2026-11-15", ACCEPTED, ACCEPTED),
        ("2026-11-15T10:00:00Z", ACCEPTED, ACCEPTED),
        ("2026-11-15T10:00:00.45+01:00", ACCEPTED, ACCEPTED),
        (" 2026-11-15 ", ACCEPTED, {"D026": INFO}),
        # allowed by the note, rejected by the schema; too coarse to be useful, hence a warning
        ("2026", {"D009": ERROR}, {"D009": WARNING}),
        ("2026-11", {"D009": ERROR}, {"D009": WARNING}),
        ("2026-11-15T10:00Z", {"D008": ERROR}, ACCEPTED),
        # accepted by the schema, forbidden by the note
        ("2026-11-15T10:00:00", ACCEPTED, {"D003": ERROR}),
        ("2026-11-15Z", ACCEPTED, {"D010": WARNING}),
        ("2026-11-15+02:00", ACCEPTED, {"D010": WARNING}),
        ("12026-01-01", ACCEPTED, {"D025": ERROR}),
        ("-0001-01-01", ACCEPTED, {"D025": ERROR}),
        ("2026-11-14T24:00:00Z", ACCEPTED, {"D013": WARNING}),
        # rejected by both
        ("2026-11-14T10:00:60Z", {"D013": ERROR}, {"D013": WARNING}),
        ("2026-11-15T10:00:00+0000", {"D004": ERROR}, {"D004": ERROR}),
        ("2026-11-15 10:00:00+00:00", {"D005": ERROR}, {"D005": ERROR}),
        ("2026-11-15t10:00:00Z", {"D006": ERROR}, {"D006": ERROR}),
        ("2026-11-15T10:00:00z", {"D006": ERROR}, {"D006": ERROR}),
        ("20261115", {"D021": ERROR}, {"D021": ERROR}),
        ("", {"D020": ERROR}, {"D020": ERROR}),
    ],
)
def test_lastmod(text: str, schema: Codes, prose: Codes) -> None:
    agree(wrap(f"<url>{LOC}<lastmod>{text}</lastmod></url>"), schema, prose)


@pytest.mark.parametrize(
    ("text", "schema", "prose"),
    [
        ("daily", ACCEPTED, ACCEPTED),
        ("Daily", {"F002": ERROR}, {"F002": WARNING}),
        (" daily ", {"F003": ERROR}, {"F003": WARNING}),
        ("every-day", {"F001": ERROR}, {"F001": ERROR}),
        ("", {"F006": ERROR}, {"F006": ERROR}),
    ],
)
def test_changefreq(text: str, schema: Codes, prose: Codes) -> None:
    agree(wrap(f"<url>{LOC}<changefreq>{text}</changefreq></url>"), schema, prose)


@pytest.mark.parametrize(
    ("text", "schema", "prose"),
    [
        ("0.8", ACCEPTED, ACCEPTED),
        (".5", ACCEPTED, {"F013": INFO}),
        ("+0.5", ACCEPTED, {"F013": INFO}),
        ("1", ACCEPTED, ACCEPTED),
        (" 0.5 ", ACCEPTED, {"F013": INFO}),
        ("0,5", {"F005": ERROR}, {"F005": ERROR}),
        ("1e0", {"F005": ERROR}, {"F005": ERROR}),
        ("1.5", {"F004": ERROR}, {"F004": ERROR}),
        ("", {"F006": ERROR}, {"F006": ERROR}),
    ],
)
def test_priority(text: str, schema: Codes, prose: Codes) -> None:
    agree(wrap(f"<url>{LOC}<priority>{text}</priority></url>"), schema, prose)


def long_loc(length: int) -> str:
    start = "https://www.example.com/"
    return start + "a" * (length - len(start))


@pytest.mark.parametrize(
    ("text", "schema", "prose"),
    [
        # accepted by the schema, not by the protocol
        ("https://www.example.com/a b", ACCEPTED, {"L007": ERROR}),
        ("https://www.example.com/ü", ACCEPTED, {"L009": WARNING}),
        ("https://www.example.com/a|b", ACCEPTED, {"L012": ERROR}),
        ("https://www.example.com/a\\b", ACCEPTED, {"L012": ERROR}),
        ("ftp://www.example.com/a", ACCEPTED, {"L003": ERROR}),
        ("mailto:webmaster@example.com", ACCEPTED, {"L003": ERROR}),
        ("javascript:history.back()", ACCEPTED, {"L003": ERROR}),
        (" https://www.example.com/page ", ACCEPTED, {"L006": WARNING}),
        (long_loc(2048), ACCEPTED, {"L004": WARNING}),
        # rejected by both
        ("https://www.example.com/%zz", {"L008": ERROR}, {"L008": ERROR}),
        ("https://www.example.com/a[b]", {"L012": ERROR}, {"L012": ERROR}),
        (long_loc(2049), {"L004": ERROR}, {"L004": ERROR}),
        # a legal address that the schema finds too short
        ("http://a.io", {"L005": ERROR}, ACCEPTED),
        (long_loc(2047), ACCEPTED, ACCEPTED),
    ],
)
def test_loc(text: str, schema: Codes, prose: Codes) -> None:
    agree(wrap(f"<url><loc>{text}</loc></url>"), schema, prose)


@pytest.mark.parametrize(
    ("entries", "schema", "prose"),
    [
        pytest.param(
            f"<url><lastmod>2026-11-15</lastmod>{LOC}</url>", {"S013": ERROR}, {"S013": INFO}, id="order-changed"
        ),
        pytest.param(
            f"<url>{LOC}<loc>https://www.example.com/other</loc></url>",
            {"S011": ERROR},
            {"S011": ERROR},
            id="second-loc",
        ),
        pytest.param("", {"S009": ERROR}, {"S009": WARNING}, id="empty-urlset"),
        pytest.param(f"<url>{LOC}<title>x</title></url>", {"S014": ERROR}, {"S014": ERROR}, id="unknown-child"),
        pytest.param(f'<url id="1">{LOC}</url>', {"S016": ERROR}, ACCEPTED, id="attribute-on-url"),
    ],
)
def test_structure(entries: str, schema: Codes, prose: Codes) -> None:
    agree(wrap(entries), schema, prose)


@pytest.mark.parametrize(
    "extension",
    [
        pytest.param("<image:image><image:loc>https://www.example.com/i.png</image:loc></image:image>", id="image"),
        pytest.param(
            "<video:video><video:thumbnail_loc>https://www.example.com/v.jpg</video:thumbnail_loc>"
            "<video:title>Title</video:title><video:description>Words</video:description>"
            "<video:content_loc>https://www.example.com/v.mp4</video:content_loc></video:video>",
            id="video",
        ),
        pytest.param(
            "<news:news><news:publication><news:name>The Example Times</news:name><news:language>en</news:language>"
            "</news:publication><news:publication_date>2026-11-15</news:publication_date>"
            "<news:title>Headline</news:title></news:news>",
            id="news",
        ),
        pytest.param(
            '<xhtml:link rel="alternate" hreflang="en" href="https://www.example.com/page"/>'
            '<xhtml:link rel="alternate" hreflang="x-default" href="https://www.example.com/page"/>',
            id="xhtml",
        ),
    ],
)
def test_extensions_pass_as_if_their_schemas_were_loaded(extension: str) -> None:
    """A validator that lacks them rejects any extension; that tells something of the validator, not of the file."""
    agree(wrap(f"<url>{LOC}{extension}</url>"), ACCEPTED, ACCEPTED)


@pytest.mark.parametrize(
    ("entries", "schema", "prose"),
    [
        pytest.param(f"<sitemap>{CHILD}<lastmod>2026-11-15</lastmod></sitemap>", ACCEPTED, ACCEPTED, id="sound"),
        pytest.param(
            f"<sitemap><lastmod>2026-11-15</lastmod>{CHILD}</sitemap>", {"I022": INFO}, ACCEPTED, id="order-changed"
        ),
        pytest.param(
            f"<sitemap>{CHILD}<loc>https://www.example.com/b.xml</loc></sitemap>",
            {"I004": ERROR},
            {"I004": ERROR},
            id="second-loc",
        ),
        pytest.param("", {"I001": ERROR}, {"I001": WARNING}, id="empty-index"),
        pytest.param(
            f"<sitemap>{CHILD}<priority>0.5</priority></sitemap>",
            {"I013": ERROR},
            {"I013": ERROR},
            id="field-of-pages",
        ),
        pytest.param(
            f"<sitemap>{CHILD}<lastmod>2026-11-15T10:00:00</lastmod></sitemap>",
            ACCEPTED,
            {"I014": ERROR},
            id="no-offset",
        ),
        pytest.param(
            f"<sitemap>{CHILD}<lastmod>2026-11-15T10:00Z</lastmod></sitemap>",
            {"I014": ERROR},
            ACCEPTED,
            id="no-seconds",
        ),
    ],
)
def test_index(entries: str, schema: Codes, prose: Codes) -> None:
    agree(wrap(entries, "sitemapindex"), schema, prose)
