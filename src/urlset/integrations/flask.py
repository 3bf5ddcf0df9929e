"""Sections → a blueprint of a Flask application that serves their sitemaps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from flask import Blueprint, Flask, Response, abort, request
from flask.blueprints import BlueprintSetupState

from urlset.integrations.calls import run
from urlset.integrations.http import METHODS, FrameworkRequest
from urlset.integrations.plan import Source
from urlset.integrations.service import ROBOTS, ServedAnswer, Sitemaps
from urlset.integrations.wsgi import SitemapApp

NAME = "urlset_sitemaps"
_RULES = ("/sitemap.xml", "/sitemap.xml.gz", "/sitemap-<name>.xml", "/sitemap-<name>.xml.gz")


def add_sitemaps(app: Flask, sections: Mapping[str, Source], base_url: str, **settings: Any) -> Sitemaps:
    """Serve `/sitemap.xml`, its shards and their .gz twins from the root; settings as in `Sitemaps`.

    Sources run inside an application context, so Flask-SQLAlchemy and `current_app` work in them.
    """
    app.register_blueprint(blueprint(sections, base_url, **settings))
    sitemaps: Sitemaps = app.extensions[NAME]
    return sitemaps


def blueprint(sections: Mapping[str, Source], base_url: str, **settings: Any) -> Blueprint:
    """The same as a blueprint, to register under a `url_prefix` of your own."""
    served = SitemapApp(sections, base_url, **settings)
    made = Blueprint(NAME, __name__)

    def respond(**_names: str) -> Response:
        rule = str(request.url_rule)
        prefix = rule[: rule.rfind("/")]
        path = request.path[len(prefix) :]
        if not served.sitemaps.serves(path):
            abort(404)
        headers = {name.lower(): value for name, value in request.headers.items()}
        wanted = FrameworkRequest(request.method, path, request.root_path.rstrip("/") + prefix, headers)
        answer: ServedAnswer = run(served.sitemaps.answer(wanted))
        response = Response(answer.chunks, answer.head.status)
        response.headers.clear()
        response.headers.extend(answer.head.headers)
        return response

    def registered(state: BlueprintSetupState) -> None:
        served.sitemaps.context = cast("Flask", state.app).app_context
        state.app.extensions[NAME] = served.sitemaps

    for rule in (*_RULES, ROBOTS) if served.sitemaps.serves(ROBOTS) else _RULES:
        made.add_url_rule(rule, rule.strip("/").replace(".", "_"), respond, methods=METHODS)
    made.record_once(registered)
    return made
