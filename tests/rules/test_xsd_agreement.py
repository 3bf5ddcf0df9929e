"""`--engine xsd-strict` reports an error exactly where the official schemas, run by libxml2, reject a file.

The wildcard for extensions is `strict` in the schemas, which rejects every extension whose schema is not loaded. Here
it is `lax`, with the schemas of videos, news and mobile pages loaded: what has a schema is held to it. Well-formedness
is a property of its own; documents that expat or libxml2 cannot parse are passed over.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from pyexpat import ExpatError, ParserCreate
from typing import Any

import pytest

from tests.oracles import oracle
from tests.rules.schema_documents import NS, generated, mutated
from urlset.checking.context import Context
from urlset.checking.engine import check
from urlset.checking.select import select
from urlset.findings.card import Severity
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules
from urlset.spec import namespaces
from urlset.spec.engines import Engine

ENGINES = (Engine.XSD_STRICT,)
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
EXTENSIONS = {"video": namespaces.VIDEO, "news": namespaces.NEWS, "mobile": namespaces.MOBILE}
COUNT = 1500


def schema(etree: Any, name: str, folder: Path) -> Any:
    """The official schema, lax towards extensions."""
    text = oracle(f"xsd/{name}.xsd").read_bytes().replace(b'processContents="strict"', b'processContents="lax"')
    imports = ""
    for prefix, namespace in EXTENSIONS.items():
        copy = folder / f"{prefix}.xsd"
        copy.write_bytes(oracle(f"xsd/sitemap-{prefix}.xsd").read_bytes().lstrip())
        imports += f'<xsd:import namespace="{namespace}" schemaLocation="{copy.as_uri()}"/>'
    first = text.index(b"<xsd:element name=")
    return etree.XMLSchema(etree.fromstring(text[:first] + imports.encode() + text[first:]))


@pytest.fixture(scope="module")
def accepts(tmp_path_factory: pytest.TempPathFactory) -> Callable[[bytes], bool | None]:
    """Whether the schema accepts a document; None where it cannot be parsed at all."""
    etree = pytest.importorskip("lxml.etree", reason="no lxml: nothing runs the official schemas")
    folder = tmp_path_factory.mktemp("xsd")
    by_root = {"urlset": schema(etree, "sitemap", folder), "sitemapindex": schema(etree, "siteindex", folder)}
    parser = etree.XMLParser(resolve_entities=False, no_network=True)

    def judge(data: bytes) -> bool | None:
        try:
            ParserCreate(namespace_separator=" ").Parse(data, True)
            root = etree.fromstring(data, parser)
        except (ExpatError, LookupError, etree.XMLSyntaxError):  # LookupError: an encoding that is none
            return None
        return bool(by_root.get(etree.QName(root).localname, by_root["urlset"]).validate(root))

    return judge


@cache
def rules() -> list[Any]:
    return list(select(all_rules(), ENGINES))


def errors(data: bytes) -> set[str]:
    verdict = check(read(data, name="sitemap.xml"), rules(), Context(now=NOW, engines=ENGINES))
    return {finding.code for finding in verdict.findings if finding.severity is Severity.ERROR}


@pytest.mark.slow
@pytest.mark.parametrize("make", [generated, mutated])
@pytest.mark.parametrize("part", range(2))
def test_we_reject_what_the_schema_rejects(
    make: Callable[[int], bytes], part: int, accepts: Callable[[bytes], bool | None]
) -> None:
    judged = disagreed = 0
    shown: list[str] = []
    for seed in range(part * COUNT, (part + 1) * COUNT):
        data = make(seed)
        verdict = accepts(data)
        judged += verdict is not None
        if verdict is not None and verdict == bool(found := errors(data)):
            disagreed += 1
            shown.append(f"{seed}: schema accepts: {verdict}, errors: {sorted(found)}\n{data.decode(errors='replace')}")
    assert disagreed == 0, "\n".join(shown[:3])
    assert judged > COUNT // 3


@pytest.mark.parametrize(
    "date", ["2026-1-15", "2026-11-15", "2026-11-15Z", "2026-11-15T10:00Z", "2026-11-15T10:00:00", "2026-11", " ", "x"]
)
def test_dates_of_extensions_are_judged_by_the_schema(date: str, accepts: Callable[[bytes], bool | None]) -> None:
    news = (
        f'<n:news xmlns:n="{namespaces.NEWS}"><n:publication><n:name>A</n:name><n:language>en</n:language>'
        f"</n:publication><n:publication_date>{date}</n:publication_date><n:title>A</n:title></n:news>"
    )
    video = (
        f'<v:video xmlns:v="{namespaces.VIDEO}"><v:thumbnail_loc>https://example.com/a.png</v:thumbnail_loc>'
        "<v:title>A</v:title><v:description>A</v:description><v:content_loc>https://example.com/a.mp4</v:content_loc>"
        f"<v:publication_date>{date}</v:publication_date></v:video>"
    )
    for extension in (news, video):
        data = f'<urlset xmlns="{NS}"><url><loc>https://example.com/</loc>{extension}</url></urlset>'.encode()
        assert bool(errors(data)) != accepts(data), extension


@pytest.mark.parametrize(
    "entry",
    [
        "<loc>/</loc>",
        "<loc>short</loc>",
        "<loc>https://example.com/</loc><lastmod>2026-01-01T10:30Z</lastmod>",
        "<loc>https://example.com/</loc><lastmod>2026-01</lastmod>",
        "<lastmod>2026-01-01</lastmod><loc>https://example.com/</loc>",
        '<loc id="1">https://example.com/</loc>',
        '<loc>https://example.com/</loc><link rel="alternate" hreflang="en" href="https://example.com/"/>',
        '<loc>https://example.com/<x:link xmlns:x="http://www.w3.org/1999/xhtml"/></loc>',
    ],
)
def test_what_once_passed(entry: str, accepts: Callable[[bytes], bool | None]) -> None:
    data = f'<urlset xmlns="{NS}"><url>{entry}</url></urlset>'.encode()
    assert accepts(data) is False
    assert errors(data) != set()
