"""Rules about changefreq and priority (family F)."""
