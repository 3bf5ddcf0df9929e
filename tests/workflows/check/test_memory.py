"""The memory that a check of one document takes, up to the size that the protocol allows (docs/safety.md)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from urlset.spec.protocol import MAX_BYTES

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from /proc"),
]

MOST, MOST_TRANSCODED = 350, 500
"""megabytes of the whole process, for UTF-8 and for other encodings"""
BEFORE = 40
"""of them before anything is read; what is read takes memory in proportion, so half a file may take half of the rest"""
PARTS = {"short entries": 1, "empty entries": 1, "not UTF-8": 1, "comments": 2}
"""of which the whole file is checked, or another part than a quarter"""
NS = b'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
IMAGE = b'<image:image xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><image:loc>/1</image:loc></image:image>'
RUN = """
import sys
from pathlib import Path
from urlset.cli.main import main
code = main(sys.argv[1:])
print(code, Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0], file=sys.stderr)
"""
Rows = Callable[[int], bytes]
SHAPES: dict[str, Rows] = {
    "short entries": lambda row: b"<url><loc>http://a.b/%d</loc></url>" % row,
    "empty entries": lambda _row: b"<url/>" * 100,
    "unescaped &": lambda row: b"<url><loc>http://a.b/?a&b=%d</loc></url>" % row,
    "bad dates": lambda row: b"<url><loc>http://a.b/%d</loc><lastmod>soon</lastmod></url>" % row,
    "one entry": lambda row: IMAGE if row else b"<url><loc>http://a.b/</loc>" + IMAGE,
    "comments": lambda _row: b"<!-- a -->" * 100,
    "other elements": lambda _row: b"<a/>" * 100,
    "not UTF-8": lambda row: b"<url><loc>http://a.b/\xe9%d</loc></url>" % row,
}


def pieces(shape: str, most: int = MAX_BYTES) -> Iterator[bytes]:
    """A sitemap without an end, cut off at the limit of the protocol."""
    encoding = b"ISO-8859-1" if shape == "not UTF-8" else b"UTF-8"
    head = b'<?xml version="1.0" encoding="%s"?>\n<urlset %s>\n' % (encoding, NS)
    yield head
    size, row = len(head), 0
    while size < most - 10_000:
        piece = b"".join(map(SHAPES[shape], range(row, row + 100)))
        yield piece
        size, row = size + len(piece), row + 100


def peak(*arguments: str) -> int:
    """Megabytes of a command in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, *arguments], capture_output=True, text=True, check=True, timeout=120
    )
    code, kilobytes = done.stderr.split()[-2:]
    assert code in ("0", "1", "2", "3")
    return int(kilobytes) // 1024


@pytest.mark.parametrize("shape", SHAPES)
def test_a_document_of_the_largest_size_stays_below_the_limit(shape: str, tmp_path: Path) -> None:
    file = tmp_path / "sitemap.xml"
    part = PARTS.get(shape, 4)
    with file.open("wb") as written:
        written.writelines(pieces(shape, MAX_BYTES // part))
    most = MOST_TRANSCODED if shape == "not UTF-8" else MOST
    assert peak("check", str(file)) <= BEFORE + (most - BEFORE) // part


def test_listing_and_describing_take_less(tmp_path: Path) -> None:
    file = tmp_path / "sitemap.xml"
    with file.open("wb") as written:
        written.writelines(pieces("short entries"))
    assert peak("ls", str(file)) <= MOST
    assert peak("info", str(file)) <= MOST
