"""urlset.toml, [tool.urlset] in pyproject.toml, environment and flags → one typed value that knows its origins.

May import `rules` and everything below; only workflows and cli import it.
"""
