"""The `urlset` command: options in, text out.

May import every room. One file per command; a command parses its options, calls its workflow and prints what
comes back. Everything heavy is imported inside the command to keep `urlset --help` quick.
"""
