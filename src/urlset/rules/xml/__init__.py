"""Rules about XML, encoding, compression and what keeps a parser safe (family X)."""
