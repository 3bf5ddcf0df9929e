"""`urlset submit`: sitemaps → search engines, with receipts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from urlset.cli.exit_codes import OK
from urlset.cli.terminal import printable

if TYPE_CHECKING:
    from urlset.submitting.receipt import Receipt
    from urlset.workflows.submit.options import SubmitReport

_MARKS = {"accepted": "✓", "nothing-to-do": "·", "dry-run": "→"}


@click.command(
    short_help="Submit sitemaps and changed URLs to search engines.",
    epilog="\b\nExamples:\n  urlset submit https://www.example.com/sitemap.xml --to google,bing\n"
    "  urlset submit https://www.example.com/sitemap.xml --to indexnow --dry-run",
)
@click.argument("sitemaps", nargs=-1, required=True, metavar="SITEMAP_URL...")
@click.option("--to", "engines", default="google,bing,indexnow", show_default=True, help="Engines, comma-separated.")
@click.option("--property", "property_name", metavar="NAME", help="Search Console property to use.")
@click.option("--state", default=".urlset", show_default=True, metavar="DIR", help="Folder for receipts.")
@click.option("--all", "send_all", is_flag=True, help="Send every URL on the first run.")
@click.option("--only-if-published", is_flag=True, help="Do nothing until the built set is live.")
@click.option("--key-location", metavar="URL", help="Address of the IndexNow key file.")
@click.option("--allow-private", is_flag=True, help="Fetch sitemaps from private networks.")
@click.option("--dry-run", is_flag=True, help="Print what would be sent.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="Output format.")
def submit(  # noqa: PLR0917 - one parameter per option
    sitemaps: tuple[str, ...],
    engines: str,
    property_name: str | None,
    state: str,
    send_all: bool,
    only_if_published: bool,
    key_location: str | None,
    allow_private: bool,
    dry_run: bool,
    form: str,
) -> int:
    """Submit sitemaps to Google, Bing and Yandex, and changed URLs to IndexNow.

    A sitemap is submitted when it changed since the engine accepted it. IndexNow, Bing and Baidu receive only URLs
    that were added, changed or removed since the last accepted submission. The first run records the listed URLs and
    sends none. Receipts are kept in --state; a second run sends nothing again.

    Credentials: GOOGLE_APPLICATION_CREDENTIALS or `urlset login google`, URLSET_BING_KEY, URLSET_YANDEX_TOKEN,
    URLSET_INDEXNOW_KEY. Add _FILE or _COMMAND to a name to read the value from a file or a command.

    Exit code 0: accepted, or nothing to do; 1: refused; 2: an engine was not reached or a quota is used up.
    """
    from urlset.submitting.receipt import exit_code
    from urlset.web.options import WebOptions
    from urlset.workflows.submit.options import ChannelError, SubmitOptions, channels
    from urlset.workflows.submit.submit import submit as run_submission
    from urlset.writing.state_file import StateError

    for url in sitemaps:
        if not url.lower().startswith(("http://", "https://")):
            raise click.UsageError(f"{url!r} is not a URL; submit takes the public address of a sitemap")
    try:
        options = SubmitOptions(
            sitemaps=tuple(dict.fromkeys(sitemaps)),
            to=channels(engines),
            state=Path(state),
            property=property_name,
            dry_run=dry_run,
            send_all=send_all,
            only_if_published=only_if_published,
            key_location=key_location,
            web=WebOptions(allow_private=allow_private),
        )
        report = run_submission(options)
    except ChannelError as error:
        raise click.UsageError(str(error)) from error
    except StateError as error:
        raise click.ClickException(str(error)) from error
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
