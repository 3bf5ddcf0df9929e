"""`urlset info` → a portrait for people and a versioned JSON for programs."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.cli.commands import run
from urlset.cli.terminal import bar, share, size
from urlset.model.document import Kind
from urlset.model.shown import amount
from urlset.model.trouble import TroubleKind
from urlset.version import __version__
from urlset.workflows.demo.sample.draft import BROKEN, write_samples


@pytest.fixture(autouse=True)
def samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_samples(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")


PORTRAIT = """\
broken.xml
  kind         sitemap
  size         895 bytes
  encoding     UTF-8, declared as UTF-8
  namespaces   default  https://www.sitemaps.org/schemas/sitemap/0.9
                        misspelled: should be http://www.sitemaps.org/schemas/sitemap/0.9
  holds        8 URLs
               1 host: www.example.com
  lastmod      on 7 of 8 (88 %), 2024-03-01 to 2024-06-30T09:30:00+02:00
               2 not valid, and not readable
               2024-03  ██████████████ 1
               2024-04  ██████████████ 1
               2024-05  ████████████████████████████ 2
               2024-06  ██████████████ 1
  changefreq   none
  priority     none
  problems     2  unescaped &; write &amp;  8:47, 12:47
               2  undefined entities        16:38, 16:47
               1  invalid UTF-8             19:37
               1  unclosed element          23:39
               1  unescaped <; write &lt;   27:45
               1  truncated                 34:1
               → 6 entries still read
"""


def test_the_portrait_of_a_broken_file() -> None:
    ran = run("info", "broken.xml")
    assert (ran.code, ran.err) == (0, "")
    assert ran.text == PORTRAIT


def test_an_index_tells_where_its_children_are() -> None:
    Path("good/sitemap-news.xml.gz").unlink()
    text = run("info", "good/sitemap.xml").text
    assert "  children     1 of 2 on disk; not found:\n" in text
    assert "                 https://www.example.com/sitemap-news.xml.gz\n" in text
    assert "sitemap-pages.xml\n  kind" not in text
    followed = run("info", "good/sitemap.xml", "--follow")
    assert followed.code == 2
    assert "\n\ngood/sitemap-pages.xml\n  kind" in followed.text


def test_json_is_versioned() -> None:
    report = json.loads(run("info", "--format", "json", "good", "broken.xml", "nowhere.xml").text)
    assert (report["schema"], report["urlset"], report["command"]) == (1, __version__, "info")
    assert [document["source"] for document in report["documents"]] == [
        "good/sitemap-news.xml.gz",
        "good/sitemap-pages.xml",
        "good/sitemap.xml",
        "broken.xml",
    ]
    assert report["not_read"] == [{"loc": "nowhere.xml", "parent": "", "reason": "no such file"}]
    broken = report["documents"][-1]
    assert broken["troubles"][0] == {
        "kind": "bare-ampersand",
        "count": 2,
        "first": [
            {"line": 8, "column": 47, "offset": BROKEN.index(b"&page=2")},
            {"line": 12, "column": 47, "offset": BROKEN.index(b"&page=3")},
        ],
        "example": "&",
    }


PACKED = b"<urlset><url><loc>https://e.com/</loc></url></urlset>"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "kind         empty"),
        (b"<html><body>x</body></html>", "HTML page, not a sitemap"),
        (gzip.compress(gzip.compress(PACKED, mtime=0), mtime=0), "compressed twice"),
        (b"PK\x03\x04" + b"\0" * 30, "compressed with zip, which is not supported"),
        (b"<urlset><url/></urlset>", "1 entry has no loc"),
        (b"<urlset/>", "none declared"),
        (b"User-agent: *\nSitemap: https://e.com/a.xml\n", "0 of 1 on disk; not found:"),
        ("<urlset><url><loc>https://e.com/</loc></url></urlset>".encode("utf-16"), "UTF-16"),
    ],
)
def test_every_kind_has_a_portrait(data: bytes, words: str) -> None:
    Path("x").write_bytes(data)
    ran = run("info", "x")
    assert ran.code == 0
    assert words in ran.text


@pytest.mark.parametrize(
    ("variable", "value", "coloured"), [("X", "", True), ("NO_COLOR", "1", False), ("TERM", "dumb", False)]
)
def test_colour_is_for_terminals(monkeypatch: pytest.MonkeyPatch, variable: str, value: str, coloured: bool) -> None:
    monkeypatch.setenv(variable, value)
    assert ("\x1b[" in run("info", "broken.xml", terminal=True).text) is coloured
    assert run("info", "broken.xml").text == PORTRAIT


def test_nothing_in_a_file_reaches_the_terminal_raw() -> None:
    Path("x.xml").write_text(
        '<urlset xmlns="urn:\u009b\u202e"><url><loc>https://\u009bx/</loc></url></urlset>', encoding="utf-8"
    )
    text = run("info", "x.xml").text
    assert "\u009b" not in text
    assert "\u202e" not in text
    assert "\\u009b" in text


def test_every_kind_and_trouble_has_words() -> None:
    assert all(kind.words for kind in TroubleKind)
    assert all(kind.label and kind.noun for kind in Kind)


def test_figures() -> None:
    assert [amount(count, "entry", "entries") for count in (0, 1, 2000)] == ["0 entries", "1 entry", "2,000 entries"]
    assert [size(count) for count in (1, 1023, 1024, 102_400, 1 << 20, 52_428_801, 1 << 50)] == [
        "1 byte",
        "1,023 bytes",
        "1.0 KiB",
        "100 KiB",
        "1.0 MiB",
        "50.0 MiB",
        "1024 TiB",
    ]
    assert [share(*pair) for pair in ((0, 0), (0, 9), (1, 1000), (1, 3), (999, 1000), (9, 9))] == [
        "0 %",
        "0 %",
        "under 1 %",
        "33 %",
        "over 99 %",
        "100 %",
    ]
    assert [bar(count, 100, 4) for count in (0, 1, 50, 99, 100)] == ["", "▏", "██", "████", "████"]
