"""Large cases → files in suite/generated, each with the checksum that its expectation states.

    python3 suite/generate.py            make what is missing
    python3 suite/generate.py --write    after a change here: state the new checksums

Compressed files are put together without a compressor, whose output would depend on its version.
"""

from __future__ import annotations

import base64
import hashlib
import json
import struct
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
OUT = HERE / "generated"
NS = "http://www.sitemaps.org/schemas/sitemap/0.9"
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
IMAGES = ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
MOST_BYTES = 52_428_800
LOC = "https://example.com/page/{n}"
MEBIBYTE_OF_SPACES = zlib.decompress(
    base64.b64decode("eNqT7+ZgAIP/bw8aMgLpQwu0Xs+/JLDPgZFhFIyCUTDSQA3bcibmjwwMAgwAoHAKuA==")
)
"""one member of gzip, made once"""


def urlset(entries: Iterable[str], extra: str = "") -> Iterator[str]:
    yield f'{HEAD}<urlset xmlns="{NS}"{extra}>\n'
    yield from entries
    yield "</urlset>\n"


def pages(count: int) -> Iterator[str]:
    return (f"<url><loc>{LOC.format(n=n)}</loc></url>\n" for n in range(1, count + 1))


def index(count: int) -> Iterator[str]:
    yield f'{HEAD}<sitemapindex xmlns="{NS}">\n'
    yield from (f"<sitemap><loc>{LOC.format(n=n)}.xml</loc></sitemap>\n" for n in range(1, count + 1))
    yield "</sitemapindex>\n"


def text(count: int) -> Iterator[str]:
    return (f"{LOC.format(n=n)}\n" for n in range(1, count + 1))


def of_size(size: int) -> Iterator[str]:
    """5,000 entries, with spaces between them up to the size."""
    entries = list(urlset(pages(5_000)))
    room, each = divmod(size - sum(map(len, entries)), 5_000)[0], 5_000
    last = size - sum(map(len, entries)) - room * each
    for number, piece in enumerate(entries):
        yield piece
        if 1 <= number <= each:
            yield " " * (room + (last if number == each else 0))


def images(count: int) -> Iterator[str]:
    found = "".join(
        f"<image:image><image:loc>https://example.com/{n}.png</image:loc></image:image>" for n in range(count)
    )
    return urlset([f"<url><loc>{LOC.format(n=1)}</loc>{found}</url>\n"], IMAGES)


def nested(depth: int) -> Iterator[str]:
    inside = '<x:a xmlns:x="urn:x">' + "<x:a>" * depth + "</x:a>" * depth + "</x:a>"
    return urlset([f"<url><loc>{LOC.format(n=1)}</loc>{inside}</url>\n"])


def with_comment(size: int) -> Iterator[str]:
    return urlset([f"<!--{'x' * size}-->\n", *pages(1)])


def with_attribute(size: int) -> Iterator[str]:
    return urlset(pages(1), f' xmlns:x="{"x" * size}"')


def stored(pieces: Iterable[str]) -> Iterator[bytes]:
    """gzip with blocks that are stored as they are."""
    data = "".join(pieces).encode()
    yield b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
    for start in range(0, len(data), 0xFFFF):
        block = data[start : start + 0xFFFF]
        yield bytes([start + 0xFFFF >= len(data)]) + struct.pack("<HH", len(block), len(block) ^ 0xFFFF) + block
    yield struct.pack("<II", zlib.crc32(data), len(data))


def bomb(mebibytes: int) -> Iterator[bytes]:
    """A sitemap with that many mebibytes of spaces inside, as members of one file."""
    head, *rest = urlset(pages(1))
    yield from stored([head])
    yield from (MEBIBYTE_OF_SPACES for _ in range(mebibytes))
    yield from stored(rest)


def encoded(pieces: Iterable[str]) -> Iterator[bytes]:
    return (piece.encode() for piece in pieces)


CASES: dict[str, Callable[[], Iterator[bytes]]] = {
    "limits/y_entries_50000.xml": lambda: encoded(urlset(pages(50_000))),
    "limits/n_entries_50001.xml": lambda: encoded(urlset(pages(50_001))),
    "limits/y_entries_50000_compressed.xml.gz": lambda: stored(urlset(pages(50_000))),
    "limits/y_index_50000.xml": lambda: encoded(index(50_000)),
    "limits/n_index_50001.xml": lambda: encoded(index(50_001)),
    "limits/y_text_50000.txt": lambda: encoded(text(50_000)),
    "limits/n_text_50001.txt": lambda: encoded(text(50_001)),
    "limits/y_bytes_50_mib.xml": lambda: encoded(of_size(MOST_BYTES)),
    "limits/n_bytes_50_mib_and_one.xml": lambda: encoded(of_size(MOST_BYTES + 1)),
    "limits/n_bytes_50_mib_and_one_compressed.xml.gz": lambda: stored(of_size(MOST_BYTES + 1)),
    "limits/y_images_1000.xml": lambda: encoded(images(1_000)),
    "limits/i_images_1001.xml": lambda: encoded(images(1_001)),
    "hostile/n_compressed_bomb_1_gib.xml.gz": lambda: bomb(1_024),
    "hostile/i_nested_10000.xml": lambda: encoded(nested(10_000)),
    "hostile/i_nested_200000.xml": lambda: encoded(nested(200_000)),
    "hostile/i_comment_20_mb.xml": lambda: encoded(with_comment(20_000_000)),
    "hostile/i_attribute_5_mb.xml": lambda: encoded(with_attribute(5_000_000)),
    "hostile/i_line_20_mb.txt": lambda: iter([b"https://example.com/" + b"a" * 20_000_000 + b"\n"]),
    "hostile/i_ampersands_2_mb.xml": lambda: encoded(urlset(["<url><loc>" + "&" * 2_000_000 + "</loc></url>\n"])),
    "hostile/i_open_tags_2_mb.xml": lambda: encoded(urlset(["<url><loc>" * 200_000])),
    "hostile/i_open_comments_2_mb.xml": lambda: encoded(urlset(["<!-- " * 400_000])),
}


def main() -> int:
    wrong = []
    for name, make in CASES.items():
        expectation = HERE / "cases" / f"{name}.json"
        stated = json.loads(expectation.read_text(encoding="utf-8"))
        path = OUT / name
        if not path.exists() or "--write" in sys.argv:
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_name(f"{path.name}.part")
            with part.open("wb") as file:
                file.writelines(make())
            part.replace(path)
        with path.open("rb") as file:
            made = {"bytes": path.stat().st_size, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}
        if "--write" in sys.argv:
            expectation.write_text(
                json.dumps(stated | {"generated": made}, indent=1, ensure_ascii=False) + "\n", "utf-8"
            )
        elif made != stated.get("generated"):
            wrong.append(f"{path}: {made} instead of {stated.get('generated')}")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
