"""The table of a settings file → the class that declares its keys, loaded when it is needed."""

from __future__ import annotations

from importlib import import_module

from urlset.settings.declare import Options

SHARED = ""
"""the top level of a file: keys for every command that has the option"""
WEB = "web"
"""keys for every command that fetches"""

TABLES: dict[str, str] = {
    SHARED: "urlset.settings.groups:SharedSettings",
    WEB: "urlset.settings.groups:SitemapFetchSettings",
    "audit": "urlset.settings.audit:AuditSettings",
    "build": "urlset.settings.build:BuildSettings",
    "check": "urlset.settings.check:CheckSettings",
    "config": "urlset.settings.explain:ConfigSettings",
    "crawl": "urlset.settings.crawl:CrawlSettings",
    "dates": "urlset.settings.dates:DatesSettings",
    "diff": "urlset.settings.history:DiffSettings",
    "doctor": "urlset.settings.engines:DoctorSettings",
    "engines-index": "urlset.settings.engines:IndexSettings",
    "engines-status": "urlset.settings.engines:StatusSettings",
    "explain": "urlset.settings.explain:ExplainSettings",
    "explain-rules": "urlset.settings.explain:RulesSettings",
    "fix": "urlset.settings.fix:FixSettings",
    "history": "urlset.settings.history:HistorySettings",
    "info": "urlset.settings.ls:InfoSettings",
    "init": "urlset.settings.explain:InitSettings",
    "logs": "urlset.settings.ls:LogsSettings",
    "ls": "urlset.settings.ls:LsSettings",
    "mcp": "urlset.settings.serve:McpSettings",
    "plan": "urlset.settings.plan:PlanSettings",
    "plan-sections": "urlset.settings.plan:PlanSectionsSettings",
    "publish": "urlset.settings.publish:PublishSettings",
    "publish-rollback": "urlset.settings.publish:RollbackSettings",
    "serve": "urlset.settings.serve:ServeSettings",
    "snapshot": "urlset.settings.history:SnapshotSettings",
    "submit": "urlset.settings.engines:SubmitSettings",
    "watch": "urlset.settings.watch:WatchSettings",
}
"""One line per command. Sub-commands are joined with a hyphen."""


def settings_class(table: str) -> type[Options]:
    module, _, name = TABLES[table].partition(":")
    found: type[Options] = getattr(import_module(module), name)
    return found
