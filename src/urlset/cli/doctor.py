"""`urlset doctor`: why a search engine cannot fetch a sitemap, and what to change."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import click
import msgspec

from urlset.cli.command import command
from urlset.cli.exit_codes import FINDINGS, OK
from urlset.cli.targets import need_url
from urlset.cli.terminal import columns, is_terminal, note, printable, wrapped
from urlset.model.shown import amount

if TYPE_CHECKING:
    from urlset.settings.engines import DoctorSettings
    from urlset.workflows.doctor import DoctorReport


@command(
    "doctor",
    usual="format max-tokens timeout allow-private resolve proxy quiet verbose",
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
    if settings.format == "llm":
        click.echo(_llm(report, settings.max_tokens), nl=False)
    elif settings.format == "json":
        said = msgspec.to_builtins(report) | {"healthy": report.healthy, "sitemap": report.sitemap or None}
        click.echo(
            json.dumps(
                {"schema": 1, "command": "doctor"} | {name: said[name] for name in _FIELDS},
                ensure_ascii=False,
                indent=1,
            )
        )
    else:
        click.echo("\n".join(_lines(report)))
    return OK if report.healthy else FINDINGS


_FIELDS = ["healthy", "causes", "url", "sitemap", "children", "children_fetched", "crawlers", "platforms", "looked_at"]
"""of the JSON report, in order"""
_ON_A_COPY = ("text-before-xml", "malformed", "wrong-namespace", "too-large", "invalid", "host-mismatch", "no-urls")
"""causes in the file itself"""


def _llm(report: DoctorReport, tokens: int) -> str:
    from urlset.reports.llm import DATA, CauseBlock, data, fit, line, word

    url = word(report.sitemap or report.url)
    causes = f"{amount(len(report.causes), 'cause')}, the one to fix first at the top"
    state = "no problem found" if report.healthy else causes
    head = [line(f"urlset doctor {report.sitemap or report.url}: {state}"), DATA]
    head += [line(report.all_clear)] if report.healthy else []
    head += [f"served by: {', '.join(report.platforms)}"] if report.platforms else []
    blocks = []
    for number, each in enumerate(report.causes, 1):
        where = word(each.sitemaps[0]) if each.sitemaps else url
        run = f"curl -sS -D - -o /dev/null -A Googlebot {where}"
        if each.cause in _ON_A_COPY:
            run = f"curl -fsS -o sitemap.xml {where} && urlset fix sitemap.xml --unsafe --diff"
        elif each.cause in ("no-property", "stuck-in-search-console"):
            run = "urlset engines login"
        fixes = [line(f"fix: {text}", "   ") for text in (each.advice, *each.recipes)]
        blocks.append(CauseBlock([line(f"{number}. {each.cause}: {data(each.evidence)}"), *fixes, f"   run: {run}"]))
    for result, names in report.crawler_lines():
        blocks.append(CauseBlock([line(f"crawlers: {result}: {names}")]))
    tail = [line(f"looked at: {data('; '.join(report.looked_at[1:]))}"), f"again: urlset doctor {url} --format llm"]
    return fit(head, blocks, tail, tokens)


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


def _wrapped(text: str, indent: str) -> list[str]:
    """Lines of a terminal; a pipe gets each text on one line."""
    if not is_terminal(sys.stdout):
        return [printable(text)]
    return wrapped(printable(text), max(60, min(columns(100), 120)), rest=indent)
