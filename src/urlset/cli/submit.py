"""`urlset submit`: sitemaps → search engines, with receipts."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from urlset.cli.command import command
from urlset.cli.exit_codes import OK
from urlset.cli.targets import need_url
from urlset.cli.terminal import printable

if TYPE_CHECKING:
    from urlset.settings.engines import SubmitSettings
    from urlset.submitting.engine import Receipt
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
    form, dry_run = settings.format, settings.dry_run
    click.echo(_json(report, dry_run=dry_run) if form == "json" else "\n".join(_lines(report)))
    return exit_code(report.receipts) or OK


def _json(report: SubmitReport, *, dry_run: bool) -> str:
    import msgspec

    body = {"schema": 1, "command": "submit", "receipts": [msgspec.to_builtins(each) for each in report.receipts]}
    if dry_run:
        body["requests"] = list(report.requests)
    return json.dumps(body, ensure_ascii=False, indent=2)


def _lines(report: SubmitReport) -> list[str]:
    lines = [_line(receipt) for receipt in report.receipts]
    for request in report.requests:
        lines.append(printable(f"would send: {request['method']} {request['url']}"))
        if request["body"] is not None:
            lines.append(printable(f"  {json.dumps(request['body'], ensure_ascii=False)}"))
    lines += [f"note: {printable(note)}" for note in report.notes]
    return lines


def _line(receipt: Receipt) -> str:
    mark = _MARKS.get(receipt.status, "✗")
    counted = f" {receipt.accepted:,} of {receipt.sent:,}" if receipt.sent > 1 else ""
    message = f": {receipt.message}" if receipt.message else ""
    return printable(f"{mark} {receipt.engine}  {receipt.target}  {receipt.status}{counted}{message}")
