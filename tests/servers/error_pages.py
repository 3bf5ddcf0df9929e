"""Error pages with status 200, as sites really send them for what is missing."""

from __future__ import annotations

from tests.servers.behaviour import Behaviour, answers
from tests.servers.pages import article, document, listing
from urlset.model.visit import State
from urlset.testing.exchange import PageAnswer, Request, redirect

UNDER = "/shop/"
"""every path below it that is not a product is answered with the same error page and status 200"""

WORDINGS = {
    "english": ("Page not found", "Sorry, we could not find the page you were looking for. It may have been moved."),
    "german": ("Seite nicht gefunden", "Die gewünschte Seite existiert leider nicht mehr. Zurück zur Startseite."),
    "french": ("Page introuvable", "Désolé, la page que vous cherchez n'existe pas ou a été déplacée."),
    "number": ("404", "Oops! Nothing here."),
    "product": ("Product unavailable", "This product is no longer available. Here are things you might like instead."),
    "search": ("Search", "Your search returned no results. Try again with other words."),
    "error": ("Fatal error", "An error has occurred: could not connect to the database. Please try again later."),
}


def error_page(name: str, *, boilerplate: bool = True, n: int = 0) -> bytes:
    """`n` varies what sites vary: an incident number."""
    title, words = WORDINGS[name]
    return document(title, f"<h1>{title}</h1><p>{words}</p><p>Incident {n:08x}</p>", boilerplate=boilerplate)


def anything(request: Request) -> PageAnswer:
    """The soft 404 of a whole site: a page for every path, with the path in it."""
    number = sum(request.target.encode())
    return PageAnswer(
        body=error_page("english", n=number).replace(b"</h1>", f": {request.path}</h1>".encode("ascii", "replace"))
    )


def behaviours() -> list[Behaviour]:
    missing = [
        Behaviour(
            name=f"soft-{name}",
            does=f"an error page with status 200: {title}",
            route=PageAnswer(body=error_page(name)),
            soft_404=True,
        )
        for name, (title, _) in WORDINGS.items()
    ]
    return [
        *missing,
        Behaviour(
            name="soft-anywhere",
            does=f"the same error page with status 200 for every path under {UNDER}",
            path=f"{UNDER}no-such-product",
            route=anything,
            more={f"{UNDER}*": anything, **{f"{UNDER}{n}": PageAnswer(body=article(n, words=300)) for n in range(20)}},
            soft_404=True,
        ),
        Behaviour(
            name="hard-short",
            does="a short page that says little but is what it says: no soft 404",
            route=PageAnswer(
                body=document("Opening hours", "<h1>Opening hours</h1><p>Monday to Friday, nine to five.</p>")
            ),
        ),
        Behaviour(
            name="hard-about-404",
            does="an article about error pages: no soft 404",
            route=PageAnswer(body=article(404, words=600, title="Why the page not found error is called 404")),
        ),
        Behaviour(
            name="hard-list",
            does="a page of links: no soft 404",
            route=PageAnswer(body=listing("All topics", [(f"/topics/{n}/", f"topic {n}") for n in range(60)])),
        ),
        Behaviour(
            name="soft-home",
            does="redirects what is missing to the front page",
            route=redirect("/", 302),
            more={"/": PageAnswer(body=listing("Index", [("/fine", "fine")]))},
            outcomes=answers(200, State.REDIRECTED),
            hops=1,
        ),
    ]
