"""Every citation key used in a table leads to a document."""

from __future__ import annotations

import re
from datetime import date

import pytest

from tests.spec.cites import cites_of
from urlset.spec import languages, protocol
from urlset.spec.citations import CITATIONS, GOOGLE, STANDARDS, Citation, Reading
from urlset.spec.citations import ENGINES as ENGINE_SOURCES
from urlset.spec.engines import ENGINES
from urlset.spec.extensions import IMAGE, NEWS, PUBLICATION, TVSHOW, VIDEO
from urlset.spec.namespaces import NAMESPACES


def cited_keys() -> dict[str, str]:
    """Key → one place that uses it."""
    used: dict[str, str] = {}
    for name in dir(protocol):
        if name.isupper():
            used.update(dict.fromkeys(cites_of(protocol, name), f"protocol.{name}"))
    for namespace in NAMESPACES:
        used.update(dict.fromkeys(namespace.cites, f"namespace {namespace.name}"))
    for element in (IMAGE, VIDEO, TVSHOW, NEWS, PUBLICATION):
        used.update(dict.fromkeys(element.cites, f"element {element.name}"))
        for field in element.fields:
            used.update(dict.fromkeys(field.cites, f"field {element.name}/{field.name}"))
    for spec in ENGINES.values():
        used.update(dict.fromkeys(spec.cites, f"engine {spec.engine}"))
    for keys in (
        languages.CITES,
        languages.REGIONS_CITES,
        languages.UN_M49_CITES,
        languages.SCRIPTS_CITES,
    ):
        used.update(dict.fromkeys(keys, "codes"))
    return used


def test_every_cited_key_exists() -> None:
    missing = {key: place for key, place in cited_keys().items() if key not in CITATIONS}
    assert missing == {}


def test_no_key_is_given_twice() -> None:
    assert len(CITATIONS) == len(STANDARDS) + len(GOOGLE) + len(ENGINE_SOURCES)


@pytest.mark.parametrize("citation", CITATIONS.values(), ids=CITATIONS)
def test_citation_is_complete(citation: Citation) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", citation.key)
    assert citation.document
    assert citation.says
    assert not citation.says.endswith(".")
    assert "\n" not in citation.says
    assert date.fromisoformat(citation.read_on) <= date(2026, 12, 31)
    if citation.how is not Reading.KNOWLEDGE:
        assert citation.url.startswith("https://")
