"""Real themes, with 25 changes that are none and 22 edits → no date moves, or exactly that of the edited page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integrations.generated_sites import GeneratedSite, Hugo, Jekyll, Mkdocs, MkdocsMaterial, Sphinx
from tests.workflows.dates.built_site import day
from tests.workflows.dates.noise import EDITS, NOISE, RST, TEXT
from urlset.settings.dates import DatesSettings
from urlset.workflows.dates.dates import DatesReport, date_pages

pytestmark = [pytest.mark.slow]
NAMES = ("Aurora", "Beacon", "Comet", "Dawn", "Ember", "Flare", "Glow", "Halo")
ON_ALL_PAGES = frozenset({"stamped metadata"})
"""what a template writes on all pages or on none"""


class Readthedocs(Mkdocs):
    themes = ("readthedocs", "mkdocs")


class PlainHugo(Hugo):
    themes = (Hugo.themes[1], Hugo.themes[0])


class ClassicSphinx(Sphinx):
    themes = ("classic", "alabaster")


THEMES: tuple[type[GeneratedSite], ...] = (
    *(Mkdocs, Readthedocs, MkdocsMaterial, Hugo, PlainHugo, Jekyll, Sphinx, ClassicSphinx),
)


@pytest.fixture(scope="module", params=THEMES, ids=lambda each: each.__name__)
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site, never changed."""
    generator: type[GeneratedSite] = request.param
    if not generator.is_installed():
        pytest.skip(f"{generator.__name__} is not installed")
    site = generator(tmp_path_factory.mktemp(generator.__name__))
    site.write("index")
    for name in NAMES:
        text = RST if isinstance(site, Sphinx) else TEXT
        head = site.page(name, "").partition("\n\n")[0] + "\n\n" if site.source(name)[-3:] == ".md" else ""
        made = text.format(name=name, slug=name.lower())
        site.put(site.source(name.lower()), made if isinstance(site, (Sphinx, Mkdocs)) else head + made)
    site.build()
    return site.public


class Measured:
    """Runs on copies of a site."""

    def __init__(self, site: Path, folder: Path) -> None:
        self._folder = folder
        self.public, self._lock = folder / "public", folder / "sitemap.lock"
        found = [path for path in sorted(site.rglob("*")) if path.suffix in (".html", ".xml", ".gz")]
        self._files = {self.public / path.relative_to(site): path.read_bytes() for path in found}

    def copy(self, change: Callable[[str, int], str]) -> None:
        """As the generator wrote it, with a change of each page."""
        for number, (path, data) in enumerate(self._files.items()):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(change(data.decode(), number).encode() if path.suffix == ".html" else data)

    def date(self, number: int) -> DatesReport:
        state = self._folder / ".urlset"
        return date_pages(DatesSettings(target=str(self.public), lock=self._lock, state=state, now=day(number)))

    def forget(self) -> None:
        self._lock.unlink(missing_ok=True)


def dated(report: DatesReport) -> list[str]:
    return [each.url for each in report.pages if each.changed or each.lastmod is not None]


def test_noise_moves_no_date(built: Path, tmp_path: Path) -> None:
    site = Measured(built, tmp_path)
    moved = {}
    for name, noise in NOISE.items():
        for on_some in (False, True) if name not in ON_ALL_PAGES else (False,):
            site.forget()
            site.copy(lambda html, page, noise=noise: noise(html, page, 1))  # type: ignore[misc]
            site.date(1)
            site.copy(
                lambda html, page, noise=noise, on_some=on_some: noise(html, page, 1 if on_some and page % 3 else 2)  # type: ignore[misc]
            )
            if found := dated(site.date(2)):
                moved[name, on_some] = found
    assert moved == {}


def test_each_edit_moves_one_date(built: Path, tmp_path: Path) -> None:
    site = Measured(built, tmp_path)
    wrong = {}
    for name, (old, new) in EDITS.items():
        site.forget()
        site.copy(lambda html, _page: html)
        site.date(1)
        path = next(path for path in sorted(site.public.rglob("*.html")) if "comet" in str(path))
        html = path.read_text(encoding="utf-8")
        assert old in html, name
        path.write_text(html.replace(old, new), encoding="utf-8")
        found = dated(site.date(2))
        if len(found) != 1 or "comet" not in found[0]:
            wrong[name] = found
    assert wrong == {}
