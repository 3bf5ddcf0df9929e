"""The compiled screen against the functions that say what is right: what it passes, they list just so."""

from __future__ import annotations

import json
import random
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from urlset.building.candidate import Candidate, Evidence, EvidenceKind, PolicyReason
from urlset.building.evidence import doubt
from urlset.building.policy import ListingPolicy, variants_of
from urlset.building.sources.cells import to_lastmod, to_loc
from urlset.model.address import Address
from urlset.model.entry import Entry
from urlset.reading.limits import is_compiled

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


def _batch(policy: ListingPolicy, zone: str | None = None) -> Any:
    from urlset.workflows.build.batches import screen_of  # imports the compiled module

    batch = compiled_pages.Batch(screen_of(policy, NOW, zone))
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
    "{}{:02}:{:02}{}{}".format,
    st.sampled_from(["T", " ", "t", "_"]),
    st.integers(0, 25),
    st.integers(0, 60),
    st.sampled_from(["", ":00", ":59", ":60", ":00.1", ":00.123456789", ":00.1234567890", ":0", "."]),
    st.sampled_from(
        [
            *("Z", "z", "", "+02:00", "-05:00", "+13:59", "+14:00", "-00:30", "-12:00", "+2:00", "+02:60", "+02"),
            *("-0330", " UTC", " GMT", "UTC", " +0000", " -07:00", " EST", " +2", "  Z"),
        ]
    ),
)
NUMBERS = st.one_of(
    st.integers(0, 10**14),
    *(st.integers(at - 2, at + 2) for at in (10**8, 10**10, 10**11, 10**13, 662_688_000, 1_794_700_800, 4_102_444_800)),
    st.integers(662_688_000, 1_794_700_800).flatmap(lambda at: st.sampled_from([at, at * 1000, at * 1000 + 7])),
)
DAYS = st.builds("{:04}-{:02}-{:02}".format, st.integers(0, 2030), st.integers(0, 13), st.integers(0, 32))
OF_FEEDS = st.builds(
    "{}, {:02} {} {:04} {:02}:{:02}:{:02} {}".format,
    *(st.sampled_from(["Mon", "Tue", "Sun", "Xxx"]), st.integers(0, 32), st.sampled_from(["Jan", "Feb", "Dec", "Foo"])),
    *(st.integers(0, 2030), st.integers(0, 24), st.integers(0, 60), st.integers(0, 60)),
    st.sampled_from(["GMT", "+0000", "-0700", "Z", "UTC", "EST", ""]),
)


@settings(max_examples=1500, deadline=None)
@given(
    st.one_of(
        *(DAYS, st.builds(str.__add__, DAYS, TIMES), OF_FEEDS, st.text(alphabet="0123456789-T:Z+. ", max_size=26)),
        st.builds(str.__add__, st.just("2026-11-15"), TIMES),
        st.builds(
            "{}{}{}".format, st.sampled_from(["", " ", "0", "+"]), NUMBERS, st.sampled_from(["", ".5", ".", "Z"])
        ),
        st.builds("{:04}{}{:02}".format, st.integers(0, 2030), st.sampled_from(["-", "/", ""]), st.integers(0, 13)),
    ),
    st.sampled_from([None, "+02:00", "-11:00"]),
)
def test_dates_that_are_passed_are_written_as_python_writes_them(text: str, zone: str | None) -> None:
    batch = _batch(ListingPolicy(BASE, now=NOW), zone)
    batch.read_columns([f"{HEAD}/a"], [text])
    if batch.status(0) == compiled_pages.READY and text:
        assert to_lastmod(text, zone) == batch.date(0)
        assert doubt(Evidence(EvidenceKind.GIVEN, batch.date(0)), NOW) is None


MOMENTS = st.one_of(
    NUMBERS,
    NUMBERS.map(float),
    st.floats(),
    st.dates(),
    st.datetimes(
        timezones=st.none() | st.just(UTC) | st.builds(timezone, st.timedeltas(timedelta(-1, 60), timedelta(0, 86340)))
    ),
)


@settings(max_examples=500, deadline=None)
@given(MOMENTS, st.sampled_from([None, "+02:00"]))
def test_dates_of_python_are_written_as_python_writes_them(value: date | float, zone: str | None) -> None:
    batch = _batch(ListingPolicy(BASE, now=NOW), zone)
    batch.read_columns([f"{HEAD}/a"], [value])
    if batch.status(0) == compiled_pages.READY:
        assert to_lastmod(value, zone) == batch.date(0)


@pytest.mark.parametrize(
    "text",
    [
        *("2026-11-15", "2025-01-31", "2024-02-29", "2025-01-01T10:00-05:00", "2025-01-01T10:00:00.5Z"),
        *("2025-01-01 10:00:00", "2025-01-01 10:00:00.123456+00", "2026-11-15T13:00:00Z"),
        *("Tue, 07 May 2024 10:00:00 GMT", " 2025-01-31\n", "2023", "2023-05", "2026-11"),
        *("1714557600", "1714557600.0", "1714557600123", 1714557600, 1714557600123, 1714557600.5),
    ],
)
def test_usual_dates_need_no_closer_look(text: str | float) -> None:
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
        row = {"loc": row} if isinstance(row, str) else row
        (name,) = {"loc", "url"} & row.keys()
        assert row.keys() <= {name, "lastmod"}
        assert batch.loc(0) == to_loc(row[name], BASE)
        assert batch.date(0) == (row.get("lastmod") or "").strip()


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


def test_any_spelling_of_a_page_is_read() -> None:
    """Only values that are no address, or cannot be listed, need a closer look."""
    batch = _batch(ListingPolicy("https://b\u00fccher.example/", hosts=["http://www.example.com:8080"], now=NOW))
    host = "https://b\u00fccher.example"
    right = [
        *(f" {host}/a", f"{host}/b ", f"{host}/c\u3000", "/a1", f"{host}/d\\b", f"{host}:443/e", host, f"{host}?q='x'"),
        *("https://XN--bcher-kva.example/f", "/x/../g?q='&r", f"{host}/./h", "/i#\u00e9", "/j\tk", "/a|b[c]"),
        *("http://www.example.com:8080/l", "//b\u00fccher.example/m", f"{host}/o'neil/%7e%2e%c3"),
    ]
    batch.read_columns(right, [None] * len(right))
    assert batch.of_status(compiled_pages.READY) == list(range(len(right)))
    batch.clear()
    wrong = [f"{host}/\ufffd", "", "a", f"{host}/%zz", "https://other.example/", "ftp://x/", "https://u@x/", "/" * 3000]
    batch.read_columns(wrong, [None] * len(wrong))
    assert batch.of_status(compiled_pages.ODD) == list(range(len(wrong)))


HEADS = [
    *(
        "https://www.example.com",
        "HTTPS://WWW.Example.com",
        "https://www.example.com:443",
        "https://b\u00fccher.example",
    ),
    *("https://B\u00dcCHER.example:8080", "http://u:p@h.example", "https://h ost", "https://[::1]", "https://h:8a"),
    *(
        "http://",
        "https:",
        "//o.example",
        "",
        "",
        "/",
        "http://1.2.3.4",
        "http://0x7f.1",
        "\u3000https://h.example",
        " ",
    ),
]
PIECES = [
    *"/-_.~;=?&%:#'[]{}|^`\"<>\\ @\t\n\x00\x1f\x7f\x85\u00a0\u3000\u200b\ufffd\U0001f600",
    *("a", "B", "%C3%A9", "%c3%a9", "%41", "%2e", "%2F", "%zz", "\u00e9", "\u65e5", "//", "/./", "/../", "..", "/%2E."),
]


@pytest.mark.parametrize(
    "base", ["https://www.example.com/", "https://b\u00fccher.example/", "http://h.example:8080/x/"]
)
def test_the_compiled_spelling_is_that_of_python(base: str) -> None:
    """Random values, others in each run; the seed is in the message."""
    seed = random.randrange(1 << 32)
    chosen = random.Random(seed)
    speller = compiled_pages.Speller(ListingPolicy(base).head_of)
    for _ in range(3000):
        words = chosen.choices(PIECES, k=chosen.randrange(9))
        value = chosen.choice(HEADS) + chosen.choice(["/", "/", ""]) + "".join(words)
        found = speller.spelled(value)
        if found is not None:
            address = Address.parse(to_loc(value, base))
            assert found[0] == address.raw, (seed, value)
            if address.whatwg is not None and address.illegal is None:
                assert found[1] == address.key, (seed, value)
