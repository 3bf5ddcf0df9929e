"""Declared options → the keywords of the library's verbs, as typed dictionaries that type checkers read."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any, Literal, get_args, get_origin

import msgspec

from urlset.checking.context import Policy, Thresholds
from urlset.settings.declare import Option, Options, StrPath, options_of
from urlset.settings.tables import WEB, settings_class
from urlset.settings.words import in_library_words

VERBS = (
    *(WEB, "check", "fix", "audit", "crawl", "build", "publish", "snapshot", "diff", "history", "logs"),
    *("submit", "engines-status", "engines-index", "info"),
)
"""tables whose options are keywords"""
OTHER_TYPES = {
    "SiteSettings.robots": "Any",  # `urlset.check` also takes bytes and open files
    "AuditSettings.sample": "int | str | None",
    "AuditSettings.max_time": "float | str | None",
    "LimitSettings.max_removed": "int | str | None",
    "LimitSettings.max_added": "int | str | None",
    "LimitSettings.max_changed": "int | str | None",
    "PublishSettings.rollback": "int | str | None",
}
LONGEST_LINE = 120
HEAD = '''"""The keywords of the library's verbs, written by `make docs` from the declarations in `settings`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, TypedDict

from urlset.checking.context import Policy, Thresholds
from urlset.web.options import WebOptions

StrPath = str | os.PathLike[str]
'''


def keywords_module() -> str:
    """A dictionary for each group of options, which extends those of its bases."""
    written: dict[type[Options], set[str]] = {}
    return HEAD + "".join(_class(each, written) for table in VERBS for each in _groups(settings_class(table)))


def _groups(settings: type[Options]) -> Iterator[type[Options]]:
    """Bases first."""
    for base in settings.__bases__:
        if issubclass(base, Options) and base is not Options:
            yield from _groups(base)
    yield settings


def _class(group: type[Options], written: dict[type[Options], set[str]]) -> str:
    """Nothing for a group that is written, or has no keyword."""
    if group in written:
        return ""
    bases = list(_bases(group, written))
    inherited = {name for base in bases for name in written[base]}
    own = [name for name in vars(group).get("__annotations__", {}) if name not in inherited]
    fields = {name: lines for name in own if (lines := list(_field(group, name)))}
    written[group] = {*inherited, *fields}
    if not fields:
        written[group] = set()
        return ""
    above = [*map(_name, bases)] or ["TypedDict"]
    title = f"class {_name(group)}({', '.join(above)}, total=False):"
    if len(title) > LONGEST_LINE:
        title = "\n    ".join([f"class {_name(group)}(", *(f"{base}," for base in above), "total=False,"]) + "\n):"
    return "\n".join(["", "", title, *(line for lines in fields.values() for line in lines), ""])


def _bases(group: type[Options], written: dict[type[Options], set[str]]) -> Iterator[type[Options]]:
    """Those with a dictionary; a group without keywords of its own uses those of its bases."""
    for base in group.__bases__:
        if written.get(base):
            yield base
        elif issubclass(base, Options):
            yield from _bases(base, written)


def _name(group: type[Options]) -> str:
    return group.__name__.removesuffix("Settings") + "Keywords"


def _field(group: type[Options], name: str) -> Iterator[str]:
    hint: str = vars(group)["__annotations__"][name]
    option = next((each for each in options_of(group) if each.name == name), None)
    if option is not None and not option.in_library:
        return
    kind = OTHER_TYPES.get(f"{group.__name__}.{name}") or (hint if option is None else _type(option, hint))
    yield f"    {name}: {kind}"
    if option is not None:
        yield f'    """{in_library_words(option.opt.help)}"""'


def _type(option: Option, hint: str) -> str:
    """What a program may give: a list for a tuple, a text for an enum, None for the default."""
    if option.type is Thresholds:
        return "Thresholds | Mapping[str, float]"
    if option.item is Policy:
        return "Policy | Mapping[str, Any] | Iterable[Policy | Mapping[str, Any]]"
    if option.is_map:
        return f"Mapping[str, {_one(option.item)}] | None"
    if option.is_list:
        return f"Iterable[{_one(option.item)}]"
    return _one(option.type) + (" | None" if option.is_path or "| None" in hint else "")


def _one(item: Any) -> str:
    if item == StrPath:
        return "StrPath"
    if get_origin(item) is Literal or (isinstance(item, type) and issubclass(item, StrEnum)):
        return "str"
    assert not (isinstance(item, type) and issubclass(item, msgspec.Struct)), f"no keyword type for {item}"
    return str(getattr(item, "__name__", get_args(item)))
