"""Keyset sitemaps → their plans, kept in Django's cache so every process answers by the same one."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from typing import Any

from django.conf import settings
from django.core.cache import caches
from django.db import connections

from urlset.integrations.keeper import Keeper
from urlset.integrations.keyed import KeyedSource
from urlset.integrations.sections import ServedSection

_MOST = 256
"""sections times hosts: a Host header must not fill the memory"""
_keepers: OrderedDict[str, Keeper] = OrderedDict()


class CacheStore:
    """`URLSET_CACHE` names the cache; "default" otherwise."""

    def __init__(self, key: str) -> None:
        self._key = f"urlset-plan-{key}"

    def load(self, _name: str) -> bytes | None:
        found: bytes | None = self._cache.get(self._key)
        return found

    def save(self, _name: str, data: bytes) -> None:
        self._cache.set(self._key, data, None)

    @property
    def _cache(self) -> Any:
        return caches[getattr(settings, "URLSET_CACHE", "default")]


def keeper_of(sitemap: Any, source: KeyedSource, section: str, domain: str) -> Keeper:
    """Of a keyset sitemap; one per class, section and host."""
    kind = type(sitemap)
    name = f"{kind.__module__}.{kind.__qualname__}|{section}|{domain}|{sitemap.limit}|{sitemap.keyset}"
    key = blake2b(name.encode(), digest_size=16).hexdigest()
    keeper = _keepers.get(key)
    if keeper is None:
        planned = ServedSection("plan", source, sitemap.limit)
        refresh = getattr(settings, "URLSET_REFRESH", sitemap.refresh)
        base = f"https://{domain or 'localhost'}"
        keeper = _keepers[key] = Keeper(planned, base, refresh, CacheStore(key), _own_connections, shared=True)
        while len(_keepers) > _MOST:
            _keepers.popitem(last=False)
    return keeper


@contextmanager
def _own_connections() -> Iterator[None]:
    """A thread opens its own connections, and nothing else closes them."""
    try:
        yield
    finally:
        connections.close_all()
