"""Answers of servers become what is known of each listed page: its state, its facts, its likely faults.

May import `web` and lower rooms. Rules that judge the facts are in `rules/live`.
"""
