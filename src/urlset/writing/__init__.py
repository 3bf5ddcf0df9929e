"""Model → bytes: urlsets, indexes and text lists, plain or gzipped, streamed and the same on every run.

May import `reading`, `findings`, `model` and `spec`. Judges nothing: what an entry says is written as it
is, and what no file of that form can hold is refused with `xml.Unwritable`.
"""
