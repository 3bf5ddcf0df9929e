"""A verdict → a report, one format per file.

May import `findings`, `model`, and `spec`. A report formats its input: it uses cards, never rules.
"""
