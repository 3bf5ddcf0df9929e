"""Rules about XML, encoding, compression, and parser safety (family X)."""
