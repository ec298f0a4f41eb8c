"""People in the admin."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin

from webapp.accounts.models import User


@admin.register(User)
class UserAdmin(DjangoUserAdmin):  # type: ignore[type-arg]  # generic only in the stubs
    """Users with their role."""

    list_display = ("username", "first_name", "last_name", "role", "is_staff", "last_login")
    list_filter = ("role", "is_staff", "is_active")
    fieldsets = (*(DjangoUserAdmin.fieldsets or ()), ("Discern", {"fields": ("role",)}))
    add_fieldsets = (*DjangoUserAdmin.add_fieldsets, ("Discern", {"fields": ("role",)}))
