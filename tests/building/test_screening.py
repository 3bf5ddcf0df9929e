"""The compiled screen against the functions that say what is right: what it passes, they list just so."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from urlset.building.candidate import Candidate, Evidence, EvidenceKind, PolicyReason
from urlset.building.evidence import doubt
from urlset.building.policy import ListingPolicy, variants_of
from urlset.building.sources.cells import LocError, to_lastmod, to_loc
from urlset.model.address import Address
from urlset.model.entry import Entry
from urlset.reading.scanner import is_compiled

compiled_pages = pytest.importorskip("urlset.building.compiled_pages", reason="the compiled modules were not built")
pytestmark = pytest.mark.skipif(not is_compiled(), reason="the compiled modules are not to be used")

BASE = "https://www.example.com/"
HEAD = BASE[:-1]
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
WORDS = st.sampled_from(
    [*"/-_.~;=?&%:#'[]{}|^`\"<>\\ ", "page", "Page", "2", "feed", "FEED", "rss", "comments", "a", "B", "html", "xml",
     "js", "png", "sitemap", "robots", "txt", "jsessionid", "index.html", "pdf", "(S(", "php", "1.5", "sort", "atom",
     "utm_source=", "?page=2", "&sid=", "f[", "filter%5B", "%5b", "%C3%A9", "%c3%a9", "%41", "%2e", "%2F", "%zz",
     "é", "日本", "\u00a0", "\u200b", "\ufffd", "\U0001f600", "\t", "//", "/./", "/../",
     "login?next=", "gclid", "x" * 700, "cart", "/login", "en", "/en-us/", "checkout", "users", "sign_in", "search"]
)  # fmt: skip
ADDRESSES = st.one_of(
    st.lists(WORDS, max_size=8).map(lambda words: f"{HEAD}/{''.join(words)}"),
    st.lists(WORDS, max_size=4).map(lambda words: f"https://WWW.Example.com/{''.join(words)}"),
    st.text(max_size=40).map(lambda text: f"{HEAD}/{text}"),
    st.text(max_size=40),
)


def _batch(policy: ListingPolicy) -> Any:
    from urlset.workflows.build.batches import screen_of  # imports the compiled module

    batch = compiled_pages.Batch(screen_of(policy, NOW))
    batch.clear()
    return batch


def _compare(policy: ListingPolicy, batch: Any, value: str, row: int) -> None:
    """Whatever is READY is listed by the policy under that spelling and key, unless it is a suspect."""
    if batch.status(row) != compiled_pages.READY:
        return
    loc = to_loc(value, BASE)
    address = Address.parse(loc)
    assert batch.loc(row) == loc
    assert (batch.key(row) or loc) == address.key
    found = list(variants_of(address))
    if row in batch.suspects():
        refusal = policy.refusal_of(loc, address.key, "", suspect=True)
    else:
        assert found == []
        refusal = None
    decision = ListingPolicy(BASE, own_output=[f"{BASE}sitemap.xml"], now=NOW).decide(Candidate(Entry(loc), "x:1"))
    expected = (PolicyReason.LISTED, "") if refusal is None else refusal
    assert (decision.verdict, decision.detail) == expected


@settings(max_examples=1500, deadline=None)
@given(ADDRESSES)
@example(f"{HEAD}/caf\u00e9?a=1&b=%41")
@example(f"{HEAD}/a b#x")
@example(f"{HEAD}/sitemap.xml")
@example(f"{HEAD}/feed/atom/")
@example(f"{HEAD}/?s=1")
@example(f"{HEAD}/a/page-2")
@example(HEAD)
def test_what_is_passed_is_listed_just_so(value: str) -> None:
    policy = ListingPolicy(BASE, own_output=[f"{BASE}sitemap.xml"], now=NOW)
    by_column, by_json, by_ascii_json = _batch(policy), _batch(policy), _batch(policy)
    by_column.read_columns([value], [None])
    _compare(policy, by_column, value, 0)
    try:
        data = json.dumps({"loc": value}, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return
    by_json.read_json(data + b"\n")
    by_ascii_json.read_json(json.dumps({"loc": value}).encode())
    for batch in (by_json, by_ascii_json):
        _compare(policy, batch, value, 0)
    assert by_json.status(0) in (by_column.status(0), compiled_pages.UNREAD)


PASSED = [
    "/a", "/A_b~c/d.html", "/p?a=1&b=2", "/caf%C3%A9/", "/caf\u00e9", "/a b/c", "/it's", "/x;v=1/y,z", "/a?x[]=1",
    "/\u65e5\u672c?q=\u8a9e", "/" + "abcdefgh-" * 30, "/p#top", "/p/%7etilde", "/caf%c3%a9", "/page", "/feeds/x",
    "/x.aspx?id=1",
]  # fmt: skip


@pytest.mark.parametrize("path", PASSED)
def test_usual_addresses_need_no_closer_look(path: str) -> None:
    batch = _batch(ListingPolicy(BASE, now=NOW))
    batch.read_columns([HEAD + path, f"https://WWW.example.com{path}"], [None, None])
    assert batch.of_status(compiled_pages.READY) == [0, 1]
    assert batch.suspects() == []


@pytest.mark.parametrize(
    "path",
    ["/p?utm_source=a", "/page/2", "/i.png", "/a?sid=1", "/x;jsessionid=1", "/?s=x", "/feed/rss", "/a?f%5Bx%5D=1"],
)
def test_words_that_may_be_a_reason_are_noticed(path: str) -> None:
    batch = _batch(ListingPolicy(BASE, now=NOW))
    batch.read_columns([HEAD + path], [None])
    assert batch.suspects() == [0]


TIMES = st.builds(
    "T{:02}:{:02}{}{}".format,
    st.integers(0, 25),
    st.integers(0, 60),
    st.sampled_from(["", ":00", ":59", ":60", ":00.1", ":00.123456789", ":00.1234567890", ":0"]),
    st.sampled_from(["Z", "z", "", "+02:00", "-05:00", "+13:59", "+14:00", "-00:30", "-12:00", "+2:00", "+02:60"]),
)
DAYS = st.builds("{:04}-{:02}-{:02}".format, st.integers(0, 2030), st.integers(0, 13), st.integers(0, 32))


@settings(max_examples=1500, deadline=None)
@given(st.one_of(DAYS, st.builds(str.__add__, DAYS, TIMES), st.text(alphabet="0123456789-T:Z+. ", max_size=26)))
def test_dates_that_are_passed_are_written_as_they_are(text: str) -> None:
    batch = _batch(ListingPolicy(BASE, now=NOW))
    batch.read_columns([f"{HEAD}/a"], [text])
    if batch.status(0) == compiled_pages.READY and text:
        assert to_lastmod(text) == text
        assert doubt(Evidence(EvidenceKind.GIVEN, text), NOW) is None


@pytest.mark.parametrize(
    "text", ["2026-11-14", "2025-01-31", "2024-02-29", "2025-01-01T10:00-05:00", "2025-01-01T10:00:00.5Z"]
)
def test_usual_dates_need_no_closer_look(text: str) -> None:
    batch = _batch(ListingPolicy(BASE, now=NOW))
    batch.read_columns([f"{HEAD}/a"], [text])
    assert batch.status(0) == compiled_pages.READY


@settings(max_examples=800, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ['{"loc": "', '"}', HEAD, "/a", '", "lastmod": "', "2025-01-01", "\\u00e9", "\\/", "\\ud83d\\ude00",
             "\\ud83d",
             "é", ",", " ", "{", "}", "null", '"url":"', "\\n", '"', "\\", "\t", "\r", '"title": "x"', ":", "1"]
        ),
        max_size=12,
    ).map("".join)
)  # fmt: skip
def test_lines_are_read_as_json_is(line: str) -> None:
    batch = _batch(ListingPolicy(BASE, now=NOW))
    batch.read_json(line.encode() + b"\n")
    if batch.status(0) in (compiled_pages.READY, compiled_pages.DATE):
        row = json.loads(line)
        (name,) = {"loc", "url"} & row.keys()
        assert row.keys() <= {name, "lastmod"}
        assert batch.loc(0) == to_loc(row[name], BASE)
        assert batch.date(0) == (row.get("lastmod") or "")


@pytest.mark.parametrize(
    "base", ["https://example.com:8443/", "http://xn--bcher-kva.example/", "https://example.com/shop/"]
)
def test_sites_of_any_host_have_a_screen(base: str) -> None:
    policy = ListingPolicy(base, now=NOW)
    batch = _batch(policy)
    loc = f"{base}a?x=1&y=2"
    batch.read_columns([loc, "https://other.example/a"], [None, None])
    assert batch.of_status(compiled_pages.READY) == [0]
    assert policy.decide(Candidate(Entry(loc), "x")).verdict is PolicyReason.LISTED
    assert Address.parse(loc).key == loc


def test_padded_and_broken_values_are_left_to_python(tmp_path: Path) -> None:
    del tmp_path
    batch = _batch(ListingPolicy(BASE, now=NOW))
    values = [f" {HEAD}/a", f"{HEAD}/a ", f"{HEAD}/\ufffd", f"{HEAD}/a\u3000", "", "/a", f"{HEAD}/a\\b", f"{HEAD}/%zz"]
    batch.read_columns(values, [None] * len(values))
    assert batch.of_status(compiled_pages.ODD) == list(range(len(values)))
    with pytest.raises(LocError):
        to_loc(values[2], BASE)
