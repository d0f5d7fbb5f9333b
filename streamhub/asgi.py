"""The ASGI application: pages over HTTP, live streams over a websocket. The origin check stands outside the login."""

import os
from typing import Any

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.urls import path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "streamhub.settings")
http = get_asgi_application()

from streamhub.console.consumers import LiveConsumer  # noqa: E402  Django must be set up first
from streamhub.core.proxy import behind_proxy  # noqa: E402

live: Any = (
    LiveConsumer.as_asgi()
)  # the stubs know ASGI applications and Django views, not one in a URL pattern
routes: Any = [path("ws/live/", live)]

application: Any = ProtocolTypeRouter(
    {"http": http, "websocket": AllowedHostsOriginValidator(AuthMiddlewareStack(URLRouter(routes)))}
)
if settings.TRUST_PROXY:
    application = behind_proxy(application)
