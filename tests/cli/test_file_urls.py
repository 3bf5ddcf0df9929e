"""`file:` URLs, as browsers and editors copy them → the paths that they name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import run
from urlset.storage.paths import without_file_scheme


@pytest.mark.parametrize("command", [("check",), ("ls",), ("info",), ("fix", "--diff")])
def test_a_file_url_is_a_path(command: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "a map.xml"
    path.write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        "<url><loc>https://www.example.org/</loc></url>\n</urlset>\n"
    )
    ran = run(*command, path.as_uri())
    assert ran.code == 0
    assert "no such file" not in ran.text + ran.err


def test_only_file_urls_change() -> None:
    assert without_file_scheme("https://example.com/a%20b") == "https://example.com/a%20b"
    assert without_file_scheme("file.xml") == "file.xml"
    assert without_file_scheme("FILE://localhost/a%20b").lstrip("/") == "a b"
