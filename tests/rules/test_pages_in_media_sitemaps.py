"""A page in a sitemap of news, videos or images is no duplicate of its entry in a sitemap of pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from urlset.settings.check import CheckSettings
from urlset.spec import namespaces
from urlset.workflows.check import check

NEWS = "<n:news><n:title>A</n:title></n:news>"
VIDEO = "<video:video><video:title>A</video:title></video:video>"
IMAGE = "<image:image><image:loc>https://example.com/a.png</image:loc></image:image>"


def sitemap(*media: str) -> str:
    declared = "".join(
        f' xmlns:{prefix}="{uri}"'
        for prefix, uri in (("n", namespaces.NEWS), ("video", namespaces.VIDEO), ("image", namespaces.IMAGE))
    )
    entries = "".join(f"<url><loc>https://example.com/{n}</loc>{each}</url>" for n, each in enumerate(media))
    return f'<urlset xmlns="{namespaces.SITEMAP}"{declared}>{entries}</urlset>'


PLAIN, SOME_IMAGES = sitemap("", ""), sitemap(IMAGE, "")


@pytest.mark.parametrize(
    ("files", "count"),
    [
        ((PLAIN, sitemap(NEWS, NEWS)), 0),
        ((sitemap(VIDEO, VIDEO), PLAIN), 0),
        ((PLAIN, sitemap(IMAGE, IMAGE)), 0),
        ((sitemap(VIDEO, VIDEO), sitemap(NEWS, NEWS)), 0),
        ((sitemap(VIDEO, VIDEO), sitemap(VIDEO, VIDEO + IMAGE)), 2),
        ((PLAIN, SOME_IMAGES), 2),
        ((sitemap(NEWS, NEWS), PLAIN, PLAIN), 2),
        ((sitemap(NEWS, NEWS), PLAIN, sitemap(NEWS, NEWS), PLAIN), 4),
    ],
)
def test_only_files_about_the_same_are_compared(files: tuple[str, ...], count: int, tmp_path: Path) -> None:
    for number, text in enumerate(files):
        (tmp_path / f"{number}.xml").write_text(text)
    entries = "".join(f"<sitemap><loc>https://example.com/{n}.xml</loc></sitemap>" for n in range(len(files)))
    index = tmp_path / "index.xml"
    index.write_text(f'<sitemapindex xmlns="{namespaces.SITEMAP}">{entries}</sitemapindex>')
    settings = CheckSettings(select=("L021",), root=str(tmp_path), base_url="https://example.com/")
    verdict = check([str(index)], settings)
    assert verdict.troubled == ()
    assert verdict.counts.get("L021", 0) == count
