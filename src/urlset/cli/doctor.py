"""`urlset doctor`: why a search engine does not read a sitemap."""

from __future__ import annotations

import json

import click

from urlset.cli.exit_codes import FINDINGS, OK
from urlset.cli.terminal import printable


@click.command(
    short_help="Find out why an engine cannot fetch a sitemap.",
    epilog="\b\nExample:\n  urlset doctor https://www.example.com/sitemap.xml",
)
@click.argument("url", metavar="SITEMAP_URL")
@click.option("--allow-private", is_flag=True, help="Fetch from private networks.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="Output format.")
def doctor(url: str, allow_private: bool, form: str) -> int:
    """Diagnose "Couldn't fetch", pending and "has errors" in Search Console.

    Fetches the sitemap as several crawlers would and looks at DNS, TLS, IPv4 and IPv6, status, redirects, robots.txt,
    bot protection, type, compression, size, time, XML, namespaces and hosts. With Google credentials, also at the
    properties of the account.

    Exit code 0: nothing wrong; 1: causes were found.
    """
    from urlset.web.options import WebOptions
    from urlset.workflows.doctor.doctor import HEALTHY
    from urlset.workflows.doctor.doctor import doctor as look

    if not url.lower().startswith(("http://", "https://")):
        raise click.UsageError(f"{url!r} is not a URL; doctor takes the public address of a sitemap")
    report = look(url, web=WebOptions(allow_private=allow_private))
    if form == "json":
        import msgspec

        causes = [msgspec.to_builtins(each) for each in report.causes]
        body = {"schema": 1, "command": "doctor", "healthy": report.healthy, "causes": causes}
        click.echo(json.dumps(body | {"looked_at": list(report.looked_at)}, ensure_ascii=False, indent=1))
    else:
        for number, each in enumerate(report.causes, 1):
            click.echo(printable(f"{number}. {each.cause}: {each.evidence}"))
            click.echo(printable(f"   {each.advice}"))
        if report.healthy:
            click.echo(HEALTHY)
        click.echo("\n".join(["", "Looked at:", *(printable(f"  {line}") for line in report.looked_at)]))
    return OK if report.healthy else FINDINGS
