"""The whole installation in one process: server, engine, Celery worker and beat, from start to end."""
