"""The SDK's own client → a session with `urlset mcp` over standard input and output."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.audit_sites import page, sitemap
from tests.workflows.submit.engine_sites import Stage
from urlset.settings.serve import McpSettings
from urlset.testing import Site
from urlset.workflows.mcp_tools import PAGE_BYTES

pytest.importorskip("mcp")
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
Call = Callable[..., Awaitable[dict[str, Any]]]


def write_site(folder: Path, pages: int = 3) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    urls = "".join(f"<url><loc>https://e.com/{n}?a=1&b=2</loc></url>\n" for n in range(pages))
    (folder / "sitemap.xml").write_text(f'<?xml version="1.0"?>\n<urlset {NS}>\n{urls}</urlset>\n')
    return folder


def over_stdio(*options: str) -> Any:
    from mcp import StdioServerParameters, stdio_client

    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    arguments = ["-m", "urlset", "mcp", *options]
    return stdio_client(StdioServerParameters(command=sys.executable, args=arguments, env=environment))


def in_process(**settings: Any) -> Any:
    from urlset.workflows.mcp import server_for

    return server_for(McpSettings(**settings))


def session(server: Any, work: Callable[[Any, Call], Awaitable[None]]) -> None:
    """Run `work(client, call)`; `call` raises AssertionError for a call that fails as a whole."""
    from mcp import Client

    async def run() -> None:
        async with asyncio.timeout(60), Client(server) as client:

            async def call(tool: str, **given: Any) -> dict[str, Any]:
                answer = await client.call_tool(tool, given)
                assert not answer.is_error, answer.content
                assert answer.structured_content is not None
                return dict(answer.structured_content)

            await work(client, call)

    asyncio.run(run())


def test_a_fix_that_would_remove_most_of_a_file_is_left_to_the_command_line(tmp_path: Path) -> None:
    urls = "".join(f"<url><loc>https://e.com/{path}</loc></url>" for path in ("cart/1", "cart/2", "cart/3", "a"))
    (tmp_path / "sitemap.xml").write_text(f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {NS}>{urls}</urlset>\n')

    async def work(_client: Any, call: Call) -> None:
        items = (await call("fix", targets=[str(tmp_path / "sitemap.xml")], unsafe=True, only=["Q007"]))["items"]
        (reason,) = {item["reason"] for item in items if item.get("left") == "Q007"}
        assert "never removes more than half of a file; run `urlset fix --unsafe --allow-shrink`" in reason

    session(in_process(roots=(str(tmp_path),)), work)


def test_a_session_from_first_look_to_applied_fix(tmp_path: Path) -> None:
    root = write_site(tmp_path / "public")
    (tmp_path / "secret.xml").write_text("<urlset/>")
    (root / "escape.xml").symlink_to(tmp_path / "secret.xml")
    before = (root / "sitemap.xml").read_bytes()

    async def work(client: Any, call: Call) -> None:
        tools = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
        assert set(tools) == {
            "read", "check", "explain", "fix", "apply_fix", "audit", "diff", "engines", "unknowns", "more",
        }  # fmt: skip
        assert {name for name, hints in tools.items() if not hints.read_only_hint} == {"apply_fix"}
        assert tools["apply_fix"].destructive_hint

        bad = ["../secret.xml", "escape.xml", "missing.xml", str(tmp_path / "secret.xml"), "http://127.0.0.1:1/x.xml"]
        listed = await call("read", targets=[*bad, "sitemap.xml"])
        assert [row["ok"] for row in listed["targets"]] == [False] * 5 + [True]
        assert "--allow-private" in listed["targets"][4]["error"]
        assert [item["loc"] for item in listed["items"]] == [f"https://e.com/{n}?a=1&b=2" for n in range(3)]

        checked = await call("check", targets=["sitemap.xml"], limit=1)
        assert checked["total"] > 1
        assert len(checked["items"]) == 1
        rest = await call("more", cursor=checked["cursor"])
        assert len(rest["items"]) == checked["total"] - 1
        assert rest["cursor"] is None
        codes = sorted({item["code"] for item in [*checked["items"], *rest["items"]]})
        explained = await call("explain", names=[*codes, "no-such-rule"])
        assert [item["code"] for item in explained["items"]] == codes
        assert not explained["targets"][-1]["ok"]

        shown = await call("fix", targets=["sitemap.xml", "escape.xml"])
        assert "+<url><loc>https://e.com/0?a=1&amp;b=2</loc></url>" in shown["items"][0]["diff"]
        assert (root / "sitemap.xml").read_bytes() == before
        preview = shown["targets"][0]["preview"]
        assert shown["targets"][1]["ok"] is False
        applied = await call("apply_fix", shown=[preview, "made up"])
        assert [row["ok"] for row in applied["targets"]] == [True, False]
        assert b"a=1&amp;b=2" in (root / "sitemap.xml").read_bytes()
        assert (root / "sitemap.xml.bak").read_bytes() == before

        skipped = await call("unknowns", targets=["sitemap.xml"])
        assert any("--at" in item["because"] for item in skipped["items"])
        assert skipped["unknowable"]

    session(over_stdio("--root", str(root)), work)
    assert (tmp_path / "secret.xml").read_text() == "<urlset/>"


def test_a_file_that_changed_after_the_preview_is_not_written(tmp_path: Path) -> None:
    root = write_site(tmp_path)

    async def work(client: Any, call: Call) -> None:
        del client
        preview = (await call("fix", targets=["sitemap.xml"]))["targets"][0]["preview"]
        write_site(root, 5)
        theirs = (root / "sitemap.xml").read_bytes()
        (answer,) = (await call("apply_fix", shown=[preview]))["items"]
        assert answer["written"] is False
        assert (root / "sitemap.xml").read_bytes() == theirs

    session(in_process(roots=(root,)), work)


def test_without_a_root_no_file_is_read_and_read_only_offers_no_writing(tmp_path: Path) -> None:
    target = str(write_site(tmp_path) / "sitemap.xml")

    async def work(client: Any, call: Call) -> None:
        assert "apply_fix" not in {tool.name for tool in (await client.list_tools()).tools}
        (row,) = (await call("check", targets=[target]))["targets"]
        assert "--root" in row["error"]
        answer = await client.call_tool("more", {"cursor": "made up"})
        assert answer.is_error

    session(in_process(read_only=True), work)


def test_live_sites_are_audited_compared_and_guarded(tmp_path: Path) -> None:
    root = write_site(tmp_path)

    async def work(client: Any, call: Call) -> None:
        del client
        audited = await call("audit", targets=[site.url("/sitemap.xml"), "https://user:word@e.com/"], sample=5)
        assert audited["targets"][0]["states"] == {"ok": 4, "gone": 1}
        assert audited["targets"][1]["ok"] is False
        assert {item["status"] for item in audited["items"]} == {200, 404}
        compared = await call("diff", old="sitemap.xml", new=site.url("/sitemap.xml"))
        assert compared["targets"][0]["summary"]["added"] == 5
        assert {item["change"] for item in compared["items"]} == {"added", "removed"}
        assert not (await call("diff", old="../x.xml@latest", new="sitemap.xml"))["targets"][0]["ok"]

    with Site({}) as site:
        paths = [f"/{number}" for number in range(4)]
        site.routes.update({path: page(path) for path in paths})
        site.routes["/sitemap.xml"] = sitemap(map(site.url, [*paths, "/gone"]))
        session(in_process(roots=(root,), allow_private=True), work)


def test_reports_of_engines_carry_no_secret(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.serve(range(3))
    for name, value in stage.environment.items():
        monkeypatch.setenv(name, value)

    async def work(client: Any, call: Call) -> None:
        del client
        found = await call("engines", targets=[stage.site.url("/"), "https://e.invalid/"], names=["bing"])
        assert found["targets"][0]["ok"]
        assert {item["engine"] for item in found["items"] if "engine" in item} == {"bing"}
        assert stage.environment["URLSET_BING_KEY"] not in str(found)

    session(in_process(allow_private=True), work)


def test_no_page_is_larger_than_the_limit_and_no_item_is_lost(tmp_path: Path) -> None:
    root = write_site(tmp_path, 3_000)
    huge = f"<url><loc>https://e.com/{'x' * 500_000}</loc></url>"
    text = (root / "sitemap.xml").read_text()
    (root / "sitemap.xml").write_text(text.replace("</urlset>", f"{huge}</urlset>"))

    async def work(client: Any, call: Call) -> None:
        page = await call("read", targets=["sitemap.xml"], limit=500)
        seen = len(page["items"])
        while page["cursor"]:
            again = await client.call_tool("more", {"cursor": page["cursor"], "limit": 500})
            page = await call("more", cursor=page["cursor"], limit=500)
            assert again.structured_content == page
            assert len(str(page)) < 2 * PAGE_BYTES
            seen += len(page["items"])
        assert seen == page["total"] == 3_001

    session(in_process(roots=(root,)), work)
