"""Input made to hurt: refused with a trouble, in bounded memory and time.

Each case runs in a process of its own, so that its peak memory can be measured.
"""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.slow

MEASURE = """
import json, pathlib, resource, sys, time
sys.path[:0] = json.loads(sys.argv[1])
from urlset import read
import urlset.model.document, urlset.reading.read
from urlset.reading.read import read_chunks
from tests.reading.sitemaps import HEAD, TAIL, url, urlset
def peak():
    status = pathlib.Path("/proc/self/status")
    if status.exists():  # ru_maxrss starts with the peak of the process that started this one
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 * (1024 if sys.platform == "darwin" else 1))
read(urlset(url("warm")))
def run(make, given=0):
    base = peak()
    begun = time.process_time()
    document = make()
    print(json.dumps({
        "kinds": sorted({trouble.kind for trouble in document.troubles}),
        "locs": [loc for loc in document.columns.locs if loc][:5],
        "rows": len(document), "seconds": time.process_time() - begun, "megabytes": peak() - base,
        "data": len(document.data),
    }))
"""


def measure(code: str) -> dict[str, object]:
    program = MEASURE + textwrap.dedent(code)
    done = subprocess.run(
        [sys.executable, "-c", program, json.dumps(sys.path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, object] = json.loads(done.stdout)
    return result


CASES = {
    "billion laughs": (
        """
        entities = b'<!ENTITY a0 "ha">' + b"".join(
            b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 12))
        run(lambda: read(b"<!DOCTYPE urlset [" + entities + b"]>" + urlset(url("1"), url("&a11;"), url("3"))
            .partition(b"\\n")[2]))
        """,
        {"doctype", "entity-declared", "undefined-entity"}, 20, 5,
    ),
    "quadratic blow-up": (
        """
        run(lambda: read(b'<!DOCTYPE urlset [<!ENTITY a "' + b"x" * 100_000 + b'">]>'
            + urlset(url("1"), url(b"&a;" * 50_000), url("3")).partition(b"\\n")[2]))
        """,
        {"doctype", "entity-declared", "undefined-entity"}, 60, 10,
    ),
    "external entity": (
        """
        run(lambda: read(b'<!DOCTYPE urlset [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
            + urlset(url("1"), url("&a;"), url("3")).partition(b"\\n")[2]))
        """,
        {"doctype", "external-entity", "undefined-entity"}, 20, 5,
    ),
    "ten gigabytes in a gzip": (
        """
        import zlib
        def bomb():
            packer = zlib.compressobj(9, zlib.DEFLATED, 31)
            yield packer.compress(HEAD + url("1"))
            block = b"A" * (1 << 24)
            for _ in range(640):
                yield packer.compress(block)
            yield packer.flush()
        run(lambda: read_chunks(bomb()))
        """,
        {"compression-bomb"}, 140, 60,
    ),
    "nesting": (
        """
        deep = b"<a>" * 100_000 + b"</a>" * 100_000
        run(lambda: read(urlset(url("1"), b"<url><loc>https://example.com/2</loc>" + deep + b"</url>", url("3"))))
        """,
        {"too-deep", "entry-lost"}, 30, 10,
    ),
    "nested entries": (
        """
        run(lambda: read(urlset(url("1"), b"<url>" * 20_000, url("3"))))
        """,
        {"entry-lost", "unclosed-tag"}, 60, 30,
    ),
    "endless tag": (
        """
        data = HEAD + url("1") + b'<url x="' + b"A" * 100_000_000 + b'"><loc>x</loc></url>' + url("3") + TAIL
        run(lambda: read(data))
        """,
        {"token-too-long"}, 60, 20,
    ),
    "endless text": (
        """
        data = HEAD + url("1") + b'<url><loc>' + b"A" * 100_000_000 + b'</loc></url>' + url("3") + TAIL
        run(lambda: read(data))
        """,
        {"token-too-long", "entry-lost"}, 60, 20,
    ),
    "unclosed comments": (
        """
        run(lambda: read(urlset(url("1")) + b"<!--" * 500_000))
        """,
        {"content-after-root"}, 30, 10,
    ),
    "unclosed comments between entries": (
        """
        run(lambda: read(HEAD + (url("a&b") + b"<!-- ") * 5_000))
        """,
        {"bare-ampersand", "stray-lt"}, 60, 20,
    ),
    "a root behind every entry": (
        """
        run(lambda: read((HEAD + url("1") + TAIL) * 5_000))
        """,
        {"two-roots", "bad-declaration"}, 60, 20,
    ),
    "50,000 errors": (
        """
        run(lambda: read(urlset(*(url(f"{n}?a=1&b=2") for n in range(50_000)))))
        """,
        {"bare-ampersand"}, 120, 40,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_hostile_input_is_cheap(name: str) -> None:
    code, kinds, megabytes, seconds = CASES[name]
    result = measure(code)
    found = result["kinds"]
    assert isinstance(found, list)
    assert set(found) & kinds, found
    locs = result["locs"]
    assert isinstance(locs, list)
    assert "/etc/" not in str(locs)
    assert "root:" not in str(locs)
    assert locs[0].startswith("https://example.com/")
    assert float(str(result["megabytes"])) < megabytes
    assert float(str(result["seconds"])) < seconds


def test_errors_cost_linear_time() -> None:
    """Ten times the errors take about ten times as long, whatever the machine does meanwhile."""

    def seconds(count: int) -> float:
        code = f'run(lambda: read(urlset(*(url(f"{{n}}?a=1&b=2") for n in range({count})))))'
        return min(float(str(measure(code)["seconds"])) for _ in range(2))

    assert seconds(20_000) < 25 * seconds(2_000)
