"""The list of rule modules, and the rules of installed packages; a test compares the list with the disk."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module

import msgspec

from urlset.checking.declare import AnyRule, Rule
from urlset.checking.select import TOOL_RULES
from urlset.model.columns import Mark
from urlset.model.document import Document
from urlset.model.errors import ArgumentValueError
from urlset.rules import Has, Kind
from urlset.spec.lazy_pattern import lazy_pattern

# Installed packages → the rules they bring, by the entry point group `urlset.rules`.
#
# An entry point is named after the prefix of its codes and names a module: `ACME = "acme_sitemaps.rules"`. Every rule
# that the module holds is collected, as it is from the modules of urlset itself.

GROUP = "urlset.rules"
_PREFIX = lazy_pattern(r"[A-Z]{2,8}")
_HEADING = lazy_pattern(r"^\[\s*urlset\.rules\s*\]\s*$", re.MULTILINE)
_LINE = lazy_pattern(r"^\s*([^=#;\s]+)\s*=\s*([\w.]+)\s*$", re.MULTILINE)


class RulePackageError(ArgumentValueError):
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


FOR_FILES = (
    "urlset.rules.xml.characters",
    "urlset.rules.xml.prolog",
    "urlset.rules.xml.wellformed",
    "urlset.rules.structure.elements",
    "urlset.rules.structure.feeds",
    "urlset.rules.structure.namespaces",
    "urlset.rules.structure.root",
    "urlset.rules.loc.form",
    "urlset.rules.loc.path",
    "urlset.rules.loc.host",
    "urlset.rules.loc.location",
    "urlset.rules.loc.duplicates",
    "urlset.rules.loc.facets",
    "urlset.rules.lastmod_form",
    "urlset.rules.lastmod_dates",
    "urlset.rules.hints",
    "urlset.rules.index_entries",
    "urlset.rules.index_location",
    "urlset.rules.image",
    "urlset.rules.video_fields",
    "urlset.rules.video_values",
    "urlset.rules.video_urls",
    "urlset.rules.news_fields",
    "urlset.rules.news_dates",
    "urlset.rules.hreflang.codes",
    "urlset.rules.hreflang.links",
    "urlset.rules.hreflang.coverage",
    "urlset.rules.hreflang.reciprocity",
    "urlset.rules.robots",
    "urlset.rules.quality",
    "urlset.rules.site",
    "urlset.rules.policy",
)
FOR_ANSWERS = (
    "urlset.rules.delivery",
    "urlset.rules.live.status",
    "urlset.rules.live.directives",
    "urlset.rules.live.canonical",
    "urlset.rules.live.content",
    "urlset.rules.live.worth",
    "urlset.rules.live.media",
    "urlset.rules.over_time",
    "urlset.rules.engines",
)
"""modules with rules that check fetched data or snapshots of it"""
MODULES = (*FOR_FILES, *FOR_ANSWERS)
_FOR_MEDIA = ("urlset.rules.image", "urlset.rules.video_", "urlset.rules.news_", "urlset.rules.hreflang.")
_FOR_KINDS = {
    "urlset.rules.index_": Has.SITEMAPS,
    "urlset.rules.robots": Has.ROBOTS_LINES | Has.WEB_PAGE,
    "urlset.rules.structure.feeds": Has.FEED,
    "urlset.rules.site": Has(0),
}
"""modules of rules that look only at documents with one of these"""
_ORDINARY_MARKS = bytes((0, Mark.COMMENTED))
_PREFIXED_TAG = lazy_pattern(rb"<[^\s<>/!?]*:")


@cache
def all_rules() -> tuple[AnyRule, ...]:
    """All declared rules, by code: those of urlset, then those of installed packages. Raises RulePackageError."""
    own, added = own_rules(), _of_packages()
    if added:
        taken = {rule.name for rule in own}
        for rule in added:
            if rule.name in taken:
                raise RulePackageError(f"rule {rule.code}: the name {rule.name!r} is taken; choose another")
            taken.add(rule.name)
    return (*own, *added)


@cache
def own_rules() -> tuple[AnyRule, ...]:
    """The rules of urlset itself, by code."""
    return _declared(MODULES)


@cache
def file_rules() -> tuple[AnyRule, ...]:
    """Rules that need nothing from the web, by code; a build does not load the others."""
    return (*_declared(FOR_FILES), *_added_for_files())


def _added_for_files() -> tuple[AnyRule, ...]:
    added = _of_packages()
    if not added:
        return ()
    from urlset.checking.live_page import LIVE

    return tuple(rule for rule in added if rule.on not in LIVE)


@cache
def _of_packages() -> tuple[AnyRule, ...]:

    return tuple(sorted(package_rules(), key=lambda rule: rule.code))


@cache
def rules_of(kind: Kind, *, media: bool) -> tuple[AnyRule, ...]:
    """The file rules that can apply to such a document; loading the others takes longer than a small check."""
    unable = tuple(name for name, has in _FOR_KINDS.items() if not kind.has & has)
    unable += () if media else _FOR_MEDIA
    if kind.is_other_list:
        unable = ()  # all rules are reported as not applicable
    own = _declared(tuple(name for name in FOR_FILES if not name.startswith(unable)))
    return (*own, *_added_for_files())


def may_have_media(document: Document) -> bool:
    """Whether an entry is out of the ordinary, a tag has a prefix, or the document is of another kind."""
    if document.kind is not Kind.URLSET or document.columns.marks.translate(None, _ORDINARY_MARKS):
        return True
    data, columns = document.data, document.columns
    others = columns.beside_usual(0, len(data))
    return bool(columns.prefixes) or any(_PREFIXED_TAG.search(data, *part) for part in others)


def _declared(modules: tuple[str, ...]) -> tuple[AnyRule, ...]:
    found = [value for name in modules for value in vars(import_module(name)).values() if isinstance(value, Rule)]
    return tuple(sorted(found, key=lambda rule: rule.code))


def find(name: str) -> AnyRule | None:
    """By code or by name."""
    return next((rule for rule in (*all_rules(), *TOOL_RULES) if name.upper() == rule.code or name == rule.name), None)
