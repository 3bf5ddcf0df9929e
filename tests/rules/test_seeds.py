"""The facts that five introductions to sitemaps state by example, re-created: wrong ones are found, right ones pass.

Where an introduction is mistaken, the table says so, and the norm decides. «Marks» show the line of the fault.
"""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from typing import NamedTuple

import pytest

from urlset.checking.context import Context
from urlset.checking.declare import wrap
from urlset.checking.engine import check
from urlset.checking.examples import unmark
from urlset.checking.select import select
from urlset.findings.card import Severity
from urlset.model.place import Lines
from urlset.reading.read import read
from urlset.reading.robots import read_robots
from urlset.rules.catalogue import all_rules
from urlset.spec import namespaces
from urlset.spec.engines import DEFAULT_ENGINES

RULES = select(all_rules(), DEFAULT_ENGINES)
NOW = datetime(2026, 6, 10, 9, tzinfo=UTC)
SITE = "https://shop.example.com"
XML = '<?xml version="1.0" encoding="UTF-8"?>\n'


class Expectation(NamedTuple):
    """Codes in the order of the marks; `mild` ones are mere notes and must not be more."""

    text: str
    codes: tuple[str, ...] = ()
    mild: tuple[str, ...] = ()
    at: str | None = None
    robots: str | None = None


def page(inside: str, path: str = "/lamps/") -> str:
    return wrap(f"<url>\n  <loc>{SITE}{path}</loc>\n  {inside}\n</url>")


def loc(address: str) -> str:
    return wrap(f"<url>\n  <loc>{address}</loc>\n</url>")


def dated(text: str, number: int | str) -> str:
    return f"<url><loc>{SITE}/{number}</loc><lastmod>{text}</lastmod></url>\n"


def long(length: int) -> str:
    return f"{SITE}/".ljust(length, "a")


WRONG: dict[str, Expectation] = {
    # the first introduction: XML escapes, dates, values, limits
    "000 a raw ampersand between two parameters": Expectation(loc(f"{SITE}/list?size=2«&»colour=red"), ("X010",)),
    "000 a tag inside an address": Expectation(loc(f"{SITE}/tools/saw«<»fine>blade"), ("X011",)),
    "000 a time without a zone": Expectation(page("<lastmod>«2026-02-03T08:15:00»</lastmod>"), ("D003",)),
    "000 an empty address": Expectation(wrap("<url>\n  «<loc></loc>»\n</url>"), ("L001",)),
    "000 a frequency in other words": Expectation(page("<changefreq>«each-day»</changefreq>"), ("F001",)),
    "000 a frequency that counts": Expectation(page("<changefreq>«thrice-weekly»</changefreq>"), ("F001",)),
    "000 a space in an address": Expectation(loc(f"{SITE}/desk« »lamp"), ("L007",)),
    "000 a percent sign that escapes nothing": Expectation(loc(f"{SITE}/sale-20«%»"), ("L008",)),
    "000 a number sign in an address": Expectation(loc(f"{SITE}/c«#sharp»"), ("L013",)),
    "000 an address without a scheme": Expectation(loc("«shop.example.com/lamps»"), ("L002",)),
    "000 two hosts in one file": Expectation(
        wrap(f"<url><loc>{SITE}/a</loc></url>\n<url><loc>«https://www.example.com/b»</loc></url>"), ("L037",)
    ),
    "000 a URL of 2,049 characters": Expectation(loc(f"«{long(2049)}»"), ("L004",)),
    "000 a URL of 2,048 characters, which the prose forbids and the schema allows": Expectation(
        loc(f"«{long(2048)}»"), ("L004",)
    ),
    # the second: the prolog, namespaces, kinds of files
    "001 an empty line before the declaration": Expectation(f"«\n»{loc(SITE + '/')}", ("X005",)),
    "001 no namespace": Expectation(f"{XML}«<urlset>»\n<url><loc>{SITE}/</loc></url>\n</urlset>\n", ("S002",)),
    "001 another version in the namespace": Expectation(
        f'{XML}<urlset xmlns="«http://www.sitemaps.org/schemas/sitemap/1.0»">\n<url><loc>{SITE}/</loc></url>\n</urlset>\n',
        ("S003",),
    ),
    "001 a path without scheme and host": Expectation(loc("«/lamps/»"), ("L002",)),
    "001 http in a sitemap served over https": Expectation(
        loc("«http»://shop.example.com/lamps/"), ("L016",), at=f"{SITE}/sitemap.xml"
    ),
    "001 pages and sitemaps in one file": Expectation(
        wrap(f"<url><loc>{SITE}/</loc></url>\n«<sitemap»><loc>{SITE}/sitemap-a.xml</loc></sitemap>"), ("S006",)
    ),
    "001 a declared encoding other than UTF-8": Expectation(
        f'<?xml version="1.0" encoding="«ISO-8859-1»"?>\n<urlset xmlns="{namespaces.SITEMAP}">\n'
        f"<url><loc>{SITE}/</loc></url>\n</urlset>\n",
        ("X003",),
    ),
    "001 a prefix that is not declared": Expectation(
        f'{XML}<urlset xmlns="{namespaces.SITEMAP}">\n<url><loc>{SITE}/</loc>\n'
        f"«<image:image»><image:loc>{SITE}/lamp.jpg</image:loc></image:image></url>\n</urlset>\n",
        ("X025",),
    ),
    "001 a video without description": Expectation(
        page(
            f"«<video:video>»<video:thumbnail_loc>{SITE}/t.jpg</video:thumbnail_loc><video:title>Wiring</video:title>"
            f"<video:content_loc>{SITE}/w.mp4</video:content_loc></video:video>"
        ),
        ("V003",),
    ),
    "001 a video that says nowhere where it is": Expectation(
        page(
            f"«<video:video>»<video:thumbnail_loc>{SITE}/t.jpg</video:thumbnail_loc><video:title>Wiring</video:title>"
            "<video:description>How to</video:description></video:video>"
        ),
        ("V004",),
    ),
    "001 an image without address": Expectation(page("«<image:image/>»"), ("M002",)),
    "001 alternates without the page itself": Expectation(
        wrap(f'<url>\n  <loc>«{SITE}/»</loc>\n  <xhtml:link rel="alternate" hreflang="fr" href="{SITE}/fr/"/>\n</url>'),
        ("H015",),
    ),
    # the third: what does not belong into a sitemap
    "002 a session in an address": Expectation(loc(f"{SITE}/lamps?«PHPSESSID=4f1d»"), ("L025",)),
    "002 a tracker in an address": Expectation(loc(f"{SITE}/lamps?«utm_source=mail»"), ("L026",)),
    "002 every page changed today": Expectation(
        wrap(dated("«2026-06-10T08:00:00Z»", 0) + "".join(dated("2026-06-10T08:00:00Z", n) for n in range(1, 30))),
        ("D016",),
    ),
    # the fourth: hosts, namespaces
    "003 a page on another host": Expectation(
        loc("«https://www.example.net/a»"), ("L015",), at="https://shop.example.com/sitemap.xml"
    ),
    # the fifth: what must be there
    "004 no end of the root": Expectation(loc(f"{SITE}/").replace("</urlset>\n", "«»"), ("X001",)),
    "004 an entry without address": Expectation(wrap("«<url>»\n  <lastmod>2026-06-01</lastmod>\n</url>"), ("S010",)),
    "004 a priority above 1": Expectation(page("<priority>«1.5»</priority>"), ("F004",)),
}

DATES = (
    *("2025-12-31", "2026-02-28", "2023-06-15"),
    *("2026-01-29T10:45:00+00:00", "2025-11-28T18:00:15-05:00", "2024-06-15T14:30:00Z"),
)

RIGHT: dict[str, Expectation] = {
    "000 the same parameters, escaped": Expectation(loc(f"{SITE}/list?size=2&amp;colour=red")),
    "000 dates": Expectation(wrap("".join(dated(text, text[:10]) for text in DATES))),
    "000 priorities": Expectation(
        wrap(
            "\n".join(
                f"<url><loc>{SITE}/{text}</loc><priority>{text}</priority></url>"
                for text in ("1.0", "0.8", "0.5", "0.3", "0.0")
            )
        )
    ),
    "000 frequencies, all seven": Expectation(
        wrap(
            "\n".join(
                f"<url><loc>{SITE}/{word}</loc><changefreq>{word}</changefreq></url>"
                for word in ("always", "hourly", "daily", "weekly", "monthly", "yearly", "never")
            )
        )
    ),
    "000 escapes": Expectation(loc(f"{SITE}/desk%20lamp-%23-20%25")),
    "000 a whole sitemap": Expectation(
        wrap(
            f"<url><loc>{SITE}/</loc><lastmod>2026-05-29</lastmod><changefreq>daily</changefreq><priority>1.0</priority></url>\n"
            f"<url><loc>{SITE}/lamps?room=hall&amp;by=price</loc><lastmod>2026-05-28T15:30:00-05:00</lastmod>"
            "<changefreq>weekly</changefreq><priority>0.8</priority></url>\n"
            f"<url><loc>{SITE}/contact</loc><lastmod>2025-12-15</lastmod><changefreq>monthly</changefreq>"
            "<priority>0.5</priority></url>"
        )
    ),
    "000 an index": Expectation(
        wrap(
            f"<sitemap><loc>{SITE}/sitemap-a.xml</loc><lastmod>2026-05-29T10:00:00+00:00</lastmod></sitemap>\n"
            f"<sitemap><loc>{SITE}/sitemap-b.xml</loc><lastmod>2026-05-29T10:00:00+00:00</lastmod></sitemap>",
            "sitemapindex",
        )
    ),
    "000 a URL of 2,047 characters": Expectation(loc(long(2047))),
    "001 namespaces declared and not used": Expectation(
        f'{XML}<urlset xmlns="{namespaces.SITEMAP}" xmlns:image="{namespaces.IMAGE}" xmlns:video="{namespaces.VIDEO}" '
        f'xmlns:news="{namespaces.NEWS}" xmlns:xhtml="{namespaces.XHTML}">\n<url><loc>{SITE}/</loc></url>\n</urlset>\n',
        mild=("S020",),
    ),
    "001 an image": Expectation(page(f"<image:image><image:loc>{SITE}/img/lamp.jpg</image:loc></image:image>")),
    "001 a video": Expectation(
        page(
            f"<video:video><video:thumbnail_loc>{SITE}/t.jpg</video:thumbnail_loc><video:title>Wiring</video:title>"
            "<video:description>How to</video:description>"
            f"<video:content_loc>{SITE}/w.mp4</video:content_loc></video:video>"
        )
    ),
    "001 an article": Expectation(
        page(
            "<news:news><news:publication><news:name>Lamp News</news:name><news:language>en</news:language>"
            "</news:publication><news:publication_date>2026-06-09T10:00:00+00:00</news:publication_date>"
            "<news:title>Light</news:title></news:news>"
        )
    ),
    "001 two languages": Expectation(
        page(
            f'<xhtml:link rel="alternate" hreflang="en" href="{SITE}/en/"/>\n'
            f'<xhtml:link rel="alternate" hreflang="fr" href="{SITE}/fr/"/>',
            "/en/",
        )
    ),
    "002 robots.txt": Expectation(
        f"User-agent: *\nDisallow: /admin/\n\nSitemap: {SITE}/sitemap_index.xml\n", at=f"{SITE}/robots.txt"
    ),
    "002 the same importance and frequency everywhere says nothing, and is no fault": Expectation(
        wrap(
            "\n".join(
                f"<url><loc>{SITE}/{n}</loc><changefreq>always</changefreq><priority>1.0</priority></url>"
                for n in range(5)
            )
        ),
        mild=("F008",),
    ),
    "002 a second page of a list": Expectation(loc(f"{SITE}/lamps/page/2"), mild=("Q007",)),
}

MISTAKEN: dict[str, Expectation] = {
    "000 asks for seconds wherever there are hours; the note on dates does not": Expectation(
        page("<lastmod>2026-05-29T10:45+00:00</lastmod>")
    ),
    "000 shows escaped angle brackets as right; an address must not hold them at all": Expectation(
        loc(f"{SITE}/tools/saw«&lt;»fine&gt;blade"), ("L012",)
    ),
    "001, 002 and 004 require the declaration; XML does not": Expectation(
        loc(f"{SITE}/").removeprefix(XML), mild=("X004",)
    ),
    "001 calls a byte order mark an error; XML allows it": Expectation("\ufeff" + loc(f"{SITE}/"), mild=("X006",)),
    "001, 002 and 004 know fewer forms of dates; a year or a month is legal and merely coarse": Expectation(
        page("<lastmod>«2026-05»</lastmod>"), ("D009",)
    ),
    "004 leaves out a frequency that is one of the seven": Expectation(page("<changefreq>hourly</changefreq>")),
}


def reported(case: Expectation) -> tuple[list[tuple[str, int | None]], set[str], list[tuple[str, int]]]:
    """(code, line) at warning or above, the codes of the notes, and what was expected."""
    built = unmark(case.text)
    robots = read_robots(case.robots.encode())[0] if case.robots else None
    document = read(built.data, name="example", url=case.at)
    verdict = check(document, RULES, Context(now=NOW, robots=robots))
    loud = [(each.code, each.line) for each in verdict.findings if each.severity.at_least(Severity.WARNING)]
    notes = {each.code for each in verdict.findings if each.severity is Severity.INFO}
    lines = Lines(built.data)
    wanted = [(code, lines.at(mark.offset).line) for code, mark in zip(case.codes, built.marks, strict=True)]
    return loud, notes, wanted


@pytest.mark.parametrize("name", [*WRONG, *RIGHT, *MISTAKEN])
def test_what_the_introductions_show(name: str) -> None:
    case = (WRONG | RIGHT | MISTAKEN)[name]
    loud, notes, wanted = reported(case)
    assert loud == wanted
    assert set(case.mild) <= notes


def test_every_wrong_one_has_a_code() -> None:
    assert [name for name, case in WRONG.items() if not case.codes] == []
    assert [name for name, case in RIGHT.items() if case.codes] == []


SEVERITY = {"L004": {2048: Severity.WARNING, 2049: Severity.ERROR}}


def test_the_longest_address() -> None:
    """The prose says below 2,048, the schema at most 2,048: on the border it is a warning."""
    for length, severity in SEVERITY["L004"].items():
        document = read(loc(long(length)).encode(), name="example", url=f"{SITE}/sitemap.xml")
        assert [each.severity for each in check(document, RULES, Context(now=NOW)).findings] == [severity]


def entries(count: int, root: str = "urlset") -> bytes:
    name = "sitemap" if root == "sitemapindex" else "url"
    rows = "".join(f"<{name}><loc>{SITE}/{n}.xml</loc></{name}>\n" for n in range(count))
    return wrap(rows, root).replace(".xml<" if name == "url" else "\0", "<").encode()


@pytest.mark.parametrize(("root", "code"), [("urlset", "S007"), ("sitemapindex", "I002")])
def test_the_most_entries(root: str, code: str) -> None:
    """The limit of an index is missing from the first introduction; it is the same 50,000."""
    verdict = check(read(entries(50_001, root), name="example"), RULES, Context(now=NOW))
    assert {each.code for each in verdict.findings if each.severity is Severity.ERROR} == {code}


@pytest.mark.slow
def test_the_largest_file() -> None:
    """50 MiB count before compression."""
    rest = 52_428_800 - len(loc(f"{SITE}/").encode())
    comments = b"".join(b"<!--%s-->" % (b" " * (1_048_569 - 7)) for _ in range(rest // 1_048_569))
    comments += b" " * (rest - len(comments))
    sound = loc(f"{SITE}/").encode().replace(b"</urlset>", comments + b"</urlset>")
    assert len(sound) == 52_428_800
    for data, wanted in ((sound, []), (gzip.compress(sound + b"\n", 1), ["S008"])):
        found = check(read(data, name="example"), RULES, Context(now=NOW)).findings
        assert [each.code for each in found if each.severity is Severity.ERROR] == wanted
