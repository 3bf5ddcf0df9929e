"""A page of the documentation → its files and commands, run in order in a folder of their own.

- A fenced block with a title is a file: it is written before the commands below it run.
- In a `console` block, lines that start with `$ ` are commands; `urlset …` and `cat FILE` are run. The lines below a
  command are its output: a line `…` stands for any lines, `…` at the end of a line for any rest.
- `<!-- exit: 1 -->` before a block: the last command in it ends with this code; `any` for a code that does not matter.
- A URL as target, https://www.example.com/, is answered by a small site on loopback.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from tests.cli.commands import run
from tests.house.source_tree import ROOT
from urlset.testing import PageAnswer, Route, Site, redirect

DOCS = ROOT / "docs"
SITE = "https://www.example.com/"
_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>\w+)(?P<rest>[^\n]*)\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL
)
_TITLE = re.compile(r'title="([^"]+)"')
_EXIT = re.compile(r"<!-- exit: (\w+) -->\s*\Z")
_FETCHES = {"audit", "build", "check", "crawl", "doctor", "info", "ls", "watch"}
REST = "…"


class Command(NamedTuple):
    line: int
    words: list[str]
    output: list[str]
    code: str


def page_paths() -> list[str]:
    """Every page that a person wrote; those that are generated from the code have tests of their own."""
    generated = {"cli.md", "coverage.md"}
    found = (path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
    return sorted(name for name in found if name not in generated and not name.startswith(("rules/", "reference/")))


def steps(text: str) -> Iterator[tuple[str, str] | Command]:
    """Files (name, content) and commands, in the order of the page."""
    for block in _FENCE.finditer(text):
        titled = _TITLE.search(block["rest"])
        inner = "".join(line.removeprefix(block["indent"]) for line in block["text"].splitlines(keepends=True))
        if titled:
            yield titled[1], inner
        elif block["language"] == "console":
            stated = _EXIT.search(text[max(0, block.start() - 40) : block.start()])
            yield from _commands(inner, text.count("\n", 0, block.start("text")), stated[1] if stated else "0")


def _commands(text: str, line: int, code: str) -> Iterator[Command]:
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)
    at = line + parts[0].count("\n") + 1
    for number, part in enumerate(parts[1:], start=1):
        joined, _, output = part.replace("\\\n", "").partition("\n")
        last = number == len(parts) - 1
        yield Command(at, shlex.split(joined, comments=True), output.rstrip().splitlines(), code if last else "0")
        at += part.count("\n")


def matches(shown: list[str], printed: list[str]) -> bool:
    """Whether the output is as the page shows it; without any shown, nothing is compared."""
    if not shown:
        return True
    first, *rest = shown
    if first == REST:
        return not rest or any(matches(rest, printed[start:]) for start in range(len(printed) + 1))
    if not printed:
        return False
    same = printed[0].startswith(first.removesuffix(REST)) if first.endswith(REST) else printed[0].rstrip() == first
    return same and (matches(rest, printed[1:]) if rest else len(printed) == 1)


def page(title: str, words: str, links: tuple[str, ...] = ()) -> str:
    """A page with enough text of its own to count as one."""
    body = " ".join(f"{words} {number}." for number in range(40))
    listed = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    return (
        f"<!doctype html><html lang=en><title>{title}</title><main><h1>{title}</h1><p>{body}</main><nav>{listed}</nav>"
    )


def example_site() -> Site:
    """Three pages in a sitemap, one of them gone; one page that only links lead to."""
    paths = ("/", "/lamps/", "/gone/")
    routes: dict[str, Route] = {
        "/": page("Lamps", "Lamps for desks and floors, number", ("/lamps/", "/stores/", "/old/")),
        "/lamps/": page("All lamps", "A lamp with its price and size, number", ("/",)),
        "/stores/": page("Stores", "A store with its opening hours, number", ("/",)),
        "/old/": redirect("/lamps/", 301),
        "/robots.txt": lambda request: f"User-agent: *\nAllow: /\n\nSitemap: {request.origin}/sitemap.xml\n",
        "/sitemap.xml": lambda request: PageAnswer(
            body='<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
            + "".join(f"<url><loc>{request.origin}{path}</loc></url>\n" for path in paths)
            + "</urlset>\n",
            headers={"Content-Type": "application/xml"},
        ),
    }
    return Site(routes)


def perform(command: Command, site: Site) -> tuple[int, list[str]]:
    """Run one command here, with the small site in the place of the one that the page names."""
    program, *words = command.words
    if program == "cat":
        return 0, Path(words[0]).read_text(encoding="utf-8").splitlines()
    assert program == "urlset", f"line {command.line}: only urlset and cat are run; write other programs in a sh block"
    arguments = _quoted_away(words)
    fetched = arguments[0] in _FETCHES and any(word.startswith(SITE) for word in arguments[1:2])
    if fetched:
        arguments[1] = arguments[1].replace(SITE, site.url("/"))
        arguments.append("--allow-private")
    ran = run(*arguments)
    shown = ran.text or ran.err
    return ran.code, (shown.replace(site.url("/"), SITE) if fetched else shown).splitlines()


def _quoted_away(words: list[str]) -> list[str]:
    """Redirections are the shell's business: what goes to a file is not compared."""
    return words[: words.index(">")] if ">" in words else words


def write(name: str, text: str) -> None:
    """A file of the page; statements under the name of a database make it."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".db":
        with closing(sqlite3.connect(path)) as database:
            database.executescript(text)
    else:
        path.write_text(text, encoding="utf-8")


def prepared(folder: Path) -> Path:
    """A folder with the samples of the documentation."""
    shutil.copytree(DOCS / "samples", folder / "samples", ignore=shutil.ignore_patterns("acme-sitemaps"))
    return folder
