"""Sitemap rules of the Acme shop."""
