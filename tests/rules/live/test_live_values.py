"""Dates and picture sizes → what live rules make of them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.checking.made_up_rules import context
from tests.checking.transcripts import page_of
from urlset.model.document import expired
from urlset.rules.live.content import lastmod_contradicted
from urlset.rules.live.media import image_size

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2020-09-21", True),
        ("2020-09-21t10:00:00z", True),
        ("2026-11-15t11:59:59z", True),
        ("2026-11-15t12:00:01z", False),
        ("2026-11-14", False),  # that day may not have ended everywhere
        ("2026-11-12", True),
        ("25 jun 2020 15:00:00 pst", True),
        ("25 jun 2031 15:00:00 pst", False),
        ("thursday, 25-jun-20 15:00:00 gmt", True),
        ("sun, 15 nov 2026 06:59:00 est", True),
        ("sun, 15 nov 2026 07:01:00 est", False),
        ("soon", False),
        ("", False),
        ("99999-99-99", False),
        ("31 feb 2020 10:00:00 gmt", False),
    ],
)
def test_days_that_have_passed(text: str, wanted: bool) -> None:
    assert expired(text, NOW) is wanted


@given(st.text(max_size=40))
def test_no_date_breaks_the_rule(text: str) -> None:
    assert expired(text, NOW) in (True, False)


PAGE = "> GET https://example.com/a\n< 200\n{}Content-Type: text/html\n\n{}<p>Words.\n"
META = '<meta property="article:modified_time" content="{}">'
ARTICLE = '{{"@type":"Article","dateModified":"{}"}}'
LD = f'<script type="application/ld+json">[{ARTICLE},{ARTICLE}]</script>'


def contradicted(lastmod: str, header: str = "", body: str = "") -> bool:
    page = page_of(f"listed: https://example.com/a lastmod={lastmod}\n{PAGE.format(header, body)}", context())
    return bool(list(lastmod_contradicted.check(page)))


def test_less_than_a_week_is_forgiven_both_ways() -> None:
    assert not contradicted("2026-10-08", body=META.format("2026-10-01T12:00:00Z"))
    assert contradicted("2026-10-10", body=META.format("2026-10-01T12:00:00Z"))
    assert not contradicted("2026-10-01", body=META.format("2026-10-08T12:00:00Z"))
    assert contradicted("2026-10-01", body=META.format("2026-10-11T12:00:00Z"))


def test_a_list_of_articles_is_as_old_as_none_of_them() -> None:
    """Between the oldest and the newest date on the page anything may be true."""
    assert not contradicted("2026-05-05", body=LD.format("2019-01-01", "2026-10-01"))
    assert contradicted("2026-05-05", body=LD.format("2019-01-01", "2020-01-01"))


def test_a_page_made_for_the_asking_is_no_evidence() -> None:
    assert not contradicted("2020-01-01", body=META.format("2026-11-15T11:59:00Z"))
    assert not contradicted("2020-01-01", header="Last-Modified: Sun, 15 Nov 2026 11:59:00 GMT\n")


def test_dates_of_the_future_and_nonsense_are_left_to_others() -> None:
    assert not contradicted("2027-01-01", body=META.format("2019-01-01"))
    assert not contradicted("soon", body=META.format("2019-01-01"))
    assert not contradicted("2020-01-01", body=META.format("2027-05-05"))
    assert not contradicted("2026-10-01", header="Last-Modified: yesterday, I think\n")


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + width.to_bytes(4, "big") + height.to_bytes(4, "big")


def jpeg(width: int, height: int) -> bytes:
    frame = b"\xff\xc2\0\x11\x08" + height.to_bytes(2, "big") + width.to_bytes(2, "big")
    return b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0\xff\xff\xdb\0\x04xx" + frame


SIZES = {
    "png": png(640, 480),
    "jpeg": jpeg(640, 480),
    "gif": b"GIF89a" + (640).to_bytes(2, "little") + (480).to_bytes(2, "little"),
    "bmp": b"BM" + bytes(16) + (640).to_bytes(4, "little") + (-480).to_bytes(4, "little", signed=True),
    "webp": b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a"
    + (640).to_bytes(2, "little")
    + (480 | 1 << 14).to_bytes(2, "little"),
    "webp lossless": b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f" + (639 | 479 << 14).to_bytes(4, "little"),
    "webp extended": b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0"
    + (639).to_bytes(3, "little")
    + (479).to_bytes(3, "little"),
}


@pytest.mark.parametrize("name", SIZES)
def test_sizes_of_pictures(name: str) -> None:
    assert image_size(SIZES[name]) == (640, 480)
    for end in range(len(SIZES[name])):
        assert image_size(SIZES[name][:end]) in (None, (640, 480))


@given(st.sampled_from(sorted(SIZES)), st.binary(max_size=60))
def test_no_bytes_break_the_reader(name: str, noise: bytes) -> None:
    for data in (noise, SIZES[name][:8] + noise, SIZES[name] + noise):
        found = image_size(data)
        assert found is None or len(found) == 2
