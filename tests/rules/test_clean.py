"""Sitemaps without a fault, of every kind: no finding at warning or above, whoever is asked."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.rules import clean_files
from tests.rules.clean_addresses import NOW, dates, several_addresses
from tests.rules.clean_files import EXTENSIONS, CleanFile
from tests.rules.honest_sites import FEEDS, HOME, LISTS, ROBOTS, SITEMAPS
from urlset.checking.context import Context
from urlset.checking.engine import check
from urlset.checking.select import select
from urlset.findings.card import Severity
from urlset.findings.verdict import Verdict
from urlset.model.document import Kind
from urlset.model.entry import Entry, IndexEntry
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules
from urlset.settings.check import CheckSettings
from urlset.spec.engines import DEFAULT_ENGINES, Engine
from urlset.workflows.check import check as check_targets
from urlset.writing.urlset import line_bytes, write_index, write_urlset

ENGINES = tuple(engine for engine in Engine if engine is not Engine.XSD_STRICT)
"""the schema is left out: it rejects honest files by the table of its own tests"""

KINDS: dict[str, tuple[Kind, SearchStrategy[CleanFile]]] = {
    "urlset": (Kind.URLSET, clean_files.urlsets()),
    **{f"urlset with {name}": (Kind.URLSET, clean_files.urlsets(name)) for name in EXTENSIONS},
    "urlset with everything": (Kind.URLSET, clean_files.urlsets(*EXTENSIONS, most=4)),
    "urlset in several languages": (Kind.URLSET, clean_files.translated()),
    "index": (Kind.SITEMAPINDEX, clean_files.indexes()),
    "text": (Kind.TEXT, clean_files.texts()),
    "rss": (Kind.RSS, clean_files.rss()),
    "media rss": (Kind.RSS, clean_files.rss(media=True)),
    "atom": (Kind.ATOM, clean_files.atom()),
    "robots": (Kind.ROBOTS, clean_files.robots()),
}


def loud(verdict: Verdict) -> list[str]:
    return [
        f"{finding.code} {finding.message} in {finding.excerpt.text if finding.excerpt else ''}"
        for finding in verdict.findings
        if finding.severity.at_least(Severity.WARNING)
    ]


def assert_clean(file: CleanFile, kind: Kind, *, packed: bool = False, only: Engine | None = None) -> None:
    name = file.url.rpartition("/")[2]
    data = gzip.compress(file.data, mtime=0) if packed else file.data
    ending = ".gz" if packed else ""
    document = read(data, name=name + ending, url=file.url + ending)
    assert document.kind is kind
    for engines in (DEFAULT_ENGINES, ENGINES, *(((only,),) if only else ())):
        rules = select(all_rules(), engines)
        assert loud(check(document, rules, Context(now=NOW, engines=engines))) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_clean_files_are_clean(kind: str) -> None:
    wanted, files = KINDS[kind]

    @settings(max_examples=16)
    @given(files, st.booleans(), st.sampled_from(ENGINES))
    def each(file: CleanFile, packed: bool, only: Engine) -> None:
        assert_clean(file, wanted, packed=packed and wanted is not Kind.ROBOTS, only=only)

    each()


@given(clean_files.urlsets("image", "xhtml", most=4), clean_files.texts())
@settings(max_examples=15)
def test_clean_files_are_clean_without_an_address(xml: CleanFile, text: CleanFile) -> None:
    for file, name in ((xml, "sitemap.xml"), (text, "sitemap.txt")):
        document = read(file.data, name=name)
        rules = select(all_rules(), ENGINES)
        assert loud(check(document, rules, Context(now=NOW, engines=ENGINES))) == []


@st.composite
def sites(draw: st.DrawFn) -> dict[str, bytes]:
    """A folder with an index and what it lists; its address is https://www.example.com/."""
    days = dates("day", "second", "zulu")
    files: dict[str, bytes] = {}
    children = []
    for number in range(draw(st.integers(1, 4))):
        folder = f"/section-{number}"
        addresses = draw(several_addresses("https://www.example.com", folder, most=5))
        dated = {address: draw(days) for address in addresses}
        name = f"sitemap-{number}" + draw(st.sampled_from((".xml", ".xml.gz", ".txt")))
        if name.endswith(".txt"):
            files[name] = b"".join(map(line_bytes, addresses))
        else:
            plain = b"".join(write_urlset([Entry(address, date) for address, date in dated.items()]))
            files[name] = gzip.compress(plain, mtime=0) if name.endswith(".gz") else plain
        newest = f"{NOW:%Y-%m-%dT%H:%M:%S}+00:00" if draw(st.booleans()) else None
        children.append(IndexEntry(f"https://www.example.com/{name}", newest))
    files["sitemap.xml"] = b"".join(write_index(children))
    files["robots.txt"] = b"User-agent: *\nDisallow: /cart/\n\nSitemap: https://www.example.com/sitemap.xml\n"
    return files


@given(sites(), st.sampled_from((DEFAULT_ENGINES, ENGINES)))
@settings(max_examples=20)
def test_a_clean_site_is_clean(files: dict[str, bytes], engines: tuple[Engine, ...]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            (Path(folder) / name).write_bytes(data)
        robots = str(Path(folder) / "robots.txt")
        where = CheckSettings(engines=engines, root=folder, base_url="https://www.example.com/", robots=robots, now=NOW)
        for targets in ([str(Path(folder) / "sitemap.xml"), robots], [folder]):
            verdict = check_targets(targets, where)
            assert verdict.troubled == ()
            assert len(verdict.documents) >= len(files) - 1
            assert loud(verdict) == []


@pytest.mark.parametrize("name", SITEMAPS)
def test_what_known_programs_write_is_clean(name: str) -> None:
    assert_clean(CleanFile(SITEMAPS[name].encode(), f"{HOME}/sitemap.xml"), Kind.URLSET)


@pytest.mark.parametrize("name", LISTS)
def test_honest_lists_are_clean(name: str) -> None:
    assert_clean(CleanFile(LISTS[name].encode(), f"{HOME}/sitemap.txt"), Kind.TEXT)


@pytest.mark.parametrize("name", FEEDS)
def test_honest_feeds_are_clean(name: str) -> None:
    kind = Kind.ATOM if name.startswith("atom") else Kind.RSS
    assert_clean(CleanFile(FEEDS[name].encode(), f"{HOME}/feed.xml"), kind)


@pytest.mark.parametrize("name", ROBOTS)
def test_honest_robots_files_are_clean(name: str) -> None:
    assert_clean(CleanFile(ROBOTS[name].encode(), f"{HOME}/robots.txt"), Kind.ROBOTS)


def test_an_index_as_shops_write_it_is_clean() -> None:
    children = [
        IndexEntry(f"{HOME}/sitemap_products_1.xml?from=123&to=456"),
        IndexEntry(f"{HOME}/sitemap_pages_1.xml?from=1&to=4", "2026-11-14T10:00:00-05:00"),
    ]
    assert_clean(CleanFile(b"".join(write_index(children)), f"{HOME}/sitemap.xml"), Kind.SITEMAPINDEX)


def test_a_host_in_its_own_script_is_clean() -> None:
    text = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://bücher.example.com/a</loc></url></urlset>'
    assert_clean(CleanFile(text.encode(), "https://xn--bcher-kva.example.com/sitemap.xml"), Kind.URLSET)
