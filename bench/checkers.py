"""One sitemap body → read and judged by every default rule."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from bench.readers import Counts, Reader


def urlset_check() -> Reader:
    """urlset.check with all default rules."""
    check = import_module("urlset").check

    def count(verdict: Any) -> Counts:
        levels = verdict.severity_counts
        return {"urls": verdict.entries, "errors": levels.get("error", 0), "warnings": levels.get("warning", 0)}

    return Reader(check, count)
