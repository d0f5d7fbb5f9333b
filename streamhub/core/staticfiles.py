"""How static files are served: under names that carry their hash, so that browsers may keep them for ever."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """Also rewrites the imports of ES modules, which would otherwise load twice, under both names."""

    support_js_module_import_aggregation = True
