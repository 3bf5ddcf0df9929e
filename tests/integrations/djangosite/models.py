"""Two tables: articles with a date, and notes without."""

from __future__ import annotations

from typing import Any

from django.db import models


class Article(models.Model):  # type: ignore[misc]  # Django has no types
    slug: Any = models.CharField(max_length=100)
    updated = models.DateTimeField(null=True)
    live = models.BooleanField(default=True)

    def __str__(self) -> str:
        return str(self.slug)

    def get_absolute_url(self) -> str:
        return f"/articles/{self.slug}/"


class Note(models.Model):  # type: ignore[misc]  # Django has no types
    code = models.UUIDField(unique=True)
    title: Any = models.CharField(max_length=100)

    def __str__(self) -> str:
        return str(self.title)

    def get_absolute_url(self) -> str:
        return f"/notes/{self.code}/"
