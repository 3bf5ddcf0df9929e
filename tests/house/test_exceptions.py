"""Every exception that the library can raise → a UrlsetError that can be caught by a public name."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator

import pytest

import urlset
from tests.house.source_tree import ROOT
from urlset.settings.words import in_library_words

COMMAND_ONLY = ("urlset.cli", "urlset.dashboard", "urlset.integrations", "urlset.testing", "urlset.__main__")
"""rooms that no verb of the library leads to"""
CONTROL_FLOW = {"Halt"}
NEVER_LEAVES = {
    "CopyLostError": "BuildError",
    "DatesError": "the command `dates`, which is no verb of the library",
    "GitFailedError": "a note",
    "LeavesShareError": "the host is asked in this process",
    "LockBusy": "StateError, SnapshotError or a note",
    "NothingToDateError": "as DatesError",
    "PublishError": "BuildError",
    "RedateError": "a trouble of the report",
    "RequestError": "the answer of the validator page, which is no verb of the library",
    "ScannerError": "only for URLSET_SCANNER, a variable of the tests",
    "SourceBroken": "BuildError",
}
"""caught inside, and what becomes of them"""


def exceptions() -> Iterator[type[BaseException]]:
    for module in pkgutil.walk_packages(urlset.__path__, "urlset."):
        if module.name.startswith(COMMAND_ONLY) or ".compiled" in module.name:
            continue
        try:
            found = importlib.import_module(module.name)
        except ImportError:  # an extra that is not installed
            continue
        for value in vars(found).values():
            own = isinstance(value, type) and issubclass(value, Exception) and value.__module__ == module.name
            if own and not value.__name__.startswith("_"):
                yield value


def test_all_have_one_base_and_a_public_name() -> None:
    public = {value for name in urlset.__all__ if isinstance(value := getattr(urlset, name), type)}
    missing = []
    for each in exceptions():
        catchable = public & set(each.__mro__) - {urlset.UrlsetError}
        if each is urlset.UrlsetError or each.__name__ in CONTROL_FLOW | set(NEVER_LEAVES):
            continue
        if not issubclass(each, urlset.UrlsetError) or not catchable:
            missing.append(f"{each.__module__}.{each.__name__}")
    assert missing == []


WORDS = {
    "stopped after 5 files: raise --max-files": "stopped after 5 files: raise `max_files`",
    "sitemap URL unknown (set --at URL)": "sitemap URL unknown (set `at=URL`)",
    "use --fresh to start over": "use `fresh=True` to start over",
    "run it without --known first": "run it without `known` first",
    "use --only X010 to fix it": 'use `only=["X010"]` to fix it',
    "set --at URL or --base-url": "set `at=URL` or `base_url`",
    "excluded by --include and --exclude": "excluded by `include` and `exclude`",
    "use `--to google` (Search Console API)": 'use `to=["google"]` (Search Console API)',
    "--private-host 10.0.0.1 allows it": '`private_hosts=["10.0.0.1"]` allows it',
    "take one with `urlset snapshot TARGET`": "take one with `urlset.snapshot(TARGET)`",
    "take one with `urlset snapshot`": "take one with `urlset.snapshot()`",
    "create one with `urlset audit TARGET --format json`": "create one with `urlset audit TARGET --format json`",
    "https://e.com/a--max-files and /--fresh/x": "https://e.com/a--max-files and /--fresh/x",
    "no flag -- only dashes": "no flag -- only dashes",
}


@pytest.mark.parametrize("text", WORDS)
def test_flags_become_keywords(text: str) -> None:
    assert in_library_words(text) == WORDS[text]


ROOMS = (
    *("workflows", "fixing", "checking", "auditing", "crawling", "building", "writing", "storage", "execution", "web"),
    *("submitting", "snapshots", "reading", "model", "findings", "rules"),
)
OTHER_PROGRAMS = ("workflows/dates/", "demo/", "git_", "browser.py", "extras.py", "plan.py", "mcp_", "/init.py")
"""flags of git and of browsers, styles of pages, and texts that no verb of the library returns"""
FLAG = re.compile(r"(?<![\w(-])--[a-z][a-z-]+[a-z]")
PARTS = {" --using audit.json --unsafe", "; --max-"}
"""of a command line for a shell, and of a flag that is put together"""


def test_no_text_has_a_flag_that_cannot_be_said_in_python() -> None:
    """A flag of a message is an option that is a keyword too, or part of a command in backticks."""
    found = []
    for path in (path for room in ROOMS for path in (ROOT / "src" / "urlset" / room).rglob("*.py")):
        if any(each in str(path) for each in OTHER_PROGRAMS):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        strings = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        explained = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in strings:
            text = str(node.value)
            if id(node) not in explained and text not in PARTS:
                left = re.sub("`urlset [^`]*`", "", in_library_words(text))
                found += [f"{path.name}:{node.lineno}: {flag}" for flag in FLAG.findall(left)]
    assert found == []
