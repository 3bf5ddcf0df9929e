"""The style sheet and the script of HTML reports, and the policy that allows nothing else, by their hashes."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files


@cache
def asset(name: str) -> str:
    """A file of templates/ that is embedded as it is."""
    return "\n" + files("urlset.reports").joinpath(f"templates/{name}").read_text(encoding="utf-8")


def policy(*scripts: str) -> str:
    """Nothing may be loaded or sent; only the style sheet and the scripts are allowed."""
    run = f"script-src {' '.join(map(_digest, scripts))}; " if scripts else ""
    return f"default-src 'none'; {run}style-src {_digest(asset('report.css'))}; base-uri 'none'; form-action 'none'"


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'"
