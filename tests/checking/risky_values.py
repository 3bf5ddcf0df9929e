"""Hypothesis strategies for values in which rules find faults, or nearly, and for damage to whole files."""

from __future__ import annotations

from hypothesis import strategies as st

from urlset.spec import generator_artifacts

PIECES = (
    *(
        b"&",
        b"<",
        b">",
        b'"',
        b"'",
        b" ",
        b"\n",
        b"\t",
        b"%",
        b"%41",
        b"%c3",
        b"#",
        b"?",
        b"/",
        b"//",
        b"/../",
        b"/./",
        b":",
    ),
    *(
        b"@",
        b"|",
        b"[",
        b"]",
        b"\\",
        b"{",
        b"}",
        b"A",
        b"_",
        b"-",
        b".",
        b"..",
        b"0",
        b"9",
        b"-",
        b"+",
        b"Z",
        b"z",
        b"T",
        b"t",
    ),
    *(
        b"\xc3\xbc",
        b"\xff",
        b"\x00",
        b"\xe2\x80\x8b",
        b"\xc2\xa0",
        b"<!-- x -->",
        b"<?x?>",
        b"<![CDATA[",
        b"]]>",
        b"&amp;",
    ),
    *(
        b"</url>",
        b"<url>",
        b"<loc>",
        b"</loc>",
        b"<lastmod/>",
        b"<priority>",
        b"https://",
        b"http:",
        b"x",
        b"undefined",
        b"null",
    ),
    *(
        b"page/2",
        b"/cart",
        b"/feed/",
        b"utm_source=a",
        b"sid=9f86d081884c7d659a2f",
        b".xml",
        b".js",
        b".zip",
        b"2027",
        b"1970",
    ),
    *(
        b"<image:image/>",
        b"<image:image></image:image>",
        b"<image:loc/>",
        b' rel="x"',
        b' hreflang="en"',
        b"xmlns:a='b'",
        b"",
    ),
)


@st.composite
def mutations(draw: st.DrawFn, data: bytes) -> bytes:
    """A few pieces put into the file, over whatever stood there or between."""
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(data)))
        gone = draw(st.sampled_from((0, 0, 1, 3, 12)))
        data = data[:at] + draw(st.sampled_from(PIECES)) + data[at + gone :]
    return data


HOSTS = (
    *(
        "example.com",
        "www.example.com",
        "EXAMPLE.com",
        "localhost",
        "10.0.0.1",
        "1.2.3.4",
        "staging.example.com",
        "a.test",
    ),
    *(
        "dev.example.com",
        "-a.com",
        "a-.com",
        "a..com",
        "a_b.com",
        "com",
        "example.com.",
        "example.com:80",
        "example.com:8080",
    ),
    *("xn--bcher-kva.de", "xn--a", "m.example.com", "x" * 64 + ".com", "u@example.com", "[::1]", "bücher.de", "0x7f.1"),
)
SEGMENTS = (
    *(
        *generator_artifacts.PRIVATE_PATHS,
        *sorted(generator_artifacts.ARCHIVE_ENDINGS),
        *(f"a.{ending}" for ending in generator_artifacts.ASSET_ENDINGS),
    ),
    *("undefined", "null", "NaN", "None", "undefined-null", "null.html", "page", "page-2", "2", "feed", "rss.xml"),
    *("robots.txt", "sitemap.xml", "Sitemap_1.TXT", "comments", "en", "de-DE", "docs", "CART", "Search", "node.js"),
    *("", ".", "..", "...", "a b", "ü", "%41", "%c3%bc", "%FC", "%", "%zz", "%s", ":id", "[id]", "{id}", "%7Bid%7D"),
    *("a;jsessionid=1", "(S(lit3py55t21z5v55vlm25s55))", "x.html", "x.PHP", "a|b", "a^b", "a\\b", "a'b", "a,b", "a:b"),
    *("@a", "~a", "a+b", "$a", "!", "*", "(a)", "A", "-", "_", "0", "x" * 200, "\u200b"),
)
NAMES = (
    *sorted(
        generator_artifacts.SESSION_PARAMETERS
        | generator_artifacts.AMBIGUOUS_SESSION_PARAMETERS
        | generator_artifacts.TRACKING_PARAMETERS
    ),
    *sorted(
        generator_artifacts.PAGE_PARAMETERS
        | generator_artifacts.FACET_PARAMETERS
        | generator_artifacts.SEARCH_PARAMETERS_AT_ROOT
    ),
    *(
        *generator_artifacts.SESSION_PREFIXES,
        *generator_artifacts.TRACKING_PREFIXES,
        *generator_artifacts.FACET_PREFIXES,
    ),
    *("feed", "id", "ID", "q", "UTM_source", "PHPSESSID", "a-b", "a.b", ""),
)
VALUES = (
    "",
    "1",
    "2",
    "a",
    "undefined",
    "null",
    "NaN",
    "None",
    "rss2",
    "9f86d081884c7d659a2f",
    "a b",
    "%20",
    "%s",
    "ü",
    "a/b",
    "A~._-",
)
DATES = (
    *(
        "2026-11-01",
        "2026-11-15",
        "2026-11-16",
        "2026-11-17",
        "2027-01-01",
        "1970-01-01",
        "1991-01-01",
        "1992-01-01",
        "2024-02-29",
    ),
    *(
        "2023-02-29",
        "2026-02-30",
        "2026-04-31",
        "2026-13-01",
        "2026-00-10",
        "2026",
        "2026-11",
        "0001-01-01",
        "2099-12-31",
    ),
    *("2026-11-01T10:00:00Z", "2026-11-01T10:00:00+00:00", "2026-11-01T10:00:00-00:00", "2026-11-01T10:00:00+14:00"),
    *("2026-11-01T10:00:00+13:59", "2026-11-01T10:00:00+25:00", "2026-11-01T24:00:00Z", "2026-11-01T23:59:60Z"),
    *(
        "2026-11-01T10:00Z",
        "2026-11-01T10Z",
        "2026-11-01T10:00:00",
        "2026-11-01T10:00:00.123456Z",
        "2026-11-01T10:00:00.1234567Z",
    ),
    *(
        "2026-11-14T23:00:00-12:00",
        "2026-11-15T12:00:01Z",
        "2026-11-16T12:00:01Z",
        "2026-11-01 10:00:00Z",
        "2026-11-01t10:00:00z",
    ),
    *(
        "20261101",
        "1793523600",
        "Sun, 01 Nov 2026 10:00:00 GMT",
        " 2026-11-01 ",
        "",
        " ",
        "01/11/2026",
        "12026-01-01",
        "2026-11-01Z",
    ),
)
FREQUENCIES = ("always", "hourly", "daily", "weekly", "monthly", "yearly", "never", "Daily", " daily ", "often", "")
PRIORITIES = (
    "0.5",
    "1.0",
    "0.0",
    "1",
    "0",
    ".5",
    "+0.5",
    "0,5",
    "1.5",
    "-0.1",
    "0.55",
    "0.555",
    "1.00",
    "1.01",
    "high",
    " 0.5 ",
    "",
    "1e0",
)


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


@st.composite
def entries(draw: st.DrawFn) -> str:
    """Values in which any rule on entries may find its fault, or nearly."""
    scheme = draw(st.sampled_from(("https://", "https://", "https://", "http://", "HTTPS://", "ftp://", "//", "")))
    path = "".join(f"/{segment}" for segment in draw(st.lists(st.sampled_from(SEGMENTS), max_size=3)))
    query = "&".join(
        f"{name}={value}"
        for name, value in draw(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(VALUES)), max_size=2))
    )
    end = draw(st.sampled_from(("", "", "/", "#a", "?", " ")))
    loc = f"{scheme}{draw(st.sampled_from(HOSTS))}{path}{'?' + query if query else ''}{end}"
    inside = f"<loc>{escaped(loc)}</loc>"
    for name, values in (("lastmod", DATES), ("changefreq", FREQUENCIES), ("priority", PRIORITIES)):
        if draw(st.booleans()):
            inside += f"<{name}>{draw(st.sampled_from(values))}</{name}>"
    return f"<url>{inside}</url>"
