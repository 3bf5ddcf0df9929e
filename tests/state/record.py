"""A small site → the state that each command leaves behind, as an archive that later versions have to read.

Run once for a release: `python -m tests.state.record`. An archive is never made again: it is what users have.
"""

from __future__ import annotations

import gzip
import io
import os
import sqlite3
import tarfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import urlset
from tests.cli.commands import run
from tests.servers.engines import FakeEngines
from tests.workflows.audit_sites import page, sitemap
from tests.workflows.submit.engine_sites import Stage
from urlset.testing import Site
from urlset.version import __version__

HERE = Path(__file__).parent
BASE = "https://www.example.com/"
DAYS = (datetime(2026, 11, 1, 12, tzinfo=UTC), datetime(2026, 11, 8, 12, tzinfo=UTC))
WEB = urlset.WebOptions(allow_private=True)


def record() -> Path:
    with TemporaryDirectory() as folder, Site({}) as site, FakeEngines() as engines:
        os.chdir(folder)
        target = site.url("/sitemap.xml")
        links = "".join(f'<a href="/{name}">{name}</a>' for name in ("a", "b"))
        site.routes.update(
            {
                "/": page("home").replace("</nav>", f"{links}</nav>"),
                "/a": page("a"),
                "/b": page("b"),
                "/robots.txt": f"User-agent: *\nAllow: /\nSitemap: {target}\n",
                "/sitemap.xml": sitemap([site.url("/"), site.url("/a"), site.url("/gone")]),
            }
        )
        Path("target.txt").write_text(target, encoding="utf-8")
        urlset.build([f"{BASE}{n}" for n in range(5)], "public", base_url=BASE, state="state", now=DAYS[0])
        with urlset.audit(target, state="state", web=WEB):
            pass
        with urlset.crawl(site.url("/"), state="state", web=WEB, max_pages=2):
            pass
        for day in DAYS:
            urlset.snapshot(target, state="state", web=WEB, now=day)
        accounts = Path("accounts").absolute()
        accounts.mkdir()
        stage = Stage(engines, site, accounts)
        site.routes["/robots.txt"] = f"User-agent: *\nAllow: /\nSitemap: {target}\n"
        urlset.submit(target, to=["google"], state="state", environment=stage.environment, allow_private=True)
        run("watch", site.url("/"), "--once", "--state", "state", "--allow-private")
        Path("bad.xml").write_text(sitemap([f"{BASE}a b"]), encoding="utf-8")
        run("check", "bad.xml", "--write-baseline", "baseline.json")
        return _packed(HERE / f"{__version__}.tar.gz")


def _packed(archive: Path) -> Path:
    for path in Path("state").rglob("*"):
        if path.suffix in {".db", ".sqlite"}:
            with closing(sqlite3.connect(path)) as database:
                database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", dereference=True) as tar:
        for name in ("target.txt", "state", "public", "baseline.json"):
            tar.add(name, filter=_anonymous)
    archive.write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return archive


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return None if member.name.endswith(("-wal", "-shm", ".lock")) else member


if __name__ == "__main__":
    record()
