"""How rules are declared, chosen and run.

May import `reading`, `findings`, `model` and `spec`. Rules themselves live one row up and are passed in.
"""
