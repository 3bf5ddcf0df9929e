"""Rules about the language versions of a page: `<xhtml:link rel="alternate" hreflang="…" href="…"/>`."""
