"""The sitemap tests that Django and Wagtail ship → run against the views of urlset, in a process of their own.

    python -m tests.integrations.upstream django FOLDER     FOLDER: an unpacked source distribution of Django
    python -m tests.integrations.upstream wagtail           Wagtail ships its tests in the wheel

Prints one JSON object: how many tests ran, and which failed.
"""

from __future__ import annotations

import json
import os
import sys
import unittest
from pathlib import Path
from typing import Any

NOT_APPLICABLE = {
    "test_sitemap_get_latest_lastmod": "wants a time without an offset, which no engine accepts (D003)",
    "test_callable_sitemod_full": "wants a time without an offset in the index (D003)",
    "test_generic_sitemap_index": "wants a time without an offset in the index (D003)",
}
"""tests that ask for an invalid date: urlset writes the day when the time has no zone"""


def main(name: str, folder: str = "") -> int:
    suite = _django(Path(folder)) if name == "django" else _wagtail()
    result = suite()
    failed = sorted(test.id().rpartition(".")[2] for test, _ in [*result.failures, *result.errors])
    details = {test.id().rpartition(".")[2]: text[-1500:] for test, text in [*result.failures, *result.errors]}
    print(json.dumps({"ran": result.testsRun, "failed": failed, "details": details}))  # noqa: T201 - a script
    return 0


def use_our_views() -> None:
    """Before any URLconf is loaded."""
    from django.contrib.sitemaps import views

    from urlset.integrations.django import index, sitemap

    views.index, views.sitemap = index, sitemap


def _django(folder: Path) -> Any:
    from django.conf import settings

    sys.path.insert(0, str(folder / "tests"))
    here = folder / "tests" / "templates"
    settings.configure(
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
        SECRET_KEY="upstream",
        USE_TZ=False,
        SITE_ID=1,
        LANGUAGE_CODE="en",
        ROOT_URLCONF="urls",
        DEFAULT_AUTO_FIELD="django.db.models.AutoField",
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.common.CommonMiddleware",
        ],
        INSTALLED_APPS=[
            *(f"django.contrib.{app}" for app in ("contenttypes", "auth", "sites", "sessions")),
            "sitemaps_tests",
        ],
        TEMPLATES=[
            {"BACKEND": "django.template.backends.django.DjangoTemplates", "DIRS": [str(here)], "APP_DIRS": True}
        ],
    )
    return lambda: _run("sitemaps_tests")


def _wagtail() -> Any:
    os.environ["DJANGO_SETTINGS_MODULE"] = "wagtail.test.settings"
    os.environ.setdefault("DATABASE_NAME", ":memory:")
    return lambda: _run("wagtail.contrib.sitemaps.tests")


def _run(label: str) -> Any:
    import django
    from django.test.runner import DiscoverRunner

    django.setup()
    use_our_views()
    kept: list[unittest.TestResult] = []

    class Runner(DiscoverRunner):  # type: ignore[misc]  # Django has no types
        def suite_result(self, _suite: Any, result: Any, **_kwargs: Any) -> int:
            kept.append(result)
            return 0

    Runner(verbosity=0, interactive=False).run_tests([label])
    return kept[0]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
