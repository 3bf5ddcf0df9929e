"""Source files → the house's rules on size, naming and module docstrings."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from tests.house.source_tree import PACKAGE, everything, package

LONGEST_FUNCTION = 60
MOST_FILES = 500
MOST_LINES = 124_453
"""of Python, Cython, templates, scripts and styles in src; lower it with each change that makes the tree smaller"""
DOCSTRING = re.compile(r'r?"""\S')
CLASS = re.compile(r"^class ([A-Za-z]\w*)", re.MULTILINE)
NAMES_THAT_SAY_NOTHING = frozenset({"utils", "util", "helpers", "common", "core", "misc", "base", "manager"})


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_no_function_is_longer_than_a_screen() -> None:
    too_long = [
        f"{module.shown}:{node.lineno} {node.name} has {length} lines"
        for module in package()
        for node in functions(module.tree)
        if (length := (node.end_lineno or node.lineno) - node.lineno + 1) > LONGEST_FUNCTION
    ]
    assert too_long == []


def test_the_tree_does_not_grow() -> None:
    endings = {".py", ".pyx", ".pxi", ".pxd", ".pyi", ".html", ".js", ".css"}
    found = [path for path in PACKAGE.rglob("*") if path.suffix in endings and path.suffixes != [".min", ".js"]]
    assert sum(path.suffix == ".py" for path in found) <= MOST_FILES
    assert sum(path.read_bytes().count(b"\n") for path in found) <= MOST_LINES


def test_every_module_says_what_it_is() -> None:
    assert [module.shown for module in everything() if not DOCSTRING.match(module.text)] == []


def test_every_module_is_named_after_its_subject() -> None:
    vague = [
        module.shown
        for module in package()
        if NAMES_THAT_SAY_NOTHING.intersection(part.strip("_") for part in module.path.with_suffix("").parts[-2:])
    ]
    assert vague == []


def test_annotations_are_lazy_in_every_module_with_code() -> None:
    eager = [
        module.shown
        for module in package()
        if "from __future__ import annotations" not in module.text and len(module.tree.body) > 1
    ]
    assert eager == []


TWICE = frozenset({"Command", "Sitemap", "SitemapApp", "UrlsetConfig"})
"""names that frameworks look for, or that users of two frameworks import"""


def test_a_class_name_has_one_meaning() -> None:
    homes: defaultdict[str, list[str]] = defaultdict(list)
    texts = {module: CLASS.findall(module.text) for module in package()}
    often = Counter(name for names in texts.values() for name in names)
    for module, names in texts.items():
        if any(often[name] > 1 for name in names):  # perhaps in a docstring
            for node in module.tree.body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    homes[node.name].append(module.shown)
    repeated = {name: found for name, found in homes.items() if len(found) > 1 and name not in TWICE}
    assert not repeated, repeated
    assert {name for name in TWICE if len(homes[name]) < 2} == set(), "no exception without its reason"
