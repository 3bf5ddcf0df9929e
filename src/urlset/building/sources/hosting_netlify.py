"""`netlify.toml` → its redirects, headers, and whether pages are served without their ending."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from urlset.building.sources.hosting_rules import HeaderRule, Redirect
from urlset.building.sources.hosting_text import path_pattern, rule_of

FILE_NAME = "netlify.toml"


class NetlifyConfig:
    def __init__(self, text: str) -> None:
        """Raises ValueError for invalid TOML."""
        self._given: Mapping[str, Any] = tomllib.loads(text)

    def is_about(self, folder: Path, home: Path) -> bool:
        """Whether the file, which lies in `home`, is about that folder; one that names no folder is about any."""
        build = _table(self._given.get("build"))
        publish = build.get("publish")
        if not isinstance(publish, str):
            return True
        base = build.get("base")
        below = home / base.strip("/") if isinstance(base, str) else home
        return folder.resolve() in ((below / publish.strip("/")).resolve(), (home / publish.strip("/")).resolve())

    def redirects(self, host: str | None) -> Iterator[Redirect]:
        """Without those that hold only for some visitors; without `force` a page at the path is shown instead."""
        for rule in _tables(self._given.get("redirects")):
            origin, target, status = rule.get("from"), rule.get("to"), rule.get("status", 301)
            conditional = rule.get("conditions") or rule.get("query")
            if not isinstance(origin, str) or not isinstance(target, str) or not isinstance(status, int) or conditional:
                continue
            found = rule_of(origin, target, status, host, shadowed=rule.get("force") is not True)
            if found is not None:
                yield found

    def headers(self, host: str | None) -> Iterator[HeaderRule]:
        for rule in _tables(self._given.get("headers")):
            place, values = rule.get("for"), _table(rule.get("values"))
            pattern = path_pattern(place, host) if isinstance(place, str) else None
            for name, value in values.items():
                if pattern is not None and name.lower() == "x-robots-tag":
                    several = value if isinstance(value, list) else [value]
                    yield from (HeaderRule(pattern, str(each)) for each in several)

    @property
    def pretty_urls(self) -> bool:
        processing = _table(_table(_table(self._given.get("build")).get("processing")).get("html"))
        return processing.get("pretty_urls") is True


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _tables(value: object) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
