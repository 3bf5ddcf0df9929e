"""Any iterable of pages → a published set of sitemaps: the door of the library to what `urlset build` does."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from os import PathLike
from pathlib import Path

from urlset.building.candidate import PolicyReason
from urlset.building.guard import SHRINK_PERCENT
from urlset.building.sections import By
from urlset.building.sources.iterable import Offer
from urlset.workflows.build.build import build
from urlset.workflows.build.options import BuildError, BuildOptions, BuildReport


class BuildRefused(BuildError):  # noqa: N818 - a decision, not a mistake
    """A guard refused the set; `report` has all there is to know, and what was published before stands."""

    def __init__(self, report: BuildReport) -> None:
        super().__init__(report)
        self.report = report

    def __str__(self) -> str:
        return "; ".join(refusal.text for refusal in self.report.refusals)


def write(  # noqa: PLR0913 - one parameter per setting
    entries: Iterable[Offer],
    out: str | PathLike[str],
    *,
    base_url: str,
    state: str | PathLike[str] | None = None,
    sections: Iterable[str] = (),
    sections_by: By = "none",
    gzip: bool = False,
    text: bool = False,
    keep: Iterable[str] = (),
    hosts: Iterable[str] = (),
    strict: bool = False,
    force: Iterable[str] = (),
    shrink_percent: float = SHRINK_PERCENT,
    now: datetime | None = None,
) -> BuildReport:
    """List the entries (addresses, `Entry` or mappings with the columns of docs/sources.md) in the folder `out`.

    They are gone through once and never held in memory. With `state`, a folder that is kept from run to run,
    pages stay in their files, files without a change are not touched, and a set that lost too much is refused;
    without it every run is the first. Raises BuildRefused, BuildError or OSError, with what was published
    before as it was.
    """
    from urlset.building.journal import PublishError
    from urlset.building.ledger import LedgerError

    try:
        options = BuildOptions(
            base_url=base_url,
            out=Path(out),
            state=Path(state) if state is not None else None,
            sections=tuple(sections),
            sections_by=sections_by,
            gzip=gzip,
            text=text,
            keep=frozenset(PolicyReason(reason) for reason in keep),
            hosts=tuple(hosts),
            strict=strict,
            force=tuple(force),
            shrink_percent=shrink_percent,
        )
        report = build(options, offers=entries, now=now)
    except (LedgerError, PublishError) as error:
        raise BuildError(str(error)) from error
    if report.refusals:
        raise BuildRefused(report)
    return report
