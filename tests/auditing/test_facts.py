"""Answers and files → visits with all that rules ask of a page."""

from __future__ import annotations

import msgspec
import pytest

from tests.auditing.visits import visit_of
from urlset.auditing.facts import PendingVisit, judged, renewed, seen_of
from urlset.auditing.soft404 import probe_of, probe_urls
from urlset.model.answer import Answer, Hop
from urlset.model.entry import Alternate
from urlset.model.page import BotDirectives, Canonical, Refresh
from urlset.model.visit import State, Visit
from urlset.reading.fingerprint import BlockCounter, boilerplate_of

URL = "https://e.test/shop/a"
HTML = """<!doctype html><html lang="de"><head><title>A page</title><base href="/base/">
<link rel="canonical" href="b"><link rel="canonical" href="c" media="print">
<link rel="alternate" hreflang="fr" href="/fr"><meta name="robots" content="noindex">
<meta name="googlebot" content="none">
<meta http-equiv="refresh" content="3; url=/next"><meta property="article:modified_time" content="2026-01-02">
</head><body><nav><a>Menu of many words here</a></nav><h1>A heading</h1><p>Five words of own text.</p></body></html>"""


def answer(body: str | bytes = HTML, status: int = 200, **more: object) -> Answer:
    given: dict[str, object] = {
        "url": URL,
        "final_url": URL,
        "status": status,
        "headers": (("content-type", "text/html; charset=utf-8"),),
        "body": body.encode() if isinstance(body, str) else body,
        **more,
    }
    return Answer(**given)  # type: ignore[arg-type]


def test_what_the_page_says_of_itself() -> None:
    visit = visit_of(answer())
    assert visit.state is State.OK
    assert (visit.title, visit.language, visit.base_href, visit.charset) == ("A page", "de", "/base/", "utf-8")
    assert visit.canonicals == (Canonical("b"),)
    assert visit.qualified_canonicals == ("c",)
    assert visit.alternates == (Alternate("fr", "/fr"),)
    assert visit.robots == (BotDirectives("robots", ("noindex",)), BotDirectives("googlebot", ("none",)))
    assert visit.refresh == Refresh(3, "/next")
    assert [each.raw for each in visit.dates] == ["2026-01-02"]
    assert visit.words == 7, "the menu is not the page's own"
    assert visit.fingerprint is not None


def test_what_headers_say() -> None:
    headers = (
        ("content-type", "text/html"),
        ("x-robots-tag", "googlebot: noindex, max-image-preview:none"),
        ("x-robots-tag", "unavailable_after: 25 Jun 2010 15:00:00 PST"),
        ("link", '<https://e.test/b>; rel="canonical", </fr>; rel=alternate; hreflang=fr'),
        ("link", '</print>; rel="canonical"; media=print'),
        ("refresh", "0; url=/next"),
        ("last-modified", "Wed, 01 Jan 2025 00:00:00 GMT"),
        ("etag", '"x"'),
    )
    visit = visit_of(answer("<p>text</p>", headers=headers))
    assert visit.link_canonicals == ("https://e.test/b",)
    assert visit.alternates == (Alternate("fr", "/fr"),)
    assert visit.directives_for() == ("unavailable_after:25 jun 2010 15:00:00 pst",)
    assert visit.directives_for("googlebot")[0] == "noindex"
    assert visit.refresh == Refresh(0, "/next")
    assert (visit.last_modified, visit.etag) == ("Wed, 01 Jan 2025 00:00:00 GMT", '"x"')


def test_a_redirect_keeps_the_facts_of_where_it_ended() -> None:
    visit = visit_of(answer(hops=(Hop("http://e.test/shop/a", 301, URL),), url="http://e.test/shop/a"))
    assert (visit.state, visit.url, visit.final_url) == (State.REDIRECTED, "http://e.test/shop/a", URL)
    assert visit.title == "A page"


@pytest.mark.parametrize("status", [404, 403, 500])
def test_an_error_page_says_nothing_about_the_page(status: int) -> None:
    visit = visit_of(answer(status=status))
    assert (visit.title, visit.canonicals, visit.robots, visit.fingerprint) == (None, (), (), None)


def test_what_is_not_html_is_not_read() -> None:
    visit = visit_of(answer(b"%PDF-1.7 <title>x</title>", headers=(("content-type", "application/pdf"),)))
    assert (visit.state, visit.media_type, visit.title, visit.soft_404) == (State.OK, "application/pdf", None, None)


def test_html_without_a_type_is_known_by_its_beginning() -> None:
    assert visit_of(answer("\ufeff <!DOCTYPE html><title>T</title>", headers=())).title == "T"
    assert visit_of(answer("<rss><title>T</title></rss>", headers=())).title is None


def test_half_a_page_is_not_judged() -> None:
    visit = visit_of(answer("<title>404</title><h1>404 not found</h1>", truncated=True))
    assert (visit.soft_404, visit.thin, visit.fingerprint) == (None, None, None)


def test_a_confirmed_page_keeps_what_was_known() -> None:
    before = visit_of(answer(headers=(("content-type", "text/html"), ("etag", '"1"'))))
    confirmed = answer(b"", 304, not_modified=True, headers=(("etag", '"2"'),), moment="2026-02-03T04:05:06Z")
    after = renewed(before, confirmed)
    assert (after.title, after.status, after.size) == (before.title, 200, before.size)
    assert (after.etag, after.unchanged, after.moment) == ('"2"', True, "2026-02-03T04:05:06Z")
    with pytest.raises(ValueError, match="not confirmed"):
        renewed(before, answer(status=404))


def test_a_visit_survives_storage_with_its_marks() -> None:
    seen = seen_of(answer("<title>404 Not Found</title><h1>404 Not Found</h1><p>Nothing here.</p>"))
    stored = msgspec.msgpack.decode(msgspec.msgpack.encode(seen.visit), type=Visit)
    assert stored == seen.visit
    again = judged(PendingVisit(stored, seen.blocks, seen.words))
    assert again.soft_404 is not None
    assert again.soft_404.certainty > 0.9


def test_what_all_pages_say_is_nobodys_own() -> None:
    frame = "<div>" + "".join(f"<p>A long line of menu number {number} here</p>" for number in range(20)) + "</div>"
    pages = [f"<title>Page {n}</title>{frame}<h1>Page {n}</h1><p>{f'text{n} ' * 100}</p>" for n in range(6)]
    pages.append(f"<title>Bare</title>{frame}<h1>Bare</h1>")
    seen = [seen_of(answer(each)) for each in pages]
    counter = BlockCounter()
    for each in seen:
        counter.add(each.blocks)
    bare = judged(seen[-1], boilerplate=boilerplate_of(counter))
    assert bare.words == 1
    assert bare.thin is not None
    assert judged(seen[-1]).thin is None, "alone, nobody can know what is menu"


def test_the_home_page_may_be_what_the_host_shows_for_errors() -> None:
    home = "<title>Shop</title><h1>Shop</h1><p>Welcome to our shop of many things.</p>"
    probe = probe_of([answer(home, url=each, final_url=each) for each in probe_urls(URL)])
    root = "https://e.test/"
    assert visit_of(answer(home, url=root, final_url=root), baseline=probe).soft_404 is None
    assert visit_of(answer(home), baseline=probe).soft_404 is not None


def test_probes_are_beside_the_page_and_at_the_root_and_always_the_same() -> None:
    first = probe_urls("https://e.test/shop/a?x=1")
    assert [each.rpartition("/")[0] for each in first] == ["https://e.test/shop", "https://e.test"]
    assert first == probe_urls("https://e.test/shop/b")
    assert len(probe_urls("https://e.test/a")) == 1


def test_a_probe_that_was_kept_out_tells_nothing() -> None:
    assert probe_of([answer(status=403), answer(status=500)]) is None
