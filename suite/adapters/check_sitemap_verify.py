"""sitemap-verify without requests to pages; with --best and the rules of Google."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from protocol import BEST, Request, speak
from sitemap_verify import validate_target


def answer(request: Request) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        checking = validate_target(
            request["path"],
            mode="path",
            recursive=False,
            check_reachability=False,
            store_path=Path(folder, "run.sqlite"),
            engine="google" if BEST else None,
        )
        report = asyncio.run(checking)
    severities = {"error": "error", "warn": "warning"}
    defects = [{"severity": severities[each.level], "text": each.message} for each in report.diagnostics]
    return {"error": None, "defects": defects}


speak(answer)
