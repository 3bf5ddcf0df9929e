"""A small Django project with five kinds of sitemap classes; `settings` configures it on any database."""
