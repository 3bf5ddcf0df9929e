"""What is written down about sitemaps: limits, words, namespaces, field tables, engines, codes, sources.

Tables with their citations and nothing but small lookups. Imports nothing from the rest of urlset, so
every other folder may lean on it.
"""
