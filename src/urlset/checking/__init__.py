"""How rules are declared, selected, and run.

May import `reading`, `findings`, `model`, and `spec`. Rules are one layer above and are passed in.
"""
