"""Django's sitemap classes → valid, cacheable sitemaps: change one import line, or add the app for its commands.

    from urlset.integrations.django import index, sitemap

`Sitemap` is the opt-in class whose shards are cut by a key. Put `urlset.integrations.django` in INSTALLED_APPS for
the commands `urlset_check` and `urlset_build` and for the system checks.
"""

from __future__ import annotations

from urlset.integrations.django.classes import Sitemap
from urlset.integrations.django.views import index, robots, sitemap, urls

__all__ = ["Sitemap", "index", "robots", "sitemap", "urls"]
