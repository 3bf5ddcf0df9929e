"""Listed pages that answer and should not be listed: noindex, another canonical, other dates and languages."""

from __future__ import annotations

from datetime import timedelta

from urlset.workflows.demo.sample.draft import Draft, Stage
from urlset.workflows.demo.sample.sound import (
    GERMAN,
    GUIDES,
    JOURNAL,
    LAMPS,
    PAGES,
    german_path,
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
