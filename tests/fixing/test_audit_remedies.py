"""The report of an audit becomes edits: entries go or name another page, and nothing is listed twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from urlset.fixing.audit_remedies import AuditFix, AuditRemedies, AuditRemediesError, load
from urlset.settings.fix import FixSettings
from urlset.workflows.fix import FixTarget, fix_targets

A = "https://example.com"
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urlset(*entries: str, more: str = "") -> str:
    body = "".join(f"  <url>{entry}</url>\n" for entry in entries)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {NAMESPACE}{more}>\n{body}</urlset>\n'


def locs(*paths: str) -> tuple[str, ...]:
    return tuple(f"<loc>{A}{path}</loc>" for path in paths)


def using(**remedies: str | None) -> AuditRemedies:
    """Name of a page → where it should lead; None to drop it."""
    found = {
        f"{A}/{name}": AuditFix("drop", "A001", "404") if to is None else AuditFix("replace", "A003", "301", f"{A}{to}")
        for name, to in remedies.items()
    }
    return AuditRemedies(found, len(found))


def fixed(path: Path, advice: AuditRemedies, *, unsafe: bool = True) -> list[FixTarget]:
    found = list(fix_targets(FixSettings(targets=(str(path),), unsafe=unsafe), using=advice))
    assert not any(isinstance(each, str) for each in found)
    return [each for each in found if isinstance(each, FixTarget)]


def text(target: FixTarget) -> str:
    assert target.fixed.refused is None
    return target.fixed.data.decode()


def test_gone_pages_go_with_their_lines(tmp_path: Path) -> None:
    file = tmp_path / "s.xml"
    file.write_text(urlset(*locs("/a", "/b", "/c")))
    (target,) = fixed(file, using(b=None))
    assert text(target) == urlset(*locs("/a", "/c"))
    assert [(each.loc, each.code) for each in target.fixed.removed] == [(f"{A}/b", "A001")]


def test_nothing_is_done_without_leave(tmp_path: Path) -> None:
    file = tmp_path / "s.xml"
    file.write_text(urlset(*locs("/a", "/b")))
    (target,) = fixed(file, using(b=None), unsafe=False)
    assert not target.changed
    assert [each.reason for each in target.fixed.left if each.code == "A001"] == [
        "the fix may change the meaning; use --unsafe to apply it"
    ]


def test_the_target_of_a_redirect_is_listed_with_what_was_said_of_the_page(tmp_path: Path) -> None:
    file = tmp_path / "s.xml"
    file.write_text(urlset(f"<loc>{A}/a</loc><lastmod>2026-01-01</lastmod>", *locs("/c")))
    (target,) = fixed(file, using(a="/b?x=1&y=2"))
    assert text(target) == urlset(f"<loc>{A}/b?x=1&amp;y=2</loc><lastmod>2026-01-01</lastmod>", *locs("/c"))
    assert [(each.loc, each.to, each.code) for each in target.fixed.renamed] == [(f"{A}/a", f"{A}/b?x=1&y=2", "A003")]


def test_what_would_be_listed_twice_is_listed_once(tmp_path: Path) -> None:
    file = tmp_path / "s.xml"
    file.write_text(urlset(*locs("/a", "/b", "/c", "/d", "/e")))
    (target,) = fixed(file, using(a="/b", c="/new", d="/new"))
    assert text(target) == urlset(*locs("/b", "/new", "/e"))


def test_also_when_it_is_listed_in_another_file_of_the_tree(tmp_path: Path) -> None:
    index = "".join(f"<sitemap><loc>{A}/{name}.xml</loc></sitemap>" for name in ("one", "two"))
    (tmp_path / "index.xml").write_text(f"<sitemapindex {NAMESPACE}>{index}</sitemapindex>")
    (tmp_path / "one.xml").write_text(urlset(*locs("/a", "/x", "/old1")))
    (tmp_path / "two.xml").write_text(urlset(*locs("/b", "/y", "/old2")))
    advice = using(a="/b", old1="/new", old2="/new")
    results = {Path(each.fixed.source).name: text(each) for each in fixed(tmp_path / "index.xml", advice)}
    assert results["one.xml"] == urlset(*locs("/x", "/new"))
    assert results["two.xml"] == urlset(*locs("/b", "/y"))
    assert advice.unmet == 0


def report(path: Path, **listed: tuple[str, str | None]) -> AuditRemedies:
    """Name of a page → the sitemap that lists it and where the page should lead."""
    pages = [
        {
            "url": f"{A}/{name}",
            "source": source,
            "remedy": None if to is None else {"action": "replace", "code": "A012", "why": "", "to": f"{A}{to}"},
        }
        for name, (source, to) in listed.items()
    ]
    path.write_text(json.dumps({"schema": 1, "command": "audit", "pages": pages}))
    return load(path)


@pytest.mark.parametrize("folder", ["", f"{A}/"])
def test_also_when_the_audit_found_it_in_a_file_that_is_not_mended(tmp_path: Path, folder: str) -> None:
    file = tmp_path / "one.xml"
    file.write_text(urlset(*locs("/a", "/old", "/x")))
    one, two = (folder or f"{tmp_path}/") + "one.xml", (folder or f"{tmp_path}/") + "two.xml"
    advice = report(tmp_path / "audit.json", a=(one, "/b"), b=(two, None), old=(one, "/new"), x=(one, None))
    (target,) = fixed(file, advice)
    assert text(target) == urlset(*locs("/new", "/x"))
    assert [each.loc for each in target.fixed.removed] == [f"{A}/a"]
    (title,) = [each.title for each in target.fixed.applied if each.title.startswith("remove")]
    assert title.startswith(f"remove the entry: {A}/b is listed in {two[:40]}")


def test_a_file_at_hand_knows_better_than_the_audit_what_it_lists(tmp_path: Path) -> None:
    file = tmp_path / "one.xml"
    file.write_text(urlset(*locs("/a", "/x")))
    advice = report(tmp_path / "audit.json", a=(f"{A}/one.xml", "/b"), b=(f"{A}/one.xml", None))
    (target,) = fixed(file, advice)
    assert text(target) == urlset(*locs("/b", "/x")), "/b was taken out since"


def test_alternates_follow(tmp_path: Path) -> None:
    xhtml = ' xmlns:xhtml="http://www.w3.org/1999/xhtml"'

    def entry(loc: str, de: str, fr: str | None) -> str:
        links = [("en", "/en"), ("de", de), *([("fr", fr)] if fr else [])]
        alternates = "".join(
            f'\n    <xhtml:link rel="alternate" hreflang="{code}" href="{A}{path}"/>' for code, path in links
        )
        return f"\n    <loc>{A}{loc}</loc>{alternates}\n  "

    file = tmp_path / "s.xml"
    file.write_text(
        urlset(entry("/en", "/de", "/fr"), entry("/de", "/de", "/fr"), entry("/fr", "/de", "/fr"), more=xhtml)
    )
    (target,) = fixed(file, using(de="/de/", fr=None))
    assert text(target) == urlset(entry("/en", "/de/", None), entry("/de/", "/de/", None), more=xhtml)


def test_a_text_list(tmp_path: Path) -> None:
    file = tmp_path / "s.txt"
    file.write_text(f"{A}/a\n{A}/b\n{A}/c\n")
    (target,) = fixed(file, using(a=None, c="/d"))
    assert text(target) == f"{A}/b\n{A}/d\n"


def test_an_audit_of_other_files_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "s.xml"
    file.write_text(urlset(*locs("/a")))
    advice = using(x=None, y="/z")
    (target,) = fixed(file, advice)
    assert not target.changed
    assert (advice.wanted, advice.unmet) == (2, 2)


def test_a_sitemap_is_not_emptied(tmp_path: Path) -> None:
    file = tmp_path / "s.xml"
    file.write_text(urlset(*locs("/a", "/b")))
    (target,) = fixed(file, using(a=None, b=None))
    assert not target.changed or target.fixed.refused is not None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"no json", "not an audit report"),
        (b"{}", "not an audit report"),
        (json.dumps({"schema": 1, "command": "check", "findings": []}).encode(), "a report of `urlset check`"),
        (json.dumps({"schema": 1, "command": "audit", "pages": [{"url": 5}]}).encode(), "not an audit report"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "audit.json"
    path.write_bytes(content)
    with pytest.raises(AuditRemediesError, match=said):
        load(path)
    with pytest.raises(AuditRemediesError, match="could not read"):
        load(tmp_path / "missing.json")
