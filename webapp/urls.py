"""The addresses of the site."""

from __future__ import annotations

from django.contrib import admin
from django.urls import path, re_path

from webapp.accounts import single_sign_on
from webapp.api import api
from webapp.health.readiness import healthz, readyz
from webapp.platform.http.errors import not_found
from webapp.platform.http.openapi import openapi
from webapp.platform.http.pages import page

handler500 = "webapp.platform.http.error_handlers.failed"
urlpatterns = [
    path("healthz", healthz),
    path("readyz", readyz),
    path("admin/", admin.site.urls),
    path("sign-in/single-sign-on", single_sign_on.start),
    path("sign-in/single-sign-on/back", single_sign_on.back, name="single_sign_on_back"),
    path("api/openapi.json", openapi),
    path("api/", api.urls),
    re_path(r"^api(?:/.*)?$", not_found),
    re_path(r"^(?!static/|ws/).*$", page),
]
