"""A 60 MB file of 120,000 entries becomes three parts and an index, in memory that the file's size bounds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.house.source_tree import ROOT
from tests.reading.sitemaps import HEAD, TAIL
from urlset.model.document import Kind
from urlset.reading.read import read
from urlset.spec.protocol import MAX_BYTES, MAX_URLS

ENTRIES = 120_000
ENTRY = (
    b"  <url>\n%s<loc>https://www.example.com/catalogue/%06d</loc>\n    <lastmod>2026-%02d-%02d</lastmod>\n  </url>\n"
)
INDENT = b" " * 380
PEAK = 300 << 20
"""bytes; measured 236 MB: the file, its columns, and one part at a time"""
SCRIPT = """
import pathlib, resource, sys
from urlset.cli.main import main
code = main(sys.argv[1:])
status = pathlib.Path("/proc/self/status")
if status.exists():  # ru_maxrss starts with the peak of the process that started this one
    peak = int(status.read_text().partition("VmHWM:")[2].split()[0]) * 1024
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(peak, file=sys.stderr)
sys.exit(code)
"""


def test_a_huge_file_is_split_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml"
    with path.open("wb") as file:
        file.write(HEAD)
        file.writelines(ENTRY % (INDENT, n, n % 9 + 1, n % 28 + 1) for n in range(ENTRIES))
        file.write(TAIL)
    assert 55e6 < path.stat().st_size < 65e6
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, "fix", str(path), "--at", "https://www.example.com/sitemap.xml"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(ran.stderr.splitlines()[-1]) < PEAK
    index = read(path)
    assert index.kind is Kind.SITEMAPINDEX
    parts = [tmp_path / str(loc).rpartition("/")[2] for loc in index.columns.locs]
    assert [part.name for part in parts] == ["sitemap-1.xml", "sitemap-2.xml", "sitemap-3.xml"]
    row = 0
    for part in parts:
        document = read(part)
        assert document.troubles == ()
        assert len(document) <= MAX_URLS
        assert part.stat().st_size <= MAX_BYTES
        for loc in document.columns.locs:
            assert loc == f"https://www.example.com/catalogue/{row:06}"
            row += 1
    assert row == ENTRIES
