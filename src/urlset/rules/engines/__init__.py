"""Rules about what search engines report."""
