"""Faults in the sitemaps themselves, in the index, in robots.txt, and in how they are served; the pages are sound."""

from __future__ import annotations

from datetime import timedelta

from urlset.testing.exchange import PageAnswer
from urlset.workflows.demo.sample.draft import Draft, Stage, w3c
from urlset.workflows.demo.sample.sound import GERMAN, GUIDES, JOURNAL, LAMPS, PAGES, image, versions

AUDIT, CHECK, CRAWL = Stage.AUDIT, Stage.CHECK, Stage.CRAWL
NEWS = "/sitemap-news.xml"
TEMPLATE = "/lamps/{{ category.slug }}/"


def add_flawed_files(draft: Draft) -> None:
    _dates(draft)
    _markup(draft)
    _addresses(draft)
    _spellings(draft)
    _images(draft)
    _languages(draft)
    _news(draft)


def _dates(draft: Draft) -> None:
    def page(slug: str, code: str, why: str, form: str, *, stays: bool = False) -> None:
        path = f"/blog/dated-{slug}/"
        changed = draft.page(path, f"Dated {slug}")
        draft.link(path, f"Dated {slug}")
        draft.entry(JOURNAL, path, changed.strftime(form))
        draft.flaw(CHECK, code, path, why, stays=stays)

    page("by-database", "D005", "a space instead of the T", "%Y-%m-%d %H:%M:%S+00:00")
    page("without-zone", "D003", "a time without its offset", "%Y-%m-%dT%H:%M:%S")
    page("by-mail", "D021", "the date of a mail", "%a, %d %b %Y %H:%M:%S GMT")
    page("in-small-letters", "D006", "a small t and a small z", "%Y-%m-%dt%H:%M:%Sz")
    page("impossible", "D002", "the thirtieth of February", "%Y-02-30T%H:%M:%SZ", stays=True)
    path = "/blog/dated-ahead/"
    draft.page(path, "Dated ahead")
    draft.link(path, "Dated ahead")
    draft.entry(JOURNAL, path, draft.now + timedelta(days=30))
    draft.flaw(CHECK, "D014", path, "a date in the future", stays=True)


def _markup(draft: Draft) -> None:
    path = "/blog/salt-&-pepper/"
    changed = draft.page(path, "Salt & pepper", canonical=None)
    draft.link(path, "Salt & pepper")
    draft.raw(JOURNAL, f"<loc>{draft.url(path)}</loc><lastmod>{w3c(changed)}</lastmod>")
    draft.flaw(CHECK, "X010", JOURNAL, "a raw & in an address")

    def page(slug: str, inside: str, code: str, why: str, *, stays: bool = False) -> None:
        path = f"/guides/{slug}/"
        changed = w3c(draft.page(path, slug.capitalize()))
        draft.link(path, slug.capitalize())
        draft.raw(GUIDES, inside.format(loc=f"<loc>{draft.url(path)}</loc>", date=f"<lastmod>{changed}</lastmod>"))
        draft.flaw(CHECK, code, path, why, stays=stays)

    page("sockets", "{loc}{date}{date}", "S012", "lastmod twice")
    page("switches", "{date}{loc}", "S013", "lastmod before loc")
    page("plugs", "{loc}{date}<author>Ada</author>", "S014", "an element that no sitemap has")
    page("fuses", "{loc}{date}<changefreq>often</changefreq>", "F001", "no word for how often")
    page("timers", "{loc}{date}<priority>5</priority>", "F004", "a priority above 1")
    for code, who in (("F009", "Google"), ("F010", "Bing")):
        draft.flaw(CHECK, code, GUIDES, f"a remark: {who} reads neither changefreq nor priority", stays=True)
    draft.raw(GUIDES, f"<lastmod>{w3c(draft.next_date())}</lastmod>")
    draft.flaw(CHECK, "S010", GUIDES, "an entry without an address", stays=True)


def _addresses(draft: Draft) -> None:
    """Each lists a page that is there under an address that should not be listed."""

    def page(path: str, title: str) -> None:
        draft.page(path, title)
        draft.link(path, title)

    changed = draft.changed("/guides/dimmers/")
    draft.entry(GUIDES, "/guides/dimmers/", changed)
    draft.flaw(CHECK, "L020", "/guides/dimmers/", "listed twice")
    draft.entry(PAGES, "/blog/", draft.changed("/blog/"))
    draft.flaw(CHECK, "L021", "/blog/", "listed in two files", stays=True)

    page("/guides/lamp-oil/", "Lamp oil")
    draft.entry(GUIDES, "/guides/lamp-oil/#safety", draft.changed("/guides/lamp-oil/"))
    draft.flaw(CHECK, "L013", "/guides/lamp-oil/#safety", "an address with a fragment")

    page("/guides/candles/", "Candles")
    tracked = "/guides/candles/?utm_source=mail"
    draft.entry(GUIDES, tracked, draft.changed("/guides/candles/"))
    draft.flaw(CHECK, "L026", tracked, "a parameter that counts visitors")
    draft.flaw(AUDIT, "A012", tracked, "its canonical is the page without the parameter")

    draft.page("/cart/", "Your cart")
    draft.link("/cart/", "Your cart")
    draft.entry(PAGES, "/cart/", draft.changed("/cart/"))
    draft.flaw(CHECK, "Q007", "/cart/", "a shopping cart")

    draft.entry(PAGES, TEMPLATE, draft.next_date())
    draft.flaw(CHECK, "L034", TEMPLATE, "a placeholder that was never filled in")
    draft.flaw(AUDIT, "A001", TEMPLATE, "404, of course")


def _spellings(draft: Draft) -> None:
    def page(path: str, written: str, code: str, why: str, *, stays: bool = False) -> None:
        changed = draft.page(path, "Spelled in another way")
        draft.link(path, "Spelled in another way")
        draft.raw(GUIDES, f"<loc>{written}</loc><lastmod>{w3c(changed)}</lastmod>")
        draft.flaw(CHECK, code, written.strip().removeprefix(draft.origin), why, stays=stays)

    spaced = f"\n      {draft.url('/guides/power-cuts/')}\n    "
    page("/guides/power-cuts/", spaced, "L006", "whitespace around the address")
    page("/guides/l%C3%B6ten/", draft.url("/guides/löten/"), "L009", "letters that must be escaped")
    page("/guides/batteries/", "/guides/batteries/", "L002", "an address without its host")
    draft.flaw(CRAWL, "A035", "/guides/batteries/", "listed only by half its address")


def _images(draft: Draft) -> None:
    path = "/lamps/desk/ferry-cork/"
    missing = "/images/desk-ferry-cork.png"
    changed = draft.page(path, "Ferry cork desk lamp", picture=missing)
    draft.link(path, "Ferry cork desk lamp")
    tag = f"<image:image><image:loc>{draft.url(missing)}</image:loc></image:image>"
    draft.entry(LAMPS, path, changed, f"\n    {tag}")
    draft.flaw(AUDIT, "M013", missing, "there is no such image", stays=True)

    path = "/lamps/floor/ferry-cork/"
    picture = "/images/floor-ferry-cork.png"
    changed = draft.page(path, "Ferry cork floor lamp", picture=picture)
    draft.link(path, "Ferry cork floor lamp")
    tag = image(draft, picture)
    draft.entry(LAMPS, path, changed, tag + tag)
    draft.flaw(CHECK, "M009", path, "the same image twice")


def _languages(draft: Draft) -> None:
    """A German page names an English one that does not name it back, and a region that does not exist."""
    path, german = "/guarantee-card/", "/de/guarantee-card/"
    changed = draft.page(path, "Guarantee card")
    draft.link(path, "Guarantee card")
    draft.entry(PAGES, path, changed)
    changed = draft.page(german, "Garantiekarte", language="de")
    draft.link(german, "Garantiekarte")
    draft.entry(GERMAN, german, changed, versions(draft, path))
    draft.flaw(CHECK, "H016", german, "the English page does not link back", stays=True)

    path, german = "/catalogue/", "/de/catalogue/"
    both = versions(draft, path).replace('hreflang="en"', 'hreflang="en-UK"')
    for each, sitemap, language in ((path, PAGES, "en"), (german, GERMAN, "de")):
        changed = draft.page(each, "Catalogue", language=language)
        draft.link(each, "Catalogue")
        draft.entry(sitemap, each, changed, both)
        draft.flaw(CHECK, "H008", each, "UK is not a region code")


def _news(draft: Draft) -> None:
    for hours, slug in ((5, "a-new-lantern"), (30, "the-workshop-grows"), (24 * 9, "last-weeks-news")):
        path = f"/news/{slug}/"
        moment = draft.now - timedelta(hours=hours)
        draft.page(path, slug.replace("-", " ").capitalize(), changed=moment)
        draft.link(path, slug)
        tags = {"publication_date": w3c(moment), "title": slug.replace("-", " ").capitalize()}
        news = "<news:publication><news:name>Wick &amp; Lumen</news:name><news:language>en</news:language>"
        fields = "".join(f"<news:{name}>{value}</news:{name}>" for name, value in tags.items())
        draft.entry(NEWS, path, moment, f"\n    <news:news>{news}</news:publication>{fields}</news:news>")
        if hours > 48:
            draft.flaw(CHECK, "N010", path, "an article of more than two days")


def robots_txt(draft: Draft, index: str) -> PageAnswer:
    lines = (
        "User-agent: *",
        "Disallow: /account/",
        "Dissallow: /drafts/",
        "Noindex: /press/",
        "",
        f"Sitemap: {draft.url(index)}",
        f"Sitemap: {draft.url('/sitemap-old.xml')}",
    )
    draft.flaw(CHECK, "R012", "/robots.txt", "a misspelled field")
    draft.flaw(CHECK, "A030", "/robots.txt", "a Noindex line, which does nothing", stays=True)
    draft.flaw(CHECK, "R004", "/sitemap-old.xml", "named in robots.txt and not there", stays=True)
    return PageAnswer(body="\n".join(lines) + "\n", type="text/plain; charset=utf-8")
