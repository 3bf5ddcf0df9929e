"""The list of rule modules; a test compares it with the disk."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from urlset.checking.declare import AnyRule, Rule

MODULES = (
    "urlset.rules.loc.form",
    "urlset.rules.site.children",
    "urlset.rules.site.duplicates",
)


@cache
def all_rules() -> tuple[AnyRule, ...]:
    """Every declared rule, by code."""
    found = [value for name in MODULES for value in vars(import_module(name)).values() if isinstance(value, Rule)]
    return tuple(sorted(found, key=lambda rule: rule.code))


def find(name: str) -> AnyRule | None:
    """By code or by name."""
    return next((rule for rule in all_rules() if name.upper() == rule.code or name == rule.name), None)
