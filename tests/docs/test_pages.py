"""Every command that a page of the documentation shows is run, and prints what the page says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, Command, example_site, matches, page_paths, perform, prepared, steps, write
from urlset.testing import Site

PAGES = page_paths()


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with example_site() as served:
        yield served


@pytest.mark.parametrize("name", PAGES)
def test_the_commands_of_the_page_run(name: str, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = list(steps((DOCS / name).read_text(encoding="utf-8")))
    if not any(isinstance(step, Command) for step in found):
        return
    monkeypatch.chdir(prepared(tmp_path))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1794744000")  # 2026-11-15
    monkeypatch.setenv("COLUMNS", "100")
    for step in found:
        if isinstance(step, Command):
            code, printed = perform(step, site)
            told = "\n".join(printed)
            assert step.code in ("any", str(code)), f"docs/{name}:{step.line}: exit code {code}\n{told}"
            assert matches(step.output, printed), f"docs/{name}:{step.line} prints\n{told}"
        else:
            write(*step)


@pytest.mark.parametrize("name", PAGES)
def test_no_command_is_shown_where_it_is_not_run(name: str) -> None:
    """Blocks for a shell hold what cannot be run here: installing, other programs."""
    text = (DOCS / name).read_text(encoding="utf-8")
    inside, shown = "", []
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            inside = "" if inside else line.lstrip("` ").split(" ")[0] or "text"
        elif inside == "sh" and line.strip().startswith("urlset "):
            shown.append(line)
    assert shown == []
