"""`urlset doctor`: why a search engine does not read a sitemap."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from urlset.cli.command import command
from urlset.cli.exit_codes import FINDINGS, OK
from urlset.cli.targets import need_url
from urlset.cli.terminal import printable

if TYPE_CHECKING:
    from urlset.settings.engines import DoctorSettings


@command("doctor", epilog="Example:\n  urlset doctor https://www.example.com/sitemap.xml")
def doctor(settings: DoctorSettings) -> int:
    """Diagnose "Couldn't fetch", pending and "has errors" in Search Console.

    Fetches the sitemap as several crawlers would and checks DNS, TLS, IPv4 and IPv6, status, redirects, robots.txt,
    bot protection, type, compression, size, time, XML, namespaces and hosts. With Google credentials, also the
    properties of the account. For the URL of a site, the sitemap is found through robots.txt or at the usual places.
    The child sitemaps of an index are fetched and checked too; of more than 50, a sample.

    Exit code 0: no problem found; 1: causes found.
    """
    from urlset.workflows.doctor import doctor as look

    url = need_url(settings.url or "", "doctor takes the public URL of a sitemap or site")
    report = look(url, web=settings.fetching)
    if settings.format == "json":
        import msgspec

        causes = [msgspec.to_builtins(each) for each in report.causes]
        body = {"schema": 1, "command": "doctor", "healthy": report.healthy, "causes": causes}
        body |= {"url": report.url, "sitemap": report.sitemap or None}
        body |= {"children": report.children, "children_fetched": report.children_fetched}
        click.echo(json.dumps(body | {"looked_at": list(report.looked_at)}, ensure_ascii=False, indent=1))
    else:
        for number, each in enumerate(report.causes, 1):
            click.echo(printable(f"{number}. {each.cause}: {each.evidence}"))
            click.echo(printable(f"   {each.advice}"))
        if report.healthy:
            click.echo(printable(report.all_clear))
        click.echo("\n".join(["", "Looked at:", *(printable(f"  {line}") for line in report.looked_at)]))
    return OK if report.healthy else FINDINGS
