"""Every element and attribute of an extension is reported in the wrong case, by both scanners, and is corrected."""

from __future__ import annotations

import pytest

from tests.reading.scanners import BOTH, chosen
from urlset.checking.context import Context
from urlset.checking.engine import check
from urlset.checking.select import select
from urlset.findings.finding import Finding
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules
from urlset.spec import namespaces
from urlset.spec.engines import Engine
from urlset.spec.extensions import ATTRIBUTE_NAMES, ELEMENT_NAMES

OUTER = {
    namespaces.IMAGE: "image",
    namespaces.VIDEO: "video",
    namespaces.NEWS: "news",
    namespaces.XHTML: "link",
    namespaces.PAGEMAP: "PageMap",
    namespaces.MOBILE: "mobile",
}
ELEMENTS = [(uri, name) for uri, names in ELEMENT_NAMES.items() for name in sorted(names)]
ATTRIBUTES = [(uri, name) for uri, names in ATTRIBUTE_NAMES.items() for name in sorted(names)]


def row(uri: str, inner: str) -> bytes:
    return (
        f'<urlset xmlns="{namespaces.SITEMAP}" xmlns:x="{uri}"><url><loc>https://example.com/A</loc>{inner}</url>'
        "</urlset>"
    ).encode()


def element(uri: str, name: str, attributes: str = "") -> str:
    outer = OUTER[uri]
    own = f"<x:{name}{attributes}></x:{name}>"
    return own if name.lower() == outer.lower() else f"<x:{outer}>{own}</x:{outer}>"


def found(data: bytes) -> list[Finding]:
    engines = tuple(Engine)
    return list(check(read(data), select(all_rules(), engines, chosen=("S015",)), Context(engines=engines)).findings)


@pytest.mark.parametrize("scanner", BOTH)
@pytest.mark.parametrize(("uri", "name"), ELEMENTS)
def test_an_element_in_the_wrong_case_is_reported(uri: str, name: str, scanner: str) -> None:
    with chosen(scanner):
        assert found(row(uri, element(uri, name))) == []
        for wrong in {name.upper(), name.swapcase(), name.title()} - {name}:
            assert [finding.message for finding in found(row(uri, element(uri, wrong)))] == [
                f"<x:{wrong}> has the wrong case, so engines ignore it; write <x:{name}>"
            ]


@pytest.mark.parametrize("scanner", BOTH)
@pytest.mark.parametrize(("uri", "name"), ATTRIBUTES)
def test_an_attribute_in_the_wrong_case_is_reported(uri: str, name: str, scanner: str) -> None:
    outer = OUTER[uri]
    with chosen(scanner):
        assert found(row(uri, element(uri, outer, f' {name}="A"'))) == []
        (finding,) = found(row(uri, element(uri, outer, f' {name.title()}="A"')))
    assert finding.message.endswith(f"write {name}")
    assert finding.message.startswith(f"attribute '{name.title()}'")


@pytest.mark.parametrize(
    ("inner", "silent"),
    [
        ("<x:image><x:Loc>https://example.com/i.png</x:Loc></x:image>", {"M002"}),
        ('<x:link Rel="alternate" hrefLang="de" HREF="https://example.com/de"/>', {"H003", "H004", "H005"}),
        (
            '<x:video><x:Title>A</x:Title><x:restriction Relationship="allow">DE</x:restriction></x:video>',
            {"V002", "V013"},
        ),
        ("<x:news><x:Title>A</x:Title><x:Publication/></x:news>", {"N003", "N012"}),
    ],
)
def test_a_field_in_the_wrong_case_is_not_also_missing(inner: str, silent: set[str]) -> None:
    name = inner[3 : inner.index(">")].split(maxsplit=1)[0]
    uri = next(uri for uri, outer in OUTER.items() if outer == name)
    engines = tuple(Engine)
    codes = {finding.code for finding in check(read(row(uri, inner)), all_rules(), Context(engines=engines)).findings}
    assert "S015" in codes
    assert not codes & silent
