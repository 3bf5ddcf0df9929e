"""Rules for the sitemaps of the Acme shop."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.rules import Fix, ListedPage, Problem, Safety, Severity, bad, good, rule


@rule("ACME001", severity=Severity.ERROR, cites=("https://wiki.example.com/urls",))
@bad("<loc>https://shop.example.com«/catalog/»lamp</loc>", fixed="<loc>https://shop.example.com/products/lamp</loc>")
@good("<loc>https://shop.example.com/products/lamp</loc>")
def old_product_path(listed: ListedPage) -> Iterator[Problem]:
    """A product has its old URL.

    Products moved from /catalog/ to /products/ in 2025. The old URLs redirect, and a sitemap should list the target.
    """
    start = listed.loc.find("/catalog/")
    if start < 0:
        return
    end = start + len("/catalog/")
    yield Problem(
        listed.part(start, end),
        "products moved to /products/",
        Fix("write /products/", listed.edits([(start, end, "/products/")]), Safety.REVIEW),
    )
