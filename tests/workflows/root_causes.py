"""A labelled site audited on loopback → which planted cause became which reported one.

`python -m tests.workflows.root_causes shop 20000` prints the table of docs/audit-quality.md.
"""

from __future__ import annotations

import html
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from tests.workflows import labelled_sites
from tests.workflows.labelled_sites import Cause, LabelledSite
from urlset.reports import audit_html, audit_text
from urlset.reports.audit_data import audit_json
from urlset.reports.audit_wording import cause_line
from urlset.reports.format import ReportOptions
from urlset.reports.pages import CauseRow
from urlset.settings.audit import AuditSettings
from urlset.testing import Site
from urlset.web.options import WebOptions
from urlset.workflows.audit.audit import audited

WEB = WebOptions(allow_private=True, backoff=0.01, patience=0.05, concurrency=16)


class Outcome(msgspec.Struct, frozen=True):
    planted: Counter[Cause]
    causes: tuple[CauseRow, ...]
    pages: Counter[tuple[Cause | None, int | None]]
    """planted cause and number of the reported one → pages"""
    text: str = ""
    json: str = ""
    html: str = ""

    def reported_as(self, planted: Cause | None) -> set[int | None]:
        return {number for (cause, number), _ in self.pages.items() if cause == planted}

    def differing(self) -> list[str]:
        """Causes whose line or numbers are not the same in text, JSON and HTML."""
        written = [(each["count"], each["lost"], each["title"]) for each in msgspec.json.decode(self.json)["causes"]]
        text, page = " ".join(self.text.split()), html.unescape(self.html)
        return [
            each.title
            for number, each in enumerate(self.causes, 1)
            if written[number - 1 : number] != [(each.count, each.lost, each.title)]
            or f"{number}. {cause_line(each)}" not in text
            or cause_line(each) not in page
        ]

    def by_damage(self) -> list[Cause]:
        """Planted causes that cost pages, the most first."""
        costly = [(count, cause) for cause, count in self.planted.items() if cause.lost]
        return [cause for _, cause in sorted(costly, reverse=True)]


def outcome_of(labelled: LabelledSite, state: Path) -> Outcome:
    with Site(labelled) as site:
        options = AuditSettings(target=site.url("/"), state=state, web=WEB, check=False)
        with audited(options) as run:
            report, how = run.report, ReportOptions(width=120)
            pages = Counter((labelled.label(row.url.removeprefix(site.origin)), row.cause) for row in report.pages())
            text, json, html = (
                "".join(render(report, how)) for render in (audit_text.render, audit_json, audit_html.render)
            )
    return Outcome(labelled.causes, report.causes, pages, text, json, html)


def main(name: str, size: int) -> None:
    make: Callable[[int], LabelledSite] = getattr(labelled_sites, name)
    began, cpu = time.monotonic(), time.process_time()
    with TemporaryDirectory() as folder:
        found = outcome_of(make(size), Path(folder))
    print(f"{found.pages.total():,} pages, {len(found.planted)} causes planted, {len(found.causes)} reported")  # noqa: T201
    for planted, count in found.planted.most_common():
        numbers = sorted(str(number) for number in found.reported_as(planted))
        print(f"{count:>7,}  {planted.kind:<15} {planted.name:<36} reported as {', '.join(numbers)}")  # noqa: T201
    worst = [found.reported_as(planted) for planted in found.by_damage()[:3]]
    print(f"top three by damage {'right' if worst == [{1}, {2}, {3}] else f'wrong: {worst}'}")  # noqa: T201
    print(f"differing between text, JSON and HTML: {', '.join(found.differing()) or 'none'}")  # noqa: T201
    print(f"{time.monotonic() - began:.0f} s, {time.process_time() - cpu:.0f} s of CPU, the server included")  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
