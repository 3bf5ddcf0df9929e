"""An application's pages → sitemaps it serves: Django, FastAPI, Starlette, Flask, plain ASGI and WSGI, SQLAlchemy.

Every framework module is a thin door to the same parts: `plan` says what a section is and cuts it into shards,
`store` keeps the plan and renews it, `service` answers requests. Frameworks are imported only by the
module named after them.
"""
