"""Numbers → sitemap files to measure on: the same bytes on every machine, made once and kept.

python -m bench.samples          make them all
python -m bench.samples plain    make one
"""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path

from bench.peers import SAMPLES

HOST = "https://www.example.com"
CORE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
XHTML = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"'
IMAGE = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
VIDEO = 'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"'

ENTRIES_PER_FILE = 50_000
LARGEST_FILE = 50 * 1024 * 1024
ILLUSTRATED_ENTRIES = 15_000
LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pl", "pt-BR", "sv", "da", "fi", "cs", "ja", "zh-Hant")
FREQUENCIES = ("daily", "weekly", "monthly", "yearly")
AISLES = ("garden", "kitchen", "workshop", "bathroom", "children", "travel", "office")
GOODS = ("teak-bench", "copper-kettle", "folding-lamp", "wool-blanket", "oak-shelf", "steel-flask")
WORDS = (
    *("teak", "copper", "folding", "wool", "oak", "steel", "linen", "walnut", "brass", "ceramic", "marble"),
    *("velvet", "cotton", "leather", "bamboo", "slate", "bench", "kettle", "lamp", "blanket", "shelf", "flask"),
    *("table", "chair", "mirror", "basket", "cushion", "drawer", "cabinet", "large", "round", "vintage"),
)
MILLION = 1_000_000
SOME = 50_000
"""rows for a first look"""
SHARD_MARK = b"/shop/"

FORMAT = "2"
"""Raised when the samples change, so that old ones are made again."""


def plain(count: int = ENTRIES_PER_FILE) -> Iterator[str]:
    """The everyday file: four fields, indented, every eighth address with an escaped ampersand."""
    yield _opening(CORE)
    for number in range(count):
        yield f"  <url>\n{_four_fields(number)}  </url>\n"
    yield "</urlset>\n"


def spotted(count: int = ENTRIES_PER_FILE) -> Iterator[str]:
    """The everyday file with four faults in every hundredth entry, one in each field."""
    yield _opening(CORE)
    for number in range(count):
        yield f"  <url>\n{_four_fields(number)}  </url>\n" if number % 100 else _four_faults(number)
    yield "</urlset>\n"


def hreflang(largest: int = LARGEST_FILE) -> Iterator[str]:
    """As many pages with all their translations as fit below the size limit."""
    closing = "</urlset>\n"
    opening = _opening(f"{CORE} {XHTML}")
    yield opening
    size = len(opening) + len(closing)
    for number in range(ENTRIES_PER_FILE):
        page = _translated_page(number)
        size += len(page)
        if size >= largest:
            break
        yield page
    yield closing


def illustrated(count: int = ILLUSTRATED_ENTRIES) -> Iterator[str]:
    """Pages with three images and one video that uses every field still in use."""
    yield _opening(f"{CORE} {IMAGE} {VIDEO}")
    for number in range(count):
        images = "".join(_image(number, which) for which in range(3))
        yield f"  <url>\n{_four_fields(number)}{images}{_video(number)}  </url>\n"
    yield "</urlset>\n"


def index(names: Iterable[str]) -> Iterator[str]:
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex {CORE}>\n'
    for name in names:
        yield f"  <sitemap>\n    <loc>{HOST}/{name}</loc>\n"
        yield "    <lastmod>2025-06-01</lastmod>\n  </sitemap>\n"
    yield "</sitemapindex>\n"


def _opening(namespaces: str) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {namespaces}>\n'


def _path(number: int) -> str:
    aisle, good = AISLES[number % len(AISLES)], GOODS[number % len(GOODS)]
    query = f"?colour={number % 97}&amp;size={number % 11}" if number % 8 == 0 else ""
    return f"/shop/{aisle}/{number * 7919 % 1_000_003:06d}-{good}-{number}{query}"


def _moment(number: int) -> str:
    year, month, day = 2019 + number % 7, 1 + number % 12, 1 + number % 28
    return f"{year}-{month:02d}-{day:02d}T{number % 24:02d}:{number % 60:02d}:{number * 7 % 60:02d}+00:00"


def _four_fields(number: int) -> str:
    return (
        f"    <loc>{HOST}{_path(number)}</loc>\n"
        f"    <lastmod>{_moment(number)}</lastmod>\n"
        f"    <changefreq>{FREQUENCIES[number % 4]}</changefreq>\n"
        f"    <priority>0.{number % 10}</priority>\n"
    )


def _four_faults(number: int) -> str:
    return (
        f"  <url>\n    <loc>{HOST}/item {number}</loc>\n    <lastmod>2025-01-01T10:{number % 60:02d}:00</lastmod>\n"
        "    <changefreq>Daily</changefreq>\n    <priority>0,5</priority>\n  </url>\n"
    )


def _translated_page(number: int) -> str:
    path = _path(number)
    links = "".join(
        f'    <xhtml:link rel="alternate" hreflang="{language}" href="{HOST}/{language}{path}"/>\n'
        for language in LANGUAGES
    )
    default = f'    <xhtml:link rel="alternate" hreflang="x-default" href="{HOST}{path}"/>\n'
    loc = f"    <loc>{HOST}/en{path}</loc>\n    <lastmod>{_moment(number)}</lastmod>\n"
    return f"  <url>\n{loc}{links}{default}  </url>\n"


def _image(number: int, which: int) -> str:
    return (
        "    <image:image>\n"
        f"      <image:loc>{HOST}/pictures/{number}/{which}-large.jpg?width=1600&amp;fit=crop</image:loc>\n"
        f"      <image:title>View {which} of item {number}</image:title>\n"
        f"      <image:caption>Vue {which} de la pièce {number}, à la lumière du jour</image:caption>\n"
        "    </image:image>\n"
    )


def _video(number: int) -> str:
    films = f"{HOST}/films/{number}"
    player = f"{films}/player?quality=hd&amp;muted=1"
    return (
        "    <video:video>\n"
        f"      <video:thumbnail_loc>{films}/thumbnail.jpg</video:thumbnail_loc>\n"
        f"      <video:title>How item {number} is made</video:title>\n"
        f"      <video:description><![CDATA[From raw wood & brass to <b>item {number}</b>: "
        "ten minutes in the workshop, with the people who do it every day.]]></video:description>\n"
        f"      <video:content_loc>{films}/film.mp4</video:content_loc>\n"
        f'      <video:player_loc allow_embed="yes">{player}</video:player_loc>\n'
        f"      <video:duration>{60 + number % 600}</video:duration>\n"
        "      <video:expiration_date>2031-11-05T19:20:30+08:00</video:expiration_date>\n"
        f"      <video:rating>{number % 5}.{number % 10}</video:rating>\n"
        f"      <video:view_count>{number * 37 % 90_000}</video:view_count>\n"
        f"      <video:publication_date>{_moment(number)}</video:publication_date>\n"
        "      <video:family_friendly>yes</video:family_friendly>\n"
        '      <video:restriction relationship="allow">IE GB US CA</video:restriction>\n'
        '      <video:platform relationship="deny">tv</video:platform>\n'
        "      <video:requires_subscription>no</video:requires_subscription>\n"
        f'      <video:uploader info="{HOST}/people/{number % 40}">Workshop {number % 40}</video:uploader>\n'
        "      <video:live>no</video:live>\n"
        f"      <video:tag>wood</video:tag>\n      <video:tag>{GOODS[number % 6]}</video:tag>\n"
        "    </video:video>\n"
    )


def rows(count: int = MILLION) -> Iterator[str]:
    """A shop as a list of JSON rows, as a database would give them; words and numbers follow no simple order."""
    for number in range(count):
        mixed = number * 2_654_435_761 % 4_294_967_296
        words = "-".join(WORDS[mixed >> shift & 31] for shift in range(0, 15 + mixed % 3 * 5, 5))
        aisle = AISLES[(mixed >> 11) % len(AISLES)]
        yield f'{{"loc": "{HOST}/shop/{aisle}/{words}-{number}", "lastmod": "{_moment(mixed >> 9)}"}}\n'


def make_file(path: Path, pieces: Iterable[str]) -> None:
    with path.open("wb") as target:
        target.writelines(piece.encode() for piece in pieces)


def make_shards(folder: Path, shards: int) -> None:
    """Compressed files of 50,000 URLs each, and the index that lists them.

    Ten million entries written one by one would take minutes; one body is written and every shard gets its
    own path in it instead.
    """
    body = "".join(plain()).encode()
    names = [f"sitemap-{shard:03d}.xml.gz" for shard in range(shards)]
    for shard, name in enumerate(names):
        own = body.replace(SHARD_MARK, b"/s%03d/" % shard)
        (folder / name).write_bytes(gzip.compress(own, compresslevel=2, mtime=0))
    make_file(folder / "sitemap.xml", index(names))


FILES: dict[str, Callable[[], Iterator[str]]] = {
    "plain": plain,
    "hreflang": hreflang,
    "illustrated": illustrated,
}
OTHERS: dict[str, Callable[[], Iterator[str]]] = {
    "spotted": spotted,
    "rows": rows,
    "some-rows": lambda: rows(SOME),
}
"""not for reading beside the peers: several of them stop at such a file, and rows are for building"""
SHARDED = {"million": 20, "ten-million": 200}


def sample(name: str, cache: Path = SAMPLES) -> Path:
    """The file of this name, or the folder of shards, made now if it is not there."""
    if name in SHARDED:
        return kept(f"{name}-{FORMAT}", lambda draft: make_shards(draft, SHARDED[name]), cache)
    pieces = (FILES | OTHERS)[name]
    return kept(f"{name}-{FORMAT}", lambda draft: make_file(draft / "sitemap.xml", pieces()), cache) / "sitemap.xml"


def kept(name: str, make: Callable[[Path], None], cache: Path = SAMPLES) -> Path:
    """The folder of this name, filled by `make` if it is not there yet."""
    home = cache / name
    if not home.exists():
        # filled under another name: a run that was stopped must leave nothing that looks finished
        draft = cache / f".{name}.{os.getpid()}"
        draft.mkdir(parents=True)
        make(draft)
        draft.rename(home)
    return home


def shards(name: str, cache: Path = SAMPLES) -> list[Path]:
    return sorted(sample(name, cache).glob("*.xml.gz"))


def _size(path: Path) -> int:
    return sum(file.stat().st_size for file in (path.iterdir() if path.is_dir() else (path,)))


def main(wanted: list[str]) -> None:
    for name in wanted or list(chain(FILES, SHARDED)):
        made = sample(name)
        print(f"{name:12}{_size(made) / 1e6:9.1f} MB  {made}")


if __name__ == "__main__":
    main(sys.argv[1:])
