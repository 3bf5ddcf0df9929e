"""Sitemaps over time: snapshots, the difference between two, and whether dates can be believed."""
