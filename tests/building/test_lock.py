"""The format of sitemap.lock: what is written, what is read back, and what a merge or an attacker may leave."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.building.candidate import Evidence, EvidenceKind
from urlset.building.lock import (
    FIRST_SEEN_DETAIL,
    LIVE_DETAIL,
    LockedPage,
    LockError,
    LockPaths,
    lock_files,
    read_lock,
    write_lock,
)
from urlset.reading.fingerprint import PageFingerprint
from urlset.spec.page_facets import DATED_BY, Facet

HEADER = "# urlset lock 1\n# changes: text, images, data\n# path date evidence fingerprint\n"
ONE = PageFingerprint(1, 2)
TWO = PageFingerprint(-5, 7)
SPELLED = "AAAAAAAAAAEAAAAC"


def locked(lastmod: str | None, token: str = "git", fingerprint: PageFingerprint | None = ONE) -> LockedPage:
    return LockedPage(lastmod, token if lastmod else "-", fingerprint)


def written(folder: Path, pages: dict[str, LockedPage], counted: tuple[Facet, ...] = DATED_BY) -> bytes:
    path = folder / "sitemap.lock"
    write_lock(path, lock_files(path, pages, counted, apart=False), {})
    return path.read_bytes()


def test_a_page_is_one_sorted_line(tmp_path: Path) -> None:
    pages = {"/b/": locked("2026-03-02"), "/a/": locked(None, fingerprint=None), "/": locked("2026-03-02T10:00:00Z")}
    data = written(tmp_path, pages)
    assert data.decode() == (f"{HEADER}/ 2026-03-02T10:00:00Z git {SPELLED}\n/a/ - - -\n/b/ 2026-03-02 git {SPELLED}\n")
    assert written(tmp_path, dict(reversed(pages.items()))) == data


def test_it_is_read_as_it_was_written(tmp_path: Path) -> None:
    pages = {
        f"/{number}/": LockedPage.of(evidence, fingerprint)
        for number, (evidence, fingerprint) in enumerate(
            [
                (Evidence(EvidenceKind.GIT, "2026-01-01T00:00:00Z", "commit 123"), ONE),
                (Evidence(EvidenceKind.OBSERVED, "2026-01-02", FIRST_SEEN_DETAIL), TWO),
                (Evidence(EvidenceKind.HTTP, "2026-01-03", LIVE_DETAIL), TWO),
                (None, TWO),
                (Evidence(EvidenceKind.PAGE, "2026-01"), None),
            ]
        )
    }
    written(tmp_path, pages, (Facet.TEXT,))
    found = read_lock(tmp_path / "sitemap.lock")
    assert (found.pages, found.counted, found.notes) == (pages, (Facet.TEXT,), [])
    assert [page.token for page in pages.values()] == ["git", "first-seen", "live", "-", "page"]
    kept = found.pages["/1/"].evidence
    assert kept is not None
    assert (kept.kind, kept.detail) == (EvidenceKind.OBSERVED, FIRST_SEEN_DETAIL)


def test_about_eighty_bytes_a_page() -> None:
    path = "/blog/2026/a-post-with-a-usual-name/"
    assert 60 < len(locked("2026-03-02T10:00:00Z").written(path)) < 85


@pytest.mark.parametrize("base", ["", f"||||||| base\n/b/ 2026-01-01 git {SPELLED}\n"])
def test_both_sides_of_a_conflict_are_kept(tmp_path: Path, base: str) -> None:
    (tmp_path / "sitemap.lock").write_text(
        f"{HEADER}/a/ 2026-01-01 git {SPELLED}\n<<<<<<< HEAD\n/b/ 2026-01-02 git {SPELLED}\n{base}=======\n"
        f"/b/ 2026-01-03 page {SPELLED}\n/c/ 2026-01-01 git {SPELLED}\n>>>>>>> other\n"
    )
    lock = read_lock(tmp_path / "sitemap.lock")
    assert sorted(lock.pages) == ["/a/", "/b/", "/c/"]
    conflict = lock.conflicts["/b/"]
    assert [side.lastmod for side in conflict.sides] == ["2026-01-02", "2026-01-03"]
    assert conflict.newest.token == "page"
    assert conflict.base == (locked("2026-01-01") if base else None)
    assert conflict.is_of_both
    assert lock.notes == ["sitemap.lock has 1 merge conflict, resolved"]


@pytest.mark.parametrize(
    "line",
    [
        "/a b/ 2026-01-01 git AAAAAAAAAAEAAAAC",
        "/a/ 2026-13-01 git AAAAAAAAAAEAAAAC",
        "/a/ yesterday git AAAAAAAAAAEAAAAC",
        "/a/ 2026-01-01 oracle AAAAAAAAAAEAAAAC",
        "/a/ 2026-01-01 - AAAAAAAAAAEAAAAC",
        "/a/ - git AAAAAAAAAAEAAAAC",
        "/a/ 2026-01-01 git short",
        "javascript:alert(1) 2026-01-01 git AAAAAAAAAAEAAAAC",
        "../../etc/passwd 2026-01-01 git AAAAAAAAAAEAAAAC",
        "/\x1b[2J 2026-01-01 git AAAAAAAAAAEAAAAC",
        "/a/ 2026-01-01 git AAAAAAAAAAEAAAAC extra",
        "/é/ 2026-01-01 git AAAAAAAAAAEAAAAC",
        "/" + "a" * 10_000 + " 2026-01-01 git AAAAAAAAAAEAAAAC",
    ],
)
def test_a_line_of_another_form_is_ignored(tmp_path: Path, line: str) -> None:
    (tmp_path / "sitemap.lock").write_text(f"{HEADER}{line}\n/ok/ - - -\n", encoding="utf-8")
    lock = read_lock(tmp_path / "sitemap.lock")
    assert list(lock.pages) == ["/ok/"]
    assert ["1 line ignored" in note for note in lock.notes] == [True]


@pytest.mark.parametrize(
    ("text", "said"),
    [("hello\n", "is not a lock"), ("# urlset lock 2\n", "has format 2"), ("# yarn lockfile v1\n", "is not a lock")],
)
def test_another_file_is_not_replaced(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "sitemap.lock").write_text(text)
    with pytest.raises(LockError, match=said):
        read_lock(tmp_path / "sitemap.lock")


@given(st.binary(max_size=400))
def test_any_bytes_can_be_read(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("lock") / "sitemap.lock"
    path.write_bytes(HEADER.encode() + data)
    try:
        lock = read_lock(path)
    except LockError as error:
        assert "format" in str(error)  # noqa: PT017 - it may also be read
        return
    assert read_back(path, lock.pages) == lock.pages


def read_back(path: Path, pages: dict[str, LockedPage]) -> dict[str, LockedPage]:
    write_lock(path, lock_files(path, pages, DATED_BY, apart=False), {})
    return read_lock(path).pages


def test_large_sites_have_a_file_for_each_section(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlset.building.lock.MOST_IN_ONE", 50)
    monkeypatch.setattr("urlset.building.lock._STAY_APART", 40)
    monkeypatch.setattr("urlset.building.lock._LEAST_OF_SECTION", 5)
    path = tmp_path / "sitemap.lock"
    names = [f"/blog/{number}/" for number in range(30)] + [f"/Shop/{number}/" for number in range(20)]
    names += [f"/docs/en/{number}/" for number in range(40)] + [f"/docs/de/{number}/" for number in range(20)]
    pages = {name: locked("2026-01-01") for name in (*names, "/", "/about/")}
    files = lock_files(path, pages, DATED_BY, apart=False)
    assert sorted(each.relative_to(tmp_path).as_posix().rpartition("-")[0] or each.name for each in files) == [
        "blog.lock",
        "sitemap.lock",
        "sitemap.lock.d/docs-de",
        "sitemap.lock.d/docs-en",
        "sitemap.lock.d/shop",
    ]
    write_lock(path, files, {})
    found = read_lock(path)
    assert (found.pages, found.files) == (pages, files)
    fewer = {name: page for name, page in pages.items() if not name.startswith("/docs")}
    write_lock(path, lock_files(path, fewer, DATED_BY, apart=True), found.files)
    assert read_lock(path).pages == fewer
    few = dict(list(fewer.items())[:10])
    write_lock(path, lock_files(path, few, DATED_BY, apart=True), read_lock(path).files)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["sitemap.lock"]


def test_many_pages_without_sections_are_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlset.building.lock.MOST_IN_ONE", 50)
    path = tmp_path / "sitemap.lock"
    pages = {f"/page-{number}": locked("2026-01-01") for number in range(200)}
    files = lock_files(path, pages, DATED_BY, apart=False)
    assert len(files) == 17
    write_lock(path, files, {})
    assert read_lock(path).pages == pages


@pytest.mark.parametrize(
    ("loc", "path"),
    [
        ("https://example.com/a b/", "/a%20b/"),
        ("https://example.com", "/"),
        ("https://EXAMPLE.com/é?q=1#f", "/%C3%A9?q=1"),
        ("https://other.example/a", "https://other.example/a"),
        ("about/", None),
        ("ftp://example.com/", None),
        ("https://example.com/a\nb", "/ab"),
        ("", None),
    ],
)
def test_names_of_pages(loc: str, path: str | None) -> None:
    assert LockPaths(["https://example.com/1", "https://example.com/2", "https://other.example/"]).of(loc) == path
