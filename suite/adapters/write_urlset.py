"""urlset.build as a writer."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import urlset


def write(request: dict[str, Any]) -> dict[str, Any]:
    rows = json.loads(Path(request["path"]).read_text(encoding="utf-8"))["rows"]
    try:
        urlset.build(rows, request["out"], base_url=request["base_url"])
    except (urlset.BuildError, urlset.BuildRefused, ValueError) as error:
        return {"error": str(error)}
    return {"files": sorted(path.name for path in Path(request["out"]).iterdir() if ".xml" in path.name)}


for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"case": asked["case"], "writes": ["images", "alternates"], **write(asked)}), flush=True)
