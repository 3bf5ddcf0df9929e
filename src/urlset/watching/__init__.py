"""What is known of sites over time → alerts on changes, delivered once; no requests to sites happen here."""
