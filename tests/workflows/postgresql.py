"""Nothing → a PostgreSQL server of our own on the loopback, in a temporary folder, gone afterwards."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

REQUIRED = "REQUIRE_POSTGRESQL"
"""set where a missing server is a failure and not a skip, as in the gate of every change"""
_USER = "postgres"


def programs() -> Path | None:
    """The folder of `initdb` and `pg_ctl`, which Debian keeps off the path."""
    found = shutil.which("initdb")
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)
    return places[0].parent if places else Path(found).resolve().parent if found else None


@contextmanager
def server() -> Iterator[str]:
    """The address of an empty database, for SQLAlchemy with psycopg."""
    folder = programs()
    if folder is None:
        import pytest

        if os.environ.get(REQUIRED):
            pytest.fail("PostgreSQL is not installed, and this run must not skip it")
        pytest.skip("PostgreSQL is not installed")
    # the server refuses to run as root, and its user must reach the folder: not below a private one
    home = Path(tempfile.mkdtemp(prefix="urlset-postgresql-"))
    as_user = ["runuser", "-u", _USER, "--"] if os.geteuid() == 0 else []
    if as_user:
        shutil.chown(home, _USER)
    data, port = home / "data", _free_port()

    def call(*command: str) -> None:
        done = subprocess.run([*as_user, *command], capture_output=True, text=True, check=False, cwd=home)
        assert done.returncode == 0, done.stderr + done.stdout

    try:
        call(str(folder / "initdb"), "-D", str(data), "-A", "trust", "-U", _USER, "-E", "UTF8", "--no-sync")
        settings = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
        call(str(folder / "pg_ctl"), "-D", str(data), "-l", str(home / "log"), "-w", "-o", settings, "start")
        try:
            yield f"postgresql+psycopg://{_USER}@127.0.0.1:{port}/postgres"
        finally:
            call(str(folder / "pg_ctl"), "-D", str(data), "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
