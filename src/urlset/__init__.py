"""Read, check, fix, build and audit XML sitemaps.

Names are imported when first used, so that `urlset --help` stays quick.
"""

from __future__ import annotations

from importlib import import_module

from urlset.version import __version__ as __version__

TYPE_CHECKING = False  # as in `typing`, which takes longer to load than all else here
if TYPE_CHECKING:
    __all__: tuple[str, ...]

    from urlset.execution.workers import ExecutionError as ExecutionError
    from urlset.findings.card import Card as Card
    from urlset.findings.card import Severity as Severity
    from urlset.findings.finding import Finding as Finding
    from urlset.findings.fix_result import FixResult as FixResult
    from urlset.findings.verdict import Verdict as Verdict
    from urlset.model.address import Address as Address
    from urlset.model.document import Document as Document
    from urlset.model.document import Kind as Kind
    from urlset.model.entry import Alternate as Alternate
    from urlset.model.entry import Entry as Entry
    from urlset.model.entry import Image as Image
    from urlset.model.entry import IndexEntry as IndexEntry
    from urlset.model.entry import Media as Media
    from urlset.model.entry import News as News
    from urlset.model.entry import Video as Video
    from urlset.model.errors import ArgumentTypeError as ArgumentTypeError
    from urlset.model.errors import ArgumentValueError as ArgumentValueError
    from urlset.model.errors import EngineError as EngineError
    from urlset.model.errors import FileDeniedError as FileDeniedError
    from urlset.model.errors import FileError as FileError
    from urlset.model.errors import FileMissingError as FileMissingError
    from urlset.model.errors import IncompleteError as IncompleteError
    from urlset.model.errors import NotAFileError as NotAFileError
    from urlset.model.errors import NotAFolderError as NotAFolderError
    from urlset.model.errors import UrlsetError as UrlsetError
    from urlset.model.frames import NotInstalledError as NotInstalledError
    from urlset.model.moment import Moment as Moment
    from urlset.model.place import Place as Place
    from urlset.model.trouble import Trouble as Trouble
    from urlset.model.trouble import TroubleKind as TroubleKind
    from urlset.model.visit import CrawlRow as CrawlRow
    from urlset.reports.diff_report import DiffReport as DiffReport
    from urlset.reports.history_report import HistoryReport as HistoryReport
    from urlset.reports.pages import AuditReport as AuditReport
    from urlset.reports.pages import PageRow as PageRow
    from urlset.snapshots.series import SnapshotError as SnapshotError
    from urlset.spec.engines import Engine as Engine
    from urlset.storage.store import StorageError as StorageError
    from urlset.web.browser import BrowserError as BrowserError
    from urlset.web.options import WebOptions as WebOptions
    from urlset.workflows.audit.sources import AuditError as AuditError
    from urlset.workflows.build.result import BuildError as BuildError
    from urlset.workflows.build.result import BuildReport as BuildReport
    from urlset.workflows.crawl import CrawlError as CrawlError
    from urlset.workflows.crawl import CrawlReport as CrawlReport
    from urlset.workflows.diff import DiffError as DiffError
    from urlset.workflows.doctor import DoctorReport as DoctorReport
    from urlset.workflows.engines_index import IndexReport as IndexReport
    from urlset.workflows.engines_status import StatusReport as StatusReport
    from urlset.workflows.info import Description as Description
    from urlset.workflows.library.audit import Auditor as Auditor
    from urlset.workflows.library.audit import CrawlResult as CrawlResult
    from urlset.workflows.library.audit import SiteCrawler as SiteCrawler
    from urlset.workflows.library.audit import audit as audit
    from urlset.workflows.library.audit import audit_async as audit_async
    from urlset.workflows.library.audit import crawl as crawl
    from urlset.workflows.library.audit import crawl_async as crawl_async
    from urlset.workflows.library.audit import logs as logs
    from urlset.workflows.library.audit import logs_async as logs_async
    from urlset.workflows.library.build import BuildRefused as BuildRefused
    from urlset.workflows.library.build import Rendered as Rendered
    from urlset.workflows.library.build import RenderError as RenderError
    from urlset.workflows.library.build import build as build
    from urlset.workflows.library.build import build_async as build_async
    from urlset.workflows.library.build import render as render
    from urlset.workflows.library.build import render_index as render_index
    from urlset.workflows.library.build import render_stream as render_stream
    from urlset.workflows.library.build import render_stream_async as render_stream_async
    from urlset.workflows.library.check import check as check
    from urlset.workflows.library.check import check_async as check_async
    from urlset.workflows.library.check import explain as explain
    from urlset.workflows.library.check import fix as fix
    from urlset.workflows.library.check import fix_async as fix_async
    from urlset.workflows.library.engines import PublishRefused as PublishRefused
    from urlset.workflows.library.engines import doctor as doctor
    from urlset.workflows.library.engines import doctor_async as doctor_async
    from urlset.workflows.library.engines import engines_index as engines_index
    from urlset.workflows.library.engines import engines_index_async as engines_index_async
    from urlset.workflows.library.engines import engines_status as engines_status
    from urlset.workflows.library.engines import engines_status_async as engines_status_async
    from urlset.workflows.library.engines import publish as publish
    from urlset.workflows.library.engines import publish_async as publish_async
    from urlset.workflows.library.engines import submit as submit
    from urlset.workflows.library.engines import submit_async as submit_async
    from urlset.workflows.library.history import diff as diff
    from urlset.workflows.library.history import diff_async as diff_async
    from urlset.workflows.library.history import history as history
    from urlset.workflows.library.history import history_async as history_async
    from urlset.workflows.library.history import snapshot as snapshot
    from urlset.workflows.library.history import snapshot_async as snapshot_async
    from urlset.workflows.library.read import AsyncTree as AsyncTree
    from urlset.workflows.library.read import FetchError as FetchError
    from urlset.workflows.library.read import Tree as Tree
    from urlset.workflows.library.read import info as info
    from urlset.workflows.library.read import info_async as info_async
    from urlset.workflows.library.read import pages as pages
    from urlset.workflows.library.read import pages_async as pages_async
    from urlset.workflows.library.read import read as read
    from urlset.workflows.library.read import read_async as read_async
    from urlset.workflows.library.read import read_tree as read_tree
    from urlset.workflows.library.read import read_tree_async as read_tree_async
    from urlset.workflows.logs import LogReport as LogReport
    from urlset.workflows.logs import LogsError as LogsError
    from urlset.workflows.publish import PublishReport as PublishReport
    from urlset.workflows.snapshot import SnapshotReport as SnapshotReport
    from urlset.workflows.submit import SubmitReport as SubmitReport
    from urlset.writing.sqlite_store import StateError as StateError

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

if not TYPE_CHECKING:  # a checker reads the imports above: an alias there says that a name is public
    __all__ = tuple(sorted(["__version__", *(name for names in _HOMES.values() for name in names)]))

    def __getattr__(name: str) -> object:
        for home, names in _HOMES.items():
            if name in names:
                return getattr(import_module(home), name)
        message = f"module 'urlset' has no attribute {name!r}"
        raise AttributeError(message)

    def __dir__() -> tuple[str, ...]:
        return __all__
