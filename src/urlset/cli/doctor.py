"""`urlset doctor`: why a search engine cannot fetch a sitemap, and what to change."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from urlset.cli.command import command
from urlset.cli.exit_codes import FINDINGS, OK
from urlset.cli.targets import need_url
from urlset.cli.terminal import columns, is_terminal, note, printable

if TYPE_CHECKING:
    from urlset.settings.engines import DoctorSettings
    from urlset.workflows.doctor import DoctorReport


@command(
    "doctor",
    usual="format timeout allow-private resolve proxy quiet verbose",
    epilog="""Examples:
  urlset doctor https://www.example.com/sitemap.xml
  urlset doctor www.example.com""",
)
def doctor(settings: DoctorSettings) -> int:
    """Diagnose "Couldn't fetch", pending and "has errors" in Search Console.

    Fetches the sitemap as Googlebot, Bingbot, AI crawlers and a browser would, and one listed page too: about 16
    requests, announced before they are sent. Checks DNS, TLS, HTTP versions, IPv4 and IPv6, status, redirects,
    robots.txt, bot protection, type, compression, size, time, XML, namespaces and hosts. With Google credentials, also
    the properties and the sitemap in Search Console. For the URL of a site, the sitemap is found through robots.txt or
    at the usual places. The child sitemaps of an index are fetched and checked too; of more than 50, a sample.

    Exit code 0: no problem found; 1: causes found.
    """
    from urlset.workflows.doctor import doctor as look

    url = need_url(settings.url or "", "doctor takes the public URL of a sitemap or site")
    report = look(replace(settings, url=url), notify=lambda line: note(printable(line)))
    lines = [_json(report)] if settings.format == "json" else _lines(report)
    click.echo("\n".join(lines))
    return OK if report.healthy else FINDINGS


def _json(report: DoctorReport) -> str:
    import msgspec

    body = {
        "schema": 1,
        "command": "doctor",
        "healthy": report.healthy,
        "causes": [msgspec.to_builtins(each) for each in report.causes],
        "url": report.url,
        "sitemap": report.sitemap or None,
        "children": report.children,
        "children_fetched": report.children_fetched,
        "crawlers": [msgspec.to_builtins(each) for each in report.crawlers],
        "platforms": list(report.platforms),
        "looked_at": list(report.looked_at),
    }
    return json.dumps(body, ensure_ascii=False, indent=1)


def _lines(report: DoctorReport) -> Iterator[str]:
    for number, each in enumerate(report.causes, 1):
        yield from _wrapped(f"{number}. {each.cause}: {each.evidence}", "   ")
        for line in (each.advice, *each.recipes):
            yield from _wrapped(f"   {line}", "     ")
    if report.healthy:
        yield from _wrapped(report.all_clear, "")
    if report.crawlers:
        yield ""
        yield "Crawlers:"
        for result, names in report.crawler_lines():
            yield from _wrapped(f"  {result}", "    ")
            yield from _wrapped(f"    {names}", "    ")
    yield ""
    yield "Looked at:"
    for line in report.looked_at:
        yield from _wrapped(f"  {line}", "    ")


def _wrapped(text: str, indent: str) -> Iterator[str]:
    """Lines of a terminal; a pipe gets each text on one line."""
    from textwrap import wrap

    if not is_terminal(sys.stdout):
        yield printable(text)
        return
    yield from wrap(
        printable(text),
        max(60, min(columns(100), 120)),
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
