"""The examples of every rule in this package."""

from acme_sitemaps import rules

from urlset.rules import example_failures


def test_the_examples() -> None:
    assert list(example_failures(rules.old_product_path)) == []
