# One image for web, worker and beat; docker-compose.yml says which command each runs.

FROM python:3.13-slim AS build
COPY requirements/base.txt /tmp/base.txt
RUN python -m venv /opt/venv \
    && /opt/venv/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes -r /tmp/base.txt

FROM python:3.13-slim
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    DJANGO_SETTINGS_MODULE=streamhub.settings \
    STREAMHUB_DATA_DIR=/var/lib/streamhub
RUN useradd --system --uid 10001 --no-create-home --home-dir /var/lib/streamhub streamhub \
    && install -d -o streamhub -g streamhub -m 0700 /var/lib/streamhub
COPY --from=build /opt/venv /opt/venv
WORKDIR /app
COPY . .
USER streamhub
# Without these two values the settings would make secrets of their own and leave them in the image.
RUN STREAMHUB_SECRET_KEY=unused-at-build-time STREAMHUB_ENCRYPTION_KEYS=unused-at-build-time \
    python manage.py collectstatic --noinput
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "scripts/healthcheck.py"]
CMD ["daphne", "-b", "0.0.0.0", "-p", "8000", "--websocket-max-message-size", "5242880", "streamhub.asgi:application"]
