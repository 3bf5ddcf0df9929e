"""Heads of page sources → their fields and dates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.model.page import DateOrigin
from urlset.reading.front_matter import front_matter
from urlset.reading.html import read_page

MODIFIED, PUBLISHED = DateOrigin.FRONT_MATTER_MODIFIED, DateOrigin.FRONT_MATTER_PUBLISHED


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("---\ntitle: A\ndate: 2024-05-01\n---\ntext", [(PUBLISHED, "2024-05-01")]),
        (
            "---\ndate: 2024-05-01 # first\nlastmod: '2025-01-02'\n---\n",
            [(MODIFIED, "2025-01-02"), (PUBLISHED, "2024-05-01")],
        ),
        ('---\r\nlast_modified_at: "2024-05-01T10:00:00Z"\r\n---\r\n', [(MODIFIED, "2024-05-01T10:00:00Z")]),
        ("---\nlast-modified: 2024-05-01\n...\n", [(MODIFIED, "2024-05-01")]),
        ("---\nlast_update:\n  date: 2024-05-01\n  author: a\n---\n", [(MODIFIED, "2024-05-01")]),
        ("+++\ndate = 2024-05-01T10:00:00Z\ntitle = 'a'\n+++\n", [(PUBLISHED, "2024-05-01T10:00:00Z")]),
        ("\ufeff---\nupdatedDate: 2024-05-01\n---", [(MODIFIED, "2024-05-01")]),
        ("+++\n  lastmod = 2024-05-02\n  [params]\n  date = 2019-01-01\n+++\n", [(MODIFIED, "2024-05-02")]),
        ("+++\n[last_update]\ndate = 2024-05-02\n[[x]]\nlastmod = 2019-01-01\n+++\n", [(MODIFIED, "2024-05-02")]),
        (
            '{\n  "date": "2024-05-01",\n  "lastmod": "2024-05-02",\n  "menu": {"date": "2019-01-01"}\n}\nText',
            [(MODIFIED, "2024-05-02"), (PUBLISHED, "2024-05-01")],
        ),
        ("---\ntitle: A\n---\n", []),
        ("---\nevents:\n  date: 2024-05-01\n---\n", []),
    ],
)
def test_dates(text: str, dates: list[tuple[DateOrigin, str]]) -> None:
    found = front_matter(text.encode())
    assert found is not None
    assert [(each.origin, each.raw) for each in found.dates()] == dates


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "--- a\n---\n",
        "a\n---\n---\n",
        "---\ndate: 2024-05-01\n",
        "----\n----\n",
        "<html>",
        "{\na\n}\n",
        "{\n\xff\n}\n",
    ],
)
def test_none(text: str) -> None:
    assert front_matter(text.encode()) is None


def test_a_page_with_a_head_is_read_without_it() -> None:
    page = read_page(b"---\ndate: 2024-05-01\n---\n<!doctype html><title>A</title><p>Words.</p>")
    assert page.title == "A"
    assert page.blocks == ("Words.",)
    assert [(each.origin, each.raw) for each in page.dates] == [(PUBLISHED, "2024-05-01")]


@given(st.binary(max_size=60))
def test_never_raises(data: bytes) -> None:
    for fence in (b"---\n", b"+++\n"):
        found = front_matter(fence + data + b"\n" + fence)
        assert found is not None
        list(found.dates())
    front_matter(b"{\n" + data + b"\n}\n")


def test_deep_nesting() -> None:
    assert front_matter(b'{\n"a":' + b"[" * 60_000 + b"\n}\n") is None
