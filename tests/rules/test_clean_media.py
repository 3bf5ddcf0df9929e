"""Sound and complete images, videos and articles: no rule of these families has anything to say."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib import import_module

import pytest

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule, Rule
from urlset.checking.engine import check
from urlset.reading.read import read
from urlset.spec import namespaces
from urlset.spec.engines import DEFAULT_ENGINES, Engine

MODULES = ("image", "video_fields", "video_urls", "video_values", "news_dates", "news_fields")
RULES: tuple[AnyRule, ...] = tuple(
    value
    for name in MODULES
    for value in vars(import_module(f"urlset.rules.{name}")).values()
    if isinstance(value, Rule)
)
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    f'<urlset xmlns="{namespaces.SITEMAP}" xmlns:image="{namespaces.IMAGE}" xmlns:video="{namespaces.VIDEO}" '
    f'xmlns:news="{namespaces.NEWS}" xmlns:xhtml="{namespaces.XHTML}">\n'
)

GALLERY = """
<url>
  <loc>https://example.com/gallery/</loc>
  <lastmod>2026-11-12</lastmod>
  <image:image>
    <image:loc>https://example.com/gallery/harbour.jpg</image:loc>
  </image:image>
  <image:image><image:loc>https://img.example.com/harbour-at-night.webp?w=1600&amp;q=80</image:loc></image:image>
  <image:image><image:loc><![CDATA[https://example.com/render?id=7&size=xl]]></image:loc></image:image>
  <image:image>
    <image:loc>
      https://www.example.com/gallery/f%C3%A4hre.png
    </image:loc>
  </image:image>
</url>
"""

SMALLEST_VIDEO = """
<url>
  <loc>https://example.com/knots/bowline</loc>
  <video:video>
    <video:thumbnail_loc>https://example.com/stills/bowline.jpg</video:thumbnail_loc>
    <video:title>Tying a bowline</video:title>
    <video:description>The king of knots in four steps.</video:description>
    <video:player_loc>https://example.com/embed/bowline</video:player_loc>
  </video:video>
</url>
"""

# Every documented field, in the order of the documentation rather than of the schema.
FULL_VIDEO = """
<url>
  <loc>https://www.example.com/knots/clove-hitch</loc>
  <video:video>
    <video:thumbnail_loc>https://cdn.example.net/stills/clove-hitch.avif</video:thumbnail_loc>
    <video:title>Clove hitch &amp; friends</video:title>
    <video:description><![CDATA[A hitch for <em>fenders</em> &amp; lines, shown twice.]]></video:description>
    <video:content_loc>
      https://streaming.example.net/clove-hitch/master.m3u8?token=a&amp;part=1
    </video:content_loc>
    <video:player_loc>https://www.example.com/player.php?v=clove-hitch</video:player_loc>
    <video:duration>600</video:duration>
    <video:expiration_date>2027-11-05T19:20:30+08:00</video:expiration_date>
    <video:rating>4.2</video:rating>
    <video:view_count>12345</video:view_count>
    <video:publication_date>2026-11-05T19:20:30+08:00</video:publication_date>
    <video:family_friendly>yes</video:family_friendly>
    <video:restriction relationship="allow">IE GB US CA</video:restriction>
    <video:platform relationship="allow">web mobile</video:platform>
    <video:requires_subscription>no</video:requires_subscription>
    <video:uploader info="https://www.example.com/users/ann">Ann</video:uploader>
    <video:live>no</video:live>
    <video:tag>knot</video:tag>
    <video:tag>rope</video:tag>
  </video:video>
  <video:video>
    <video:thumbnail_loc>https://www.example.com/stills/hitch-2.png</video:thumbnail_loc>
    <video:title>Clove hitch, second part</video:title>
    <video:description>On a ring.</video:description>
    <video:content_loc>https://www.example.com/files/clove-hitch-2.mp4</video:content_loc>
    <video:duration>28800</video:duration>
    <video:rating>5</video:rating>
    <video:publication_date>2026-11-14</video:publication_date>
    <video:restriction relationship="deny">DE</video:restriction>
  </video:video>
</url>
"""

# The same video on a second page: one address, one title, no fault.
SAME_VIDEO_ELSEWHERE = SMALLEST_VIDEO.replace("knots/bowline<", "knots/<")


def article(page: str, date: str, title: str) -> str:
    return f"""
<url>
  <loc>https://www.example.com/2026/11/{page}</loc>
  <news:news>
    <news:publication>
      <news:name>The Example Times</news:name>
      <news:language>en</news:language>
    </news:publication>
    <news:publication_date>{date}</news:publication_date>
    <news:title>{title}</news:title>
  </news:news>
</url>
"""


ARTICLES = (
    article("storm", "2026-11-15", "Storm reaches the coast")
    + article("rain", "2026-11-15T09:30+01:00", "Rain, wind &amp; snow: what to expect")
    + article("budget", "2026-11-14T23:59:59-05:00", "Why 2026-27 is the year of the ferry")
    + article("match", "2026-11-14T20:15:00.5Z", "<![CDATA[Rovers 2 - 1 United]]>")
    + article("yesterday", "2026-11-13", "Bridge opens - a day early")
)
CHINESE = article("fengbao", "2026-11-15T08:00:00+08:00", "风暴抵达海岸").replace(">en<", ">zh-cn<")

ARTICLE_WITH_MEDIA = article("regatta", "2026-11-15T10:00:00Z", "Regatta begins").replace(
    "</url>",
    """  <image:image><image:loc>https://www.example.com/regatta.jpg</image:loc></image:image>
  <video:video>
    <video:thumbnail_loc>https://www.example.com/regatta-still.jpg</video:thumbnail_loc>
    <video:title>The start</video:title>
    <video:description>Forty boats cross the line.</video:description>
    <video:content_loc>https://www.example.com/regatta.mp4</video:content_loc>
  </video:video>
  <xhtml:link rel="alternate" hreflang="en" href="https://www.example.com/2026/11/regatta"/>
</url>""",
)

SOUND = {
    "gallery": GALLERY,
    "smallest video": SMALLEST_VIDEO,
    "full video": FULL_VIDEO,
    "same video elsewhere": SMALLEST_VIDEO + SAME_VIDEO_ELSEWHERE,
    "articles": ARTICLES,
    "chinese article": CHINESE,
    "article with media": ARTICLE_WITH_MEDIA,
    "everything": GALLERY + SMALLEST_VIDEO + FULL_VIDEO + ARTICLES + ARTICLE_WITH_MEDIA,
}


def said(text: str, engines: tuple[Engine, ...]) -> list[str]:
    document = read(f"{HEAD}{text}</urlset>\n".encode(), name="sitemap.xml", url="https://www.example.com/sitemap.xml")
    assert document.troubles == ()
    verdict = check(document, RULES, Context(now=NOW, engines=engines))
    chosen = {rule.code for rule in RULES if rule.card.severity_for(engines) is not None}
    return [f"{finding.code} {finding.message}" for finding in verdict.findings if finding.code in chosen]


@pytest.mark.parametrize("name", SOUND)
def test_sound_entries_give_no_finding(name: str) -> None:
    assert said(SOUND[name], DEFAULT_ENGINES) == []


@pytest.mark.parametrize("name", SOUND)
def test_only_schema_order_and_yandex_have_remarks(name: str) -> None:
    """Under all engines two remarks remain, both informational: M014 and, for the full video, V034."""
    codes = {line.partition(" ")[0] for line in said(SOUND[name], tuple(Engine))}
    assert codes <= {"M014", "V034"}


def test_the_rules_are_all_there() -> None:
    """The table above would prove little if the rules were not found."""
    assert {"M001", "M014", "V001", "V037", "N001", "N020"} <= {rule.code for rule in RULES}
    assert len(RULES) == len({rule.code for rule in RULES}) == 12 + 35 + 20


def test_withdrawn_fields_are_remarked_on_and_no_more() -> None:
    text = FULL_VIDEO.replace("<video:live>", "<video:category>Knots</video:category>\n    <video:live>")
    assert {line.partition(" ")[0] for line in said(text, DEFAULT_ENGINES)} == {"V024"}
