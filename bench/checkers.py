"""One sitemap body → read and judged by every default rule."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from bench.readers import Counts, Reader


def urlset_check() -> Reader:
    """Read and run all rules for the default engines."""
    read = import_module("urlset").read
    check = import_module("urlset.checking.engine").check
    context = import_module("urlset.checking.context").Context()
    select = import_module("urlset.checking.select").select
    rules = select(import_module("urlset.rules.catalogue").all_rules(), context.engines)

    def judge(body: bytes) -> Any:
        return check(read(body, name="sitemap.xml"), rules, context)

    def count(verdict: Any) -> Counts:
        levels = verdict.severity_counts
        return {"urls": verdict.entries, "errors": levels.get("error", 0), "warnings": levels.get("warning", 0)}

    return Reader(judge, count)
