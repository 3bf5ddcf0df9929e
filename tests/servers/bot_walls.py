"""Servers that keep robots out, and look-alikes that do not: blocked is not broken.

The pages have the headers and marks of the products they imitate; their words are our own.
"""

from __future__ import annotations

import datetime as dt
from email.utils import format_datetime

from tests.servers.behaviour import FINE, FINE_TITLE, Behaviour, ExpectedResult, answers, fine
from tests.servers.pages import article
from urlset.model.visit import State
from urlset.testing.exchange import PageAnswer, Request, TurnByTurn, redirect

BLOCKED = (State.BLOCKED,)


def behaviours() -> list[Behaviour]:
    return [
        *cloudflare_challenges(),
        *other_challenges(),
        *refusals(),
        *logins(),
        *pauses(),
        *server_errors(),
        *look_alikes(),
    ]


def shell(title: str, body: str) -> str:
    return f'<!doctype html><html lang="en"><head><title>{title}</title></head><body>{body}</body></html>'


def wall(name: str, status: int, headers: dict[str, str], title: str, body: str) -> Behaviour:
    return Behaviour(
        name=f"wall-{name}",
        does=f"{status} with a challenge or refusal in the manner of {name.replace('-', ' ')}",
        route=PageAnswer(status, shell(title, body), headers=headers),
        outcomes=answers(status, *BLOCKED),
    )


def cloudflare_challenges() -> list[Behaviour]:
    cloudflare = {"Server": "cloudflare", "CF-RAY": "8a1b2c3d4e5f6789-FRA"}
    script = (
        "<script>window._cf_chl_opt = {cRay: '8a1b2c3d4e5f6789'};</script>"
        '<script src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=8a1b2c3d4e5f6789"></script>'
    )
    return [
        wall(
            "cloudflare",
            403,
            {**cloudflare, "cf-mitigated": "challenge"},
            "Just a moment...",
            f"<noscript>This check needs JavaScript and cookies.</noscript>{script}",
        ),
        wall(
            "cloudflare-503",
            503,
            {**cloudflare, "Refresh": "8;URL=/"},
            "Just a moment...",
            f'<form id="challenge-form" action="/?__cf_chl_f_tk=abc">Looking at your browser first.</form>{script}',
        ),
        wall(
            "cloudflare-block",
            403,
            cloudflare,
            "Attention Required! | Cloudflare",
            '<div id="cf-error-details"><h1 data-translate="block_headline">You were turned away</h1></div>',
        ),
    ]


def other_challenges() -> list[Behaviour]:
    return [
        wall(
            "akamai",
            403,
            {"Server": "AkamaiGHost", "Mime-Version": "1.0"},
            "Access Denied",
            "<h1>Access Denied</h1>Not for you: this server. Reference &#35;18&#46;2d351ab8&#46;1557333295",
        ),
        wall(
            "datadome",
            403,
            {"X-DataDome": "protected", "Set-Cookie": "datadome=abc; Max-Age=31536000; Path=/", "X-DD-B": "1"},
            "example.org",
            "<p>Please switch JavaScript on.</p><script>var dd={'rt':'c','host':'geo.captcha-delivery.com'}</script>"
            '<script src="https://ct.captcha-delivery.com/c.js"></script>',
        ),
        wall(
            "perimeterx",
            403,
            {"X-PX-Blocked": "1"},
            "Access to this page has been denied",
            '<div id="px-captcha"></div><script>window._pxAppId = "PXabcdefgh";</script>',
        ),
        wall(
            "sucuri",
            403,
            {"Server": "Sucuri/Cloudproxy", "X-Sucuri-ID": "15005", "X-Sucuri-Block": "HTTP1"},
            "Sucuri WebSite Firewall - Access Denied",
            "<h1>Access Denied - Sucuri Website Firewall</h1>",
        ),
        wall(
            "imperva",
            200,
            {"X-Iinfo": "9-1234567-0 0NNN RT(1500000000000 0) q(0 -1 -1 0)", "X-CDN": "Imperva"},
            "",
            '<iframe id="main-iframe" src="/_Incapsula_Resource?CWUDNSAI=5&incident_id=1" width="100%">'
            "Request unsuccessful. Incapsula incident ID: 1-2</iframe>",
        ),
        wall(
            "aws",
            202,
            {"x-amzn-waf-action": "challenge", "Server": "CloudFront"},
            "",
            '<div id="challenge-container"></div><script src="https://x.token.awswaf.com/challenge.js"></script>',
        ),
        wall(
            "vercel",
            429,
            {"Server": "Vercel", "x-vercel-mitigated": "challenge"},
            "Security checkpoint",
            "<p>One moment</p>",
        ),
    ]


def refusals() -> list[Behaviour]:
    return [
        Behaviour(
            name="refused-403",
            does="403 without a reason",
            route=PageAnswer(403, shell("403 Forbidden", "<h1>Forbidden</h1><hr>nginx")),
            outcomes=answers(403, *BLOCKED),
        ),
        Behaviour(
            name="refused-451",
            does="451, withheld for legal reasons",
            route=PageAnswer(451, shell("Not here", "<p>Not in your country.</p>")),
            outcomes=answers(451, State.BLOCKED, State.UNKNOWN, State.GONE),
        ),
    ]


def logins() -> list[Behaviour]:
    form = shell(
        "Sign in",
        '<form method="post"><input name="user"><input type="password" name="password"><button>Sign in</button></form>',
    )
    return [
        Behaviour(
            name="login-401",
            does="401 with a request for a password",
            route=PageAnswer(401, shell("401", "Who are you?"), headers={"WWW-Authenticate": 'Basic realm="staff"'}),
            outcomes=answers(401, State.LOGIN),
        ),
        Behaviour(
            name="login-redirect",
            does="redirects to a login form",
            route=redirect("/login?next=%2Flogin-redirect", 302),
            more={"/login": form},
            outcomes=answers(200, State.LOGIN),
            hops=1,
        ),
    ]


def retry_after(value: str, status: int = 429) -> PageAnswer:
    return PageAnswer(status, shell("Too fast", "<p>Please come back later.</p>"), headers={"Retry-After": value})


def in_a_moment(request: Request) -> PageAnswer:  # noqa: ARG001
    """Two seconds from now, as a date: whole seconds, so between one and two."""
    then = dt.datetime.now(dt.UTC).replace(microsecond=0) + dt.timedelta(seconds=2)
    return retry_after(format_datetime(then, usegmt=True))


def pauses() -> list[Behaviour]:
    never = answers(429, State.BLOCKED, State.UNKNOWN)
    state = {"asked": 0}

    def by_date(request: Request) -> PageAnswer:
        state["asked"] += 1
        return in_a_moment(request) if state["asked"] == 1 else fine()

    def always(name: str, does: str, value: str) -> Behaviour:
        return Behaviour(name=name, does=does, route=retry_after(value), outcomes=never)

    return [
        Behaviour(
            name="pause-seconds",
            does="429 with Retry-After: 1, then the page",
            route=TurnByTurn(retry_after("1"), fine()),
            least_tries=2,
            waits=1.0,
            title=FINE_TITLE,
        ),
        Behaviour(
            name="pause-date",
            does="429 with a Retry-After date one to two seconds ahead, then the page",
            route=by_date,
            least_tries=2,
            waits=0.9,
            title=FINE_TITLE,
        ),
        Behaviour(
            name="pause-503",
            does="503 with Retry-After: 1, then the page",
            route=TurnByTurn(retry_after("1", 503), fine()),
            least_tries=2,
            waits=1.0,
        ),
        Behaviour(
            name="unwell-once",
            does="503 once, then the page",
            route=TurnByTurn(PageAnswer(503, "busy"), fine()),
            least_tries=2,
        ),
        always("pause-for-ever", "429 with Retry-After: 0, again and again", "0"),
        always("pause-a-day", "429 with Retry-After: 86400, longer than anyone waits", "86400"),
        always("pause-word", "429 with a Retry-After that is not a time", "soon"),
        always("pause-negative", "429 with a negative Retry-After", "-5"),
        always("pause-astronomic", "429 with a Retry-After of 40 digits", "9" * 40),
        always("pause-past", "429 with a Retry-After date long gone", "Thu, 01 Jan 1970 00:00:00 GMT"),
        always("pause-impossible-date", "429 with a date that no calendar has", "Fri, 31 Feb 9999 25:61:61 GMT"),
    ]


def server_errors() -> list[Behaviour]:
    cloudflare = {"Server": "cloudflare", "CF-RAY": "8a1b2c3d4e5f6789-FRA"}

    def error(status: int, does: str, **headers: str) -> Behaviour:
        page = PageAnswer(status, shell(str(status), f"<h1>{does}</h1>"), headers=headers)
        return Behaviour(name=f"error-{status}", does=does, route=page, outcomes=answers(status, State.ERROR))

    def gone(status: int, does: str, **headers: str) -> Behaviour:
        page = PageAnswer(status, shell(str(status), f"<h1>{does}</h1>"), headers=headers)
        return Behaviour(name=f"gone-{status}", does=does, route=page, outcomes=answers(status, State.GONE))

    return [
        error(500, "the server fails"),
        error(502, "the server behind the server fails"),
        error(503, "the server is being repaired"),
        error(504, "the server behind the server is too slow"),
        error(520, "the origin fails behind Cloudflare: an error, not a block", **cloudflare),
        error(522, "the origin is silent behind Cloudflare: an error, not a block", **cloudflare),
        gone(404, "no such page, served through Cloudflare: gone, not blocked", **cloudflare),
        gone(410, "removed for good"),
    ]


def look_alikes() -> list[Behaviour]:
    """Good pages that name what walls are made of: they must not be taken for walls."""
    cloudflare = {"Server": "cloudflare", "CF-RAY": "8a1b2c3d4e5f6789-FRA", "CF-Cache-Status": "HIT"}
    about = (
        b"<h2>Just a moment: what captchas are</h2><p>Access denied, says the firewall, and shows a captcha. "
        b"Cloudflare, DataDome, Incapsula, PerimeterX and Sucuri sell such checks. Are you a robot?</p>"
    )
    ordinary = article(1, words=400)
    contact = (
        b'<form><textarea name="words"></textarea><div class="g-recaptcha" data-sitekey="x"></div></form>'
        b'<script src="https://www.google.com/recaptcha/api.js"></script>'
    )
    beacon = b'<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>'

    def page(name: str, does: str, body: bytes, headers: dict[str, str]) -> Behaviour:
        return Behaviour(
            name=f"open-{name}", does=does, route=PageAnswer(body=body, headers=headers), outcomes=(ExpectedResult(),)
        )

    return [
        page("cloudflare", "a good page served through Cloudflare", ordinary, cloudflare),
        page("about-captchas", "an article about captchas", ordinary.replace(b"</main>", about + b"</main>"), {}),
        page(
            "contact-form", "a page with a captcha in its form", ordinary.replace(b"</main>", contact + b"</main>"), {}
        ),
        page(
            "beacon",
            "a good page with the script of a bot detector",
            ordinary.replace(b"</body>", beacon + b"</body>"),
            cloudflare,
        ),
        page("datadome", "a good page from a site under DataDome", FINE, {"X-DataDome": "protected"}),
        page("akamai", "a good page from Akamai", FINE, {"Server": "AkamaiGHost"}),
    ]
