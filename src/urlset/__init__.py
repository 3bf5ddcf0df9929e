"""Read, check, fix, build and audit XML sitemaps.

Names are imported when first used, so that `urlset --help` stays quick.
"""

from __future__ import annotations

from importlib import import_module

from urlset.version import __version__

TYPE_CHECKING = False  # as in `typing`, which takes longer to load than all else here
if TYPE_CHECKING:
    from urlset.execution.workers import ExecutionError
    from urlset.findings.card import Card, Severity
    from urlset.findings.finding import Finding
    from urlset.findings.fix_result import FixResult
    from urlset.findings.verdict import Verdict
    from urlset.model.address import Address
    from urlset.model.document import Document, Kind
    from urlset.model.entry import Alternate, Entry, Image, IndexEntry, Media, News, Video
    from urlset.model.errors import (
        ArgumentTypeError,
        ArgumentValueError,
        EngineError,
        FileDeniedError,
        FileError,
        FileMissingError,
        IncompleteError,
        NotAFileError,
        NotAFolderError,
        UrlsetError,
    )
    from urlset.model.frames import NotInstalledError
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
    from urlset.web.browser import BrowserError
    from urlset.web.options import WebOptions
    from urlset.workflows.audit.sources import AuditError
    from urlset.workflows.build.result import BuildError, BuildReport
    from urlset.workflows.crawl import CrawlError, CrawlReport
    from urlset.workflows.diff import DiffError
    from urlset.workflows.doctor import DoctorReport
    from urlset.workflows.engines_index import IndexReport
    from urlset.workflows.engines_status import StatusReport
    from urlset.workflows.info import Description
    from urlset.workflows.library.audit import (
        Auditor,
        CrawlResult,
        SiteCrawler,
        audit,
        audit_async,
        crawl,
        crawl_async,
        logs,
        logs_async,
    )
    from urlset.workflows.library.build import (
        BuildRefused,
        Rendered,
        RenderError,
        build,
        build_async,
        render,
        render_index,
        render_stream,
        render_stream_async,
    )
    from urlset.workflows.library.check import check, check_async, explain, fix, fix_async
    from urlset.workflows.library.engines import (
        PublishRefused,
        doctor,
        doctor_async,
        engines_index,
        engines_index_async,
        engines_status,
        engines_status_async,
        publish,
        publish_async,
        submit,
        submit_async,
    )
    from urlset.workflows.library.history import diff, diff_async, history, history_async, snapshot, snapshot_async
    from urlset.workflows.library.read import (
        AsyncTree,
        FetchError,
        Tree,
        info,
        info_async,
        pages,
        pages_async,
        read,
        read_async,
        read_tree,
        read_tree_async,
    )
    from urlset.workflows.logs import LogReport, LogsError
    from urlset.workflows.publish import PublishReport
    from urlset.workflows.snapshot import SnapshotReport
    from urlset.workflows.submit import SubmitReport
    from urlset.writing.sqlite_store import StateError

__all__ = (
    "Address",
    "Alternate",
    "ArgumentTypeError",
    "ArgumentValueError",
    "AsyncTree",
    "AuditError",
    "AuditReport",
    "Auditor",
    "BrowserError",
    "BuildError",
    "BuildRefused",
    "BuildReport",
    "Card",
    "CrawlError",
    "CrawlReport",
    "CrawlResult",
    "CrawlRow",
    "Description",
    "DiffError",
    "DiffReport",
    "DoctorReport",
    "Document",
    "Engine",
    "EngineError",
    "Entry",
    "ExecutionError",
    "FetchError",
    "FileDeniedError",
    "FileError",
    "FileMissingError",
    "Finding",
    "FixResult",
    "HistoryReport",
    "Image",
    "IncompleteError",
    "IndexEntry",
    "IndexReport",
    "Kind",
    "LogReport",
    "LogsError",
    "Media",
    "Moment",
    "News",
    "NotAFileError",
    "NotAFolderError",
    "NotInstalledError",
    "PageRow",
    "Place",
    "PublishRefused",
    "PublishReport",
    "RenderError",
    "Rendered",
    "Severity",
    "SiteCrawler",
    "SnapshotError",
    "SnapshotReport",
    "StateError",
    "StatusReport",
    "StorageError",
    "SubmitReport",
    "Tree",
    "Trouble",
    "TroubleKind",
    "UrlsetError",
    "Verdict",
    "Video",
    "WebOptions",
    "__version__",
    "audit",
    "audit_async",
    "build",
    "build_async",
    "check",
    "check_async",
    "crawl",
    "crawl_async",
    "diff",
    "diff_async",
    "doctor",
    "doctor_async",
    "engines_index",
    "engines_index_async",
    "engines_status",
    "engines_status_async",
    "explain",
    "fix",
    "fix_async",
    "history",
    "history_async",
    "info",
    "info_async",
    "logs",
    "logs_async",
    "pages",
    "pages_async",
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
    "urlset.execution.workers": ("ExecutionError",),
    "urlset.findings.card": ("Card", "Severity"),
    "urlset.findings.finding": ("Finding",),
    "urlset.findings.fix_result": ("FixResult",),
    "urlset.findings.verdict": ("Verdict",),
    "urlset.model.address": ("Address",),
    "urlset.model.document": ("Document", "Kind"),
    "urlset.model.entry": ("Alternate", "Entry", "Image", "IndexEntry", "Media", "News", "Video"),
    "urlset.model.errors": (
        "ArgumentTypeError",
        "ArgumentValueError",
        "EngineError",
        "FileDeniedError",
        "FileError",
        "FileMissingError",
        "IncompleteError",
        "NotAFileError",
        "NotAFolderError",
        "UrlsetError",
    ),
    "urlset.model.frames": ("NotInstalledError",),
    "urlset.model.moment": ("Moment",),
    "urlset.model.place": ("Place",),
    "urlset.model.trouble": ("Trouble", "TroubleKind"),
    "urlset.model.visit": ("CrawlRow",),
    "urlset.reports.diff_report": ("DiffReport",),
    "urlset.reports.history_report": ("HistoryReport",),
    "urlset.reports.pages": ("AuditReport", "PageRow"),
    "urlset.snapshots.series": ("SnapshotError",),
    "urlset.spec.engines": ("Engine",),
    "urlset.storage.store": ("StorageError",),
    "urlset.web.browser": ("BrowserError",),
    "urlset.web.options": ("WebOptions",),
    "urlset.workflows.audit.sources": ("AuditError",),
    "urlset.workflows.build.result": ("BuildError", "BuildReport"),
    "urlset.workflows.crawl": ("CrawlError", "CrawlReport"),
    "urlset.workflows.diff": ("DiffError",),
    "urlset.workflows.doctor": ("DoctorReport",),
    "urlset.workflows.engines_index": ("IndexReport",),
    "urlset.workflows.engines_status": ("StatusReport",),
    "urlset.workflows.info": ("Description",),
    "urlset.workflows.library.audit": (
        "Auditor",
        "CrawlResult",
        "SiteCrawler",
        "audit",
        "audit_async",
        "crawl",
        "crawl_async",
        "logs",
        "logs_async",
    ),
    "urlset.workflows.library.build": (
        "BuildRefused",
        "RenderError",
        "Rendered",
        "build",
        "build_async",
        "render",
        "render_index",
        "render_stream",
        "render_stream_async",
    ),
    "urlset.workflows.library.check": ("check", "check_async", "explain", "fix", "fix_async"),
    "urlset.workflows.library.engines": (
        "PublishRefused",
        "doctor",
        "doctor_async",
        "engines_index",
        "engines_index_async",
        "engines_status",
        "engines_status_async",
        "publish",
        "publish_async",
        "submit",
        "submit_async",
    ),
    "urlset.workflows.library.history": (
        "diff",
        "diff_async",
        "history",
        "history_async",
        "snapshot",
        "snapshot_async",
    ),
    "urlset.workflows.library.read": (
        "AsyncTree",
        "FetchError",
        "Tree",
        "info",
        "info_async",
        "pages",
        "pages_async",
        "read",
        "read_async",
        "read_tree",
        "read_tree_async",
    ),
    "urlset.workflows.logs": ("LogReport", "LogsError"),
    "urlset.workflows.publish": ("PublishReport",),
    "urlset.workflows.snapshot": ("SnapshotReport",),
    "urlset.workflows.submit": ("SubmitReport",),
    "urlset.writing.sqlite_store": ("StateError",),
}

if not TYPE_CHECKING:  # a checker would take this for a promise that every name is there

    def __getattr__(name: str) -> object:
        for home, names in _HOMES.items():
            if name in names:
                return getattr(import_module(home), name)
        message = f"module 'urlset' has no attribute {name!r}"
        raise AttributeError(message)


def __dir__() -> tuple[str, ...]:
    return __all__
