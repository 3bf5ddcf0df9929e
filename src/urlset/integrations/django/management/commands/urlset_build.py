"""`manage.py urlset_build OUT` → sitemap files from the project's sitemap classes."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from urlset.building.sources.iterable import named
from urlset.integrations.django.files import DjangoSite, rows
from urlset.workflows.build.result import BuildError
from urlset.workflows.library.build import BuildRefused, build


class Command(BaseCommand):  # type: ignore[misc]  # Django has no types
    help = "Write the sitemaps of this project as files: stable shards, honest dates, published atomically."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("out", help="Folder to write to, served at the root of the site")
        parser.add_argument("section", nargs="*", help="Sections to write; all by default")
        parser.add_argument("--base-url", help="Scheme and host of the site, such as https://www.example.com")
        parser.add_argument("--state", help="Folder kept between runs; pages then stay in their files")
        parser.add_argument("--gzip", action="store_true", help="Write .xml.gz files")
        parser.add_argument("--force", action="append", default=[], metavar="NAME", help="Override a safety check")

    def handle(self, **options: Any) -> None:
        site = DjangoSite.of(options["base_url"])
        try:
            report = build(
                _offers(site, options["section"]),
                options["out"],
                base_url=f"{site.scheme}://{site.domain}/",
                state=options["state"],
                gzip=options["gzip"],
                force=options["force"],
            )
        except BuildRefused as refused:
            self.stderr.write(f"Not published. The existing sitemaps are unchanged. {refused}")
            sys.exit(1)
        except (BuildError, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{report.listed:,} URLs in {len(report.files)} files: {', '.join(report.files)}")
        for reason, number in report.left_out.items():
            self.stdout.write(f"{number:,} left out: {reason}")


def _offers(site: DjangoSite, wanted: list[str]) -> Iterator[Mapping[str, object]]:
    for section, page in rows(site, wanted):
        yield {**(named(page) or {}), "section": section}
