"""Folders, lists, queries, sitemaps and iterables → candidates, one at a time. One file each, listed in `open`."""
