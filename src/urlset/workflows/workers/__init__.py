"""Tasks → results from several processes."""
