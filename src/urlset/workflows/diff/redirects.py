"""A list of redirects → URL → where it leads: `OLD NEW` lines (also with a status, as in `_redirects`), or CSV."""

from __future__ import annotations

import csv
from pathlib import Path

from urlset.workflows.diff.options import DiffError


def read_redirects(path: Path | None) -> dict[str, str]:
    """Raises DiffError for a file that cannot be read. Lines without two URLs or paths are skipped."""
    if path is None:
        return {}
    try:
        text = path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise DiffError(f"{path}: {error.strerror}") from error
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    rows = csv.reader(lines) if any("," in line for line in lines[:1]) else (line.split() for line in lines)
    found = {}
    for row in rows:
        cells = [cell.strip() for cell in row]
        if len(cells) >= 2 and all(_is_place(cell) for cell in cells[:2]):
            found[cells[0]] = cells[1]
    return found


def _is_place(text: str) -> bool:
    return text.startswith(("http://", "https://", "/"))
