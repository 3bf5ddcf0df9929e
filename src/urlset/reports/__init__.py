"""A verdict → something to read, one format per file.

May import `findings`, `model` and `spec`. A report formats what it is given: it knows cards, never rules.
"""
