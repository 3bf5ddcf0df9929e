"""Findings about a sitemap: shared by checking, fixing, history, and reports.

May import `model` and `spec`. Reports use these values and nothing of the rules behind them.
"""
