"""A store on loopback whose endpoint is in the environment, as users have it, with a set of sitemaps in its bucket."""

from __future__ import annotations

import gzip
from collections.abc import Iterator

import pytest

from tests.workflows.publish.stores import CREDENTIALS, Served, moto
from urlset.storage import files
from urlset.storage.files import StoredFile

BASE = "https://www.example.com/"
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
SCHEMA = "http://www.sitemaps.org/schemas/sitemap/0.9"


def urlset(*entries: str) -> bytes:
    links = ' xmlns:xhtml="http://www.w3.org/1999/xhtml"'
    return f'{HEAD}<urlset xmlns="{SCHEMA}"{links}>\n{"".join(entries)}</urlset>\n'.encode()


def page(path: str, **languages: str) -> str:
    links = "".join(
        f'<xhtml:link rel="alternate" hreflang="{language}" href="{BASE}{other}"/>'
        for language, other in languages.items()
    )
    return f"<url><loc>{BASE}{path}</loc>{links}</url>\n"


def index(*children: str) -> bytes:
    listed = "".join(f"<sitemap><loc>{BASE}{child}</loc></sitemap>\n" for child in children)
    return f'{HEAD}<sitemapindex xmlns="{SCHEMA}">\n{listed}</sitemapindex>\n'.encode()


FILES = {
    "maps/a.xml": urlset(*(page(f"a{number}") for number in range(60))),
    "maps/b.xml.gz": gzip.compress(urlset(*(page(f"a{number}") for number in range(50, 90))), mtime=0),
    "maps/c.xml": urlset(page("en", en="en", de="de")),
    "maps/d.xml": urlset(page("de", de="de")),
}
FILES["sitemap.xml"] = index(*FILES, "maps/gone.xml")


@pytest.fixture(scope="session")
def moto_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    pytest.importorskip("obstore")
    pytest.importorskip("moto.server")
    with moto(tmp_path_factory.mktemp("moto")) as served:
        yield served


@pytest.fixture
def bucket(moto_store: Served, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> StoredFile:
    """A folder that no other test uses."""
    for name, value in (CREDENTIALS | {"AWS_ENDPOINT_URL": moto_store[0]}).items():
        monkeypatch.setenv(name, value)
    files._store.cache_clear()
    return StoredFile(f"s3://bucket/{abs(hash(request.node.name))}")


@pytest.fixture
def site(bucket: StoredFile) -> StoredFile:
    for name, data in FILES.items():
        (bucket / name).write([data])
    return bucket
