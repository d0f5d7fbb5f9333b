"""The whole installation in one process: server, engine, Celery worker and beat, and how they start and stop."""
