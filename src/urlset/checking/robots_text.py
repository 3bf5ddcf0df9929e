"""A robots.txt file → the subject of the rules on it."""

from __future__ import annotations

from urlset.checking.context import Context
from urlset.model.document import Document


class RobotsText:
    """One robots.txt file."""

    def __init__(self, document: Document, context: Context) -> None:
        assert document.robots is not None
        self.document = document
        self.robots = document.robots
        self.context = context
