"""A whole site with known faults: a shop, a journal, guides, two languages, and a label for all that is wrong."""

from __future__ import annotations

from urlset.workflows.demo.sample.draft import Label, Stage
from urlset.workflows.demo.sample.site import SampleSite, sample_site

__all__ = ["Label", "SampleSite", "Stage", "sample_site"]
