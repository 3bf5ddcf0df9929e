"""From one address to all pages that links lead to: frontier on disk, scope, traps, and whether it was complete.

May import `web` and lower rooms.
"""
