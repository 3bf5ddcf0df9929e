"""Sitemaps of all shapes → their reports by the command, compiled and pure, and by the validator in a browser.

`python -m tests.docs.browser_reports --mutations 500` compares all of them and takes minutes; the tests take a part.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from base64 import b64encode
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import msgspec

from fuzz.mutate import mutated
from fuzz.seeds import AROUND, DOCTYPES, SEEDS, corpus, examples
from tests.browser import FLAGS, executable
from tests.cli.commands import run
from tests.house.source_tree import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Page

NAME = "sitemap.xml"
_ASK = """async (files) => {
  const found = [];
  for (const text of files) {
    const data = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const answer = await engine.ask({action: "check", names: ["sitemap.xml"]}, [{name: "sitemap.xml", data}]);
    found.push(answer.report);
  }
  return found;
}"""


def inputs(mutations: int, *, every: int = 1) -> list[bytes]:
    """The corpus, the seeds and examples of rules, every so many of them; then mutations of them."""
    seeds = (*SEEDS, *DOCTYPES, *AROUND, *corpus())
    chance = Random(33)
    changed = [mutated(chance.choice(seeds), seeds, chance) for _ in range(mutations)]
    return [*seeds[::every], *examples()[::every], *changed]


def by_command(files: list[bytes], scanner: str) -> list[str]:
    """What `urlset check sitemap.xml --format json` prints for each, in a process with this scanner."""
    code = "from tests.docs.browser_reports import print_reports; print_reports()"
    environment = os.environ | {"URLSET_SCANNER": scanner, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    with TemporaryDirectory() as folder:
        sent = msgspec.msgpack.encode(files)
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, input=sent, env=environment, cwd=folder, capture_output=True, check=True)
        return msgspec.msgpack.decode(done.stdout, type=list[str])


def print_reports() -> None:
    """The other end of `by_command`."""
    found: list[str] = []
    for data in msgspec.msgpack.decode(sys.stdin.buffer.read(), type=list[bytes]):
        Path(NAME).write_bytes(data)
        found.append(run("check", NAME, "--format", "json").text)
    sys.stdout.buffer.write(msgspec.msgpack.encode(found))


def by_browser(page: Page, files: list[bytes]) -> list[str]:
    """What the open page reports for each, in one session."""
    found: list[str] = []
    for start in range(0, len(files), 25):
        found += page.evaluate(_ASK, [b64encode(data).decode() for data in files[start : start + 25]])
    return found


def differences(files: list[bytes], **reports: list[str]) -> list[str]:
    """A line for each file that is not reported alike everywhere."""
    found: list[str] = []
    (first, wanted), *others = reports.items()
    for name, given in others:
        assert len(given) == len(wanted) == len(files)
        for data, one, two in zip(files, wanted, given, strict=True):
            if one != two:
                lines = [
                    f"{first}: {a}\n{name}: {b}"
                    for a, b in zip(one.splitlines(), two.splitlines(), strict=False)
                    if a != b
                ]
                found.append(f"{data[:2000]!r}\n" + "\n".join(lines[:2]))
    return found


def main() -> int:
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser()
    parser.add_argument("--mutations", type=int, default=500)
    parser.add_argument("--site", type=Path, default=ROOT / "build/site")
    options = parser.parse_args()
    files = inputs(options.mutations)
    compiled, pure = by_command(files, "compiled"), by_command(files, "python")
    begun = time.monotonic()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=list(FLAGS), headless=True)
        page = browser.new_context(offline=True).new_page()
        page.goto((options.site / "validator/index.html").as_uri())
        page.wait_for_selector("body[data-state=ready]", timeout=60_000)
        shown = by_browser(page, files)
        browser.close()
    found = differences(files, compiled=compiled, pure=pure, browser=shown)
    told = f"{len(files)} files, {len(found)} differences, {time.monotonic() - begun:.0f} s in the browser"
    sys.stdout.write("\n\n".join([*found, told]) + "\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
