"""`manage.py urlset_check` and `manage.py urlset_build`."""
