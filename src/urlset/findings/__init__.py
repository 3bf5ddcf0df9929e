"""What is said about a sitemap: shared by checking, fixing, history and reports.

May import `model` and `spec`. Reports know these values and nothing of the rules behind them.
"""
