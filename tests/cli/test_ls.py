"""`urlset ls` → its formats, its exit codes, and its manners in a pipe and on a terminal."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import weakref
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import urlset
from tests.cli.commands import run
from urlset.cli.ls import as_csv, as_json_lines, as_tsv, as_urls
from urlset.workflows.demo.sample.draft import write_samples
from urlset.workflows.ls import FIELDS, Batch, choose

SITE = "https://www.example.com"


@pytest.fixture
def samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_samples(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def batch_of(*locs: str) -> Batch:
    document = urlset.read(b"".join(b"https://example.com/%d\n" % n for n in range(len(locs))), name="list.txt")
    document.columns.locs[:] = locs
    return Batch(document, range(len(locs)))


@pytest.mark.usefixtures("samples")
class TestFormats:
    def test_addresses_alone(self) -> None:
        ran = run("ls", "good/sitemap.xml")
        assert (ran.code, ran.err, len(ran.lines)) == (0, "", 9)
        assert ran.lines[0] == f"{SITE}/"

    def test_json_lines(self) -> None:
        ran = run("ls", "good/sitemap.xml", "--format", "jsonl", "--fields", "loc,alternates,videos,line")
        rows = [json.loads(line) for line in ran.lines]
        assert list(rows[0]) == ["loc", "alternates", "videos", "line"]
        assert rows[0]["alternates"][1] == {"hreflang": "de", "href": f"{SITE}/de/"}
        film = next(video for row in rows for video in row["videos"])
        assert film["restriction"] == {"text": "DE FR", "attributes": {"relationship": "allow"}}

    def test_csv_has_a_heading_and_default_fields(self) -> None:
        ran = run("ls", "good/sitemap-pages.xml", "--format", "csv")
        rows = list(csv.DictReader(io.StringIO(ran.text)))
        assert rows[1] == {
            "loc": f"{SITE}/de/",
            "lastmod": "2024-07-01",
            "changefreq": "",
            "priority": "",
            "source": "good/sitemap-pages.xml",
        }

    def test_lists_are_json_in_a_cell(self) -> None:
        ran = run("ls", "good/sitemap-pages.xml", "--fields", "images,news", "--match", "desk-lamp")
        heading, row = (line.split("\t") for line in ran.lines)
        assert heading == ["images", "news"]
        assert json.loads(row[0])[0] == f"{SITE}/images/desk-lamp-front.webp"
        assert row[1] == ""

    def test_parquet(self) -> None:
        parquet = pytest.importorskip("pyarrow.parquet")
        assert run("ls", "good/sitemap.xml", "-o", "all.parquet", "--fields", "loc,images,videos,line").code == 0
        table = parquet.read_table("all.parquet").to_pylist()
        assert [row["line"] for row in table][:2] == [3, 11]
        assert len(table) == 9
        assert parquet.ParquetFile("all.parquet").num_row_groups == 2

    def test_parquet_without_pyarrow_names_the_extra(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        ran = run("ls", "good", "-o", "all.parquet")
        assert ran.code == 2
        assert "pip install 'urlset[data]'" in ran.err
        assert not Path("all.parquet").exists()

    @pytest.mark.parametrize(("name", "first"), [("x.csv", "loc,lastmod"), ("x.jsonl", '{"loc":'), ("x", "https")])
    def test_the_name_of_the_output_tells_the_format(self, name: str, first: str) -> None:
        ran = run("ls", "good", "--output", name)
        assert (ran.code, ran.out) == (0, b"")
        assert Path(name).read_text(encoding="utf-8").startswith(first)

    def test_an_output_among_the_inputs_is_read_before_it_is_replaced(self) -> None:
        Path("list.txt").write_text(f"{SITE}/old\n")
        assert run("ls", "list.txt", "good", "-o", "list.txt").code == 0
        assert len(Path("list.txt").read_text(encoding="utf-8").splitlines()) == 10
        assert list(Path().glob(".*.part")) == []


@pytest.mark.usefixtures("samples")
class TestChoosing:
    def test_exclude_is_the_opposite_of_match(self) -> None:
        every = run("ls", "good/sitemap-pages.xml").lines
        some = run("ls", "good/sitemap-pages.xml", "--exclude", "/de/$", "--exclude", "lamp").lines
        assert some == [url for url in every if not url.endswith("/de/") and "lamp" not in url]
        assert 0 < len(some) < len(every)

    def test_until(self) -> None:
        Path("list.xml").write_text(
            "<urlset>"
            + "".join(
                f"<url><loc>{SITE}/{lastmod}</loc><lastmod>{lastmod}</lastmod></url>"
                for lastmod in ("2024", "2024-05", "2024-05-31", "2024-06-01", "2023-01-01", "soon")
            )
            + f"<url><loc>{SITE}/none</loc></url></urlset>"
        )
        assert run("ls", "list.xml", "--until", "2024-05").lines == [
            f"{SITE}/{lastmod}" for lastmod in ("2024", "2024-05", "2024-05-31", "2023-01-01")
        ]
        assert run("ls", "list.xml", "--since", "2024-05-31", "--until", "2024-05-31").lines == [
            f"{SITE}/{lastmod}" for lastmod in ("2024", "2024-05", "2024-05-31")
        ]
        assert run("ls", "list.xml", "--until", "soon").code == 2
        assert run("ls", "list.xml", "--sort", "lastmod").lines == [
            f"{SITE}/{lastmod}"
            for lastmod in ("2023-01-01", "2024", "2024-05", "2024-05-31", "2024-06-01", "soon", "none")
        ]
        assert run("ls", "list.xml", "--sort", "-lastmod", "--limit", "2").lines == [
            f"{SITE}/2024-06-01",
            f"{SITE}/2024-05-31",
        ]

    def test_sorted_rows_have_every_field(self) -> None:
        chosen = ["--format", "jsonl", "--fields", "loc,images,position,file"]
        rows = [json.loads(line) for line in run("ls", "good/sitemap.xml", "--sort", "-loc", *chosen).lines]
        assert [row["loc"] for row in rows] == sorted((row["loc"] for row in rows), reverse=True)
        plain = run("ls", "good/sitemap.xml", *chosen).lines
        assert sorted(map(str, rows)) == sorted(str(json.loads(line)) for line in plain)
        assert {row["file"] for row in rows} == {"good/sitemap-pages.xml", "good/sitemap-news.xml.gz"}

    def test_counts(self) -> None:
        assert run("ls", "good/sitemap.xml", "--count").text == "9\n"
        ran = run("ls", "good/sitemap.xml", "--count", "--match", "no such page")
        assert (ran.text, ran.code) == ("0\n", 3)

    def test_new_and_changed_entries(self) -> None:
        old = "<urlset>" + "".join(
            f"<url><loc>{SITE}/{n}</loc><lastmod>2024-05-0{n}</lastmod></url>" for n in (1, 2, 3)
        )
        Path("old.xml").write_text(f"{old}</urlset>")
        new = old.replace("2024-05-02", "2024-06-02").replace("/3<", "/4<")
        Path("new.xml").write_text(f"{new}</urlset>")
        assert run("ls", "new.xml", "--changed-since", "old.xml").lines == [f"{SITE}/2", f"{SITE}/4"]
        assert run("ls", "old.xml", "--changed-since", "old.xml").code == 3
        ran = run("ls", "new.xml", "--changed-since", "missing.xml")
        assert (ran.code, "no such file" in ran.err) == (2, True)

    def test_new_and_changed_since_a_snapshot(self) -> None:
        pytest.importorskip("duckdb")
        Path("now.xml").write_text(f"<urlset><url><loc>{SITE}/1</loc></url></urlset>")
        assert run("snapshot", "now.xml").code == 0
        Path("now.xml").write_text(f"<urlset><url><loc>{SITE}/1</loc></url><url><loc>{SITE}/2</loc></url></urlset>")
        assert run("ls", "now.xml", "--changed-since", "today").lines == [f"{SITE}/2"]

    @pytest.mark.parametrize("field", sorted(FIELDS))
    def test_every_field_can_be_listed_and_sorted_by(self, field: str) -> None:
        ran = run("ls", "good/sitemap.xml", "broken.xml", "--fields", field, "--sort", field, "--format", "jsonl")
        assert ran.code == 2, "broken.xml is cut short"
        assert len(ran.lines) == 17

    def test_what_is_wrong_is_named(self) -> None:
        for arguments in (["--sort", "lastmdo"], ["--exclude", "("], ["--fields", "loc,nothing"]):
            ran = run("ls", "good/sitemap.xml", *arguments)
            assert ran.code == 2
            assert arguments[1].split(",")[-1] in ran.err


class TestCells:
    nasty = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).map(lambda text: f"h{text}t")

    @given(st.lists(nasty, min_size=1, max_size=5))
    def test_one_line_is_one_address(self, locs: list[str]) -> None:
        text = as_urls(batch_of(*locs))
        assert text.endswith("\n")
        back = [line.replace("%0A", "\n").replace("%0D", "\r") for line in text[:-1].split("\n")]
        assert back == [loc.replace("%0A", "\n").replace("%0D", "\r") for loc in locs]

    @pytest.mark.parametrize("sign", [*"=+-@", *"＝＋－＠"])
    def test_no_cell_is_run_as_a_formula(self, sign: str) -> None:
        """`urlset check --format csv` guarded its cells, `urlset ls` did not."""
        batch = batch_of(f"{sign}1+cmd|' /C calc'!A0")
        for write in (as_csv, as_tsv):
            assert write(batch, choose("loc")).lstrip('"').startswith("'")

    @given(st.lists(nasty, min_size=1, max_size=5))
    def test_csv_reads_back(self, locs: list[str]) -> None:
        text = as_csv(batch_of(*locs), choose("loc,line"))
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        assert rows == [[loc, str(number)] for number, loc in enumerate(locs, 1)]

    @given(st.lists(nasty, min_size=1, max_size=5))
    def test_tsv_reads_back(self, locs: list[str]) -> None:
        text = as_tsv(batch_of(*locs), choose("loc,source"))
        for line, loc in zip(text[:-1].split("\n"), locs, strict=True):
            cell, source = line.split("\t")
            assert source == "list.txt"
            assert unescaped(cell) == loc

    @given(st.lists(nasty, min_size=1, max_size=5))
    def test_json_lines_read_back(self, locs: list[str]) -> None:
        text = as_json_lines(batch_of(*locs), choose("loc,lastmod"))
        assert [json.loads(line) for line in text[:-1].split("\n")] == [{"loc": loc, "lastmod": None} for loc in locs]


class Probe:
    """Tied to a document, which knows no weak references, to see when it goes."""


def unescaped(cell: str) -> str:
    parts = cell.split("\\\\")
    return "\\".join(part.replace("\\t", "\t").replace("\\n", "\n").replace("\\r", "\r") for part in parts)


@pytest.mark.usefixtures("samples")
class TestComplaints:
    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["--fields", "loc,lastmood"], "did you mean 'lastmod'?"),
            (["--fields", ","], "names no field"),
            (["--fields", "loc", "--format", "url"], "--fields: needs --format jsonl"),
            (["--match", "("], "'(' is not a regular expression"),
            (["--since", "last week"], "'last week' is not a date"),
            (["--limit", "-1"], "--limit"),
            (["--format", "xml"], "'xml' is not one of"),
            (["--root", "nowhere"], "nowhere"),
            (["--output", "no/folder/x.csv"], "no/folder/x.csv: cannot be written"),
        ],
    )
    def test_wrong_usage_is_one_line(self, arguments: list[str], words: str) -> None:
        ran = run("ls", "good", *arguments)
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, b"", 1)
        assert ran.err.startswith("urlset: ")
        assert words in ran.err

    def test_a_bad_file_does_not_stop_the_others(self) -> None:
        Path("page.xml").write_text("<html><body>gone</body></html>")
        ran = run("ls", "nowhere.xml", "page.xml", "good/sitemap-news.xml.gz")
        assert (ran.code, len(ran.lines)) == (2, 2)
        first, second = ran.err.splitlines()
        assert first == "urlset: nowhere.xml: cannot be read: no such file"
        assert second.startswith("urlset: page.xml: is an HTML page")

    def test_many_missing_children_are_summed_up(self) -> None:
        listed = "".join(f"<sitemap><loc>{SITE}/{n}.xml</loc></sitemap>" for n in range(500))
        Path("index.xml").write_text(f"<sitemapindex>{listed}</sitemapindex>")
        ran = run("ls", "index.xml")
        assert (ran.code, len(ran.err.splitlines())) == (2, 4)
        assert "497 more children not read" in ran.err

    def test_nothing_to_list_is_its_own_exit_code(self) -> None:
        ran = run("ls", "good", "--match", "no such page")
        assert (ran.code, ran.out) == (3, b"")
        assert "nothing to list" in ran.err


class TestStreams:
    def test_standard_input(self) -> None:
        assert run("ls", "-", stdin=b"https://example.com/\n").lines == ["https://example.com/"]

    def test_fields_of_standard_input_name_it(self) -> None:
        ran = run("ls", "-", "--format", "jsonl", "--fields", "loc,offset", stdin=b"https://example.com/\n")
        assert json.loads(ran.text) == {"loc": "https://example.com/", "offset": 0}

    def test_a_terminal_gets_no_control_characters(self, tmp_path: Path) -> None:
        path = tmp_path / "evil.xml"
        path.write_text("<urlset><url><loc>https://e.com/\u202ea\u009b31m</loc></url></urlset>", encoding="utf-8")
        assert run("ls", path, terminal=True).text == "https://e.com/\\u202ea\\u009b31m\n"
        assert run("ls", path).text == "https://e.com/\u202ea\u009b31m\n"
        shown = run("ls", path, "--format", "jsonl", "--fields", "loc", terminal=True).text
        assert json.loads(shown) == {"loc": "https://e.com/\u202ea\u009b31m"}

    def test_parquet_is_not_for_terminals(self, samples: Path) -> None:
        ran = run("ls", samples / "good", "--format", "parquet", terminal=True)
        assert (ran.code, ran.out) == (2, b"")
        assert "binary" in ran.err

    @pytest.mark.parametrize("form", ["url", "jsonl", "csv", "parquet"])
    def test_a_document_is_let_go_before_the_next_is_read(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
    ) -> None:
        if form == "parquet":
            pytest.importorskip("pyarrow")
        alive: weakref.WeakSet[Probe] = weakref.WeakSet()
        alive_when_reading: list[int] = []

        def reading(source: Path, *, url: str | None, cap: int) -> urlset.Document:
            alive_when_reading.append(len(alive))
            document = urlset.read(source, url=url, cap=cap)
            document.__dict__["probe"] = probe = Probe()
            alive.add(probe)
            return document

        monkeypatch.setattr("urlset.reading.tree.read", reading)
        for number in range(4):
            (tmp_path / f"{number}.txt").write_text(f"https://example.com/{number}\n")
        assert run("ls", tmp_path, "--format", form).code == 0
        assert alive_when_reading == [0, 0, 0, 0]

    def test_a_closed_pipe_is_no_error(self, tmp_path: Path) -> None:
        path = tmp_path / "long.txt"
        path.write_bytes(b"".join(b"https://example.com/%d\n" % number for number in range(200_000)))
        command = [sys.executable, "-m", "urlset", "ls", str(path), str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            assert process.stdout.readline() == b"https://example.com/0\n"
            process.stdout.close()
            assert process.stderr.read() == b""
            assert process.wait() == 0
