"""Sitemap lines are added and corrected; not one other byte of robots.txt changes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.building.robots_lines import corrected, keep_right
from urlset.reading.robots import read_robots

URL = "https://www.example.com/sitemap.xml"
OLD = "http://example.com/sitemap_index.xml"
RULES = b"User-agent: *\nDisallow: /private\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (RULES, RULES + b"\nSitemap: https://www.example.com/sitemap.xml\n"),
        (RULES.rstrip(), RULES + b"\nSitemap: https://www.example.com/sitemap.xml\n"),
        (RULES + b"\n", RULES + b"\nSitemap: https://www.example.com/sitemap.xml\n"),
        (b"", b"Sitemap: https://www.example.com/sitemap.xml\n"),
        (b"\xef\xbb\xbf", b"\xef\xbb\xbfSitemap: https://www.example.com/sitemap.xml\n"),
        (
            b"User-agent: *\r\nAllow: /\r\n",
            b"User-agent: *\r\nAllow: /\r\n\r\nSitemap: https://www.example.com/sitemap.xml\r\n",
        ),
        (b"User-agent: *\rAllow: /\r", b"User-agent: *\rAllow: /\r\rSitemap: https://www.example.com/sitemap.xml\r"),
        (
            b"Sitemap: https://cdn.example/other.xml\n\n" + RULES,
            b"Sitemap: https://cdn.example/other.xml\nSitemap: https://www.example.com/sitemap.xml\n\n" + RULES,
        ),
        (
            b"Sitemap: https://cdn.example/other.xml",
            b"Sitemap: https://cdn.example/other.xml\nSitemap: https://www.example.com/sitemap.xml\n",
        ),
        (b"  SITEMAP :  %s  # ours\n" % OLD.encode() + RULES, b"  SITEMAP :  %s  # ours\n" % URL.encode() + RULES),
        (
            b"Sitemap: %s\r\nSitemap: %s\r\n%s" % (OLD.encode(), URL.encode(), RULES),
            b"Sitemap: %s\r\n%s" % (URL.encode(), RULES),
        ),
        (RULES + b"Sitemap: " + OLD.encode(), RULES + b"Sitemap: " + URL.encode()),
        (b"# Sitemap: %s\n" % OLD.encode(), b"# Sitemap: %s\n\nSitemap: %s\n" % (OLD.encode(), URL.encode())),
        (b"Disallow: /\xff\xe9\n", b"Disallow: /\xff\xe9\n\nSitemap: https://www.example.com/sitemap.xml\n"),
    ],
)
def test_lines(before: bytes, after: bytes) -> None:
    change = corrected(before, [URL], [OLD])
    assert change.data == after
    assert change.changed
    again = corrected(after, [URL], [OLD])
    assert again.data == after
    assert not again.changed


def test_a_right_file_is_left_alone() -> None:
    data = RULES + b"sitemap:https://www.example.com/sitemap.xml"
    assert corrected(data, [URL], [OLD, URL]) == corrected(data, [URL])
    assert corrected(data, [URL]).data == data
    assert not corrected(data, [URL]).changed


def test_a_line_of_somebody_else_is_never_corrected() -> None:
    data = b"Sitemap: http://example.com/sitemap.xml\n"
    change = corrected(data, [URL])
    assert change.data == data + b"Sitemap: https://www.example.com/sitemap.xml\n"
    assert change.corrected == ()


def test_several() -> None:
    change = corrected(b"Sitemap: %s\n" % OLD.encode(), [URL, f"{URL}.2"], [OLD])
    assert change.data == f"Sitemap: {URL}\nSitemap: {URL}.2\n".encode()
    assert change.corrected == ((OLD, URL),)
    assert change.added == (f"{URL}.2",)


@pytest.mark.parametrize("data", [b"\xff\xfeU\0s\0", b"<!doctype html><p>not found", b"a\0b"])
def test_what_is_no_robots_file_is_refused(data: bytes) -> None:
    change = corrected(data, [URL])
    assert change.data == data
    assert change.refusal
    assert not change.changed


def test_an_address_that_breaks_the_line_is_refused() -> None:
    for bad in ("https://example.com/\nDisallow: /", "https://example.com/#x", "https://example.com/a b"):
        with pytest.raises(ValueError, match="cannot be written"):
            corrected(b"", [bad])


@pytest.mark.posix
def test_a_pipe_or_a_device_is_not_read(tmp_path: Path) -> None:
    pipe, device = tmp_path / "pipe", tmp_path / "device"
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    for path in (pipe, device, tmp_path):
        change = keep_right(path, [URL], create=True)
        assert (change.changed, change.refusal) == (False, "it is not a regular file")


def test_the_file_is_made_only_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "robots.txt"
    change = keep_right(path, [URL])
    assert change.refusal is not None
    assert not path.exists()
    keep_right(path, [URL], create=True)
    assert path.read_bytes() == f"Sitemap: {URL}\n".encode()
    before = path.stat().st_mtime_ns
    assert not keep_right(path, [URL]).changed
    assert path.stat().st_mtime_ns == before


def test_a_new_file_is_made_although_the_live_one_names_the_sitemap(tmp_path: Path) -> None:
    path, live = tmp_path / "robots.txt", f"User-agent: *\nDisallow: /x\nSitemap: {URL}\n".encode()
    assert not keep_right(path, [URL], create=True, live=live).changed
    assert path.read_bytes() == live


PIECES = st.sampled_from(
    (b"User-agent: *", b"Disallow: /x", b"", b"# c", b"Sitemap: %s" % OLD.encode(), b"Sitemap: https://o.example/s.xml",
     b"Sitemap: %s" % URL.encode(), b"\xff", b" \t", b"Sitemap:")
)  # fmt: skip


@given(st.lists(st.tuples(PIECES, st.sampled_from((b"\n", b"\r\n", b"\r"))), max_size=8), st.booleans())
def test_everything_else_stays(pieces: list[tuple[bytes, bytes]], ended: bool) -> None:
    data = b"".join(piece + end for piece, end in pieces)
    data = data if ended else data.rstrip(b"\r\n")
    found = corrected(data, [URL], [OLD]).data
    assert found is not None
    values = [line.value for line in read_robots(found)[0].sitemaps]
    assert URL in values
    assert OLD not in values

    def rest(text: bytes) -> list[bytes]:
        ours = (URL.encode(), OLD.encode())
        return [line for line in text.splitlines() if line.strip() and not line.endswith(ours)]

    assert rest(found) == rest(data)
    assert corrected(found, [URL], [OLD]).data == found
