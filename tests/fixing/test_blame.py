"""A fix that would introduce a fault stays out alone, with that fault named; the other fixes of its rule are made."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from urlset.checking.context import Context
from urlset.checking.engine import run
from urlset.checking.select import select
from urlset.findings.fix_result import FixResult
from urlset.fixing import fix as fix_module
from urlset.fixing.audit_remedies import AuditFix, AuditRemedies
from urlset.fixing.fix import FixOptions, fix_document
from urlset.model.document import Document
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules
from urlset.spec.engines import DEFAULT_ENGINES

CONTEXT = Context(datetime(2026, 11, 15, 12, tzinfo=UTC))
RULES = select(all_rules(), DEFAULT_ENGINES)
CARDS = {rule.code: rule.card for rule in RULES}
HOST = "example.com"


def sitemap(*locs: str, lastmod: str = "") -> bytes:
    dated = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
    body = "".join(f"  <url><loc>{loc}</loc>{dated}</url>\n" for loc in locs)
    namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{namespace}">\n{body}</urlset>\n'.encode()


def fixed(data: bytes, canonicals: dict[str, str], *, at: str, only: tuple[str, ...] = ()) -> FixResult:
    document = read(data, name="sitemap.xml", url=at)
    found = {loc: AuditFix("replace", "A012", f"its canonical is {to}", to) for loc, to in canonicals.items()}
    advice = AuditRemedies(found, len(found))
    advice.note(document)
    return fix_document(document, (*RULES, *advice.rules(CARDS)), CONTEXT, FixOptions(unsafe=True, only=only))


def listed(result: FixResult) -> list[str]:
    return [loc or "" for loc in read(result.data).columns.locs]


def test_one_canonical_to_https_does_not_bar_the_others_of_an_http_sitemap() -> None:
    pages = [f"http://{HOST}/{name}" for name in "abcdefg"]
    to = {page: f"{page}-new" for page in pages[:6]} | {pages[2]: f"https://{HOST}/c-new"}
    result = fixed(sitemap(*pages), to, at=f"http://{HOST}/sitemap.xml")
    assert listed(result) == [page if page in (pages[2], pages[6]) else f"{page}-new" for page in pages]
    assert result.refused is None
    (left,) = [each for each in result.left if each.code == "A012"]
    assert (left.count, left.line) == (1, 5)
    assert left.reason == (
        "its fix would introduce L016 scheme-not-the-sitemaps at line 5: "
        "1 of 7 URLs uses https://, but the sitemap is at http://; use the same scheme"
    )


@pytest.mark.slow
def test_many_faults_of_one_kind_are_found_without_a_check_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [f"http://{HOST}/{number}" for number in range(3000)]
    bad = pages[1::3]
    to = {page: f"{page}-new" for page in pages} | {page: f"https://{HOST}/new{page[-4:]}" for page in bad}
    bytes_checked = 0

    def counted(document: Document, *given: object, **named: object) -> object:
        nonlocal bytes_checked
        bytes_checked += len(document.data)
        return run(document, *given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(fix_module, "run", counted)
    data = sitemap(f"http://{HOST}/", *pages)
    result = fixed(data, to, at=f"http://{HOST}/sitemap.xml")
    assert listed(result)[1:] == [page if page in set(bad) else f"{page}-new" for page in pages]
    assert sum(left.count for left in result.left if left.code == "A012") == len(bad)
    assert len(result.left) < 50, "the rest is told together"
    assert bytes_checked < 60 * len(data)


def test_a_page_that_would_be_listed_twice_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when nobody noted beforehand what is listed: the second is untouched, the fix is in another entry."""
    monkeypatch.setattr(AuditRemedies, "note", lambda _self, _document: None)
    pages = [f"https://{HOST}/{name}" for name in ("old", "b", "c", "taken")]
    to = {pages[0]: pages[3], pages[1]: f"{pages[1]}-new"}
    result = fixed(sitemap(*pages), to, at=f"https://{HOST}/sitemap.xml", only=("A012",))
    assert listed(result) == [pages[0], f"{pages[1]}-new", *pages[2:]]
    (left,) = [each for each in result.left if each.code == "A012"]
    assert left.line == 3
    assert left.reason.startswith("its fix would introduce L020 duplicate-loc at line 6: ")


def test_another_fix_in_the_same_entry_is_made() -> None:
    pages = [f"http://{HOST}/{name}" for name in "abc"]
    to = {pages[1]: f"https://{HOST}/b"}
    data = sitemap(*pages, lastmod=" 2026-01-02 ")
    result = fixed(data, to, at=f"http://{HOST}/sitemap.xml")
    assert result.data == sitemap(*pages, lastmod="2026-01-02")
    assert [left.code for left in result.left if left.reason.startswith("its fix would introduce")] == ["A012"]


def test_faults_of_several_kinds_at_once() -> None:
    pages = [f"http://{HOST}/shop/{name}" for name in "abcdef"]
    to = {
        pages[0]: f"http://{HOST}/shop/a2",
        pages[1]: f"https://{HOST}/shop/b2",
        pages[2]: f"http://{HOST}/elsewhere",
        pages[3]: f"http://www.{HOST}/shop/d2",
        pages[4]: f"http://{HOST}/shop/e2",
    }
    result = fixed(sitemap(*pages), to, at=f"http://{HOST}/shop/sitemap.xml")
    assert listed(result) == [to[pages[0]], pages[1], pages[2], pages[3], to[pages[4]], pages[5]]
    reasons = {left.line: left.reason.split()[4] for left in result.left if left.code == "A012"}
    assert reasons == {4: "L016", 5: "L018", 6: "L019"}


def test_several_hosts_with_several_pages_each() -> None:
    pages = [f"https://{HOST}/{name}" for name in "abcdefg"]
    hosts = [HOST, "one.com", "two.com", "one.com", "two.com", HOST]
    to = {page: f"https://{host}{page[-2:]}-new" for page, host in zip(pages, hosts, strict=False)}
    result = fixed(sitemap(*pages), to, at=f"https://{HOST}/sitemap.xml")
    assert listed(result) == [to[page] if to.get(page, "").startswith(f"https://{HOST}") else page for page in pages]
    said = [left.reason for left in result.left if left.code == "A012"]
    assert ["one.com" in reason for reason in said] == [True, False, False, False]
    assert ["two.com" in reason for reason in said] == [False, True, False, False]
    assert all(reason.startswith("its fix would introduce L015 host-not-the-sitemaps") for reason in said)


def test_what_fixes_bring_only_together_is_told_of_the_rule() -> None:
    pages = [f"https://{HOST}/{name}" for name in "ab"]
    document = read(sitemap(*pages), name="sitemap.xml", url=f"https://{HOST}/sitemap.xml")
    advice = AuditRemedies({page: AuditFix("drop", "A001", "404") for page in pages}, 2)
    result = fix_document(document, (*RULES, *advice.rules(CARDS)), CONTEXT, FixOptions(unsafe=True, allow_shrink=True))
    assert result.data == document.data
    (left,) = [each for each in result.left if each.code == "A001"]
    assert left.count == 2
    assert left.reason.startswith("its fixes would introduce S0")


def test_an_entry_with_broken_tags_is_not_half_mended() -> None:
    sound = sitemap(f"https://{HOST}/1", f"https://{HOST}/2")
    data = sound.replace(b"</url>\n  <url>", b"</url>\n<loc><\x8d<url>")
    result = fix_document(read(data, name="sitemap.xml"), RULES, CONTEXT, FixOptions(unsafe=True))
    assert result.data == data
    reasons = {left.reason for left in result.left if left.code in ("X001", "X011")}
    (reason,) = reasons
    assert reason.startswith("its fix would introduce L012 illegal-character-in-loc at line 4: illegal character '<'")
