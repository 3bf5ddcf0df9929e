"""No fix takes more than its finding says: not other media, not most of a file, and no problem comes in its place."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.recall.broken_files import BROKEN
from urlset.checking.context import Context
from urlset.checking.engine import check
from urlset.checking.examples import context_of, document_of
from urlset.checking.live_page import LIVE
from urlset.checking.select import select
from urlset.checking.tree import TreeView
from urlset.findings.card import Severity
from urlset.findings.fix_result import FixResult
from urlset.fixing.choose import FixOptions
from urlset.fixing.fix import fix_document
from urlset.model.document import Document
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules
from urlset.spec import namespaces
from urlset.spec.engines import DEFAULT_ENGINES
from urlset.workflows.library.check import fix

RULES = select(all_rules(), DEFAULT_ENGINES)
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
CORPUS = sorted((Path(__file__).parents[1] / "corpus").glob("*/input.xml"))
UNCOVERED = {"D016", "D017", "D018", "N018"}
"""problems of all dates in a file, which are there once the dates can be read"""
EXAMPLES = {
    rule.code: [each for each in rule.bad if not each.files and (each.data is None or isinstance(each.data, bytes))]
    for rule in all_rules()
    if rule.on is not TreeView and rule.on not in LIVE
}


def loud(document: Document, context: Context) -> Counter[str]:
    found = check(document, RULES, context).findings
    return Counter(each.code for each in found if each.severity.at_least(Severity.WARNING))


def added(document: Document, context: Context) -> tuple[FixResult, set[str]]:
    """The result of all fixes, and the codes that the original does not have."""
    result = fix_document(document, RULES, context, FixOptions(unsafe=True, allow_shrink=True))
    after = read(result.data, name=document.name, url=document.url)
    return result, set(loud(after, context)) - set(loud(document, context))


@pytest.mark.parametrize("code", EXAMPLES)
def test_no_fix_of_an_example_adds_a_finding(code: str) -> None:
    for example in EXAMPLES[code]:
        _, new = added(document_of(example), context_of(example, DEFAULT_ENGINES))
        assert new <= UNCOVERED, example.text


@pytest.mark.parametrize("path", CORPUS, ids=[path.parent.name for path in CORPUS])
def test_no_fix_of_a_real_file_adds_a_finding(path: Path) -> None:
    _, new = added(read(path), Context(now=NOW))
    assert new <= UNCOVERED


@pytest.mark.parametrize("name", BROKEN)
def test_no_fix_of_a_labelled_file_adds_a_finding(name: str) -> None:
    file = BROKEN[name]
    _, new = added(read(file.text.encode(), name=file.name), Context(now=NOW))
    assert new <= UNCOVERED


def sitemap(*entries: str, prefixes: tuple[str, ...] = ("image", "video", "news")) -> bytes:
    declared = "".join(f' xmlns:{each}="{namespaces.BY_PREFIX[each].uri}"' for each in prefixes)
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{namespaces.SITEMAP}"{declared}>\n'
    return (head + "\n".join(entries) + "\n</urlset>\n").encode()


def video(number: int) -> str:
    return (
        f"<video:video><video:thumbnail_loc>https://a.org/{number}.jpg</video:thumbnail_loc><video:title>T{number}"
        f"</video:title><video:description>d</video:description><video:content_loc>https://a.org/{number}.mp4"
        "</video:content_loc></video:video>"
    )


def image(number: int) -> str:
    return f"<image:image><image:loc>https://a.org/{number}.png</image:loc></image:image>"


def news(date: str) -> str:
    return (
        "<news:news><news:publication><news:name>A</news:name><news:language>en</news:language></news:publication>"
        f"<news:publication_date>{date}</news:publication_date><news:title>t</news:title></news:news>"
    )


@pytest.mark.parametrize("media", [video, image], ids=["videos", "images"])
@pytest.mark.parametrize(
    "other", ["https://a.org/p", "https://A.org:443/p", "http://a.org/p"], ids=["same", "L022", "L023"]
)
def test_media_of_one_page_are_merged(media: object, other: str) -> None:
    assert callable(media)
    entries = [f"<url><loc>{'https://a.org/p' if n % 2 else other}</loc>{media(n % 30)}</url>" for n in range(32)]
    result = fix(sitemap(*entries), unsafe=True, now=NOW)
    after = read(result.data)
    assert after.columns.locs == ["https://a.org/p"]
    assert all(media(number).encode() in result.data for number in range(30))
    assert result.data.count(b"</video:video>") + result.data.count(b"</image:image>") == 30


def test_merging_changes_nothing_the_second_time() -> None:
    entries = [f"  <url>\n    <loc>https://a.org/p</loc>\n    {video(n)}\n  </url>" for n in range(3)]
    once = fix(sitemap(*entries), unsafe=True, now=NOW)
    assert once.data.count(b"\n    <video:video>") == 3
    assert not fix(once.data, unsafe=True, now=NOW).changed


@pytest.mark.parametrize("fresh", [0, 3, 13])
def test_old_news_leave_their_date_behind(fresh: int) -> None:
    dates = ["2026-11-15" if number < fresh else f"2026-11-{1 + number % 5:02}" for number in range(25)]
    entries = [f"<url><loc>https://a.org/{n}</loc>\n{news(date)}</url>" for n, date in enumerate(dates)]
    data = sitemap(*entries)
    result, new = added(read(data), Context(now=NOW))
    assert new == set()
    assert result.data.count(b"<news:news>") == fresh
    assert read(result.data).columns.lastmods == [None if n < fresh else date for n, date in enumerate(dates)]


@pytest.mark.parametrize(
    "line",
    [
        *(
            "https://a.org/a\thttps://a.org/b",
            "https://a.org/a\t2026-01-01",
            "https://a.org/a\t0.8",
            "https://a.org/a\tb",
        ),
        *("https://a.org/a 2026-01-01", "https://a.org/a daily", "https://a.org/a 0.5 daily"),
    ],
)
def test_a_line_with_two_values_stays_two_values(line: str) -> None:
    data = f"https://a.org/\n{line}\n".encode()
    assert fix(data, unsafe=True).data == data
    if "\t" not in line:
        entry = sitemap(f"<url><loc>{line}</loc></url>", prefixes=())
        assert fix(entry, unsafe=True).data == entry


@pytest.mark.parametrize(
    ("code", "path"),
    [("Q007", "cart/{}?sort=a"), ("L035", "feed{}.exe"), ("Q013", "img/{}.png")],
    ids=["Q007", "L035", "Q013"],
)
@pytest.mark.parametrize("text", [False, True], ids=["xml", "text"])
def test_most_of_a_file_is_removed_only_on_request(code: str, path: str, text: bool) -> None:
    def file(pages: int) -> bytes:
        locs = [f"https://a.org/{path.format(n)}" for n in range(6)] + [f"https://a.org/p{n}" for n in range(pages)]
        return "\n".join(locs).encode() if text else sitemap(*(f"<url><loc>{loc}</loc></url>" for loc in locs))

    left = fix(file(5), unsafe=True, only=[code])
    assert not left.changed
    assert [each.reason for each in left.left if each.code == code] == [
        "it would remove 6 of 11 entries; use `allow_shrink=True` to apply it"
    ]
    assert len(fix(file(5), unsafe=True, only=[code], allow_shrink=True).removed) == 6
    assert len(fix(file(6), unsafe=True, only=[code]).removed) == 6


def test_a_note_does_not_hide_a_warning_that_is_left_for_the_same_reason() -> None:
    locs = [*(f"https://a.org/a/page/{n}" for n in range(8)), *(f"https://a.org/cart/{n}" for n in range(8))]
    left = fix(sitemap(*(f"<url><loc>{loc}</loc></url>" for loc in locs)), unsafe=True, only=["Q007"]).left
    found = {each.severity: each.count for each in left if each.code == "Q007"}
    assert found == {Severity.INFO: 6, Severity.WARNING: 8}
