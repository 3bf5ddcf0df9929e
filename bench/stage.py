"""Numbers → a site of 2,000 pages of 30 to 100 KB on an nginx of its own, with robots.txt and sitemap.

    with stage(PAGES) as site:
        site.origin        http://127.0.0.1:PORT
        site.tenfold       ten times as many addresses from the same files

python -m bench.stage    serve it until ctrl-C, to look at
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

from bench.peers import CACHE, ROOT

PAGES = 2_000
PARTS = 10
FORMAT = "1"
MENU = 40
PORTS = (48_211, 48_311, 48_411, 48_511)
"""of which the first is taken that is free, and the one behind it; canonical links say it, so the files hold it"""
_DAY_ZERO = date(2024, 1, 1)
_PATIENCE = 10.0


class NoStageError(Exception):
    """There is no nginx here."""


class Stage(NamedTuple):
    origin: str
    tenfold: str
    pages: int
    """articles; a crawl meets some lists and menu pages besides"""


@contextmanager
def stage(pages: int = PAGES, *, packed: bool = False) -> Iterator[Stage]:
    """`packed` sends pages compressed to those who take that; they were compressed beforehand."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if program is None:
        raise NoStageError("nginx is not installed")
    port = next((each for each in PORTS if all(map(_is_free, (each, each + 1)))), None)
    if port is None:
        raise NoStageError(f"the ports from {PORTS[0]} on are taken")
    files = prepared(pages, port)
    work = files.with_name(f"{files.name}.nginx")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    (work / "nginx.conf").write_text(_configuration(files, work, port, packed=packed), encoding="utf-8")
    command = [program, "-p", str(work), "-c", str(work / "nginx.conf"), "-e", str(work / "error.log")]
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # nginx must not outlive us
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as process:
        try:
            _wait_for(port, process, work / "error.log")
            yield Stage(f"http://127.0.0.1:{port}", f"http://127.0.0.1:{port + 1}", pages)
        finally:
            process.terminate()
            signal.signal(signal.SIGTERM, before)


def prepared(pages: int, port: int) -> Path:
    """The files, made now if they are not there."""
    home = CACHE / f"stage-{pages}-{port}-{FORMAT}"
    if home.exists():
        return home
    print(f"making {pages:,} pages below {CACHE.relative_to(ROOT)} ...", file=sys.stderr)
    draft = CACHE / f".{home.name}.{os.getpid()}"
    draft.mkdir(parents=True)
    _write_site(draft, pages, f"http://127.0.0.1:{port}")
    draft.rename(home)
    return home


def _write_site(home: Path, pages: int, origin: str) -> None:
    sys.path.insert(0, str(ROOT / "src"))
    from tests.servers import pages as made

    for folder in ("articles", "topics", "sections", "menu"):
        (home / folder).mkdir()
    for n in range(pages):
        url = f"{origin}{made.article_path(n)}"
        _put(home / "articles" / f"{n}.html", made.article(n, head=_head(url, n)), _changed(n))
    topics = range(-(-pages // made.PER_LIST))
    for n in topics:
        inside = range(n * made.PER_LIST, min(pages, (n + 1) * made.PER_LIST))
        rows = [(made.article_path(each), f"article {each}") for each in inside]
        _put(home / "topics" / f"{n}.html", made.listing(f"Topic {n}", rows))
    sections = range(-(-len(topics) // made.PER_LIST))
    for n in sections:
        rows = [(f"/topics/{each}/", f"topic {each}") for each in topics[n * made.PER_LIST : (n + 1) * made.PER_LIST]]
        _put(home / "sections" / f"{n}.html", made.listing(f"Section {n}", rows))
    for n in range(MENU):
        _put(home / "menu" / f"{n}.html", made.article(pages + n, links=()))
    _put(home / "index.html", made.listing("Index", [(f"/sections/{n}/", f"section {n}") for n in sections]))
    _put(home / "ten.html", made.listing("Index", [(f"/part-{n}/", f"part {n}") for n in range(PARTS)]))
    _put(home / "sitemap.xml", _sitemap(origin, pages))
    _put(home / "error.html", made.listing("Page not found", [("/", "Home")]))


def _put(path: Path, data: bytes, changed: date | None = None) -> None:
    for each, content in ((path, data), (path.with_name(f"{path.name}.gz"), gzip.compress(data, 6, mtime=0))):
        each.write_bytes(content)
        if changed is not None:
            stamp = (changed - date(1970, 1, 1)).days * 86_400 + 43_200
            os.utime(each, (stamp, stamp))


def _changed(n: int) -> date:
    return _DAY_ZERO + timedelta(days=n * 7 % 500)


def _head(url: str, n: int) -> str:
    """What the head of an article has on most sites."""
    day = _changed(n).isoformat()
    facts = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "mainEntityOfPage": url,
        "headline": f"Article {n}",
        "datePublished": f"{day}T06:00:00Z",
        "dateModified": f"{day}T12:00:00Z",
        "author": {"@type": "Person", "name": f"Author {n % 40}"},
        "image": [f"{url}large.jpg", f"{url}wide.jpg"],
    }
    return (
        f'<link rel="canonical" href="{url}">\n<meta name="robots" content="index, follow, max-image-preview:large">\n'
        f'<link rel="alternate" hreflang="en" href="{url}">\n'
        f'<link rel="alternate" hreflang="x-default" href="{url}">\n'
        f'<meta name="description" content="What happened at the harbour, part {n}, told by those who were there.">\n'
        f'<meta property="og:type" content="article">\n<meta property="og:url" content="{url}">\n'
        f'<meta property="article:modified_time" content="{day}T12:00:00Z">\n'
        '<link rel="stylesheet" href="/assets/site.css">\n<link rel="icon" href="/assets/icon.png">\n'
        f'<script type="application/ld+json">{json.dumps(facts)}</script>\n'
    )


def _sitemap(origin: str, pages: int) -> bytes:
    rows = (
        f"<url><loc>{origin}/articles/{n}/</loc><lastmod>{_changed(n).isoformat()}</lastmod></url>\n"
        for n in range(pages)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        f"{''.join(rows)}</urlset>\n"
    ).encode()


def _configuration(files: Path, work: Path, port: int, *, packed: bool) -> str:
    kinds = "(articles|topics|sections|menu)"
    plain = f"""
    location = / {{ try_files /index.html =404; }}
    location ~ ^/{kinds}/(\\d+)/$ {{ try_files /$1/$2.html =404; }}
"""
    parts = f"""
    location = / {{ try_files /ten.html =404; }}
    location ~ ^/menu/(\\d+)/$ {{ try_files /menu/$1.html =404; }}
    location ~ ^/(part-\\d)/$ {{ set $part $1; try_files /index.html =404; }}
    location ~ ^/(part-\\d)/{kinds}/(\\d+)/$ {{ set $part $1; try_files /$2/$3.html =404; }}
    location ~ ^/(part-\\d)/sitemap.xml$ {{ set $part $1; try_files /sitemap.xml =404; }}
    location = /sitemap.xml {{ types {{ }} default_type application/xml; return 200 '{_index_of_parts(port + 1)}'; }}
    sub_filter 'http://127.0.0.1:{port}/' 'http://127.0.0.1:{port + 1}/$part/';
    sub_filter 'href="/articles/' 'href="/$part/articles/';
    sub_filter 'href="/topics/' 'href="/$part/topics/';
    sub_filter 'href="/sections/' 'href="/$part/sections/';
    sub_filter_once off;
    sub_filter_last_modified on;
    sub_filter_types text/xml application/xml;
"""
    servers = "".join(_server(at, locations) for at, locations in ((port, plain), (port + 1, parts)))
    scratch = "".join(
        f"  {name}_temp_path {work}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    return f"""{"user root;" if hasattr(os, "geteuid") and os.geteuid() == 0 else ""}
daemon off;
master_process off;
worker_processes 1;
pid {work}/pid;
events {{ worker_connections 512; }}
http {{
  types {{ text/html html; text/xml xml; text/plain txt; }}
  charset utf-8;
  gzip_static {"on" if packed else "off"};
{scratch}  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  root {files};
{servers}}}
"""


def _server(port: int, locations: str) -> str:
    rules = (
        f"User-agent: *\\nDisallow: /assets/\\nDisallow: /search\\n\\nSitemap: http://127.0.0.1:{port}/sitemap.xml\\n"
    )
    return f"""  server {{
    listen 127.0.0.1:{port};
    error_page 404 /error.html;
    set $part "";
    location = /robots.txt {{ default_type text/plain; return 200 "{rules}"; }}{locations}  }}
"""


def _index_of_parts(port: int) -> str:
    rows = "".join(f"<sitemap><loc>http://127.0.0.1:{port}/part-{n}/sitemap.xml</loc></sitemap>" for n in range(PARTS))
    return f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</sitemapindex>'


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.02)
    said = log.read_text(encoding="utf-8", errors="replace")[-1000:] if log.exists() else ""
    raise NoStageError(f"nginx did not start:\n{said}")


if __name__ == "__main__":
    with stage(int(sys.argv[1]) if len(sys.argv) > 1 else PAGES) as served, suppress(KeyboardInterrupt):
        print(*served[:2], sep="\n", flush=True)
        while True:
            time.sleep(3600)
