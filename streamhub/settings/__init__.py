"""All settings, from the environment only. With nothing set this is the embedded hub: SQLite, memory broker and layer.

STREAMHUB_REDIS_URL and STREAMHUB_DATABASE_URL turn the same code into a scaled-out installation.
"""

from pathlib import Path
from urllib.parse import urlsplit

from django.utils.csp import CSP

from streamhub.settings import env, secrets

BASE_DIR = Path(__file__).resolve().parent.parent.parent
DATA_DIR = secrets.private_directory(Path(env.text("STREAMHUB_DATA_DIR", str(BASE_DIR / "data"))).absolute())

DEBUG = env.flag("STREAMHUB_DEBUG")
SECRET_KEY = env.text("STREAMHUB_SECRET_KEY") or secrets.read_or_create(DATA_DIR / "secret.key")
# Newest first. Values are encrypted with the first key and may be read with any of them.
ENCRYPTION_KEYS = env.items("STREAMHUB_ENCRYPTION_KEYS") or [
    secrets.read_or_create(DATA_DIR / "encryption.key")
]
REDIS_URL = env.text("STREAMHUB_REDIS_URL")
EMBEDDED = not REDIS_URL

# Where `manage.py hub` listens. Port 0 takes a free one; the hub prints which.
HUB_HOST = env.text("HOST", "127.0.0.1")
HUB_PORT = env.integer("PORT", 8000, high=65_535)
# Creates the owner at start-up, instead of the set-up page.
ADMIN_EMAIL = env.text("STREAMHUB_ADMIN_EMAIL")
ADMIN_PASSWORD = env.text("STREAMHUB_ADMIN_PASSWORD")
DEMO = env.flag("STREAMHUB_DEMO")
# Believe X-Forwarded-For and -Proto. Only behind a proxy that overwrites them: anybody else may write them too.
TRUST_PROXY = env.flag("STREAMHUB_TRUST_PROXY")

ALLOWED_HOSTS = env.items("STREAMHUB_ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = env.items("STREAMHUB_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "daphne",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "django_htmx",
    "streamhub.core",
    "streamhub.accounts",
    "streamhub.audit",
    "streamhub.live",
    "streamhub.servers",
    "streamhub.catalog",
    "streamhub.turns",
    "streamhub.console",
    "streamhub.ops",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "streamhub.urls"
ASGI_APPLICATION = "streamhub.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.csp",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "streamhub.console.context.shell",
            ],
        },
    }
]

DATABASES = {"default": env.database("STREAMHUB_DATABASE_URL", DATA_DIR)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "wall"
LOGOUT_REDIRECT_URL = "login"

CHANNEL_LAYERS = {
    "default": (
        {"BACKEND": "channels.layers.InMemoryChannelLayer", "CONFIG": {"capacity": 1000}}
        if EMBEDDED
        else {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            # What Redis publishes is heard in all its databases: only the name keeps two installations apart.
            "CONFIG": {"hosts": [REDIS_URL], "prefix": f"streamhub{urlsplit(REDIS_URL).path}"},
        }
    )
}

CELERY_BROKER_URL = "memory://localhost" if EMBEDDED else REDIS_URL
CELERY_BROKER_TRANSPORT_OPTIONS = {"polling_interval": 0.05} if EMBEDDED else {}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_REDIRECT_STDOUTS = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_SERIALIZER = "json"
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "beat-schedule")
CELERY_BEAT_SCHEDULE = {
    "reap": {"task": "streamhub.turns.tasks.reap", "schedule": 5.0, "options": {"expires": 5}},
    "look": {"task": "streamhub.turns.tasks.look_for_work", "schedule": 10.0, "options": {"expires": 10}},
}

LANGUAGE_CODE = "en-gb"
TIME_ZONE = env.text("STREAMHUB_TIME_ZONE", "UTC")
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "streamhub.core.staticfiles.HashedStaticFiles"},
}

SECURE_CSP = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF, CSP.NONCE],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF, "data:"],
    "connect-src": [CSP.SELF],
    "font-src": [CSP.SELF],
    "form-action": [CSP.SELF],
    "base-uri": [CSP.NONE],
    "frame-ancestors": [CSP.NONE],
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
# The hub speaks plain HTTP on loopback; behind a TLS proxy STREAMHUB_HTTPS=1 marks cookies secure and sends HSTS.
HTTPS = env.flag("STREAMHUB_HTTPS")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_NAME = "streamhub_session"

# Clocks of a stream, in milliseconds; names as in the specification (seed 01).
STREAM_FIRST_TOKEN_TIMEOUT_MS = env.integer("STREAM_FIRST_TOKEN_TIMEOUT_MS", 300_000, low=100)
STREAM_SDK_CALL_TIMEOUT_MS = env.integer("STREAM_SDK_CALL_TIMEOUT_MS", 120_000, low=100)
STREAM_TOTAL_TIMEOUT_MS = env.integer("STREAM_TOTAL_TIMEOUT_MS", 0)
STREAM_ABANDONED_SETTLE_TIMEOUT_MS = env.integer("STREAM_ABANDONED_SETTLE_TIMEOUT_MS", 5_000)
STREAM_MAX_OUTPUT_BYTES = env.integer("STREAM_MAX_OUTPUT_BYTES", 8_000_000, low=1_000)

ENGINE_CAPACITY = env.integer("STREAMHUB_ENGINE_CAPACITY", 200, low=1, high=10_000)
ENGINE_LEASE_SECONDS = env.integer("STREAMHUB_LEASE_SECONDS", 15, low=3)
ENGINE_DRAIN_SECONDS = env.integer("STREAMHUB_DRAIN_SECONDS", 1 if EMBEDDED else 25)

LOGGING_CONFIG = "streamhub.core.logging.configure"
LOGGING = {"level": env.text("STREAMHUB_LOG_LEVEL", "INFO"), "json": env.flag("STREAMHUB_LOG_JSON")}
