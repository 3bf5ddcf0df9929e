"""An application's pages → sitemaps it serves: Django, FastAPI, Starlette, Flask, plain ASGI and WSGI, SQLAlchemy.

Every framework module is a thin door to the same parts: `sections` says what a source is, `plan` cuts it into
shards, `keeper` remembers the plan and renews it, `service` answers requests. Frameworks are imported only by the
module named after them.
"""
