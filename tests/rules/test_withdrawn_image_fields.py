"""M004 reads ordinary entries by their tags: the same names and places as by their elements."""

from __future__ import annotations

import pytest

from tests.reading.scanners import needs_compiled
from urlset.checking.context import Context
from urlset.checking.declare import wrap
from urlset.checking.subjects import Sitemap
from urlset.reading.read import read
from urlset.rules.image import _by_elements, _by_tags
from urlset.spec.signals import Signal

LOC = "<loc>https://example.com/</loc>"
IMAGE = "<image:loc>https://example.com/a.jpg</image:loc>"


@needs_compiled
@pytest.mark.parametrize(
    "inside",
    [
        "<image:title>A</image:title><image:caption>B &amp; C</image:caption>",
        "<image:caption><![CDATA[B]]></image:caption >",
        "<image:license>\n https://example.com/l\n</image:license>\n<image:geo_location></image:geo_location>",
    ],
)
def test_tags_tell_the_same_as_elements(inside: str) -> None:
    row = f"<url>{LOC}<image:image>{IMAGE}{inside}</image:image></url>"
    sitemap = Sitemap(read(wrap(row).encode()), Context())
    listed = sitemap.listed(0)
    assert not sitemap.signals[0] & Signal.MEDIA_SHAPE
    by_tags = [(name, place()) for name, place in _by_tags(listed)]
    assert by_tags == [(name, place()) for name, place in _by_elements(listed)]
    assert by_tags
