"""Two places of the site that never end: a calendar with a next month for ever, and filters that can be combined."""

from __future__ import annotations

from datetime import date
from urllib.parse import parse_qsl, urlencode

from urlset.testing.exchange import PageAnswer, Reply, Request
from urlset.workflows.demo.sample.draft import Draft, Layout, html
from urlset.workflows.demo.sample.sound import PAGES

EVENTS, FILTERED = "/events/", "/lamps/"
CHOICES = {
    "colour": ("black", "green", "red", "sand", "white"),
    "height": ("low", "middle", "tall"),
    "bulb": ("e14", "e27", "g9"),
    "room": ("hall", "kitchen", "study"),
}


def add_endless_places(draft: Draft) -> None:
    first = draft.now.date().replace(day=1)
    draft.listed(PAGES, EVENTS, "Events", links={_month(first): "This month"})

    def month(request: Request) -> Reply | None:
        shown = _read(request.path)
        if shown is None or shown < first:
            return None
        following = date(shown.year + shown.month // 12, shown.month % 12 + 1, 1)
        title = f"Events in {shown:%B %Y}"
        links = {_month(following): "Next month"}
        return PageAnswer(body=html(request.path, title, Layout(links=links)))

    draft.serve(f"{EVENTS}*", month)
    _filters(draft)


def _month(day: date) -> str:
    return f"{EVENTS}{day:%Y/%m}/"


def _read(path: str) -> date | None:
    parts = path.removeprefix(EVENTS).strip("/").split("/")
    if len(parts) != 2 or not all(part.isdigit() for part in parts) or not 1 <= int(parts[1]) <= 12:
        return None
    return date(int(parts[0]), int(parts[1]), 1) if 1 <= int(parts[0]) < 9999 else None


def _filters(draft: Draft) -> None:
    """All lamps, and the same narrowed by any choice of parameters; each page links to every further choice."""
    whole = draft.routes[FILTERED]
    assert isinstance(whole, PageAnswer)
    canonical = f'<link rel="canonical" href="{draft.url(FILTERED)}">\n'

    def lamps(request: Request) -> Reply:
        chosen = dict(parse_qsl(request.query))
        links = {
            f"{FILTERED}?{urlencode({**chosen, name: value})}": f"{name}: {value}"
            for name, values in CHOICES.items()
            for value in values
            if name not in chosen
        }
        if chosen:
            title = f"Lamps, {', '.join(chosen.values())}"
            return PageAnswer(body=html(request.target, title, Layout(links=links, head=canonical)))
        rows = "".join(f'<li><a href="{to.replace("&", "&amp;")}">{name}</a></li>\n' for to, name in links.items())
        body = whole.payload().decode().replace("</main>", f"<ul>\n{rows}</ul>\n</main>")
        return PageAnswer(body=body, headers=whole.headers)

    draft.routes[FILTERED] = lamps
