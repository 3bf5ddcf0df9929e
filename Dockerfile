# syntax=docker/dockerfile:1
# docker build -t urlset . && docker run --rm -v "$PWD:/site" urlset check public/
FROM python:3.13-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN python -m venv /opt/urlset \
    && /opt/urlset/bin/pip install --no-cache-dir --require-hashes --requirement requirements/runtime.txt \
    && /opt/urlset/bin/pip install --no-cache-dir --no-deps --no-build-isolation . \
    && /opt/urlset/bin/urlset --version | grep "compiled scanner"

FROM python:3.13-slim
COPY --from=build /opt/urlset /opt/urlset
RUN useradd --create-home urlset && mkdir /site && chown urlset /site
USER urlset
WORKDIR /site
ENTRYPOINT ["/opt/urlset/bin/urlset"]
CMD ["--help"]
