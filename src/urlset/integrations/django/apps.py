"""The app, for its management commands and system checks."""

from __future__ import annotations

from django.apps import AppConfig


class UrlsetConfig(AppConfig):  # type: ignore[misc]  # Django has no types
    name = "urlset.integrations.django"
    label = "urlset"
    verbose_name = "urlset sitemaps"

    def ready(self) -> None:
        from django.core.checks import Tags, register

        from urlset.integrations.django.checks import check_sitemaps

        register(check_sitemaps, Tags.urls)
