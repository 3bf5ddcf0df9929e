"""Addresses → fetched sitemaps, one document at a time."""
