"""The catalogue: one folder per subject, one file per topic, one decorated function per rule.

May import `checking` and everything below. Rules never fetch and never print.
"""
