"""A plan of idempotent tasks → results in this process, in worker processes or on a Ray cluster."""
