"""`urlset explain URL`: how the date of a page in the lock came to be."""

from __future__ import annotations

from pathlib import Path

from tests.building.test_git_evidence import Repository
from tests.workflows.dates.built_site import BASE, BuiltSite, day
from urlset.workflows.explain import explain_date, explain_url


def test_the_history_of_a_date(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "site")
    site = BuiltSite(repository.folder)
    repository.write(".gitignore", "public/\n.urlset/\n")
    for number in (1, 2, 3):
        site.date(day(number))
        repository.commit()
        site.texts["b"] = f"Since day {number + 1}, this is the text of the page."
        site.write()
    lines = explain_url(site.folder / ".urlset", f"{BASE}/b/", site.lock)
    why = "(observed: its content changed between two runs)"
    assert lines[0] == f"{BASE}/b/ in {site.lock}: 2026-03-03 {why}"
    assert [line.partition(": ")[2] for line in lines[1:]] == [
        f"2026-03-02 → 2026-03-03 {why}",
        f"no date → 2026-03-02 {why}",
        "added, no date",
    ]
    assert list(explain_date(site.lock, f"{BASE}/nowhere/")) == []
    assert list(explain_date(tmp_path / "no.lock", f"{BASE}/b/")) == []
