"""Installed packages → the rules they bring, by the entry point group `urlset.rules`.

An entry point is named after the prefix of its codes and names a module: `ACME = "acme_sitemaps.rules"`. Every rule
that the module holds is collected, as it is from the modules of urlset itself.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from importlib import import_module

import msgspec

from urlset.checking.declare import AnyRule, Rule
from urlset.spec.lazy_pattern import lazy_pattern

GROUP = "urlset.rules"
_PREFIX = lazy_pattern(r"[A-Z]{2,8}")
_HEADING = lazy_pattern(r"^\[\s*urlset\.rules\s*\]\s*$", re.MULTILINE)
_LINE = lazy_pattern(r"^\s*([^=#;\s]+)\s*=\s*([\w.]+)\s*$", re.MULTILINE)


class RulePackageError(ValueError):
    """A package whose rules cannot be used; the text names it and says what to change."""


class EntryPoint(msgspec.Struct, frozen=True):
    """One line of the group."""

    prefix: str
    module: str
    package: str
    """the distribution as installed, such as acme_sitemaps-1.0"""


def entry_points() -> list[EntryPoint]:
    """By prefix. `importlib.metadata` finds the same and takes longer than checking a small file."""
    found: dict[tuple[str, str], EntryPoint] = {}
    for folder in dict.fromkeys(sys.path):
        for package, text in _declared_in(folder or "."):
            part = _HEADING.split(text, maxsplit=1)[1].partition("\n[")[0]
            for name, module in _LINE.findall(part):
                found.setdefault((name, module), EntryPoint(name, module, package))
    return sorted(found.values(), key=lambda point: (point.prefix, point.module))


def _declared_in(folder: str) -> Iterator[tuple[str, str]]:
    try:
        names = os.listdir(folder)  # noqa: PTH208 - a folder of hundreds of names, at every start
    except OSError:  # a path that does not exist, or an archive
        return
    for name in names:
        if not name.endswith((".dist-info", ".egg-info")):
            continue
        try:
            with open(os.path.join(folder, name, "entry_points.txt"), "rb", buffering=0) as file:  # noqa: PTH118, PTH123
                written = file.read()
        except OSError:  # most packages declare none
            continue
        if b"urlset.rules" not in written:
            continue
        text = written.decode("utf-8", "replace")
        if _HEADING.search(text):
            yield name.rpartition(".")[0], text


def package_rules() -> Iterator[AnyRule]:
    """The rules of all installed packages. Raises RulePackageError."""
    owners: dict[str, EntryPoint] = {}
    for point in entry_points():
        other = owners.setdefault(point.prefix, point)
        if other is not point:
            both = f"packages {other.package} and {point.package} both use the prefix {point.prefix}"
            raise RulePackageError(f"{both}; uninstall one of them")
        yield from _rules_of(point)


def _rules_of(point: EntryPoint) -> Iterator[AnyRule]:
    named = f"entry point {point.prefix} of package {point.package}"
    if not _PREFIX.fullmatch(point.prefix):
        raise RulePackageError(f"{named}: a prefix is 2 to 8 capital letters; single letters belong to urlset")
    try:
        module = import_module(point.module)
    except Exception as error:  # code of others: whatever it raises, the reader needs to know whose it is
        raise RulePackageError(f"{named}: cannot import {point.module}: {error}") from error
    rules = [value for value in vars(module).values() if isinstance(value, Rule)]
    if not rules:
        raise RulePackageError(f"{named}: module {point.module} has no rules; declare them with @rule")
    for rule in rules:
        if not re.fullmatch(rf"{point.prefix}\d{{3}}", rule.code):
            raise RulePackageError(f"{named}: code {rule.code!r} must be {point.prefix} and three digits")
        yield rule
