"""Files and trees on disk → mended ones: indexes follow, gzip stays gzip, nothing is written without need."""

from __future__ import annotations

import gzip
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest

from tests.reading.sitemaps import HEAD, TAIL, url
from urlset.checking.select import UnknownSelectorError
from urlset.findings.fix_result import FixResult
from urlset.model.document import Kind
from urlset.reading.read import read
from urlset.settings.fix import FixSettings
from urlset.workflows.fix import FixTarget, fix_targets, write
from urlset.workflows.library.check import fix

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
INDEX = '<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
DAY = b"<lastmod>2026-02-03</lastmod>"


def index(*names: str, lastmod: str = "2026-02-03") -> bytes:
    rows = "".join(
        f"  <sitemap>\n    <loc>https://example.com/{name}</loc>\n    <lastmod>{lastmod}</lastmod>\n  </sitemap>\n"
        for name in names
    )
    return f"{INDEX}{rows}</sitemapindex>\n".encode()


def pages(*paths: str) -> bytes:
    return HEAD + b"".join(url(path, DAY) for path in paths) + TAIL


def many(count: int) -> bytes:
    return pages(*map(str, range(count)))


def run(
    *targets: Path | str,
    unsafe: bool = False,
    only: tuple[str, ...] = (),
    at: str | None = None,
    folder: Path | None = None,
    settings: FixSettings | None = None,
) -> dict[str, FixTarget]:
    """Mend and write; what was done, by file name."""
    done: dict[str, FixTarget] = {}
    wanted = replace(
        settings or FixSettings(),
        targets=tuple(map(str, targets)),
        unsafe=unsafe,
        only=only,
        at=at,
        now=NOW,
        output=folder,
    )
    for target in fix_targets(wanted):
        assert isinstance(target, FixTarget), target
        if target.changed or folder is not None:
            write(target)
        done[target.path.name] = target
    return done


def locs(path: Path) -> list[str | None]:
    return read(path).columns.locs


class TestTrees:
    def test_an_index_and_its_children_are_mended_together(self, tmp_path: Path) -> None:
        (tmp_path / "index.xml").write_bytes(index("a.xml", "b.xml").replace(b"http://", b"https://", 1))
        (tmp_path / "a.xml").write_bytes(pages("1 2"))
        (tmp_path / "b.xml").write_bytes(pages("3"))
        done = run(tmp_path / "index.xml")
        assert list(done) == ["a.xml", "b.xml", "index.xml"], "children first"
        assert locs(tmp_path / "a.xml") == ["https://example.com/1%202"]
        assert b'xmlns="http://www' in (tmp_path / "index.xml").read_bytes()
        assert not done["b.xml"].changed

    def test_a_nested_index_is_flattened(self, tmp_path: Path) -> None:
        (tmp_path / "index.xml").write_bytes(index("a.xml", "inner.xml", "b.xml"))
        (tmp_path / "inner.xml").write_bytes(index("c.xml", "deep.xml", "gone.xml"))
        (tmp_path / "deep.xml").write_bytes(index("d.xml"))
        for name in "abcd":
            (tmp_path / f"{name}.xml").write_bytes(pages(name))
        kept = (tmp_path / "inner.xml").read_bytes()
        done = run(tmp_path / "index.xml", unsafe=True)
        wanted = [f"https://example.com/{name}.xml" for name in ("a", "c", "d", "gone", "b")]
        assert locs(tmp_path / "index.xml") == wanted
        assert (tmp_path / "inner.xml").read_bytes() == kept
        assert [item.loc for item in done["index.xml"].fixed.removed] == ["https://example.com/inner.xml"]
        assert not any(target.changed for target in run(tmp_path / "index.xml", unsafe=True).values())

    def test_a_nested_index_stays_unless_asked(self, tmp_path: Path) -> None:
        (tmp_path / "index.xml").write_bytes(index("inner.xml"))
        (tmp_path / "inner.xml").write_bytes(index("a.xml"))
        (tmp_path / "a.xml").write_bytes(pages("1 2"))
        done = run(tmp_path / "index.xml")
        assert locs(tmp_path / "index.xml") == ["https://example.com/inner.xml"]
        assert any(left.code == "I005" and "--unsafe" in left.reason for left in done["index.xml"].fixed.left)
        assert locs(tmp_path / "a.xml") == ["https://example.com/1%202"], "what it lists is mended all the same"

    def test_an_index_that_lists_itself_ends(self, tmp_path: Path) -> None:
        (tmp_path / "index.xml").write_bytes(index("index.xml", "a.xml"))
        (tmp_path / "a.xml").write_bytes(index("index.xml"))
        assert "index.xml" in run(tmp_path / "index.xml", unsafe=True)

    def test_an_index_lists_the_parts_of_a_child_that_was_split(self, tmp_path: Path) -> None:
        (tmp_path / "index.xml").write_bytes(index("a.xml", "big.xml"))
        (tmp_path / "a.xml").write_bytes(pages("a"))
        (tmp_path / "big.xml").write_bytes(many(50_001))
        done = run(tmp_path / "index.xml")
        assert locs(tmp_path / "index.xml") == [f"https://example.com/{n}.xml" for n in ("a", "big-1", "big-2")]
        assert len(read(tmp_path / "big-1.xml")) + len(read(tmp_path / "big-2.xml")) == 50_001
        assert [item.loc for item in done["index.xml"].fixed.removed] == ["https://example.com/big.xml"]
        assert not any(target.changed for target in run(tmp_path / "index.xml").values())

    def test_an_index_gets_the_date_of_its_newest_page(self, tmp_path: Path) -> None:
        (tmp_path / "index.xml").write_bytes(index("a.xml", lastmod="2024-01-01"))
        (tmp_path / "a.xml").write_bytes(pages("1"))
        run(tmp_path / "index.xml")
        assert read(tmp_path / "index.xml").columns.lastmods == ["2026-02-03"]

    def test_a_date_in_the_future_is_not_taken_over(self, tmp_path: Path) -> None:
        (tmp_path / "index.xml").write_bytes(index("a.xml", lastmod="2024-01-01"))
        (tmp_path / "a.xml").write_bytes(pages("1").replace(b"2026-02-03", b"2031-02-03"))
        run(tmp_path / "index.xml")
        assert read(tmp_path / "index.xml").columns.lastmods == ["2024-01-01"]

    def test_a_prefixed_index_stays_prefixed(self, tmp_path: Path) -> None:
        prefixed = b'<s:sitemapindex xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9">'
        row = b"<s:sitemap><s:loc>https://example.com/%s</s:loc></s:sitemap>"
        (tmp_path / "index.xml").write_bytes(prefixed + row % b"inner.xml" + b"</s:sitemapindex>")
        (tmp_path / "inner.xml").write_bytes(index("a.xml", "b.xml"))
        run(tmp_path / "index.xml", unsafe=True)
        assert locs(tmp_path / "index.xml") == ["https://example.com/a.xml", "https://example.com/b.xml"]
        assert read(tmp_path / "index.xml").troubles == ()


class TestSplitting:
    def test_the_index_takes_the_name_of_the_file(self, tmp_path: Path) -> None:
        path = tmp_path / "sitemap.xml.gz"
        path.write_bytes(gzip.compress(many(50_001)))
        run(path, at="https://example.com/sitemap.xml.gz")
        assert read(path).kind is Kind.SITEMAPINDEX
        assert locs(path) == [f"https://example.com/sitemap-{n}.xml.gz" for n in (1, 2)]
        assert read(path).envelope.compression == "gzip"
        assert len(read(tmp_path / "sitemap-1.xml.gz")) == 25_001

    def test_the_base_address_will_do(self, tmp_path: Path) -> None:
        (tmp_path / "sitemap.xml").write_bytes(many(50_001))
        run(tmp_path / "sitemap.xml", settings=FixSettings(base_url="https://example.com/maps/"))
        assert locs(tmp_path / "sitemap.xml")[0] == "https://example.com/maps/sitemap-1.xml"

    def test_what_an_interrupted_run_left_is_used_again(self, tmp_path: Path) -> None:
        for _ in range(2):
            (tmp_path / "sitemap.xml").write_bytes(many(50_001))
            run(tmp_path / "sitemap.xml", at="https://example.com/sitemap.xml")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["sitemap-1.xml", "sitemap-2.xml", "sitemap.xml"]

    def test_a_file_of_another_meaning_is_not_overwritten(self, tmp_path: Path) -> None:
        (tmp_path / "sitemap.xml").write_bytes(many(50_001))
        (tmp_path / "sitemap-1.xml").write_bytes(pages("other"))
        run(tmp_path / "sitemap.xml", at="https://example.com/sitemap.xml")
        assert locs(tmp_path / "sitemap-1.xml") == ["https://example.com/other"]
        assert locs(tmp_path / "sitemap.xml")[0] == "https://example.com/sitemap-part-1.xml"


class TestPacking:
    def test_gzip_stays_gzip(self, tmp_path: Path) -> None:
        path = tmp_path / "sitemap.xml.gz"
        path.write_bytes(gzip.compress(pages("1 2")))
        run(path)
        assert gzip.decompress(path.read_bytes()) == pages("1%202")

    def test_text_stays_text(self, tmp_path: Path) -> None:
        path = tmp_path / "sitemap.txt"
        path.write_bytes(b"# pages\nhttps://example.com/1 2\nhttps://example.com/3\n")
        run(path)
        assert path.read_bytes() == b"https://example.com/1%202\nhttps://example.com/3\n"

    def test_a_sound_file_is_not_touched(self, tmp_path: Path) -> None:
        path = tmp_path / "sitemap.xml.gz"
        path.write_bytes(gzip.compress(pages("1"), compresslevel=1))
        before = (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino)
        assert not run(path)["sitemap.xml.gz"].changed
        assert (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino) == before

    def test_a_file_packed_twice_is_packed_once(self, tmp_path: Path) -> None:
        path = tmp_path / "sitemap.xml.gz"
        path.write_bytes(gzip.compress(gzip.compress(pages("1"))))
        assert [item.code for item in run(path)["sitemap.xml.gz"].fixed.applied] == ["X020"]
        assert gzip.decompress(path.read_bytes()) == pages("1")

    @pytest.mark.parametrize(("name", "packed"), [("sitemap.xml.gz", False), ("sitemap.xml", True)])
    def test_a_file_is_packed_as_its_name_says(self, tmp_path: Path, name: str, packed: bool) -> None:
        path = tmp_path / name
        path.write_bytes(gzip.compress(pages("1")) if packed else pages("1"))
        assert not run(path)[name].changed
        assert [item.code for item in run(path, unsafe=True)[name].fixed.applied] == ["X017"]
        assert (read(path).envelope.compression == "gzip") is not packed
        assert read(path).data == pages("1")

    def test_a_damaged_archive_is_left_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "sitemap.xml.gz"
        path.write_bytes(gzip.compress(pages("1 2", "3"))[:-12])
        before = path.read_bytes()
        done = run(path, unsafe=True)
        assert path.read_bytes() == before
        assert any("incomplete" in left.reason for left in done["sitemap.xml.gz"].fixed.left)


class TestEncodings:
    def test_another_encoding_becomes_utf8(self, tmp_path: Path) -> None:
        path = tmp_path / "sitemap.xml"
        path.write_bytes(pages("é").decode().replace("UTF-8", "ISO-8859-1").encode("latin-1"))
        run(path)
        assert path.read_bytes() == pages("%C3%A9")

    def test_a_mark_goes(self, tmp_path: Path) -> None:
        path = tmp_path / "sitemap.xml"
        path.write_bytes(b"\xef\xbb\xbf" + pages("1"))
        assert [item.code for item in run(path)["sitemap.xml"].fixed.applied] == ["X006"]
        assert path.read_bytes() == pages("1")

    @pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1", "utf-8-sig"])
    def test_the_encoding_stays_when_only_something_else_is_asked_for(self, tmp_path: Path, encoding: str) -> None:
        path = tmp_path / "sitemap.xml"
        declared = "UTF-8" if encoding == "utf-8-sig" else encoding.upper()
        text = pages("1 2", "é").decode().replace("UTF-8", declared)
        path.write_bytes(text.encode(encoding))
        run(path, only=("L007",))
        assert path.read_bytes() == text.replace("1 2", "1%202").encode(encoding)


class TestFolders:
    def test_results_go_into_a_folder_in_the_same_arrangement(self, tmp_path: Path) -> None:
        for name in ("a", "b"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "sitemap.xml").write_bytes(pages(f"{name} 1"))
        out = tmp_path / "out"
        run(tmp_path / "a" / "sitemap.xml", tmp_path / "b" / "sitemap.xml", folder=out)
        assert locs(out / "a" / "sitemap.xml") == ["https://example.com/a%201"]
        assert locs(out / "b" / "sitemap.xml") == ["https://example.com/b%201"]
        assert locs(tmp_path / "a" / "sitemap.xml") == ["https://example.com/a 1"]

    def test_a_sound_file_is_copied_byte_for_byte(self, tmp_path: Path) -> None:
        path = tmp_path / "sitemap.xml.gz"
        path.write_bytes(gzip.compress(pages("1"), compresslevel=1))
        run(path, folder=tmp_path / "out")
        assert (tmp_path / "out" / "sitemap.xml.gz").read_bytes() == path.read_bytes()

    def test_a_link_stays_a_link(self, tmp_path: Path) -> None:
        (tmp_path / "real.xml").write_bytes(pages("1 2"))
        (tmp_path / "sitemap.xml").symlink_to("real.xml")
        run(tmp_path / "sitemap.xml")
        assert (tmp_path / "sitemap.xml").is_symlink()
        assert locs(tmp_path / "real.xml") == ["https://example.com/1%202"]


class TestLibrary:
    def test_bytes_in_result_out(self) -> None:
        fixed = fix(pages("1 2"), now=NOW)
        assert isinstance(fixed, FixResult)
        assert fixed.data == pages("1%202")
        assert [item.code for item in fixed.applied] == ["L007"]
        assert fixed.changed
        assert fixed.refused is None

    def test_a_path_and_a_file_will_do(self, tmp_path: Path) -> None:
        path = tmp_path / "sitemap.xml"
        path.write_bytes(pages("1 2"))
        assert fix(path).data == fix(BytesIO(path.read_bytes())).data == pages("1%202")
        assert path.read_bytes() == pages("1 2"), "nothing is written"

    def test_options_mean_what_they_mean_on_the_command_line(self) -> None:
        data = HEAD + b"<url><loc>/a</loc><lastmod>2026-01-01T10:00:00</lastmod></url>\n" + TAIL
        fixed = fix(data, base_url="https://example.com/", timezone="+02:00", engines=("protocol", "google"))
        assert b"<loc>https://example.com/a</loc><lastmod>2026-01-01T10:00:00+02:00</lastmod>" in fixed.data
        assert fix(data, only=("d003",), timezone="Z").data == data.replace(b"10:00:00<", b"10:00:00Z<")
        assert fix(data, ignore=("D003", "L002"), unsafe=True).data == data

    def test_an_unknown_rule_is_an_error(self) -> None:
        with pytest.raises(UnknownSelectorError):
            fix(b"", select=("nonsense",))
        with pytest.raises(UnknownSelectorError, match="`only`: unknown rule 'nonsense'"):
            fix(b"", only=("nonsense",))
        assert fix(HEAD + b"<url><loc>https://example.com/?a&b</loc></url>" + TAIL, only=("bare-ampersand",)).changed

    def test_a_large_file_has_pieces(self) -> None:
        fixed = fix(many(50_001), at="https://example.com/sitemap.xml", now=NOW)
        assert [len(read(piece.data)) for piece in fixed.pieces] == [2, 25_001, 25_000]

    @pytest.mark.parametrize("data", [b"", b"<html></html>", b"\x1f\x8b", b"\x00" * 100, b"User-agent: *\n"])
    def test_anything_may_be_given(self, data: bytes) -> None:
        assert fix(data, unsafe=True).refused is None


@pytest.mark.parametrize("encoding", ["windows-1252", "utf-16", "utf-8-sig", "gb18030", "iso-8859-15"])
def test_a_result_is_in_the_encoding_that_it_declares(encoding: str) -> None:
    declared = "utf-8" if encoding == "utf-8-sig" else encoding
    text = HEAD.decode().replace("UTF-8", declared) + "<url><loc>https://example.com/é</loc>"
    text += "<changefreq>%s</changefreq></url>" + TAIL.decode()
    result = fix((text % "Weekly").encode(encoding), only=["F002"])
    assert [item.code for item in result.applied] == ["F002"]
    assert result.changed
    assert not result.recoded
    assert result.data.decode(encoding) == text % "weekly"
    assert not fix(result.data, only=["F002"]).changed


def test_what_an_encoding_cannot_represent_is_not_written() -> None:
    """The entity is `☃`, which windows-1252 does not have."""
    text = HEAD.decode().replace("UTF-8", "windows-1252") + "<url><loc>https://example.com/é</loc></url>"
    text += "<url><loc>https://example.com/&utdot;</loc></url>" + TAIL.decode()
    data = text.encode("windows-1252")
    result = fix(data, only=["X012"])
    assert result.data == data
    assert any("windows-1252" in left.reason or "cp1252" in left.reason for left in result.left)


@pytest.mark.parametrize("unsafe", [False, True])
def test_an_entry_that_is_removed_is_not_renamed_to_the_next(unsafe: bool) -> None:
    paths = ["/a%7Eb", "/a~b", ":443/a~b", "/x", "/x"]
    entries = "".join(f"<url><loc>https://example.com{path}</loc></url>" for path in paths)
    result = fix(HEAD + entries.encode() + TAIL, unsafe=unsafe)
    assert result.renamed == ()
    assert {item.loc for item in result.removed} <= {"https://example.com/a~b", "https://example.com/x"}
