"""Hypothesis strategies for what honest sites are made of: hosts, addresses, dates, words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from urllib.parse import quote, unquote
from xml.sax.saxutils import escape

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)

HOSTS = (
    *("www.example.com", "example.org", "shop.example.co.uk", "docs.example.io", "a-b.example.museum"),
    *("xn--bcher-kva.example.com", "xn--e1afmkfd.xn--p1ai", "m.example.com", "1-2-3.example.net", "9.example.dev"),
    *("dev.example.com", "test.de", "beta.gouv.fr", "staging.co.uk", "blog.example.com.au", "x.io", "en.example.info"),
    *("www.local-news.example.com", "example.co.jp", "intranet-blog.example.eu", "demo-day.example.com"),
    *("cdn-guide.example.photography", "sub.sub.sub.example.com", "localhost.example.com", "null.example.com"),
)
WORDS = (
    *("about", "about-us", "products", "shoes", "blog", "2026", "11", "15", "faq", "en", "de-DE", "zh_Hant", "page"),
    *("null-hypothesis", "undefined-behaviour", "none-of-these", "nan-bread", "NaN-explained", "session-beans"),
    *(
        "cart-racing",
        "search-engine-tips",
        "login-problems",
        "checkout-lanes",
        "feeding-cats",
        "sitemap",
        "sitemap.html",
    ),
    *(
        "what-is-robots.txt",
        "node.js",
        "next.js",
        "web-2.0",
        "v1.2.3",
        "asp.net",
        "index.html",
        "page.php",
        "view.aspx",
    ),
    *("report.pdf", "data.csv", "licence.txt", "terms.docx", "~ann", "@ann", "Help:Contents", "File:Logo.png"),
    *("c++", "c%23", "rock%20%26%20roll", "50%25-off", "a,b", "a;v=2", "(draft)", "it's", "wow!", "*", "$5", "a=b"),
    *("dir:sub", "utm-zones", "gclid-explained", "jsessionid-explained", "p-12345", "12345", "0", "-", "_", "a.b.c"),
    *("LETTERS", "MixedCase", "a--b", "a__b", "x" * 80, "staging-a-play", "localhost-tutorial", "test", "dev", "tmp"),
    *("index", "default", "home", "wp-content-guide", "api", "rss-explained", "atom", "xml", "feed", "tag", "category"),
    *("javascript:explained", "data-science", "mailto-links", "http", "https-everywhere", "www.example.com", "ftp"),
    *(
        "%E2%82%AC100",
        "%D0%BA%D0%B0%D1%80%D1%82%D0%B0",
        "%e6%97%a5%e6%9c%ac",
        "caf%C3%A9",
        "%C3%BCber-uns",
        "%2F",
        "100%25",
    ),
    *("null", "undefined", "true", "false", "nil", "[archive]".replace("[", "%5B").replace("]", "%5D"), "print", "amp"),
)
HONEST_ONLY_BELOW_DOCS = frozenset({"null", "undefined", "nan", "none"})
PARAMETERS = (
    *(
        "id=1",
        "id=9f86d081884c7d659a2f",
        "p=123",
        "lang=de",
        "v=dQw4w9WgXcQ",
        "sid=12",
        "session=spring-2026",
        "ref=menu",
    ),
    *("source=web", "campaign=42", "q=50%25", "q=a+b", "q=a%20b", "q=%D0%B0", "category=shoes", "sort=price", "page=2"),
    *(
        "s=7",
        "token=abc",
        "url=https%3A%2F%2Fexample.com%2F",
        "date=2026-11-15",
        "time=10:30",
        "x=1,2,3",
        "flag",
        "a=",
        "k=v=w",
    ),
    *(
        "path=/a/b",
        "who=me@example.com",
        "email=a%40b",
        "utm=33N",
        "feed=cats",
        "name=O'Neil",
        "copy=1",
        "lt=1",
        "amp=2",
        "reg=eu",
    ),
    *(
        "not=1",
        "para=3",
        "sect=4",
        "times=2",
        "order=1",
        "deg=90",
        "currency=EUR",
        "pound=1",
        "yen=2",
        "filter=no",
        "tmp=(1)",
    ),
)
TITLES = (
    *("Storm reaches the coast", "What 50 % means", "Rovers 2 – 1 United", "Tom & Jerry", "A < B, and why", "“Quoted”"),
    *(
        "Überraschung im Rathaus",
        "日本語の見出し",
        "Заголовок",
        "عنوان الخبر",
        "2026 in review",
        "Why 7-Eleven?",
        "C# 14 is out",
    ),
    *(
        "Ten tips: how to sleep (better)",
        'He said "no"',
        "It's here",
        "5 > 4",
        "100% cotton",
        "Live: the vote",
        "a" * 90,
    ),
)


def site_origins() -> SearchStrategy[str]:
    return st.builds("{}://{}".format, st.sampled_from(("https", "https", "http")), st.sampled_from(HOSTS))


def _slugs() -> SearchStrategy[str]:
    plain = st.from_regex(r"[a-z0-9]{1,12}(-[a-z0-9]{1,9}){0,4}", fullmatch=True)
    letters = st.text(st.characters(categories=("Ll", "Lu", "Lo", "Nd")), min_size=1, max_size=12).map(quote)
    return st.one_of(st.sampled_from(WORDS), st.sampled_from(WORDS), plain, letters)


def _honest(segments: list[str]) -> list[str]:
    """`/null` is a subject below `/docs` and a mistake elsewhere."""
    words = {segment.lower() for segment in segments}
    return ["docs", *segments] if words & HONEST_ONLY_BELOW_DOCS else segments


def paths() -> SearchStrategy[str]:
    ends = st.sampled_from(("", "", "/"))
    return st.builds(
        lambda segments, end: "/" + "/".join(_honest(segments)) + (end if segments else ""),
        st.lists(_slugs(), max_size=5),
        ends,
    )


def page_addresses(origin: str, folder: str = "") -> SearchStrategy[str]:
    """Every one legal, canonical enough, and unlike a mistake."""
    queries = st.lists(st.sampled_from(PARAMETERS), max_size=3, unique=True).map("&".join)
    return st.builds(
        lambda path, query: f"{origin}{folder}{path}" + (f"?{query}" if query else ""),
        paths(),
        st.one_of(st.just(""), st.just(""), queries),
    )


def same_page(address: str) -> str:
    """What two addresses of one file must not have in common."""
    path, _, query = address.partition("?")
    return unquote(path.rstrip("/") + "?" + query, errors="replace").casefold()


def several_addresses(origin: str, folder: str = "", *, most: int = 8) -> SearchStrategy[list[str]]:
    return st.lists(page_addresses(origin, folder), min_size=1, max_size=most, unique_by=same_page)


ZONES = (0, 60, 120, 330, 345, 540, 765, 840, -180, -210, -300, -720)


def _zone(minutes: int) -> str:
    sign = "-" if minutes < 0 else "+"
    return f"{sign}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def moments(*, oldest: timedelta = timedelta(days=4000)) -> SearchStrategy[datetime]:
    return st.integers(0, int(oldest.total_seconds())).map(lambda seconds: NOW - timedelta(seconds=seconds))


def _written(moment: datetime, form: str, minutes: int) -> str:
    local = moment.astimezone(timezone(timedelta(minutes=minutes)))
    offset = "Z" if minutes == 0 and form.startswith("z") else _zone(minutes)
    return {
        "day": f"{moment:%Y-%m-%d}",
        "minute": f"{local:%Y-%m-%dT%H:%M}{offset}",
        "second": f"{local:%Y-%m-%dT%H:%M:%S}{offset}",
        "zulu": f"{local:%Y-%m-%dT%H:%M:%S}{offset}",
        "tenth": f"{local:%Y-%m-%dT%H:%M:%S}.5{offset}",
        "micro": f"{local:%Y-%m-%dT%H:%M:%S}.{local.microsecond:06}{offset}",
    }[form]


def dates(
    *forms: str,
    oldest: timedelta = timedelta(days=4000),
) -> SearchStrategy[str]:
    """Dates as sites write them, never of the future."""
    every = forms or ("day", "minute", "second", "zulu", "tenth", "micro")
    return st.builds(_written, moments(oldest=oldest), st.sampled_from(every), st.sampled_from(ZONES))


def mail_dates() -> SearchStrategy[str]:
    """As RSS writes them."""
    return moments().map(lambda moment: f"{moment:%a, %d %b %Y %H:%M:%S} +0000")


def titles() -> SearchStrategy[str]:
    return st.sampled_from(TITLES)


def xml(text: str) -> str:
    return escape(text, {"'": "&apos;", '"': "&quot;"})
