"""One store for all tests of a module, a place of its own for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.workflows.publish.stores import CREDENTIALS, Served, moto


@pytest.fixture(scope="session")
def moto_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    pytest.importorskip("obstore")
    pytest.importorskip("moto.server")
    with moto(tmp_path_factory.mktemp("moto")) as served:
        yield served


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def place(moto_store: Served, request: pytest.FixtureRequest, tmp_path: Path) -> Served:
    """The endpoint and a storage URL that no other test uses."""
    del tmp_path
    return moto_store[0], f"{moto_store[1]}/{abs(hash(request.node.name))}"
