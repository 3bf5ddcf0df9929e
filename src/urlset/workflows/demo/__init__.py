"""`urlset demo`: the sample site → the main commands, run and verified."""
