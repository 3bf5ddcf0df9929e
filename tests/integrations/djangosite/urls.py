"""The same sitemaps three times: through Django's views, through ours, and with the keyset class."""

from __future__ import annotations

from django.contrib.sitemaps import views
from django.urls import include, path

from tests.integrations.djangosite.sitemaps import CLASSIC, KEYSET
from urlset.integrations.django import index, robots, sitemap, urls

before = [
    path("sitemap.xml", views.index, {"sitemaps": CLASSIC, "sitemap_url_name": "before"}),
    path("sitemap-<section>.xml", views.sitemap, {"sitemaps": CLASSIC}, name="before"),
]
after = [
    path("sitemap.xml", index, {"sitemaps": CLASSIC, "sitemap_url_name": "after"}),
    path("sitemap-<section>.xml", sitemap, {"sitemaps": CLASSIC}, name="after"),
]
urlpatterns = [
    path("before/", include(before)),
    path("after/", include(after)),
    path("robots.txt", robots, {"rules": "User-agent: *\nDisallow: /cart\n"}),
    path("", include(urls(KEYSET))),
]
