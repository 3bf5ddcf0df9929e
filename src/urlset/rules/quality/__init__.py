"""Rules on the choice of URLs, file maintenance, and exposed internal details."""
