"""A folder of rules → the rules declared in it, whether or not the catalogue lists them."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from urlset.checking.declare import AnyRule, Rule


def rules_in(folder: ModuleType) -> list[AnyRule]:
    modules = [import_module(f"{folder.__name__}.{found.name}") for found in iter_modules(folder.__path__)]
    found = {rule.code: rule for module in modules for rule in vars(module).values() if isinstance(rule, Rule)}
    return [found[code] for code in sorted(found)]
