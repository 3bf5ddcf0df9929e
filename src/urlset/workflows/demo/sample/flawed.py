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


def add_flawed_pages(draft: Draft) -> None:
    _not_to_be_indexed(draft)
    _canonical_elsewhere(draft)
    _canonical_wrong(draft)
    _dates(draft)
    _languages(draft)
    _unknown_to_each_other(draft)


def _meta(content: str, bot: str = "robots") -> str:
    return f'<meta name="{bot}" content="{content}">\n'


def _not_to_be_indexed(draft: Draft) -> None:
    def page(sitemap: str, path: str, title: str, *, head: str = "", header: str = "") -> None:
        draft.listed(sitemap, path, title, head=head, headers={"X-Robots-Tag": header} if header else {})
        draft.link(path, title)

    for path in ("/guides/draft-glossary/", "/guides/draft-lamp-types/"):
        page(GUIDES, path, "Draft", head=_meta("noindex, follow"))
        draft.flaw(AUDIT, "A006", path, "noindex in its head")
    page(PAGES, "/press/price-list/", "Price list", header="noindex")
    draft.flaw(AUDIT, "A007", "/press/price-list/", "noindex in a header")
    page(PAGES, "/thank-you/", "Thank you", head=_meta("none"))
    draft.flaw(AUDIT, "A008", "/thank-you/", "none means noindex")
    page(PAGES, "/large-pictures/", "Large pictures", head=_meta("max-image-preview:none"))  # no fault
    past = draft.now - timedelta(days=40)
    page(JOURNAL, "/blog/last-winter-sale/", "Last winter sale", head=_meta(f"unavailable_after: {past:%Y-%m-%d}"))
    draft.flaw(AUDIT, "A009", "/blog/last-winter-sale/", "unavailable_after has passed")
    page(JOURNAL, "/blog/not-for-google/", "Not for Google", head=_meta("noindex", "googlebot"))
    draft.flaw(AUDIT, "A010", "/blog/not-for-google/", "noindex for Google alone", stays=True)
    page(PAGES, "/widgets/bulb-finder/", "Bulb finder", head=_meta("noindex, indexifembedded"))
    draft.flaw(AUDIT, "A006", "/widgets/bulb-finder/", "noindex in its head")
    draft.flaw(AUDIT, "A031", "/widgets/bulb-finder/", "wanted only inside other pages")
    page(GUIDES, "/guides/contradictions/", "Contradictions", head=_meta("max-snippet:20") + _meta("nosnippet"))
    draft.flaw(AUDIT, "A032", "/guides/contradictions/", "two directives that exclude each other", stays=True)


def _canonical_elsewhere(draft: Draft) -> None:
    for colour in COLOURS:
        path = f"{COLOURED}?colour={colour}"
        draft.listed(LAMPS, path, f"Aurora oak, {colour}", canonical=COLOURED)
        draft.link(path, f"Aurora oak, {colour}")
        draft.flaw(AUDIT, "A012", path, "its canonical is the lamp without a colour")
    path = "/guides/wiring/print/"
    header = f'<{draft.url("/guides/wiring/")}>; rel="canonical"'
    draft.listed(GUIDES, path, "Wiring, for printing", canonical=None, headers={"Link": header})
    draft.link(path, "Wiring, for printing")
    draft.flaw(AUDIT, "A013", path, "a Link header names the other version")


def _canonical_wrong(draft: Draft) -> None:
    def page(path: str, title: str, *, canonical: str | None = None, head: str = "", below: str = "") -> None:
        draft.listed(JOURNAL, path, title, canonical=canonical, head=head, below=below)
        draft.link(path, title)

    def link(path: str, extra: str = "") -> str:
        return f'<link rel="canonical" href="{path}"{extra}>\n'

    path = "/blog/second-thoughts/"
    page(path, "Second thoughts", canonical=path, head=link(draft.url("/blog/small-rooms/")))
    draft.flaw(AUDIT, "A014", path, "two canonicals that differ", stays=True)
    path = "/blog/below-the-fold/"
    page(path, "Below the fold", below=link(draft.url(path)))
    draft.flaw(AUDIT, "A015", path, "a canonical in the body", stays=True)
    path = "/blog/for-phones-only/"
    page(path, "For phones only", head=link(draft.url(path), ' media="handheld"'))
    draft.flaw(AUDIT, "A016", path, "a canonical with a media attribute", stays=True)
    path = "/blog/short-hand/"
    page(path, "Short hand", head=link(path))
    draft.flaw(AUDIT, "A017", path, "a relative canonical", stays=True)
    path = "/blog/half-way-down/"
    page(path, "Half way down", head=link(f"{draft.url(path)}#middle"))
    draft.flaw(AUDIT, "A018", path, "a canonical with a fragment", stays=True)


def _dates(draft: Draft) -> None:
    path = "/blog/always-fresh/"
    draft.page(path, "Always fresh", changed=draft.now - timedelta(days=700))
    draft.entry(JOURNAL, path, draft.now - timedelta(days=3, hours=1))
    draft.link(path, "Always fresh")
    draft.flaw(AUDIT, "A025", path, "lastmod says days ago, the page says two years", stays=True)


def _languages(draft: Draft) -> None:
    def pair(path: str, title: str, head: str = "") -> None:
        draft.listed(PAGES, path, title, versions(draft, path), head=head, links={german_path(path): "Deutsch"})
        draft.link(path, title)

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
        draft.page(path, title)
        draft.link(path, title)
        draft.flaw(CRAWL, "A035", path, "linked, and in no sitemap")


DISCONTINUED = ("aurora-paper", "aurora-felt", "ferry-paper", "ferry-felt")
NOT_LINKED = "only the sitemap still names it"
CHALLENGE = {"Server": "cloudflare", "cf-mitigated": "challenge"}


def add_flawed_answers(draft: Draft) -> None:
    _gone(draft)
    _redirecting(draft)
    _failing(draft)
    _without_content(draft)
    _keeping_out(draft)


def _gone(draft: Draft) -> None:
    for slug in DISCONTINUED:
        path = f"/lamps/wall/{slug}/"
        draft.entry(LAMPS, path, draft.next_date())
        draft.link(path, "No longer made")
        draft.flaw(AUDIT, "A001", path, "404: the lamp is no longer made")
    draft.serve("/guides/ordering-by-fax/", PageAnswer(410, bare("Gone", "We have no fax any more.")))
    draft.entry(GUIDES, "/guides/ordering-by-fax/", draft.next_date())
    draft.link("/guides/ordering-by-fax/", "Ordering by fax")
    draft.flaw(AUDIT, "A001", "/guides/ordering-by-fax/", "410: removed on purpose")


def _redirecting(draft: Draft) -> None:
    draft.page("/offers/", "Offers")
    draft.entry(PAGES, "/offers/", draft.changed("/offers/"))
    draft.link("/offers/", "Offers")
    for start, end in (("/spring-sale/", "/sale/"), ("/sale/", "/offers/")):
        draft.serve(start, redirect(end, 302))
    draft.entry(PAGES, "/spring-sale/", draft.next_date())
    draft.link("/spring-sale/", "Spring sale")
    draft.flaw(AUDIT, "A003", "/spring-sale/", "redirects")
    draft.flaw(AUDIT, "A004", "/spring-sale/", "over two redirects")
    for start, end in (("/giveaway/", "/giveaway/enter/"), ("/giveaway/enter/", "/giveaway/")):
        draft.serve(start, redirect(end, 302))
    draft.entry(PAGES, "/giveaway/", draft.next_date())
    draft.flaw(AUDIT, "A005", "/giveaway/", "redirects in a circle", stays=True)
    draft.flaw(CRAWL, "A036", "/giveaway/", NOT_LINKED, stays=True)
    draft.page("/newsletter/", "Newsletter")
    refresh = '<meta http-equiv="refresh" content="0; url=/newsletter/">\n'
    draft.entry(PAGES, "/newsletter/", draft.changed("/newsletter/"))
    draft.link("/newsletter/", "Newsletter")
    draft.listed(PAGES, "/subscribe/", "Subscribe", head=refresh)
    draft.link("/subscribe/", "Subscribe")
    draft.flaw(AUDIT, "A024", "/subscribe/", "a meta refresh sends visitors on", stays=True)


def _failing(draft: Draft) -> None:
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 90000\r\n\r\n"
    faults: dict[str, tuple[str, PageAnswer | Raw, str]] = {
        "/guides/room-calculator/": ("A002", PageAnswer(500, bare("Error", "Something broke.")), "500, every time"),
        "/guides/video-course/": ("A023", Raw([head.encode() + b"<title>Video"]), "the answer breaks off"),
    }
    for path, (code, route, why) in faults.items():
        draft.serve(path, route)
        draft.entry(GUIDES, path, draft.next_date())
        draft.flaw(AUDIT, code, path, why, stays=True)
        draft.flaw(CRAWL, "A036", path, NOT_LINKED, stays=True)


def _without_content(draft: Draft) -> None:
    lost = bare("Lamp not found", "Sorry, we could not find the lamp you were looking for. It may have been moved.")
    draft.serve("/lamps/pendant/aurora-glass/", PageAnswer(body=lost))
    draft.entry(LAMPS, "/lamps/pendant/aurora-glass/", draft.next_date())
    draft.link("/lamps/pendant/aurora-glass/", "Aurora glass")
    draft.flaw(AUDIT, "A019", "/lamps/pendant/aurora-glass/", "an error page with status 200", stays=True)

    draft.serve("/blog/coming-soon/", PageAnswer(204))
    draft.entry(JOURNAL, "/blog/coming-soon/", draft.next_date())
    draft.link("/blog/coming-soon/", "Coming soon")
    draft.flaw(AUDIT, "A020", "/blog/coming-soon/", "204: nothing at all", stays=True)

    draft.serve("/press/photos/", PageAnswer(body=b"PK\x05\x06" + bytes(18), type="application/zip"))
    draft.entry(PAGES, "/press/photos/", draft.next_date())
    draft.link("/press/photos/", "Photos for the press")
    draft.flaw(AUDIT, "A034", "/press/photos/", "a zip archive, which is not a search result", stays=True)

    path, changed = "/guides/the-whole-manual/", draft.next_date()
    filling = f'<script type="application/json">{{"pictures": "{"iVBORw0KGgoAAAAN" * 150_000}"}}</script>\n'
    draft.serve(path, PageAnswer(body=html(path, "The whole manual", Layout(below=filling, changed=changed))))
    draft.entry(GUIDES, path, changed)
    draft.link(path, "The whole manual")
    draft.flaw(AUDIT, "A026", path, "more than the 2 MB that Google reads", stays=True)


def _keeping_out(draft: Draft) -> None:
    wall = PageAnswer(403, "<!doctype html><title>Just a moment...</title>", headers=CHALLENGE)
    draft.serve("/lamps/desk/limited-edition/", wall)
    draft.entry(LAMPS, "/lamps/desk/limited-edition/", draft.next_date())
    draft.flaw(AUDIT, "A022", "/lamps/desk/limited-edition/", "bot protection: blocked is not broken", stays=True)
    draft.flaw(CRAWL, "A036", "/lamps/desk/limited-edition/", NOT_LINKED, stays=True)

    path = "/blog/a-busy-day/"  # no fault: a client that waits as requested gets the page
    busy = PageAnswer(429, bare("Too fast", "Please come back in a second."), headers={"Retry-After": "1"})
    changed = draft.next_date()
    draft.serve(path, TurnByTurn(busy, PageAnswer(body=html(path, "A busy day", Layout(changed=changed)))))
    draft.entry(JOURNAL, path, changed)
    draft.link(path, "A busy day")

    draft.page("/account/orders/", "Your orders")
    draft.entry(PAGES, "/account/orders/", draft.changed("/account/orders/"))
    draft.link("/account/orders/", "Your orders")
    draft.flaw(AUDIT, "A011", "/account/orders/", "robots.txt forbids /account/", stays=True)


CHECK = Stage.CHECK
NEWS = "/sitemap-news.xml"
TEMPLATE = "/lamps/{{ category.slug }}/"


def add_flawed_files(draft: Draft) -> None:
    _listed_dates(draft)
    _markup(draft)
    _addresses(draft)
    _spellings(draft)
    _images(draft)
    _listed_languages(draft)
    _news(draft)


def _listed_dates(draft: Draft) -> None:
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
    draft.flaw(AUDIT, "A054", "/cart/", "a shopping cart, by its kind")

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


def _listed_languages(draft: Draft) -> None:
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
