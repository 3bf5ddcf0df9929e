"""`urlset submit`: sitemaps → search engines, with receipts."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import click
import msgspec

from urlset.cli.command import command
from urlset.cli.exit_codes import OK
from urlset.cli.targets import need_url
from urlset.cli.terminal import printable

if TYPE_CHECKING:
    from urlset.settings.engines import SubmitSettings
    from urlset.workflows.submit import SubmitReport

_MARKS = {"accepted": "✓", "nothing-to-do": "·", "dry-run": "→"}


@command(
    "submit",
    usual="to all only-if-published key-location state dry-run property format quiet",
    epilog="""Examples:
  urlset submit https://www.example.com/sitemap.xml --to google,bing
  urlset submit https://www.example.com/sitemap.xml --to indexnow --dry-run""",
)
def submit(settings: SubmitSettings) -> int:
    """Submit sitemaps to Google, Bing and Yandex, and changed URLs to IndexNow.

    A sitemap is submitted when it changed since the engine accepted it. IndexNow, Bing and Baidu receive only URLs
    that were added, changed or removed since the last accepted submission. The first run records the listed URLs and
    sends none. Receipts are kept in --state, so a second run sends nothing again.

    Credentials: GOOGLE_APPLICATION_CREDENTIALS or `urlset engines login google`, URLSET_BING_KEY, URLSET_YANDEX_TOKEN,
    URLSET_INDEXNOW_KEY. Add _FILE or _COMMAND to a name to read the value from a file or a command.

    Exit code 0: accepted, or nothing to do; 1: refused; 2: an engine was not reached or a quota is used up.
    """
    from urlset.submitting.engine import exit_code
    from urlset.workflows.submit import submit as run_submission

    urls = [need_url(url, "submit takes the public URL of a sitemap") for url in settings.sitemaps]
    report = run_submission(replace(settings, sitemaps=tuple(dict.fromkeys(urls))))
    if settings.format == "json":
        body = {"schema": 1, "command": "submit", "receipts": msgspec.to_builtins(report.receipts)}
        requests = {"requests": list(report.requests)} if settings.dry_run else {}
        click.echo(json.dumps(body | requests, ensure_ascii=False, indent=2))
    else:
        click.echo("\n".join(_lines(report)))
    return exit_code(report.receipts) or OK


def _lines(report: SubmitReport) -> list[str]:
    lines = []
    for each in report.receipts:
        counted = f" {each.accepted:,} of {each.sent:,}" if each.sent > 1 else ""
        message = f": {each.message}" if each.message else ""
        mark = _MARKS.get(each.status, "✗")
        lines.append(printable(f"{mark} {each.engine}  {each.target}  {each.status}{counted}{message}"))
    for request in report.requests:
        lines.append(printable(f"would send: {request['method']} {request['url']}"))
        if request["body"] is not None:
            lines.append(printable(f"  {json.dumps(request['body'], ensure_ascii=False)}"))
    lines += [f"note: {printable(note)}" for note in report.notes]
    return lines
