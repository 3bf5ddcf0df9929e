"""The format for language models: within its budget, causes first, with commands that exist."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.commands import run
from tests.reports.test_every_format import verdicts
from tests.reports.verdicts import VERDICTS
from tests.workflows.audit_sites import page, sitemap
from urlset.cli.main import cli
from urlset.findings.verdict import Verdict
from urlset.reports.format import MAX_TOKENS, ReportOptions
from urlset.reports.llm import DATA, CauseBlock, fit, render
from urlset.testing import PageAnswer, Request, Site
from urlset.testing.exchange import Reply

COMMAND = re.compile(r"(?:run|again|first run|all findings, without requests|every URL): (.*)")


@given(
    st.lists(st.text(max_size=50), max_size=4),
    st.lists(st.builds(CauseBlock, st.lists(st.text(max_size=80)), st.lists(st.text(max_size=80))), max_size=20),
    st.lists(st.text(max_size=50), max_size=4),
    st.integers(100, 300),
)
def test_the_budget_holds(head: list[str], blocks: list[CauseBlock], tail: list[str], tokens: int) -> None:
    assert len(fit(head, blocks, tail, tokens)) <= tokens * 4


@given(verdict=verdicts, tokens=st.integers(100, 500))
def test_the_budget_holds_for_any_verdict(verdict: Verdict, tokens: int) -> None:
    assert len("".join(render(verdict, ReportOptions(max_tokens=tokens)))) <= tokens * 4


def test_details_are_left_out_before_causes() -> None:
    blocks = [CauseBlock([f"{number}. cause", "   run: it"], ["   such as " + "x" * 200]) for number in range(10)]
    text = fit(["head"], blocks, ["tail"], 110)
    assert [line for line in text.splitlines() if line.endswith("cause")] == [
        f"{number}. cause" for number in range(10)
    ]
    assert text.splitlines()[-1] == "tail"
    few = fit(["head"], blocks * 20, ["tail"], 110)
    assert re.search(r"^\(\d+ more left out: raise --max-tokens\)$", few, re.MULTILINE)


def commands_in(text: str) -> Iterator[list[str]]:
    """Every urlset command of the text, as words."""
    for found in COMMAND.finditer(text):
        for part in found[1].split(" && "):
            words = shlex.split(part)
            if words[0] == "urlset":
                yield words[1:]


def assert_exists(words: list[str]) -> None:
    """The command takes these options."""
    context = cli.make_context("urlset", ["--help"], resilient_parsing=True)
    found = cli.get_command(context, words[0])
    assert found is not None, words
    known = {name for param in found.get_params(context) for name in param.opts}
    assert {word for word in words[1:] if word.startswith("--")} <= known, words


def test_a_check_names_commands_that_exist() -> None:
    text = "".join(render(VERDICTS["ordinary"], ReportOptions(target=("shop.xml",))))
    found = list(commands_in(text))
    assert len(found) >= 3
    for words in found:
        assert_exists(words)


def test_a_hostile_name_stays_one_word_of_a_command() -> None:
    """An agent runs what it reads."""
    nasty = "http://e.com/a.xml;rm -rf $HOME`id`\x1b[2J"
    verdict = VERDICTS["ordinary"]
    import msgspec

    findings = tuple(msgspec.structs.replace(each, source=nasty) for each in verdict.findings)
    text = "".join(render(msgspec.structs.replace(verdict, findings=findings), ReportOptions(target=(nasty,))))
    assert "\x1b" not in text
    for found in COMMAND.finditer(text):
        words = shlex.split(found[1])
        assert not {"rm", "-rf"} & set(words), found[1]


def shop(request: Request) -> Reply | None:
    """Twelve good pages, ten gone, eight that redirect, six with noindex."""
    if request.path == "/sitemap.xml":
        kinds = {"good": 12, "gone": 10, "old": 8, "hidden": 6}
        return sitemap(f"{request.origin}/{kind}/{number}" for kind, count in kinds.items() for number in range(count))
    kind, _, number = request.path[1:].partition("/")
    match kind:
        case "good" | "new":
            return page(request.path)
        case "old":
            return PageAnswer(301, "", headers={"Location": f"/good/{number}"})
        case "hidden":
            return PageAnswer(body=str(page(request.path)), headers={"X-Robots-Tag": "noindex"})
    return None


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Site(shop) as running:
        yield running


def test_an_audit_of_a_shop(site: Site, tmp_path: Path) -> None:
    given_options = ("--allow-private", "--state", tmp_path, "--format", "llm")
    ran = run("audit", site.url("/sitemap.xml"), *given_options)
    assert len(ran.text) <= MAX_TOKENS * 4
    lines = ran.text.splitlines()
    assert lines[1] == DATA
    causes = [line for line in lines if re.match(r"\d+\. ", line)]
    assert [cause.partition(": ")[2].split(" ")[0] for cause in causes[:1]] == ["404"]
    assert len(causes) >= 3
    assert ran.text.index(causes[0]) < ran.text.index("all findings")
    for words in commands_in(ran.text):
        assert_exists(words)
    fixes = [line for line in lines if line.startswith("   run: ")]
    assert len(fixes) == len(causes)
    short = run("audit", site.url("/sitemap.xml"), *given_options, "--max-tokens", "200")
    assert len(short.text) <= 800
    assert short.text.splitlines()[1] == DATA


def test_a_diff(tmp_path: Path) -> None:
    old, new = tmp_path / "old.xml", tmp_path / "new.xml"
    old.write_text(sitemap(f"https://e.com/a/{number}" for number in range(40)), encoding="utf-8")
    new.write_text(sitemap(f"https://e.com/b/{number}" for number in range(30)), encoding="utf-8")
    ran = run("diff", old, new, "--format", "llm", "--no-renames", "--max-removed", "1")
    assert ran.code == 1
    lines = ran.text.splitlines()
    assert lines[0].startswith("urlset diff: 30 added, 40 removed")
    assert any(line.startswith("failed: ") for line in lines[:5])
    for words in commands_in(ran.text):
        assert_exists(words)
    again = run("diff", old, new, "--format", "llm", "--no-renames", "--max-removed", "1")
    assert again.text == ran.text
