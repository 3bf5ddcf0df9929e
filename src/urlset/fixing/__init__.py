"""Edits → new bytes, and the proof that nothing was lost.

May import `checking` and everything below; the rules are passed in.
"""
