"""`urlset diff` on files, folders and limits → the contract of its output and exit codes."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import run
from urlset.checking.declare import wrap

SITE = "https://www.example.com"


def entry(path: str, lastmod: str = "", more: str = "") -> str:
    date = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
    return f"<url><loc>{SITE}{path}</loc>{date}{more}</url>"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("old.xml").write_text(
        wrap(entry("/a", "2024-01-01") + entry("/b") + entry("/blog/tie-a-shoe.html") + entry("/gone"))
    )
    Path("new.xml").write_text(
        wrap(entry("/new") + entry("/b") + entry("/blog/tie-a-shoe") + entry("/a", "2024-01-02"))
    )
    return tmp_path


def reported(*arguments: str, code: int = 0) -> dict[str, Any]:
    ran = run("diff", *arguments, "--format", "json")
    assert ran.code == code, ran.err
    body: dict[str, Any] = json.loads(ran.text)
    return body


def test_the_contract() -> None:
    body = reported("old.xml", "new.xml")
    assert {name: body[name] for name in ("schema", "command", "summary", "added", "removed", "changed")} == {
        "schema": 1,
        "command": "diff",
        "summary": {"added": 1, "removed": 1, "changed": 1, "moved": 0, "renamed": 1, "unchanged": 1},
        "added": [f"{SITE}/new"],
        "removed": [f"{SITE}/gone"],
        "changed": [{"loc": f"{SITE}/a", "fields": {"lastmod": ["2024-01-01", "2024-01-02"]}}],
    }
    (renamed,) = body["renamed"]
    assert (renamed["from"], renamed["to"]) == (f"{SITE}/blog/tie-a-shoe.html", f"{SITE}/blog/tie-a-shoe")
    assert renamed["evidence"] == "path"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((), 0),
        (("--exit-code",), 1),
        (("--max-removed", "25%"), 0),
        (("--max-removed", "24%"), 1),
        (("--max-removed", "1"), 0),
        (("--max-added", "0"), 1),
        (("--max-changed", "0"), 1),
        (("--require-all",), 1),
        (("--max-removed", "many"), 2),
        (("--fields", "title"), 2),
    ],
)
def test_limits_and_exit_codes(arguments: tuple[str, ...], code: int) -> None:
    assert run("diff", "old.xml", "new.xml", *arguments).code == code


def test_equal_sets_in_another_order_do_not_differ() -> None:
    Path("same.xml").write_text(
        wrap(entry("/gone") + entry("/blog/tie-a-shoe.html") + entry("/b") + entry("/a", "2024-01-01"))
    )
    ran = run("diff", "old.xml", "same.xml", "--exit-code", "--require-all", "--max-removed", "0")
    assert (ran.code, ran.lines[-1]) == (0, "no differences: 4 URLs are the same")


def test_nothing_on_either_side_and_unreadable_sides() -> None:
    Path("empty.xml").write_text(wrap(""))
    assert run("diff", "empty.xml", "empty.xml").code == 3
    missing = run("diff", "old.xml", "missing.xml")
    assert (missing.code, missing.out) == (2, b"")
    assert "missing.xml: cannot be read: no such file" in missing.err
    assert run("diff", "old.xml").code == 2


def test_moves_between_the_files_of_folders() -> None:
    for folder, split in (("before", ("/a", "/b")), ("after", ("/a", "/c"))):
        Path(folder).mkdir()
        Path(folder, "one.xml").write_text(wrap(entry(split[0])))
        Path(folder, "two.xml").write_text(wrap(entry("/b") if folder == "before" else entry("/c")))
    Path("after", "one.xml").write_text(wrap(entry("/a") + entry("/b")))
    body = reported("before", "after")
    assert body["summary"] == {"added": 1, "removed": 0, "changed": 0, "moved": 1, "renamed": 0, "unchanged": 1}
    assert body["moved"] == [{"loc": f"{SITE}/b", "from": "two.xml", "to": "one.xml"}]


def test_hosts_can_be_ignored() -> None:
    Path("preview.xml").write_text(Path("old.xml").read_text().replace(SITE, "http://localhost:3000"))
    assert reported("old.xml", "preview.xml", "--no-renames")["summary"]["removed"] == 4
    same = reported("old.xml", "preview.xml", "--ignore-host", "--require-all", "--exit-code")
    assert same["summary"]["unchanged"] == 4


def test_media_are_compared_without_regard_to_their_order() -> None:
    image = "<image:image><image:loc>{}</image:loc></image:image>"
    one, two = (image.format(f"{SITE}/{name}.png") for name in "12")
    Path("one.xml").write_text(wrap(entry("/a", more=one + two)))
    Path("two.xml").write_text(wrap(entry("/a", more=two + one)))
    Path("three.xml").write_text(wrap(entry("/a", more=two)))
    assert reported("one.xml", "two.xml", "--exit-code")["summary"]["unchanged"] == 1
    (change,) = reported("two.xml", "three.xml")["changed"]
    assert change["fields"]["images"][1] == [{"loc": f"{SITE}/2.png"}]


def test_known_redirects_are_evidence() -> None:
    Path("_redirects").write_text("# moved\n/gone /new 301\n")
    (first, second) = reported("old.xml", "new.xml", "--redirects", "_redirects")["renamed"]
    assert {first["evidence"], second["evidence"]} == {"redirect", "path"}


def test_csv_patch_and_html_name_every_url() -> None:
    rows = list(csv.reader(run("diff", "old.xml", "new.xml", "--format", "csv").text.splitlines()))
    assert [row[0] for row in rows] == ["what", "added", "removed", "changed", "renamed"]
    patch = run("diff", "old.xml", "new.xml", "--format", "patch").lines
    assert patch[:2] == ["--- old.xml", "+++ new.xml"]
    assert patch[-2:] == [f"-{SITE}/gone", f"+{SITE}/new"]
    page = run("diff", "old.xml", "new.xml", "--format", "html").text
    assert f'<li><a href="{SITE}/gone"' in page


def test_hostile_urls_stay_text() -> None:
    Path("bad.xml").write_text(wrap("<url><loc>https://e.com/&lt;script&gt;alert(1)&lt;/script&gt;\x7f</loc></url>"))
    page = run("diff", "old.xml", "bad.xml", "--format", "html").text
    assert "<script>alert" not in page
    assert "https://e.com/&lt;script&gt;alert(1)" in page
    assert "\x7f" not in run("diff", "old.xml", "bad.xml").text
