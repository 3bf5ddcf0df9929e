"""Files sent by the validator page → what urlset finds in them, from a child process with limits.

A child, because the work needs a folder of its own as working folder, may take long, and can be stopped. It has no
network to use, a time limit, and a limit on memory where the system has one.
"""

from __future__ import annotations

import asyncio
import sys
from base64 import b64encode
from itertools import accumulate
from pathlib import Path
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from urlset.dashboard.access import LARGEST_UPLOAD
from urlset.dashboard.context import context_of, render
from urlset.workflows.validator import FILES, FOR_PAGE, PageRequest, file_names
from urlset.writing.files import work_folder

MOST_FILES = 100
AT_ONCE = 2
"""checks in all; others wait"""
SECONDS = 60.0
MEMORY = 1 << 30
_turns = asyncio.Semaphore(AT_ONCE)


class Upload(msgspec.Struct, frozen=True):
    """The first line of a request; the bytes of all files follow it."""

    request: PageRequest
    sizes: tuple[int, ...]


async def validator_page(request: Request) -> Response:
    return render(
        request, "validator.html", engine="", assets="/static/", rules="/rules/", server="/validator",
        largest=LARGEST_UPLOAD, home="/", links=(("All sites", "/"),),
    )  # fmt: skip


async def validate(request: Request) -> Response:
    """The answer as JSON; what cannot be answered is a line of text with a status."""
    context = context_of(request)
    if not context.sessions.form_token_fits(request.state.session, request.headers.get("x-form-token", "")):
        raise HTTPException(403, "the form has expired; reload the page and try again")
    head, _, data = (await request.body()).partition(b"\n")
    try:
        order = msgspec.json.decode(head, type=Upload)
    except msgspec.MsgspecError:
        return PlainTextResponse("the request is not complete\n", 400)
    wanted, sizes = order.request, order.sizes
    if not sizes or len(sizes) != len(wanted.names) or min(sizes) < 0 or sum(sizes) != len(data):
        return PlainTextResponse("the request is not complete\n", 400)
    if len(sizes) > MOST_FILES:
        return PlainTextResponse(f"more than {MOST_FILES} files; use `urlset check` in a terminal\n", 413)
    names = file_names(wanted.names)
    with work_folder() as folder:
        (folder / FILES).mkdir()
        for name, end, size in zip(names, accumulate(sizes), sizes, strict=True):
            (folder / FILES / name).write_bytes(data[end - size : end])
        return await _answered(msgspec.structs.replace(wanted, names=tuple(names)), folder)


async def _answered(order: PageRequest, folder: Path) -> Response:
    async with _turns:
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "urlset.workflows.validator", str(folder), str(MEMORY),
            cwd=folder / FILES,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        try:
            printed, _ = await asyncio.wait_for(child.communicate(msgspec.json.encode(order)), SECONDS)
        except TimeoutError:
            return PlainTextResponse(f"not finished after {SECONDS:.0f} s; use `urlset check` in a terminal\n", 503)
        finally:
            if child.returncode is None:
                child.kill()
                await child.wait()
    if child.returncode:
        return PlainTextResponse("the check failed, perhaps for lack of memory\n", 503)
    answer: dict[str, Any] = msgspec.json.decode(printed)
    answer["names"] = order.names
    answer["extra"] = await asyncio.to_thread(_extra, folder)
    return Response(msgspec.json.encode(answer), media_type="application/json")


def _extra(folder: Path) -> dict[str, str]:
    """Path → base64 of what the page may read."""
    found = (path for part in FOR_PAGE for path in sorted((folder / part).glob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): b64encode(path.read_bytes()).decode() for path in found}
