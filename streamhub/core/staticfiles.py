"""How static files are served: under a name that carries their hash, so that browsers may keep them for ever."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """Also rewrites the imports of ES modules; otherwise a module loads twice, once under each of its names."""

    support_js_module_import_aggregation = True
