"""Django, configured once for all tests of this folder, on a database with articles and notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    pytest.importorskip("django")
    from django.conf import settings

    if settings.configured:
        pytest.skip("Django is configured by another test of this process")
    from tests.integrations.djangosite.project import configure, fill

    configure(f"sqlite:///{tmp_path_factory.mktemp('django') / 'site.db'}")
    from django.core.cache import cache
    from django.db import connections
    from django.test import Client

    fill(450, 450)
    cache.clear()
    yield Client(headers={"host": "www.example.com"})
    connections.close_all()
