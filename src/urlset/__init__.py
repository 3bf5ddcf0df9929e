"""Read, check, fix, build and audit XML sitemaps.

Names are imported when first used, so that `urlset --help` stays quick.
"""

from __future__ import annotations

from importlib import import_module

from urlset.version import __version__

TYPE_CHECKING = False  # as in `typing`, which takes longer to load than all else here
if TYPE_CHECKING:
    from urlset.findings.card import Severity
    from urlset.findings.finding import Finding
    from urlset.findings.fix_result import FixResult
    from urlset.findings.verdict import Verdict
    from urlset.model.address import Address
    from urlset.model.document import Document, Kind
    from urlset.model.entry import Alternate, Entry, Image, IndexEntry, Media, News, Video
    from urlset.model.moment import Moment
    from urlset.model.place import Place
    from urlset.model.trouble import Trouble, TroubleKind
    from urlset.model.visit import CrawlRow
    from urlset.reports.diff_report import DiffReport
    from urlset.reports.history_report import HistoryReport
    from urlset.reports.pages import AuditReport, PageRow
    from urlset.snapshots.series import SnapshotError
    from urlset.spec.engines import Engine
    from urlset.storage.store import StorageError
    from urlset.web.options import WebOptions
    from urlset.workflows.audit.sources import AuditError
    from urlset.workflows.build.result import BuildError, BuildReport
    from urlset.workflows.crawl import CrawlError, CrawlReport
    from urlset.workflows.diff import DiffError
    from urlset.workflows.doctor import DoctorReport
    from urlset.workflows.engines_index import IndexReport
    from urlset.workflows.engines_status import StatusReport
    from urlset.workflows.fix import fix
    from urlset.workflows.library.audit import Auditor, CrawlResult, audit, crawl, logs
    from urlset.workflows.library.build import (
        BuildRefused,
        build,
        render,
        render_index,
        render_stream,
        render_stream_async,
    )
    from urlset.workflows.library.check import check
    from urlset.workflows.library.engines import (
        doctor,
        doctor_async,
        engines_index,
        engines_index_async,
        engines_status,
        engines_status_async,
        submit,
        submit_async,
    )
    from urlset.workflows.library.history import diff, diff_async, history, snapshot, snapshot_async
    from urlset.workflows.library.publish import publish, publish_async
    from urlset.workflows.library.read import AsyncTree, FetchError, Tree, read, read_async, read_tree, read_tree_async
    from urlset.workflows.logs import LogReport, LogsError
    from urlset.workflows.publish import PublishReport
    from urlset.workflows.snapshot import SnapshotReport
    from urlset.workflows.submit import SubmitReport

__all__ = (
    "Address",
    "Alternate",
    "AsyncTree",
    "AuditError",
    "AuditReport",
    "Auditor",
    "BuildError",
    "BuildRefused",
    "BuildReport",
    "CrawlError",
    "CrawlReport",
    "CrawlResult",
    "CrawlRow",
    "DiffError",
    "DiffReport",
    "DoctorReport",
    "Document",
    "Engine",
    "Entry",
    "FetchError",
    "Finding",
    "FixResult",
    "HistoryReport",
    "Image",
    "IndexEntry",
    "IndexReport",
    "Kind",
    "LogReport",
    "LogsError",
    "Media",
    "Moment",
    "News",
    "PageRow",
    "Place",
    "PublishReport",
    "Severity",
    "SnapshotError",
    "SnapshotReport",
    "StatusReport",
    "StorageError",
    "SubmitReport",
    "Tree",
    "Trouble",
    "TroubleKind",
    "Verdict",
    "Video",
    "WebOptions",
    "__version__",
    "audit",
    "build",
    "check",
    "crawl",
    "diff",
    "diff_async",
    "doctor",
    "doctor_async",
    "engines_index",
    "engines_index_async",
    "engines_status",
    "engines_status_async",
    "fix",
    "history",
    "logs",
    "publish",
    "publish_async",
    "read",
    "read_async",
    "read_tree",
    "read_tree_async",
    "render",
    "render_index",
    "render_stream",
    "render_stream_async",
    "snapshot",
    "snapshot_async",
    "submit",
    "submit_async",
)

_HOMES = {
    "urlset.findings.finding": ("Finding",),
    "urlset.findings.fix_result": ("FixResult",),
    "urlset.findings.card": ("Severity",),
    "urlset.findings.verdict": ("Verdict",),
    "urlset.model.address": ("Address",),
    "urlset.model.document": ("Document", "Kind"),
    "urlset.model.entry": ("Alternate", "Entry", "Image", "IndexEntry", "Media", "News", "Video"),
    "urlset.model.moment": ("Moment",),
    "urlset.model.place": ("Place",),
    "urlset.model.trouble": ("Trouble", "TroubleKind"),
    "urlset.reports.diff_report": ("DiffReport",),
    "urlset.reports.history_report": ("HistoryReport",),
    "urlset.snapshots.series": ("SnapshotError",),
    "urlset.workflows.diff": ("DiffError",),
    "urlset.workflows.library.history": ("diff", "diff_async", "history", "snapshot", "snapshot_async"),
    "urlset.workflows.snapshot": ("SnapshotReport",),
    "urlset.reports.pages": ("AuditReport", "PageRow"),
    "urlset.spec.engines": ("Engine",),
    "urlset.web.options": ("WebOptions",),
    "urlset.workflows.audit.sources": ("AuditError",),
    "urlset.workflows.build.result": ("BuildError", "BuildReport"),
    "urlset.workflows.fix": ("fix",),
    "urlset.workflows.library.check": ("check",),
    "urlset.workflows.doctor": ("DoctorReport",),
    "urlset.workflows.engines_index": ("IndexReport",),
    "urlset.workflows.engines_status": ("StatusReport",),
    "urlset.workflows.library.audit": ("Auditor", "CrawlResult", "audit", "crawl", "logs"),
    "urlset.workflows.library.engines": (
        "doctor",
        "doctor_async",
        "engines_index",
        "engines_index_async",
        "engines_status",
        "engines_status_async",
        "submit",
        "submit_async",
    ),
    "urlset.workflows.logs": ("LogReport", "LogsError"),
    "urlset.workflows.library.read": (
        "AsyncTree",
        "FetchError",
        "Tree",
        "read",
        "read_async",
        "read_tree",
        "read_tree_async",
    ),
    "urlset.storage.store": ("StorageError",),
    "urlset.workflows.library.publish": ("publish", "publish_async"),
    "urlset.workflows.publish": ("PublishReport",),
    "urlset.workflows.submit": ("SubmitReport",),
    "urlset.workflows.library.build": (
        "BuildRefused",
        "build",
        "render",
        "render_index",
        "render_stream",
        "render_stream_async",
    ),
    "urlset.workflows.crawl": ("CrawlError", "CrawlReport"),
    "urlset.model.visit": ("CrawlRow",),
}


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    message = f"module 'urlset' has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> tuple[str, ...]:
    return __all__
