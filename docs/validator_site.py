"""The template of the validator, its scripts and the examples of all rules → validator/ of the documentation site."""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path
from typing import Any

from docs.validator_engine import ROOT, SCRIPTS, STATIC, write_engine
from urlset.checking.declare import AnyRule, Bad
from urlset.checking.examples import build
from urlset.checking.live_page import LIVE
from urlset.reports.html_page import environment
from urlset.rules.catalogue import own_rules
from urlset.version import __version__
from urlset.workflows.validator import LARGEST

HOME = "https://urlset.github.io/urlset/validator/"
HERE = ROOT / "docs" / "validator"
LINKS = (("Rules", "../rules/index.html"), ("Reference", "../reference/index.html"), ("Documentation", "../index.html"))
_LONGEST = 20_000


def write_validator(folder: Path) -> None:
    """Raises EngineError."""
    sizes = write_engine(folder / "engine")
    for name in SCRIPTS:
        shutil.copy(STATIC / name, folder / name)
    base = ROOT / "src" / "urlset" / "reports" / "templates" / "base.css"
    (folder / "validator.css").write_bytes(base.read_bytes() + (STATIC / "validator.css").read_bytes())
    for name in ("offline.js", "try.js"):
        shutil.copy(HERE / name, folder / name)
    (folder / "examples.js").write_text(f"const urlsetExamples = {json.dumps(examples())};\n", encoding="utf-8")
    values = {
        "assets": "",
        "rules": "../rules/",
        "engine": "engine/",
        "parts": json.dumps(list(sizes.items())),
        "largest": LARGEST,
        "home": "../index.html",
        "canonical": HOME,
        "links": LINKS,
        "version": __version__,
    }
    page = environment(STATIC.parent / "templates").get_template("validator.html").render(values)
    (folder / "index.html").write_text(page, encoding="utf-8")


@cache
def examples() -> dict[str, dict[str, Any]]:
    """Code → the files of an example that the page can check."""
    return {rule.code: found for rule in own_rules() if (found := rule_example(rule)) is not None}


def rule_example(rule: AnyRule) -> dict[str, Any] | None:
    """The first bad example that a page can hold as text; None for rules on live pages."""
    if rule.on in LIVE:
        return None
    return next((found for bad in rule.bad if (found := _as_files(bad)) is not None), None)


def _as_files(bad: Bad) -> dict[str, Any] | None:
    if bad.title or bad.robots is not None or bad.policies:
        return None
    try:
        if bad.files:
            files = [{"name": name, "text": text.replace("«", "").replace("»", "")} for name, text in bad.files.items()]
        else:
            text = build(bad).data.decode("utf-8")
            files = [{"name": "robots.txt" if (bad.at or "").endswith("/robots.txt") else "sitemap.xml", "text": text}]
    except UnicodeDecodeError:
        return None
    if "\r" in str(files) or sum(len(each["text"]) for each in files) > _LONGEST:
        return None
    return {"files": files, "at": bad.at}
