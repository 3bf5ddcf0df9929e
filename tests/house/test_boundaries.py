"""Source files → proof that only cli/ prints and only web/ can reach the network."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.house.source_tree import package

PRINTERS = frozenset({"print", "pprint", "pp"})
ROOMS_THAT_PRINT = frozenset({"cli"})

# A name stands for itself and everything below it.
NETWORK = (
    "aiohttp",
    "ftplib",
    "http",
    "httpx",
    "obstore",
    "requests",
    "smtplib",
    "socket",
    "socketserver",
    "ssl",
    "urllib.request",
    "urllib3",
    "xmlrpc",
)
PRINTS = re.compile(rf"\b(?:{'|'.join(PRINTERS)})\(")
IMPORTS = re.compile(rf"(?:from|import) +(?:{'|'.join(NETWORK)}|urllib)\b|import_module|__import__")
"""what a module says that has to be parsed for more"""
MAKE_FOLDERS = frozenset({"mkdtemp", "mkstemp", "NamedTemporaryFile", "TemporaryDirectory"})
"""of `tempfile`: what a killed process leaves, and no later run can know as its own"""
ROOMS_WITH_SOCKETS = frozenset({"storage", "testing", "web"})


def printing_calls(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in PRINTERS:
            yield node


def imported_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every absolute dotted name a module imports, also through import_module("name")."""
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                yield from ((node.lineno, alias.name) for alias in node.names)
            case ast.ImportFrom(module=str(origin), level=0):
                yield from ((node.lineno, f"{origin}.{alias.name}") for alias in node.names)
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield node.lineno, name


def reaches_network(name: str) -> bool:
    return any(name == banned or name.startswith(f"{banned}.") for banned in NETWORK)


def test_only_the_command_line_prints() -> None:
    printed = [
        f"{module.shown}:{call.lineno}"
        for module in package()
        if module.room not in ROOMS_THAT_PRINT and PRINTS.search(module.text)
        for call in printing_calls(module.tree)
    ]
    assert printed == []


def test_only_work_folders_are_made_for_unfinished_work() -> None:
    made = [
        f"{module.shown}:{node.lineno} {named}"
        for module in package()
        if not module.shown.endswith("writing/files.py") and any(name in module.text for name in MAKE_FOLDERS)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Name | ast.Attribute)
        and (named := node.id if isinstance(node, ast.Name) else node.attr) in MAKE_FOLDERS
    ]
    assert made == []


def test_only_the_web_room_has_sockets() -> None:
    reached = [
        f"{module.shown}:{line} imports {name}"
        for module in package()
        if module.room not in ROOMS_WITH_SOCKETS and IMPORTS.search(module.text)
        for line, name in imported_names(module.tree)
        if reaches_network(name)
    ]
    assert reached == []


@pytest.mark.parametrize(
    ("source", "caught"),
    [
        ("import socket", True),
        ("import socket as plug", True),
        ("import http.client", True),
        ("from http import client", True),
        ("from urllib import request", True),
        ("from urllib.request import urlopen", True),
        ("def late():\n    import aiohttp", True),
        ("import importlib\nimportlib.import_module('aiohttp.web')", True),
        ("from urllib.parse import urlsplit", False),
        ("import socketry", False),
        ("from . import socket", False),
    ],
)
def test_the_socket_guard_bites(source: str, caught: bool) -> None:
    names = [name for _, name in imported_names(ast.parse(source))]
    assert any(map(reaches_network, names)) is caught
    assert IMPORTS.search(source) or not caught


@pytest.mark.parametrize(
    ("source", "caught"),
    [("print(1)", 1), ("def f():\n    print()", 1), ("self.print(1)", 0), ("footprint(1)", 0)],
)
def test_the_print_guard_bites(source: str, caught: int) -> None:
    assert len(list(printing_calls(ast.parse(source)))) == caught
    assert PRINTS.search(source) or not caught
