"""Wake-ups must reach our broker, whichever thread sends them."""

import threading

from streamhub.celery import app
from streamhub.turns.tasks import look_for_work


def test_a_task_sent_from_any_thread_goes_through_our_application():
    # Celery's current application is a thread's own; other threads fall back to a default that knows no broker.
    seen = []
    thread = threading.Thread(target=lambda: seen.append(look_for_work.app.main))
    thread.start()
    thread.join()
    assert seen == [app.main]
