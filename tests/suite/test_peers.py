"""The list of peers → pinned, with an adapter each, and all on the page with their failures."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from suite import peers

LISTED: dict[str, list[dict[str, Any]]] = json.loads((peers.HERE / "peers.json").read_text(encoding="utf-8"))
ALL = [(kind, peer) for kind, found in LISTED.items() for peer in found]


@pytest.mark.parametrize(("kind", "peer"), ALL, ids=[f"{kind}-{peer['name']}" for kind, peer in ALL])
def test_a_peer_is_pinned_and_on_the_page(kind: str, peer: dict[str, Any]) -> None:
    package = peer.get("npm") or peer["package"]
    assert package in ("", "urlset") or re.search(r"(==|@)\d+(\.\d+)+", package)
    assert (peers.HERE / "adapters" / peer["adapter"]).is_file()
    failing = peers.FOLDER / f"{kind}-{peers.slug(peer)}.md"
    name = f"[{peer['name']}](suite/{failing.name})" if failing.is_file() else peer["name"]
    assert f"| {name} | {peers.version(peer)} | default |" in peers.PAGE.read_text(encoding="utf-8")


def test_there_are_enough_of_each_kind() -> None:
    assert len(LISTED["readers"]) >= 8
    assert len(LISTED["writers"]) >= 4
    assert len(LISTED["validators"]) >= 3


def test_every_failure_on_the_pages_links_to_its_case() -> None:
    rows = (peers.HERE / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    paths = {json.loads(line)["path"] for line in rows}
    for page in peers.FOLDER.glob("*.md"):
        links = re.findall(r"\]\(https://[^)]*/blob/main/suite/([^)]*)\)", page.read_text(encoding="utf-8"))
        assert links, page.name
        assert [link for link in links if link not in paths and not (peers.HERE / link).is_file()] == []


def test_the_page_is_written_from_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = {
        "total": {"cases": 2, "scored": 2, "passed": 2},
        "topics": {"xml": {"scored": 2, "passed": 2}},
        "failures": [],
    }
    problem = {"what": "lost URL", "detail": "https://example.com/|x"}
    bad = {
        "total": {"cases": 2, "scored": 2, "passed": 1, "lost URL": 1},
        "topics": {"xml": {"scored": 2, "passed": 1}},
        "failures": [{"case": "xml/y_tabs", "class": "y", "problems": [problem], "why": ""}],
    }
    monkeypatch.setattr(peers, "BUILD", tmp_path)
    monkeypatch.setattr(peers, "PAGE", tmp_path / "suite.md")
    monkeypatch.setattr(peers, "FOLDER", tmp_path / "suite")
    (tmp_path / "results").mkdir()
    for name, report in (("urlset", good), ("scrapy", bad)):
        (tmp_path / "results" / f"readers-{name}.json").write_text(json.dumps([report]), encoding="utf-8")
    peers.write_page()
    page = (tmp_path / "suite.md").read_text(encoding="utf-8")
    assert "| urlset | 0.1.0 | default | **2/2** |  |" in page
    assert "| [Scrapy](suite/readers-scrapy.md) | 2.19.0 | default | **1/2** | 1 |" in page
    failing = (tmp_path / "suite" / "readers-scrapy.md").read_text(encoding="utf-8")
    assert "[xml/y_tabs](https://github.com/urlset/urlset/blob/main/suite/cases/xml/y_tabs.xml)" in failing
    assert "https://example.com/\\|x" in failing
