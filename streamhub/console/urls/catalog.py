"""Addresses of the console: endpoints, keys, models and model rules."""

from django.urls import path

from streamhub.console.views import endpoint_test, endpoints, keys, language_models, rules

urlpatterns = [
    path("endpoints/", endpoints.endpoints, name="endpoints"),
    path("endpoints/new/", endpoints.endpoint_create, name="endpoint-create"),
    path("endpoints/test/", endpoint_test.endpoint_test_new, name="endpoint-test"),
    path("endpoints/<int:pk>/", endpoints.endpoint, name="endpoint"),
    path("endpoints/<int:pk>/test/", endpoint_test.endpoint_test, name="endpoint-test"),
    path("endpoints/<int:pk>/delete/", endpoints.endpoint_delete, name="endpoint-delete"),
    path("endpoints/<int:pk>/keys/new/", keys.key_create, name="key-create"),
    path("endpoints/<int:pk>/models/new/", language_models.model_create, name="model-create"),
    path("keys/<int:pk>/replace/", keys.key_replace, name="key-replace"),
    path("keys/<int:pk>/enable/", keys.key_enable, name="key-enable"),
    path("keys/<int:pk>/disable/", keys.key_disable, name="key-disable"),
    path("keys/<int:pk>/use-now/", keys.key_use_now, name="key-use-now"),
    path("keys/<int:pk>/delete/", keys.key_delete, name="key-delete"),
    path("models/<int:pk>/", language_models.model, name="model"),
    path("models/<int:pk>/delete/", language_models.model_delete, name="model-delete"),
    path("rules/", rules.rules, name="rules"),
    path("rules/new/", rules.rule_create, name="rule-create"),
    path("rules/preview/", rules.rule_preview, name="rule-preview"),
    path("rules/<int:pk>/", rules.rule, name="rule"),
    path("rules/<int:pk>/delete/", rules.rule_delete, name="rule-delete"),
]
