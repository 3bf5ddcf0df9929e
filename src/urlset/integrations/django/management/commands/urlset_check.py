"""`manage.py urlset_check` → findings in the sitemaps that the project serves, without a running server."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from urlset.findings.card import Severity
from urlset.integrations.django.files import DjangoSite, files
from urlset.reading.read import read
from urlset.reports.format import ReportOptions, reporter
from urlset.workflows.library.check import check

TEXT = ("text", "full", "concise")


class Command(BaseCommand):  # type: ignore[misc]  # Django has no types
    help = "Check the sitemaps of this project. Exit code 1 if there are findings at or above --fail-on."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("section", nargs="*", help="Sections to check; all by default")
        parser.add_argument("--base-url", help="Scheme and host of the site, such as https://www.example.com")
        parser.add_argument("--format", choices=TEXT, default="text", help="Report format")
        parser.add_argument("--show", choices=[str(level) for level in Severity], help="Minimum severity to show")
        parser.add_argument(
            "--fail-on",
            choices=[str(level) for level in Severity],
            default=str(Severity.ERROR),
            help="Minimum severity that fails the run",
        )

    def handle(self, **options: Any) -> None:
        site = DjangoSite.of(options["base_url"])
        fail_on = Severity(options["fail_on"])
        show = None if options["show"] is None else Severity(options["show"])
        report = ReportOptions(show=show, fail_on=fail_on, color=self.style.ERROR("x") != "x")
        failed = count = entries = 0
        for file in files(site, options["section"]):
            document = read(file.data, name=file.url, url=file.url)
            verdict = check(document)
            count, entries = count + 1, entries + len(document)
            failed += verdict.at_or_above(fail_on)
            if verdict.at_or_above(report.least(Severity.WARNING)):
                for piece in reporter(options["format"])(verdict, report):
                    self.stdout.write(piece, ending="")
        if not count:
            raise CommandError("no sitemap view was found in the URLconf", returncode=3)
        self.stdout.write(f"{count} {'sitemap' if count == 1 else 'sitemaps'} with {entries:,} entries checked")
        if failed:
            sys.exit(1)
