"""Real object stores on loopback, each with an empty bucket: moto and Azurite enforce conditions, rclone does not."""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from email.utils import formatdate
from pathlib import Path

KEY = "not-a-real-key-123"
ACCOUNT = "devstoreaccount1"
ACCOUNT_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
"""the documented key of every emulator"""
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": KEY,
    "AWS_SECRET_ACCESS_KEY": KEY,
    "AWS_REGION": "us-east-1",
    "AZURE_STORAGE_ACCOUNT_NAME": ACCOUNT,
    "AZURE_STORAGE_ACCOUNT_KEY": ACCOUNT_KEY,
}
Served = tuple[str, str]
"""the endpoint, and the storage URL of an empty place"""


@contextmanager
def moto(folder: Path) -> Iterator[Served]:
    from moto.server import ThreadedMotoServer

    del folder
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        endpoint = "http://{}:{}".format(*server.get_host_and_port())
        put(f"{endpoint}/bucket")
        yield endpoint, "s3://bucket/site"
    finally:
        server.stop()


def command(name: str) -> str | None:
    """Beside the interpreter, where pip puts it, or anywhere on the path."""
    beside = Path(sys.executable).with_name(name)
    return str(beside) if beside.exists() else shutil.which(name)


@contextmanager
def rclone(folder: Path) -> Iterator[Served]:
    """`rclone serve s3` on a folder: its sub-folders are buckets."""
    served, port = folder / "served", free_port()
    (served / "bucket").mkdir(parents=True)
    with running(
        command("rclone") or "rclone", "serve", "s3", "--addr", f"127.0.0.1:{port}", "--config", "", str(served)
    ):
        wait_for(f"http://127.0.0.1:{port}")
        yield f"http://127.0.0.1:{port}", "s3://bucket/site"


@contextmanager
def azurite(folder: Path) -> Iterator[Served]:
    """The emulator of Azure's blob store, from npm."""
    del folder
    port = free_port()
    options = ("--inMemoryPersistence", "--silent", "--skipApiVersionCheck", "--disableTelemetry")
    with running(command("azurite-blob") or "azurite-blob", "--blobPort", str(port), *options):
        wait_for(f"http://127.0.0.1:{port}")
        endpoint = f"http://127.0.0.1:{port}/{ACCOUNT}"
        now, api = formatdate(usegmt=True), "2021-08-06"
        to_sign = (
            "PUT" + "\n" * 12 + f"x-ms-date:{now}\nx-ms-version:{api}\n/{ACCOUNT}/{ACCOUNT}/box\nrestype:container"
        )
        digest = hmac.new(base64.b64decode(ACCOUNT_KEY), to_sign.encode(), hashlib.sha256).digest()
        signature = f"SharedKey {ACCOUNT}:{base64.b64encode(digest).decode()}"
        put(
            f"{endpoint}/box?restype=container",
            **{"x-ms-date": now, "x-ms-version": api, "Authorization": signature, "Content-Length": "0"},
        )
        yield endpoint, "az://box/site"


STORES: dict[str, Callable[[Path], AbstractContextManager[Served]]] = {
    "moto": moto,
    "rclone": rclone,
    "azurite": azurite,
}


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def running(*arguments: str) -> Iterator[None]:
    server = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        server.kill()
        server.wait()


def wait_for(endpoint: str) -> None:
    for _ in range(400):
        try:
            urllib.request.urlopen(endpoint, timeout=2).close()
        except urllib.error.HTTPError as error:
            error.close()
            return
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError(endpoint)


def put(url: str, **headers: str) -> None:
    urllib.request.urlopen(urllib.request.Request(url, method="PUT", headers=headers)).close()
