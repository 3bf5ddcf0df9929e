"""Google's own client and ours send the same requests; the fake's answers fit Google's own description."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.servers.engines import FakeEngines
from urlset.spec.submission import GOOGLE_WRITE_SCOPE
from urlset.submitting.google import Google, GoogleTokens, load_credentials
from urlset.testing.exchange import Request
from urlset.web.api import Api

FACTS = Path(__file__).parents[3] / "shared" / "engines"
SITE = "https://www.example.com/"
SITEMAP = "https://www.example.com/site map.xml?a=1&b=2"

pytestmark = pytest.mark.skipif(not FACTS.is_dir(), reason="Google's description is not beside this checkout")


@pytest.fixture
def engines() -> Iterator[FakeEngines]:
    with FakeEngines() as made:
        made.google.properties = {SITE: "siteOwner", "sc-domain:example.com": "siteFullUser"}
        made.google.impressions = [f"{SITE}{number}" for number in range(3)]
        made.google.pages[f"{SITE}a"] = {
            "verdict": "PASS",
            "coverageState": "Submitted and indexed",
            "robotsTxtState": "ALLOWED",
            "indexingState": "INDEXING_ALLOWED",
            "lastCrawlTime": "2026-08-16T16:39:36Z",
            "pageFetchState": "SUCCESSFUL",
            "googleCanonical": f"{SITE}a",
            "userCanonical": f"{SITE}a",
            "crawledAs": "MOBILE",
        }
        yield made


@contextmanager
def official_client(engines: FakeEngines) -> Iterator[Any]:
    discovery = pytest.importorskip("googleapiclient.discovery")
    httplib2 = pytest.importorskip("httplib2")
    document = json.loads((FACTS / "searchconsole.v1.discovery.json").read_text(encoding="utf-8"))
    document["rootUrl"] = document["baseUrl"] = engines.site.url("/google/")

    class Signed(httplib2.Http):  # type: ignore[misc,name-defined]  # the library has no types
        def request(self, uri: str, method: str = "GET", body: Any = None, headers: Any = None, **rest: Any) -> Any:
            from urlset.workflows.demo.fake_engines import TOKEN

            return super().request(uri, method, body, {**(headers or {}), "authorization": f"Bearer {TOKEN}"}, **rest)

    connection = Signed()
    try:
        yield discovery.build_from_document(document, http=connection)
    finally:
        connection.close()


async def listed_pages(google: Google) -> list[str]:
    return [url async for url in google.pages_with_impressions(SITE, "2026-08-01", "2026-08-28")]


CALLS: list[tuple[str, Callable[[Any], Any], Callable[[Google], Any]]] = [
    ("sites.list", lambda api: api.sites().list(), lambda google: google.properties()),
    ("sitemaps.list", lambda api: api.sitemaps().list(siteUrl=SITE), lambda google: google.sitemaps(SITE)),
    (
        "children of an index",
        lambda api: api.sitemaps().list(siteUrl=SITE, sitemapIndex=SITEMAP),
        lambda google: google.sitemaps(SITE, SITEMAP),
    ),
    (
        "domain property",
        lambda api: api.sitemaps().list(siteUrl="sc-domain:example.com"),
        lambda google: google.sitemaps("sc-domain:example.com"),
    ),
    (
        "sitemaps.submit",
        lambda api: api.sitemaps().submit(siteUrl=SITE, feedpath=SITEMAP),
        lambda google: google.submit(SITE, SITEMAP),
    ),
    (
        "sitemaps.get",
        lambda api: api.sitemaps().get(siteUrl=SITE, feedpath=SITEMAP),
        lambda google: google.sitemap(SITE, SITEMAP),
    ),
    (
        "sitemaps.delete",
        lambda api: api.sitemaps().delete(siteUrl=SITE, feedpath=SITEMAP),
        lambda google: google.delete(SITE, SITEMAP),
    ),
    (
        "inspect",
        lambda api: (
            api.urlInspection()
            .index()
            .inspect(body={"inspectionUrl": f"{SITE}a", "siteUrl": SITE, "languageCode": "en-US"})
        ),
        lambda google: google.inspect(SITE, f"{SITE}a"),
    ),
    (
        "searchanalytics.query",
        lambda api: api.searchanalytics().query(
            siteUrl=SITE,
            body={
                "startDate": "2026-08-01",
                "endDate": "2026-08-28",
                "dimensions": ["page"],
                "rowLimit": 25000,
                "startRow": 0,
            },
        ),
        listed_pages,
    ),
]


def sent(request: Request) -> tuple[str, str, dict[str, str], Any]:
    """Method, path, query without Google's `alt=json`, body."""
    query = dict(part.partition("=")[::2] for part in request.query.split("&") if part and part != "alt=json")
    return request.method, request.path, query, json.loads(request.body) if request.body else None


@pytest.mark.parametrize(("name", "official", "own"), CALLS, ids=[call[0] for call in CALLS])
def test_both_clients_send_the_same(
    engines: FakeEngines, tmp_path: Path, name: str, official: Callable[[Any], Any], own: Callable[[Google], Any]
) -> None:
    del name
    engines.google.sitemaps[SITE] = {SITEMAP: {"path": SITEMAP, "isPending": True, "errors": "0", "warnings": "0"}}
    environment = engines.environment(tmp_path)

    async def ours() -> None:
        async with Api() as api:
            tokens = GoogleTokens(api, load_credentials(environment), GOOGLE_WRITE_SCOPE, environment=environment)
            await own(Google(api, tokens, environment=environment))

    with official_client(engines) as client:
        official(client).execute()
    engines.google.sitemaps[SITE] = {SITEMAP: {"path": SITEMAP, "isPending": True, "errors": "0", "warnings": "0"}}
    asyncio.run(ours())
    first, second = (request for request in engines.log if request.path.startswith("/google/"))
    assert sent(first) == sent(second)


def test_the_answers_of_the_fake_fit_googles_description(engines: FakeEngines) -> None:
    schema = json.loads((FACTS / "searchconsole-v1.schema.json").read_text(encoding="utf-8"))
    engines.google.sitemaps[SITE] = {
        SITEMAP: {
            "path": SITEMAP,
            "lastSubmitted": "2026-08-16T20:06:19.000Z",
            "isPending": False,
            "isSitemapsIndex": True,
            "type": "sitemap",
            "lastDownloaded": "2026-08-17T01:00:00.000Z",
            "warnings": "0",
            "errors": "0",
            "contents": [{"type": "web", "submitted": "899", "indexed": "0"}],
        }
    }
    with official_client(engines) as api:
        answers = {
            "SitesListResponse": api.sites().list().execute(),
            "SitemapsListResponse": api.sitemaps().list(siteUrl=SITE).execute(),
            "InspectUrlIndexResponse": api.urlInspection()
            .index()
            .inspect(body={"inspectionUrl": f"{SITE}a", "siteUrl": SITE})
            .execute(),
        }
    definitions = schema.get("$defs") or schema["definitions"]
    where = "$defs" if "$defs" in schema else "definitions"
    for name, answer in answers.items():
        assert name in definitions
        wanted = folded_enums({"$ref": f"#/{where}/{name}", where: definitions})
        jsonschema.validate(folded_values(answer), wanted)


def folded_enums(value: Any) -> Any:
    """Google's description spells enums in capitals, the wire in lower camel case."""
    if isinstance(value, dict):
        return {
            key: sorted({str(item).replace("_", "").lower() for item in inner})
            if key == "enum" and isinstance(inner, list)
            else folded_enums(inner)
            for key, inner in value.items()
        }
    return [folded_enums(item) for item in value] if isinstance(value, list) else value


ENUMS = frozenset(
    {"permissionLevel", "type", "verdict", "robotsTxtState", "indexingState", "pageFetchState", "crawledAs"}
)


def folded_values(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: inner.replace("_", "").lower() if key in ENUMS and isinstance(inner, str) else folded_values(inner)
            for key, inner in value.items()
        }
    return [folded_values(item) for item in value] if isinstance(value, list) else value
