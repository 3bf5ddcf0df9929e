"""A database address → Django, configured once in this process, with empty tables."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit


def configure(database: str, *, create: bool = True) -> None:
    """`sqlite:///FILE` or `postgresql+psycopg://…`."""
    import django
    from django.conf import settings

    settings.configure(
        DATABASES={"default": _database(database)},
        SECRET_KEY="tests",
        USE_TZ=True,
        SITE_ID=1,
        ALLOWED_HOSTS=["*"],
        ROOT_URLCONF="tests.integrations.djangosite.urls",
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        LANGUAGE_CODE="en",
        LANGUAGES=[("en", "English"), ("de", "German")],
        INSTALLED_APPS=[
            *(f"django.contrib.{app}" for app in ("contenttypes", "sites", "sitemaps")),
            "urlset.integrations.django",
            "tests.integrations.djangosite",
        ],
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
    )
    django.setup()
    if not create:
        return
    from django.core.management import call_command

    call_command("migrate", run_syncdb=True, verbosity=0)
    from django.contrib.sites.models import Site

    Site.objects.update_or_create(pk=1, defaults={"domain": "www.example.com", "name": "www.example.com"})


def _database(address: str) -> dict[str, Any]:
    parts = urlsplit(address)
    if parts.scheme == "sqlite":
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": parts.path}
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts.path.lstrip("/"),
        "USER": parts.username,
        "HOST": parts.hostname,
        "PORT": parts.port,
    }


def fill(articles: int, notes: int = 0) -> None:
    from datetime import UTC, datetime, timedelta
    from uuid import UUID

    from tests.integrations.djangosite.models import Article, Note

    start = datetime(2026, 5, 1, 10, 30, tzinfo=UTC)
    Article.objects.bulk_create(
        (Article(slug=f"article-{n}", updated=start + timedelta(seconds=n)) for n in range(articles)), batch_size=2000
    )
    Note.objects.bulk_create(
        Note(code=UUID(int=((n * 0x9E3779B97F4A7C15) % 2**64) << 64), title=f"note {n}") for n in range(notes)
    )
