"""Listed pages that answer and should not be listed: noindex, another canonical, other dates and languages."""

from __future__ import annotations

from datetime import timedelta

from urlset.testing.exchange import PageAnswer, Raw, TurnByTurn, redirect
from urlset.workflows.demo.sample.draft import Draft, Layout, Stage, bare, html, w3c
from urlset.workflows.demo.sample.sound import (
    GERMAN,
    GUIDES,
    JOURNAL,
    LAMPS,
    PAGES,
    german_path,
    image,
    version_links,
    versions,
)

AUDIT, CRAWL = Stage.AUDIT, Stage.CRAWL
COLOURS = ("red", "green", "black", "white", "sand")
COLOURED = "/lamps/desk/aurora-oak/"


def _meta(content: str, bot: str = "robots") -> str:
    return f'<meta name="{bot}" content="{content}">\n'


def _not_to_be_indexed(draft: Draft) -> None:
    def page(code: str, sitemap: str, path: str, title: str, why: str, head: str, *, stays: bool = False) -> None:
        draft.flawed((AUDIT, code, why), sitemap, path, title, head=head, stays=stays)

    for path in ("/guides/draft-glossary/", "/guides/draft-lamp-types/"):
        page("A006", GUIDES, path, "Draft", "noindex in its head", _meta("noindex, follow"))
    said, path = {"X-Robots-Tag": "noindex"}, "/press/price-list/"
    draft.flawed((AUDIT, "A007", "noindex in a header"), PAGES, path, "Price list", headers=said)
    page("A008", PAGES, "/thank-you/", "Thank you", "none means noindex", _meta("none"))
    path, previews = "/large-pictures/", _meta("max-image-preview:none")  # no fault
    draft.entry(PAGES, path, draft.linked(path, "Large pictures", head=previews))
    past = _meta(f"unavailable_after: {draft.now - timedelta(days=40):%Y-%m-%d}")
    page("A009", JOURNAL, "/blog/last-winter-sale/", "Last winter sale", "unavailable_after has passed", past)
    alone = _meta("noindex", "googlebot")
    page("A010", JOURNAL, "/blog/not-for-google/", "Not for Google", "noindex for Google alone", alone, stays=True)
    embedded, path = _meta("noindex, indexifembedded"), "/widgets/bulb-finder/"
    page("A006", PAGES, path, "Bulb finder", "noindex in its head", embedded)
    draft.flaw(AUDIT, "A031", path, "wanted only inside other pages")
    both, why = _meta("max-snippet:20") + _meta("nosnippet"), "two directives that exclude each other"
    page("A032", GUIDES, "/guides/contradictions/", "Contradictions", why, both, stays=True)


def _canonical_elsewhere(draft: Draft) -> None:
    for colour in COLOURS:
        path, why = f"{COLOURED}?colour={colour}", "its canonical is the lamp without a colour"
        draft.flawed((AUDIT, "A012", why), LAMPS, path, f"Aurora oak, {colour}", canonical=COLOURED)
    path, why = "/guides/wiring/print/", "a Link header names the other version"
    said = {"Link": f'<{draft.url("/guides/wiring/")}>; rel="canonical"'}
    draft.flawed((AUDIT, "A013", why), GUIDES, path, "Wiring, for printing", canonical=None, headers=said)


def _canonical_wrong(draft: Draft) -> None:
    def page(code: str, slug: str, why: str, to: str, extra: str = "") -> None:
        path, title = f"/blog/{slug}/", slug.replace("-", " ").capitalize()
        link = f'<link rel="canonical" href="{to.format(path=path, url=draft.url(path))}"{extra}>\n'
        canonical = path if code == "A014" else None
        head, below = ("", link) if code == "A015" else (link, "")
        draft.flawed((AUDIT, code, why), JOURNAL, path, title, canonical=canonical, head=head, below=below, stays=True)

    page("A014", "second-thoughts", "two canonicals that differ", draft.url("/blog/small-rooms/"))
    page("A015", "below-the-fold", "a canonical in the body", "{url}")
    page("A016", "for-phones-only", "a canonical with a media attribute", "{url}", ' media="handheld"')
    page("A017", "short-hand", "a relative canonical", "{path}")
    page("A018", "half-way-down", "a canonical with a fragment", "{url}#middle")


def _dates(draft: Draft) -> None:
    path = "/blog/always-fresh/"
    draft.linked(path, "Always fresh", changed=draft.now - timedelta(days=700))
    draft.entry(JOURNAL, path, draft.now - timedelta(days=3, hours=1))
    draft.flaw(AUDIT, "A025", path, "lastmod says days ago, the page says two years", stays=True)


def _languages(draft: Draft) -> None:
    def pair(path: str, title: str, head: str = "") -> None:
        changed = draft.linked(path, title, head=head, links={german_path(path): "Deutsch"})
        draft.entry(PAGES, path, changed, versions(draft, path))

    def also(path: str, title: str, head: str = "") -> None:
        german, links = german_path(path), {path: "English"}
        draft.listed(GERMAN, german, title, versions(draft, path), head=head, language="de", links=links)

    def says(**links: str) -> str:
        rows = {language.replace("_", "-"): draft.url(to) for language, to in links.items()}
        return "".join(f'<link rel="alternate" hreflang="{key}" href="{to}">\n' for key, to in rows.items())

    pair("/repairs/", "Repairs")
    draft.entry(GERMAN, "/de/repairs/", draft.next_date(), versions(draft, "/repairs/"))
    draft.flaw(AUDIT, "A001", "/de/repairs/", "the German version was never put online")
    draft.flaw(AUDIT, "H024", "/repairs/", "its German version is gone")

    path = "/showroom/"
    pair(path, "Showroom", says(en=path, de="/de/showroom/", fr="/fr/showroom/", x_default=path))
    also(path, "Ausstellung", version_links(draft, path))
    draft.flaw(AUDIT, "A033", path, "the page names a French version that the sitemap does not", stays=True)
    draft.flaw(AUDIT, "H024", path, "its French version does not exist", stays=True)

    path = "/jobs/"
    pair(path, "Jobs", says(en=path, de="/de/stellen/", x_default=path))
    also(path, "Stellen")
    draft.flaw(AUDIT, "H023", path, "page and sitemap name different German versions", stays=True)


def _unknown_to_each_other(draft: Draft) -> None:
    for path, title in (("/guides/old-fuses/", "Old fuses"), ("/blog/the-lost-chapter/", "The lost chapter")):
        draft.listed(GUIDES if "guides" in path else JOURNAL, path, title)
        draft.flaw(CRAWL, "A036", path, "nothing links to it", stays=True)
    for path, title in (("/workshop/tour/", "A tour"), ("/lamps/gift-cards/", "Gift cards"), ("/stockists/", "Shops")):
        draft.linked(path, title)
        draft.flaw(CRAWL, "A035", path, "linked, and in no sitemap")


DISCONTINUED = ("aurora-paper", "aurora-felt", "ferry-paper", "ferry-felt")
CHALLENGE = {"Server": "cloudflare", "cf-mitigated": "challenge"}


def _gone(draft: Draft) -> None:
    for slug in DISCONTINUED:
        path, why = f"/lamps/wall/{slug}/", "404: the lamp is no longer made"
        draft.answered("A001", LAMPS, path, why, title="No longer made")
    path, fax = "/guides/ordering-by-fax/", PageAnswer(410, bare("Gone", "We have no fax any more."))
    draft.answered("A001", GUIDES, path, "410: removed on purpose", title="Ordering by fax", route=fax)


def _redirecting(draft: Draft) -> None:
    draft.entry(PAGES, "/offers/", draft.linked("/offers/", "Offers"))
    for start, end in (("/spring-sale/", "/sale/"), ("/sale/", "/offers/")):
        draft.serve(start, redirect(end, 302))
    draft.answered("A003", PAGES, "/spring-sale/", "redirects", title="Spring sale")
    draft.flaw(AUDIT, "A004", "/spring-sale/", "over two redirects")
    for start, end in (("/giveaway/", "/giveaway/enter/"), ("/giveaway/enter/", "/giveaway/")):
        draft.serve(start, redirect(end, 302))
    draft.answered("A005", PAGES, "/giveaway/", "redirects in a circle", stays=True)
    draft.entry(PAGES, "/newsletter/", draft.linked("/newsletter/", "Newsletter"))
    refresh, why = '<meta http-equiv="refresh" content="0; url=/newsletter/">\n', "a meta refresh sends visitors on"
    draft.flawed((AUDIT, "A024", why), PAGES, "/subscribe/", "Subscribe", head=refresh, stays=True)


def _failing(draft: Draft) -> None:
    broken = PageAnswer(500, bare("Error", "Something broke."))
    draft.answered("A002", GUIDES, "/guides/room-calculator/", "500, every time", route=broken, stays=True)
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 90000\r\n\r\n"
    half = Raw([head.encode() + b"<title>Video"])
    draft.answered("A023", GUIDES, "/guides/video-course/", "the answer breaks off", route=half, stays=True)


def _without_content(draft: Draft) -> None:
    lost = bare("Lamp not found", "Sorry, we could not find the lamp you were looking for. It may have been moved.")
    archive = PageAnswer(body=b"PK\x05\x06" + bytes(18), type="application/zip")
    answers: tuple[tuple[str, str, str, str, str, PageAnswer], ...] = (
        (
            "A019",
            LAMPS,
            "/lamps/pendant/aurora-glass/",
            "Aurora glass",
            "an error page with status 200",
            PageAnswer(body=lost),
        ),
        ("A020", JOURNAL, "/blog/coming-soon/", "Coming soon", "204: nothing at all", PageAnswer(204)),
        (
            "A034",
            PAGES,
            "/press/photos/",
            "Photos for the press",
            "a zip archive, which is not a search result",
            archive,
        ),
    )
    for code, sitemap, path, title, why, route in answers:
        draft.answered(code, sitemap, path, why, title=title, route=route, stays=True)
    path, title, changed = "/guides/the-whole-manual/", "The whole manual", draft.next_date()
    filling = f'<script type="application/json">{{"pictures": "{"iVBORw0KGgoAAAAN" * 150_000}"}}</script>\n'
    draft.serve(path, PageAnswer(body=html(path, title, Layout(below=filling, changed=changed))))
    draft.links[path] = title
    draft.entry(GUIDES, path, changed)
    draft.flaw(AUDIT, "A026", path, "more than the 2 MB that Google reads", stays=True)


def _keeping_out(draft: Draft) -> None:
    wall = PageAnswer(403, "<!doctype html><title>Just a moment...</title>", headers=CHALLENGE)
    path, why = "/lamps/desk/limited-edition/", "bot protection: blocked is not broken"
    draft.answered("A022", LAMPS, path, why, route=wall, stays=True)
    path, title, changed = "/blog/a-busy-day/", "A busy day", draft.next_date()
    # no fault: a client that waits as requested gets the page
    busy = PageAnswer(429, bare("Too fast", "Please come back in a second."), headers={"Retry-After": "1"})
    draft.serve(path, TurnByTurn(busy, PageAnswer(body=html(path, title, Layout(changed=changed)))))
    draft.links[path] = title
    draft.entry(JOURNAL, path, changed)
    path, why = "/account/orders/", "robots.txt forbids /account/"
    draft.flawed((AUDIT, "A011", why), PAGES, path, "Your orders", stays=True)


CHECK = Stage.CHECK
NEWS = "/sitemap-news.xml"
TEMPLATE = "/lamps/{{ category.slug }}/"


def _listed_dates(draft: Draft) -> None:
    def page(slug: str, code: str, why: str, form: str, *, stays: bool = False) -> None:
        path = f"/blog/dated-{slug}/"
        draft.entry(JOURNAL, path, draft.linked(path, f"Dated {slug}").strftime(form))
        draft.flaw(CHECK, code, path, why, stays=stays)

    page("by-database", "D005", "a space instead of the T", "%Y-%m-%d %H:%M:%S+00:00")
    page("without-zone", "D003", "a time without its offset", "%Y-%m-%dT%H:%M:%S")
    page("by-mail", "D021", "the date of a mail", "%a, %d %b %Y %H:%M:%S GMT")
    page("in-small-letters", "D006", "a small t and a small z", "%Y-%m-%dt%H:%M:%Sz")
    page("impossible", "D002", "the thirtieth of February", "%Y-02-30T%H:%M:%SZ", stays=True)
    path = "/blog/dated-ahead/"
    draft.linked(path, "Dated ahead")
    draft.entry(JOURNAL, path, draft.now + timedelta(days=30))
    draft.flaw(CHECK, "D014", path, "a date in the future", stays=True)


def _markup(draft: Draft) -> None:
    path = "/blog/salt-&-pepper/"
    changed = draft.linked(path, "Salt & pepper", canonical=None)
    draft.raw(JOURNAL, f"<loc>{draft.url(path)}</loc><lastmod>{w3c(changed)}</lastmod>")
    draft.flaw(CHECK, "X010", JOURNAL, "a raw & in an address")

    def page(slug: str, inside: str, code: str, why: str, *, stays: bool = False) -> None:
        path = f"/guides/{slug}/"
        changed = w3c(draft.linked(path, slug.capitalize()))
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
    draft.entry(GUIDES, "/guides/dimmers/", draft.changed("/guides/dimmers/"))
    draft.flaw(CHECK, "L020", "/guides/dimmers/", "listed twice")
    draft.entry(PAGES, "/blog/", draft.changed("/blog/"))
    draft.flaw(CHECK, "L021", "/blog/", "listed in two files", stays=True)

    draft.entry(GUIDES, "/guides/lamp-oil/#safety", draft.linked("/guides/lamp-oil/", "Lamp oil"))
    draft.flaw(CHECK, "L013", "/guides/lamp-oil/#safety", "an address with a fragment")

    tracked = "/guides/candles/?utm_source=mail"
    draft.entry(GUIDES, tracked, draft.linked("/guides/candles/", "Candles"))
    draft.flaw(CHECK, "L026", tracked, "a parameter that counts visitors")
    draft.flaw(AUDIT, "A012", tracked, "its canonical is the page without the parameter")

    draft.flawed((CHECK, "Q007", "a shopping cart"), PAGES, "/cart/", "Your cart")
    draft.flaw(AUDIT, "A054", "/cart/", "a shopping cart, by its kind")

    draft.entry(PAGES, TEMPLATE, draft.next_date())
    draft.flaw(CHECK, "L034", TEMPLATE, "a placeholder that was never filled in")
    draft.flaw(AUDIT, "A001", TEMPLATE, "404, of course")


def _spellings(draft: Draft) -> None:
    def page(path: str, written: str, code: str, why: str, *, stays: bool = False) -> None:
        changed = draft.linked(path, "Spelled in another way")
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
    changed = draft.linked(path, "Ferry cork desk lamp", picture=missing)
    tag = f"<image:image><image:loc>{draft.url(missing)}</image:loc></image:image>"
    draft.entry(LAMPS, path, changed, f"\n    {tag}")
    draft.flaw(AUDIT, "M013", missing, "there is no such image", stays=True)

    path = "/lamps/floor/ferry-cork/"
    picture = "/images/floor-ferry-cork.png"
    changed = draft.linked(path, "Ferry cork floor lamp", picture=picture)
    tag = image(draft, picture)
    draft.entry(LAMPS, path, changed, tag + tag)
    draft.flaw(CHECK, "M009", path, "the same image twice")


def _listed_languages(draft: Draft) -> None:
    """A German page names an English one that does not name it back, and a region that does not exist."""
    path, german = "/guarantee-card/", "/de/guarantee-card/"
    draft.entry(PAGES, path, draft.linked(path, "Guarantee card"))
    label = (CHECK, "H016", "the English page does not link back")
    draft.flawed(label, GERMAN, german, "Garantiekarte", versions(draft, path), language="de", stays=True)
    path, german = "/catalogue/", "/de/catalogue/"
    both = versions(draft, path).replace('hreflang="en"', 'hreflang="en-UK"')
    for each, sitemap, language in ((path, PAGES, "en"), (german, GERMAN, "de")):
        draft.flawed((CHECK, "H008", "UK is not a region code"), sitemap, each, "Catalogue", both, language=language)


def _news(draft: Draft) -> None:
    for hours, slug in ((5, "a-new-lantern"), (30, "the-workshop-grows"), (24 * 9, "last-weeks-news")):
        path = f"/news/{slug}/"
        moment = draft.now - timedelta(hours=hours)
        draft.page(path, slug.replace("-", " ").capitalize(), changed=moment)
        draft.links[path] = slug
        tags = {"publication_date": w3c(moment), "title": slug.replace("-", " ").capitalize()}
        news = "<news:publication><news:name>Wick &amp; Lumen</news:name><news:language>en</news:language>"
        fields = "".join(f"<news:{name}>{value}</news:{name}>" for name, value in tags.items())
        draft.entry(NEWS, path, moment, f"\n    <news:news>{news}</news:publication>{fields}</news:news>")
        if hours > 48:
            draft.flaw(CHECK, "N010", path, "an article of more than two days")


FLAWED = (
    *(_gone, _redirecting, _failing, _without_content, _keeping_out),
    *(_not_to_be_indexed, _canonical_elsewhere, _canonical_wrong, _dates, _languages, _unknown_to_each_other),
    *(_listed_dates, _markup, _addresses, _spellings, _images, _listed_languages, _news),
)
"""what is wrong with answers, with pages that answer, and with the files"""


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
