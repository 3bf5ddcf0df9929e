"""Every verb × every source it promises to take × blocking and awaited: the same result; anything else raises at once.

What is promised is the table of docs/library.md, which is written from docs/library_contract.py.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

import pytest

import urlset
from docs.library_contract import CONTENT, PAGES, SOURCES, VERBS, Verb
from tests.servers.engines import FakeEngines
from tests.workflows.audit_sites import page
from tests.workflows.live_sites import WEB, pages, robots, xml
from tests.workflows.submit.engine_sites import Stage
from urlset.testing import Site

FORMS = [(verb, form) for verb in VERBS for form in (verb.name, verb.awaited) if form]
CASES = [(verb, form, source) for verb, form in FORMS for source in verb.sources]
PAGE_CASES = [(verb, form, kind) for verb, form in FORMS for kind in verb.pages]
ENGINES = {"submit", "engines_status", "engines_index"}


class Shop:
    """A small site, on the web and on disk, and what every verb is called with."""

    def __init__(self, site: Site, folder: Path, stage: Stage, files: ExitStack) -> None:
        self.site, self.folder, self.stage, self.files = site, folder, stage, files
        self.home = site.url("/")
        self.sitemap = pages(site.url("/"), site.url("/1"))
        self.path = folder / "sitemap.xml"
        self.path.write_bytes(self.sitemap)
        self.log = folder / "access.log"
        self.log.write_text('192.0.2.1 - - [15/Nov/2026:10:00:00 +0000] "GET /1 HTTP/1.1" 200 5 "-" "Googlebot/2.1"\n')

    def source(self, kind: str, verb: str) -> Any:
        if verb in {"crawl", "doctor", *ENGINES}:
            return self._site(kind, verb)
        text = self.sitemap.decode()
        made: dict[str, Callable[[], Any]] = {
            "path": lambda: self._published() if verb == "publish" else self.path,
            "url": lambda: self.home if verb == "build" else self.site.url("/sitemap.xml"),
            "text": lambda: text,
            "bytes": lambda: self.sitemap,
            "text file": lambda: self.files.enter_context(self.path.open(encoding="utf-8")),
            "binary file": lambda: self.files.enter_context(self.path.open("rb")),
            "document": lambda: urlset.read(self.path),
            "several": lambda: (each for each in [self.path, self.sitemap]),
        }
        return made[kind]()

    def _site(self, kind: str, verb: str) -> Any:
        url = {"crawl": self.home, "doctor": self.site.url("/sitemap.xml")}.get(verb, self.stage.sitemap)
        return {"url": url, "document": urlset.read(self.sitemap, url=url), "several": [url]}[kind]

    def _published(self) -> Path:
        urlset.build([self.home], self.folder / "public", base_url=self.home)
        return self.folder / "public"

    def arguments(self, verb: str, kind: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """What follows the source."""
        state = {"state": self.folder / "state"}
        fetching = {"web": WEB}
        engines: dict[str, Any] = {}
        if verb in ENGINES:  # an RSA key is made for them, which takes as long as the rest of a test
            engines = {"environment": self.stage.environment, "allow_private": True}
        more: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
            "diff": ((pages(self.site.url("/1")),), {**state, **fetching}),
            "snapshot": ((), {**state, **fetching, **({} if kind in {"path", "url"} else {"name": self.home})}),
            "history": ((), state),
            "logs": ((self.log,), fetching),
            "build": ((self.folder / "out",), {"base_url": self.home, **fetching}),
            "publish": (((self.folder / "store").as_uri(),), {}),
            "submit": ((), {"to": ["indexnow"], "dry_run": True, **state, **engines}),
            "engines_status": ((), engines),
            "engines_index": ((), {"sample": 1, **state, **engines}),
        }
        none = verb == "render_index" or kind in PAGES
        return more.get(verb, ((), {} if none else fetching))


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    monkeypatch.chdir(tmp_path)
    with Site({}) as site, FakeEngines() as engines, Site({}) as served, ExitStack() as files:
        stage = Stage(engines, served, tmp_path)
        stage.serve(range(3))
        links = f'<a href="{site.url("/1")}">one</a>'
        site.routes.update(
            {
                "/robots.txt": robots(f"Sitemap: {site.url('/sitemap.xml')}"),
                "/sitemap.xml": xml(pages(site.url("/"), site.url("/1"))),
                "/": page("home").replace("</nav>", f"{links}</nav>"),
                "/1": page(1),
            }
        )
        yield Shop(site, tmp_path, stage, files)


def called(form: str, *given: Any, **named: Any) -> Any:
    """The result of a verb in either form, as something that can be counted."""
    result = getattr(urlset, form)(*given, **named)
    if not form.endswith("_async"):
        with ExitStack() as stack:
            if isinstance(result, AbstractContextManager):
                result = stack.enter_context(result)
            return counted(result)
    return asyncio.run(_awaited(result))


async def _awaited(result: Any) -> Any:
    if inspect.iscoroutine(result):
        return counted(await result)
    if isinstance(result, AbstractAsyncContextManager):
        async with result as inside:
            return [row.url async for row in inside.pages()]
    return counted([each async for each in result])


COUNTS: dict[type[Any], Callable[[Any], Any]] = {
    urlset.Verdict: lambda verdict: verdict.entries,
    urlset.Document: len,
    urlset.Description: lambda description: description.kind.value,
    urlset.Entry: lambda entry: entry.loc,
    urlset.FixResult: lambda fixed: len(urlset.read(fixed.data)),
    urlset.DiffReport: lambda report: report.summary.removed,
    urlset.SnapshotReport: lambda report: report.info.entries,
    urlset.HistoryReport: lambda report: len(report.site.points),
    urlset.AuditReport: lambda report: [row.url for row in report.pages()],
    urlset.CrawlResult: lambda result: [row.url for row in result.pages()],
    urlset.LogReport: lambda report: report.listed,
    urlset.BuildReport: lambda report: report.listed,
    urlset.DoctorReport: lambda report: report.url,
    urlset.PublishReport: lambda report: report.generation,
    urlset.SubmitReport: lambda report: {receipt.engine for receipt in report.receipts},
    urlset.StatusReport: lambda report: len(report.sitemaps),
    urlset.IndexReport: lambda report: report.inspected,
    bytes: bytes,
    urlset.Rendered: bytes,
}


def counted(result: Any) -> Any:
    """A number, a text or the like, by which results are compared; chunks of bytes are joined."""
    if type(result) in COUNTS:
        return COUNTS[type(result)](result)
    found = [counted(each) for each in result]
    return b"".join(found) if found and isinstance(found[0], bytes) else found


@pytest.mark.parametrize(("verb", "form", "kind"), CASES, ids=lambda each: getattr(each, "name", each))
def test_every_source(shop: Shop, verb: Verb, form: str, kind: str) -> None:
    source = shop.source(kind, verb.name)
    given, named = shop.arguments(verb.name, kind)
    if verb.name == "history":
        urlset.snapshot(source, state=named["state"], web=WEB)
        source = shop.source(kind, verb.name)
    found = called(form, source, *given, **named)
    first, second = shop.site.url("/"), shop.site.url("/1")
    both = kind == "several"
    expected = {
        "read": 2,
        "fix": 2,
        "read_tree": [2, 2] if both else [2],
        "pages": [first, second] * (2 if both else 1),
        "info": ["urlset"] * (2 if both else 1),
        "check": 4 if both else 2,
        "diff": 1,
        "snapshot": 2,
        "history": 1,
        "audit": [first, second],
        "crawl": [first, second],
        "logs": 2,
        "build": 2,
        "publish": 1,
        "submit": {"indexnow"},
        "doctor": shop.site.url("/sitemap.xml"),
        "engines_status": 3,
        "engines_index": 1,
    }
    if verb.name in {"render", "render_stream"}:
        assert [entry.loc for entry in urlset.read(found)] == [first, second]
    else:
        assert found == expected[verb.name]


async def _later(item: Any) -> AsyncIterator[Any]:
    await asyncio.sleep(0)
    yield item


@pytest.mark.parametrize(("verb", "form", "kind"), PAGE_CASES, ids=lambda each: getattr(each, "name", each))
def test_every_kind_of_page(shop: Shop, verb: Verb, form: str, kind: str) -> None:
    url, day = shop.site.url("/1"), "2026-01-02"
    entry = urlset.IndexEntry(url, day) if verb.name == "render_index" else urlset.Entry(url, day)
    one = {"string": url, "entry": entry, "pair": (url, day), "mapping": {"loc": url, "lastmod": day}}[kind]
    given, named = shop.arguments(verb.name, kind)
    ways: list[Any] = [[one], (each for each in [one])]
    if form in {"build_async", "render_stream_async"}:
        ways.append(_later(one))
    for source in ways:
        found = called(form, source, *given, **named)
        if verb.name == "build":
            assert found == 1
            found = (shop.folder / "out" / "sitemap.xml").read_bytes()
        (read,) = urlset.read(found)
        assert (read.loc, read.lastmod) == (url, None if kind == "string" else day)


WRONG: list[Any] = [None, 5, 3.5, object(), {"loc": "/a"}, [None], [5], urlset.Entry("https://e.com/"), True]


@pytest.mark.parametrize(("verb", "form"), FORMS, ids=lambda each: getattr(each, "name", each))
def test_wrong_types_raise_at_once(tmp_path: Path, verb: Verb, form: str) -> None:
    """With what was expected, in an exception that is a TypeError and one of urlset."""
    given = {"logs": ("x.log",), "publish": ("file:///x",), "build": (tmp_path / "out",), "diff": (b"<urlset/>",)}
    named = {"base_url": "https://e.com/"} if verb.name == "build" else {}
    for wrong in WRONG[verb.name == "history" :]:  # None is the only target there
        with pytest.raises(TypeError, match=r"expected |takes |is a path|needs|put it into a list") as raised:
            called(form, wrong, *given.get(verb.name, ()), **named)
        assert isinstance(raised.value, urlset.UrlsetError), wrong
    assert not list(tmp_path.glob("out/*.xml"))


@pytest.mark.parametrize("verb", [urlset.check, urlset.read, urlset.fix, urlset.info])
@pytest.mark.parametrize("path", ["a\0b", Path("a\0b"), "file:///a%00b"], ids=["text", "path", "file URL"])
def test_an_impossible_path_raises_an_error_of_urlset(verb: Any, path: Any) -> None:
    with pytest.raises(urlset.ArgumentValueError, match="a path cannot contain a null character"):
        verb(path)


def test_every_verb_is_in_the_contract() -> None:
    functions = {name for name in urlset.__all__ if inspect.isfunction(getattr(urlset, name))}
    assert functions == {form for _, form in FORMS}
    assert {kind for verb in VERBS for kind in verb.sources} == set(SOURCES)
    assert {kind for verb in VERBS for kind in verb.pages} == set(PAGES)
    assert set(CONTENT) < set(SOURCES)
    assert all(verb.awaited in (None, f"{verb.name}_async") for verb in VERBS)


def test_forms_for_asyncio_take_the_same_arguments() -> None:
    for verb in VERBS:
        if verb.awaited:
            blocking, awaited = (inspect.signature(getattr(urlset, name)) for name in (verb.name, verb.awaited))
            shown = [
                [(each.name, each.default, each.kind) for each in one.parameters.values()]
                for one in (blocking, awaited)
            ]
            missing = [each for each in shown[0] if each not in shown[1]]
            assert missing == [], verb.name
