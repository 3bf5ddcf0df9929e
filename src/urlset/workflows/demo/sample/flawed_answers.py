"""Listed pages whose servers answer wrongly: gone, failing, redirecting, keeping robots out, sending something else."""

from __future__ import annotations

from urlset.testing.exchange import PageAnswer, Raw, TurnByTurn, redirect
from urlset.workflows.demo.sample.draft import Draft, Layout, Stage, bare, html
from urlset.workflows.demo.sample.sound import GUIDES, JOURNAL, LAMPS, PAGES

AUDIT, CRAWL = Stage.AUDIT, Stage.CRAWL
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
