"""The SDK's own client → a session with `urlset mcp` over standard input and output."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import run
from tests.workflows.audit_sites import page, sitemap
from tests.workflows.submit.engine_sites import Stage
from urlset.cli.main import cli
from urlset.settings.serve import McpSettings
from urlset.testing import PageAnswer, Site
from urlset.workflows.mcp_skill import SKILL
from urlset.workflows.mcp_tools import PAGE_BYTES, Roots

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


def strip(answer: dict[str, Any]) -> dict[str, Any]:
    """Without the targets, which are texts of the client."""

    def own(name: str) -> list[dict[str, Any]]:
        return [{key: value for key, value in row.items() if key != "target"} for row in answer.get(name, [])]

    return {**answer, "items": own("items"), "targets": own("targets")}


def test_a_session_from_first_look_to_applied_fix(tmp_path: Path) -> None:
    root = write_site(tmp_path / "public")
    (tmp_path / "secret.xml").write_text("<urlset/>")
    (root / "escape.xml").symlink_to(tmp_path / "secret.xml")
    before = (root / "sitemap.xml").read_bytes()

    async def work(client: Any, call: Call) -> None:
        tools = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
        assert set(tools) == {
            "read", "check", "explain", "fix", "apply_fix", "audit", "diff", "engines", "unknowns", "more",
            "inspect", "doctor", "audit_start", "audit_status", "audit_cancel",
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

        for answer in (listed, checked, rest, shown, applied, skipped):
            assert str(tmp_path) not in str(strip(answer)), "no path of the server"
        assert {item["source"] for item in rest["items"]} == {"sitemap.xml"}, "named as a target is"

    session(over_stdio("--root", str(root)), work)
    assert (tmp_path / "secret.xml").read_text() == "<urlset/>"


def test_a_file_that_changed_after_the_preview_is_not_written(tmp_path: Path) -> None:
    root = write_site(tmp_path)

    async def work(client: Any, call: Call) -> None:
        del client
        preview = (await call("fix", targets=["sitemap.xml"]))["targets"][0]["preview"]
        write_site(root, 5)
        theirs = (root / "sitemap.xml").read_bytes()
        (answer,) = (await call("apply_fix", shown=[preview]))["targets"]
        assert not answer["ok"]
        assert "changed since the preview" in answer["error"]
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


async def poll(call: Call, job: str) -> dict[str, Any]:
    for _ in range(1_000):
        status = await call("audit_status", name=job)
        if status["state"] not in ("running", "cancelling"):
            return status
        await asyncio.sleep(0.05)
    raise AssertionError(status)


def slow_site(pages: int, pause: float) -> Site:
    site = Site({})
    for number in range(pages):
        site.routes[f"/{number}"] = PageAnswer(body=str(page(f"/{number}")), pause=pause)
    return site


def test_a_long_audit_is_started_polled_and_cancelled() -> None:
    async def work(client: Any, call: Call) -> None:
        whole = await call("audit_start", target=site.url("/short.xml"))
        assert whole["state"] == "running"
        done = await poll(call, whole["job"])
        assert (done["state"], done["result"]["states"]) == ("finished", {"ok": 3})
        assert len(done["items"]) == 3
        again = await call("audit_status", name=whole["job"], limit=1)
        assert (again["total"], len(again["items"])) == (3, 1)
        assert len((await call("more", cursor=again["cursor"]))["items"]) == 2

        long = await call("audit_start", target=site.url("/long.xml"))
        await asyncio.sleep(0.5)
        cancelled = await call("audit_cancel", name=long["job"])
        assert cancelled["state"] in ("cancelling", "cancelled")
        ended = await poll(call, long["job"])
        assert ended["state"] == "cancelled"
        assert 0 < sum(ended["result"]["states"].values()) < 200, "what came until then is the result"
        assert ended["result"]["finished"] is False

        failed = await call("audit_start", target=site.url("/missing.xml"))
        assert (await poll(call, failed["job"]))["state"] in ("failed", "finished")
        for tool in ("audit_status", "audit_cancel"):
            assert (await client.call_tool(tool, {"name": "made up"})).is_error
        assert (await client.call_tool("audit_start", {"target": "https://user:word@e.com/"})).is_error

    with slow_site(200, 0.05) as site:
        site.routes["/short.xml"] = sitemap(site.url(f"/{number}") for number in range(3))
        site.routes["/long.xml"] = sitemap(site.url(f"/{number}") for number in range(200))
        session(in_process(allow_private=True), work)


def test_only_so_many_audits_run_at_once() -> None:
    async def work(client: Any, call: Call) -> None:
        first = await call("audit_start", target=site.url("/long.xml"))
        second = await call("audit_start", target=site.url("/long.xml"))
        third = await client.call_tool("audit_start", {"target": site.url("/long.xml")})
        assert third.is_error
        assert "2 audits are running" in str(third.content)
        for job in (first, second):
            await call("audit_cancel", name=job["job"])
            assert (await poll(call, job["job"]))["state"] == "cancelled"

    with slow_site(60, 0.3) as site:
        site.routes["/long.xml"] = sitemap(site.url(f"/{number}") for number in range(60))
        session(in_process(allow_private=True), work)


def test_single_pages_and_sitemaps_are_diagnosed() -> None:
    async def work(client: Any, call: Call) -> None:
        del client
        looked = await call("inspect", urls=[site.url("/hidden"), site.url("/gone")])
        states = {item["url"].rpartition("/")[2]: item for item in looked["items"]}
        assert not any(states["hidden"]["indexable"].values())
        assert any("noindex" in text for text in states["hidden"]["findings"]), states["hidden"]
        assert states["gone"]["status"] == 404
        found = await call("doctor", targets=[site.url("/sitemap.xml")])
        assert found["targets"][0]["healthy"] is False
        assert found["items"][0]["cause"] == "not-found"

    with Site({"/hidden": PageAnswer(body=str(page("/hidden")), headers={"X-Robots-Tag": "noindex"})}) as site:
        session(in_process(allow_private=True), work)


def test_an_agent_cannot_open_what_a_person_can() -> None:
    """`urlset doctor http://localhost/` needs no flag, because a person typed it."""

    async def work(client: Any, call: Call) -> None:
        del client
        for tool, name in (("doctor", "targets"), ("engines", "targets"), ("inspect", "urls"), ("audit", "targets")):
            answer = await call(tool, **{name: [site.url("/sitemap.xml")]})
            assert not answer["targets"][0]["ok"] or not any(item.get("status") for item in answer["items"]), tool
        assert site.log == []

    with Site({"/sitemap.xml": "secret"}) as site:
        session(in_process(), work)


def test_prompts_name_tools_that_exist() -> None:
    async def work(client: Any, call: Call) -> None:
        del call
        tools = {tool.name for tool in (await client.list_tools()).tools}
        prompts = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
        assert {prompt.title for prompt in prompts.values()} == {"Audit this site", "Why is this page not indexed?"}
        for name, given in (
            ("audit_site", {"site": "https://e.com/"}),
            ("why_not_indexed", {"url": "https://e.com/a"}),
        ):
            [message] = (await client.get_prompt(name, given)).messages
            text = message.content.text
            assert next(iter(given.values())) in text
            named = set(re.findall(r"`(\w+)`", text)) - {"contains"}
            assert len(named) >= 4
            assert named <= tools

    session(in_process(), work)


def test_paths_of_the_server_are_hidden_and_urls_are_not(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        write_site(folder)
    single, several = Roots([one], tmp_path / "state"), Roots([one, two])
    assert single.hide(f"{one}/a.xml: broken, see '{one}/b/c.xml'") == "a.xml: broken, see 'b/c.xml'"
    assert single.hide(f"in {one}") == "in ."
    assert str(tmp_path) not in single.hide(f"cannot write {tmp_path}/state/engines.sqlite")
    assert several.hide(f"{two}/sitemap.xml") == "two/sitemap.xml"
    assert several.admit("two/sitemap.xml") == str(two / "sitemap.xml"), "an answer can be used as a target"
    for url in (f"https://e.com{one}/a.xml", f"https://e.com/{Path.home()}/x", f"https://e.com/a?b={one}/c"):
        assert single.hide(url) in (url, url.replace(f"={one}/", "="))


def test_the_skill_names_commands_and_options_that_exist() -> None:
    ran = run("mcp", "--skill")
    assert ran.code == 0
    assert ran.text == SKILL
    assert re.match(r"---\nname: urlset\ndescription: .{50,}?\n---\n", SKILL, re.DOTALL)
    lines = [text for text in re.findall(r"`(urlset [^`]+)`", SKILL) if "COMMAND" not in text]
    assert len(lines) >= 20
    for text in lines:
        assert_exists(shlex.split(text)[1:])
    context = cli.make_context("urlset", ["--help"], resilient_parsing=True)
    every = {name for command in cli.list_commands(context) for name in options_of(command)}
    alone = set(re.findall(r"`(--[\w-]+)", SKILL))
    assert alone <= every, alone - every


def options_of(*words: str) -> set[str]:
    found: Any = cli
    for word in words:
        found = found.get_command(cli.make_context("urlset", ["--help"], resilient_parsing=True), word)
        assert found is not None, words
    context = cli.make_context("urlset", ["--help"], resilient_parsing=True)
    return {name for param in found.get_params(context) for name in (*param.opts, *param.secondary_opts)}


def assert_exists(words: list[str]) -> None:
    path = words[:2] if words[0] in ("engines", "publish") else words[:1]
    assert {word for word in words if word.startswith("--")} <= options_of(*path), words


NOTHING = {
    "empty.xml": '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>',
    "page.html": "<html><body>Not found</body></html>",
    "lonely.xml": '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap>'
    "<loc>https://e.com/a.xml</loc></sitemap></sitemapindex>",
}


@pytest.mark.parametrize("name", NOTHING)
def test_nothing_is_never_ok(tmp_path: Path, name: str) -> None:
    """No URL was read, audited or compared, so an agent must not go on as if there were none to find."""
    (tmp_path / name).write_text(NOTHING[name], encoding="utf-8")

    async def work(client: Any, call: Call) -> None:
        del client
        rows = [
            *(await call("read", targets=[name]))["targets"],
            *(await call("audit", targets=[name]))["targets"],
            *(await call("diff", old=name, new=name))["targets"],
        ]
        assert [row["ok"] for row in rows] == [False, False, False]
        assert all(row["error"] for row in rows)

    session(in_process(roots=(tmp_path,)), work)
