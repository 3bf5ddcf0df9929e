"""Which scanner reads, and how a choice that cannot be met is answered."""

from __future__ import annotations

import sys

import pytest

from tests.reading.scanners import IS_BUILT, chosen, needs_compiled
from tests.reading.sitemaps import url, urlset
from urlset import read
from urlset.cli.main import main
from urlset.reading.limits import VARIABLE, ScannerError, is_compiled, scanner
from urlset.version import __version__


@pytest.fixture(autouse=True)
def forget() -> None:
    scanner.cache_clear()


def test_python_can_be_asked_for() -> None:
    with chosen("python"):
        assert not is_compiled()
        assert [entry.loc for entry in read(urlset(url("1")))] == ["https://example.com/1"]


@needs_compiled
def test_compiled_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert scanner() == "compiled"


@needs_compiled
def test_the_chosen_scanner_really_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlset.reading.compiled.CompiledScanner", None)
    with chosen("python"):
        assert len(read(urlset(url("1")))) == 1
    with chosen("compiled"), pytest.raises(TypeError):
        read(urlset(url("1")))


def test_without_the_compiled_module_python_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "urlset.reading.compiled", None)
    with chosen(""):
        assert scanner() == "python"
        assert len(read(urlset(url("1")))) == 1


def test_a_missing_scanner_is_an_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "urlset.reading.compiled", None)
    with chosen("compiled"):
        with pytest.raises(ScannerError, match="which is not installed"):
            scanner()
        assert main(["check", "sitemap.xml"]) == 2
    said = capsys.readouterr().err
    assert "URLSET_SCANNER requests the compiled scanner" in said
    assert "Traceback" not in said


def test_an_unknown_scanner_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with chosen("fast"):
        assert main(["ls", "sitemap.xml"]) == 2
        assert "'fast'" in capsys.readouterr().err
        assert main(["--version"]) == 2


@pytest.mark.parametrize("name", ["python"] + ["compiled"] * IS_BUILT)
def test_the_version_names_the_scanner(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with chosen(name):
        assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"urlset {__version__} ({name} scanner)\n"
