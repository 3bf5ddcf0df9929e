"""Rules on what a good sitemap lists, how it is kept, and what it tells strangers."""
