"""Hypothesis profiles, markers that follow from what a test uses, the number of workers, and quick collection.

The same examples on each run by default, few of them in `make quick`, many fresh ones at night: choose with
`HYPOTHESIS_PROFILE=nightly make test` or `--hypothesis-profile=nightly`.
"""

from __future__ import annotations

import asyncio
import gc
import os
import re
import signal
import sys
from functools import cache, partialmethod
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.browser import browser, tab

__all__ = ["browser", "tab"]

gc.disable()  # until all tests are collected: nothing is garbage, and looking for it took two fifths of the time
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # a job in the background ignores it, and so would the commands that tests interrupt
    signal.signal(signal.SIGINT, signal.default_int_handler)

if sys.platform != "win32":
    # no test cuts the power, and many would wait for the disk; Windows refuses to sync some files, so it still tries
    os.fsync = lambda _descriptor: None  # type: ignore[assignment]

if sys.dont_write_bytecode and sys.pycache_prefix is None:
    # pytest rewrites the assertions of each test module anew where it may not keep them, which takes more than half of
    # the time to collect; the cache is kept out of the source tree, as PYTHONDONTWRITEBYTECODE asks for
    sys.pycache_prefix = str(Path(__file__).parents[1] / ".pytest_cache" / "bytecode")
    sys.dont_write_bytecode = False

if sys.platform == "win32":
    # what a test writes is what it expects to read again; a test of CRLF writes bytes. `make lint` sees to it that the
    # source names the encoding of every file
    Path.write_text = partialmethod(Path.write_text, encoding="utf-8", newline="\n")  # type: ignore[assignment]
    Path.read_text = partialmethod(Path.read_text, encoding="utf-8")  # type: ignore[assignment]

SERVERS = ("urlset.testing", "tests.servers", "urlset.workflows.demo.sample", "urlset.workflows.demo.fake_engines")
"""a test module that imports a name from here talks to servers on loopback"""
SHARING = ("tests/dashboard/", "tests/docs/", "tests/house/", "tests/storage/", "tests/workflows/publish/")
"""folders whose tests share a simulated month, the documentation site, the parsed sources or a store"""
SCANNING = {"building", "checking", "corpus", "reading"}
"""folders of tests of what compiled modules do: the gate runs these without compiled modules too"""
SCANNER_ASIDE = re.compile(r"compiled|kill|stopped")
"""modules in these folders that name the scanner themselves, or that kill processes"""

settings.register_profile(
    "house",
    derandomize=True,
    max_examples=60,
    deadline=None,  # a busy machine is not a failing test
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "nightly",
    max_examples=3000,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("quick", settings.get_profile("house"), max_examples=8)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "house"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if isinstance(item, pytest.Function):
            if _uses_servers(item.module):
                item.add_marker(pytest.mark.network)
            if "postgresql" in item.fixturenames:
                item.add_marker(pytest.mark.postgres)
            if _depends_on_scanner(item.path) and "scanner" not in item.fixturenames:  # else it names both itself
                item.add_marker(pytest.mark.scanner)
            if "browser" in item.fixturenames:
                item.add_marker(pytest.mark.browser)
            if sys.platform == "win32" and item.get_closest_marker("posix"):
                item.add_marker(pytest.mark.skip(reason="of what Windows does not have"))
    if "PYTEST_XDIST_WORKER" in os.environ:
        # what takes long begins first, so that no worker is left with it at the end
        slow = {item.path for item in items if item.get_closest_marker("slow")}
        items.sort(key=lambda item: item.path not in slow)


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """For `-n auto`: two for each core, because half of the time of a test is waiting for servers and processes."""
    return 2 * (os.cpu_count() or 1)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A worker gets whole modules, or folders, because their tests share servers, browsers and simulated sites.

    The groups of `--dist loadgroup` have no effect with pytest 9.2, which ignores the names that xdist 3.8 gives tests.
    """
    from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

    class WholeModules(LoadFileScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            module: str = super()._split_scope(nodeid)
            return next((folder for folder in SHARING if module.startswith(folder)), module)

    config.option.loadscopereorder = False
    return WholeModules(config, log)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses between requests of this process, such as those before a second try, take no time."""
    sleep = asyncio.sleep
    monkeypatch.setattr("asyncio.sleep", lambda seconds, result=None: sleep(min(seconds, 0.01), result))


@cache
def _uses_servers(module: ModuleType) -> bool:
    homes = (getattr(value, "__module__", None) or getattr(value, "__name__", "") for value in vars(module).values())
    return any(isinstance(home, str) and home.startswith(SERVERS) for home in homes)


@cache
def _depends_on_scanner(path: Path) -> bool:
    folders = path.relative_to(Path(__file__).parent).parts[:-1]
    among = not {"/".join(folders[:1]), "/".join(folders[:2])}.isdisjoint(SCANNING)
    return among and SCANNER_ASIDE.search(path.stem) is None
