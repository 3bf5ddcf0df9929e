"""What a sitemap is: frozen values that keep the raw text beside whatever is parsed from it.

May import `spec` only. Knows nothing of files, sockets, rules or terminals.
"""
