"""Bytes → model. Never raises on bad input, never fetches, keeps every byte offset.

May import `findings`, `model` and `spec`. The way of a blob: unpack → decode → sniff → scan (scanner and
reference, with salvage) → Document; detail and media take a second look at single rows on demand.
"""
