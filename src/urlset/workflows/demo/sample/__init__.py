"""A whole site with known faults: a shop, a journal, guides, two languages, and a label for all that is wrong."""
