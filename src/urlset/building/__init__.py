"""Pages on offer → a published set of sitemaps: sources → policy → ledger → shards → publish.

May import `writing`, `reading`, `findings`, `model` and `spec`. No sockets: a crawl is handed in as a source.
"""
