"""Rules across files: what an index says against what its children are, and addresses listed twice."""
