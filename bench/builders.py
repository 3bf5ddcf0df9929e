"""JSON rows → files of 45,000 entries and their index, by one of the writers, in a process of its own.

python -m bench.builders writer|django SOURCE OUT
python -m bench.builders gzip FOLDER OUT        the bare compression of the files in a folder
"""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Iterator
from datetime import datetime
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

ENTRIES = 45_000
HOST = "https://www.example.com"


def writer(source: Path, out: Path) -> None:
    """Ours, with nothing around it: no ledger, no policy, no check."""
    import msgspec

    entry = import_module("urlset.model.entry").Entry
    write_urlset = import_module("urlset.writing.urlset").write_urlset
    index = import_module("urlset.writing.urlset")
    child = import_module("urlset.model.entry").IndexEntry
    with source.open("rb") as file:
        rows = map(msgspec.json.Decoder(entry).decode, file)
        names: list[str] = []
        while some := list(islice(rows, ENTRIES)):
            names.append(f"sitemap-{len(names) + 1}.xml")
            with (out / names[-1]).open("wb") as target:
                target.writelines(write_urlset(some, extensions=()))
    with (out / "sitemap.xml").open("wb") as target:
        target.writelines(index.write_index(child(f"{HOST}/{name}") for name in names))


def django(source: Path, out: Path) -> None:
    """A Sitemap class and the template that comes with it, as the view renders them; all rows are held by it."""
    settings = import_module("django.conf").settings
    settings.configure(
        INSTALLED_APPS=["django.contrib.sitemaps"],
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
        USE_TZ=True,
    )
    import_module("django").setup()
    base: Any = import_module("django.contrib.sitemaps").Sitemap
    template = import_module("django.template.loader").get_template("sitemap.xml")

    class Shop(base):  # type: ignore[misc]
        limit = ENTRIES
        protocol = "https"

        def items(self) -> list[dict[str, Any]]:
            return rows

        def location(self, item: dict[str, Any]) -> str:
            path: str = item["loc"][len(HOST) :]
            return path

        def lastmod(self, item: dict[str, Any]) -> datetime:
            return datetime.fromisoformat(item["lastmod"])

    class Site:
        domain = HOST.removeprefix("https://")

    with source.open("rb") as file:
        rows = [json.loads(line) for line in file]
    sitemap = Shop()
    for page in sitemap.paginator.page_range:
        urls = sitemap.get_urls(page=page, site=Site, protocol="https")
        (out / f"sitemap-{page}.xml").write_text(template.render({"urlset": urls}), encoding="utf-8")


def gzip(folder: Path, out: Path) -> None:
    for path in sorted(folder.glob("*.xml")):
        packer = zlib.compressobj(6, zlib.DEFLATED, 31)
        with path.open("rb") as source, (out / f"{path.name}.gz").open("wb") as target:
            target.writelines(_packed(source, packer))


def _packed(source: Any, packer: Any) -> Iterator[bytes]:
    while piece := source.read(1 << 16):
        yield packer.compress(piece)
    yield packer.flush()


def main(arguments: list[str]) -> None:
    name, source, out = arguments
    Path(out).mkdir(parents=True, exist_ok=True)
    {"writer": writer, "django": django, "gzip": gzip}[name](Path(source), Path(out))


if __name__ == "__main__":
    main(sys.argv[1:])
