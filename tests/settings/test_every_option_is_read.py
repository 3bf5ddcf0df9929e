"""Declared options → each is read by some workflow or command; one that is accepted and does nothing is a fault."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache

import pytest

from tests.house.source_tree import Module, package
from urlset.settings.check import CheckSettings
from urlset.settings.declare import Options, field_names, opt
from urlset.settings.tables import TABLES, settings_class

SETTINGS = frozenset({"settings", "_settings"})
"""what a settings object is called outside of settings/, so that `page.state` is not taken for the option"""
NOT_A_READER = frozenset({"problems", "__repr__"})
"""methods of a settings class that look at values without using them"""


STATED_DEFAULTS = frozenset({"resume"})
"""options that only say what happens anyway, and are refused with their opposite"""


def attributes(tree: ast.AST, receivers: frozenset[str]) -> Iterator[str]:
    """`settings.jobs`, `self._settings.jobs` → jobs."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            value = node.value
            name = value.id if isinstance(value, ast.Name) else value.attr if isinstance(value, ast.Attribute) else ""
            if name in receivers:
                yield node.attr


@cache
def read_outside() -> frozenset[str]:
    """Names that are read from settings; where `getattr(settings, name)` reads them, the texts of that module."""
    found: set[str] = set()
    for module in package():
        if module.room != "settings" and "settings" in module.text:
            tree = module.tree
            found.update(attributes(tree, SETTINGS))
            if "getattr(settings, " in module.text:
                constants = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
                found.update(value for value in constants if isinstance(value, str))
    return frozenset(found)


@cache
def settings_classes(module: Module) -> list[ast.ClassDef]:
    return [node for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef)]


def derived(settings: type[Options]) -> dict[str, set[str]]:
    """Property of a settings class → the fields and properties it reads."""
    homes = {home.__module__ for home in settings.__mro__}
    modules = [module for module in package() if module.room == "settings" and _dotted(module.path.parts) in homes]
    classes = [node for module in modules for node in settings_classes(module)]
    names = {home.__name__ for home in settings.__mro__}
    return {
        method.name: set(attributes(method, frozenset({"self"})))
        for each in classes
        if each.name in names
        for method in each.body
        if isinstance(method, ast.FunctionDef) and method.name not in NOT_A_READER
    }


def _dotted(parts: tuple[str, ...]) -> str:
    return ".".join(parts[parts.index("urlset", parts.index("src")) :]).removesuffix(".py")


def unread(settings: type[Options], outside: Iterable[str]) -> list[str]:
    known, properties = set(outside), derived(settings)
    more = {name for name in properties if name in known}
    while more:
        known |= {field for name in more for field in properties[name]}
        more = {name for name in properties if name in known and not properties[name] <= known}
    return [name for name in field_names(settings) if name not in known | STATED_DEFAULTS]


@pytest.mark.parametrize("table", sorted(TABLES))
def test_every_option_is_read(table: str) -> None:
    assert unread(settings_class(table), read_outside()) == []


def test_an_option_that_nothing_reads_is_found() -> None:
    class MoreSettings(CheckSettings):
        strictness: int = opt(0, "How strict the check is")

    assert unread(MoreSettings, read_outside()) == ["strictness"]
