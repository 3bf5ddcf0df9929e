"""Clients of the search engines: what is submitted, what they answer, and the receipts."""
