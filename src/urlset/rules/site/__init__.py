"""Rules across files: an index compared with its children, and URLs listed twice."""
