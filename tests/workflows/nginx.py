"""Server blocks → a real nginx on loopback, in a temporary folder, gone afterwards."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

REQUIRED = "REQUIRE_NGINX"
"""set where a missing server is a failure and not a skip, as in the gate of every change"""
_SECONDS = 10.0


class Block(msgspec.Struct, frozen=True):
    """One server: its directives and files. `PORT` and `ROOT` stand for its own port and folder."""

    directives: str = ""
    files: dict[str, str | bytes] = {}
    listen: str = ""
    """what follows the port, such as `ssl`"""
    scheme: str = "http"


def program() -> str | None:
    return shutil.which("nginx") or ("/usr/sbin/nginx" if Path("/usr/sbin/nginx").exists() else None)


@contextmanager
def serving(blocks: Mapping[str, Callable[[str, int, Path], Block]]) -> Iterator[dict[str, str]]:
    """Name → the origin of its server. Each function gets the origin, the port and the folder of its server."""
    found = program()
    if found is None:
        import pytest

        if os.environ.get(REQUIRED):
            pytest.fail("nginx is not installed, and this run must not skip it")
        pytest.skip("nginx is not installed")
    home = Path(tempfile.mkdtemp(prefix="urlset-nginx-"))
    origins: dict[str, str] = {}
    servers = []
    for (name, make), port in zip(blocks.items(), _free_ports(len(blocks)), strict=True):
        root = home / name
        root.mkdir()
        secure = make(f"https://127.0.0.1:{port}", port, root).scheme == "https"
        origin = f"{'https' if secure else 'http'}://127.0.0.1:{port}"
        block = make(origin, port, root)
        for path, content in block.files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(content if isinstance(content, bytes) else content.encode())
        origins[name] = origin
        servers.append(
            f"server {{ listen 127.0.0.1:{port} {block.listen}; server_name 127.0.0.1; root {root};\n"
            f"{block.directives}\n}}"
        )
    (home / "nginx.conf").write_text(_CONFIGURATION.format(home=home, user=_user(), servers="\n".join(servers)))
    command = [found, "-p", str(home), "-c", str(home / "nginx.conf"), "-e", str(home / "error.log")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        _wait_for(process, [int(origin.rpartition(":")[2]) for origin in origins.values()])
        yield origins
    finally:
        process.terminate()
        process.communicate(timeout=_SECONDS)
        shutil.rmtree(home, ignore_errors=True)


_CONFIGURATION = """
daemon off; master_process off; pid {home}/nginx.pid; {user}
events {{ worker_connections 512; }}
http {{
  access_log off; keepalive_timeout 5;
  client_body_temp_path {home}/body; proxy_temp_path {home}/proxy; fastcgi_temp_path {home}/fastcgi;
  uwsgi_temp_path {home}/uwsgi; scgi_temp_path {home}/scgi;
  types {{ text/html html; application/xml xml; application/gzip gz; text/plain txt; }}
  limit_req_zone $binary_remote_addr zone=one:1m rate=1r/m;
  map $http_user_agent $is_bot {{ default 0; "~*bot" 1; }}
  map $http_user_agent $is_google {{ default 0; "~*googlebot" 1; }}
  map $http_user_agent $is_bing {{ default 0; "~*bingbot" 1; }}
  map $http_user_agent $is_training {{ default 0; "~*gptbot|claudebot|ccbot" 1; }}
  {servers}
}}
"""


def _user() -> str:
    """Without this, the server of root could not read the folders of root."""
    return "user root;" if os.geteuid() == 0 else ""


def _free_ports(count: int) -> list[int]:
    """All are held until the last is found: a port that is free again may be given a second time."""
    with ExitStack() as held:
        probes = [held.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in probes]


def _wait_for(process: subprocess.Popen[bytes], ports: list[int]) -> None:
    until = time.monotonic() + _SECONDS
    for port in ports:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > until:
                    process.terminate()
                    raise AssertionError(process.communicate()[1].decode()) from None
                time.sleep(0.05)
