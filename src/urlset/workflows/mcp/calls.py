"""One tool call on many targets → one answer: a line per target, and the first page of what was found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from urlset.findings.finding import Finding
from urlset.findings.verdict import Verdict
from urlset.settings.mcp import McpSettings
from urlset.web.options import WebOptions
from urlset.workflows.live.setup import Live
from urlset.workflows.mcp.pages import Pages
from urlset.workflows.mcp.roots import Roots, TargetError

MAX_TARGETS = 50
SHOWN_LINES = 20


class Found(msgspec.Struct):
    """What one target gave; `facts` are complete when all items were read."""

    facts: dict[str, Any]
    items: Iterable[dict[str, Any]] = ()


class ToolContext:
    """What every tool of one server shares."""

    def __init__(self, settings: McpSettings) -> None:
        self.settings = settings
        self.roots = Roots(settings.roots)
        self.pages = Pages()

    @property
    def web(self) -> WebOptions:
        return self.settings.fetching

    def live(self, max_files: int) -> Live:
        return Live(self.web, min(max(max_files, 1), self.settings.max_files))

    def answer(self, targets: Sequence[str], limit: int, work: Callable[[str], Found]) -> dict[str, Any]:
        """Each target by itself: one that fails does not stop the others."""
        if not 1 <= len(targets) <= MAX_TARGETS:
            raise TargetError(f"give 1 to {MAX_TARGETS} targets in one call")
        rows: list[dict[str, Any]] = []

        def items() -> Iterator[dict[str, Any]]:
            for target in targets:
                try:
                    found = work(target)
                    for item in found.items:
                        yield {"target": target, **item}
                except Exception as error:  # noqa: BLE001 - one target must not fail the others
                    rows.append({"target": target, "ok": False, "error": _reason(error)})
                    continue
                rows.append({"target": target, "ok": True, **found.facts})

        page = self.pages.first(items(), limit)
        return {"targets": rows, **page}


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    known = isinstance(error, ValueError) or type(error).__module__.startswith("urlset.")
    return str(error) if known else f"internal error: {type(error).__name__}"


def shown(lines: Sequence[str]) -> list[str]:
    """A few of many; the rest is counted."""
    rest = len(lines) - SHOWN_LINES
    return [*lines[:SHOWN_LINES], *([f"{rest:,} more"] if rest > 0 else [])]


def verdict_facts(verdict: Verdict) -> dict[str, Any]:
    return {
        "documents": len(verdict.documents),
        "entries": verdict.entries,
        "severities": dict(verdict.severity_counts),
        "counts": verdict.concerned,
        "not_read": shown([*verdict.troubled, *verdict.empty]),
        "rules_skipped": len({each.code for each in verdict.not_checked}),
    }


def finding_item(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "message": finding.message,
        "source": finding.source,
        "line": finding.line,
        "column": finding.column,
        "subject": finding.subject,
        "count": finding.count,
        "fix": finding.fix.title if finding.fix else None,
    }
