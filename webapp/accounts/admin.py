"""Django's own administration: the same way in as everywhere, people with their role, and the audit log to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminPasswordChangeForm
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.db.models.signals import post_save
from django.dispatch import receiver
from redis.exceptions import RedisError

from webapp.accounts.audit import audited, audited_by
from webapp.accounts.models import Audited, AuditEntry, Role, User
from webapp.accounts.services import password_check
from webapp.accounts.sessions import sessions_end
from webapp.accounts.viewer import session_viewer
from webapp.platform.http.errors import ProductError

if TYPE_CHECKING:
    from django.contrib.auth.base_user import AbstractBaseUser
    from django.db.models import Model
    from django.http import HttpRequest


class SignInForm(AdminAuthenticationForm):
    """Signs in as the site's own form does, with the same count of wrong passwords."""

    def clean(self) -> dict[str, Any]:
        """Check name and password."""
        username, password = self.cleaned_data.get("username"), self.cleaned_data.get("password")
        if username and password and self.request is not None:
            try:
                self.user_cache = password_check(request=self.request, username=username, password=password)
            except ProductError as error:
                raise ValidationError(error.message) from error
            except RedisError as error:
                raise ValidationError("Sign-in is not possible right now. Try again in a minute.") from error
            self.confirm_login_allowed(self.user_cache)
        return self.cleaned_data

    def confirm_login_allowed(self, user: AbstractBaseUser) -> None:
        """Let administrators in alone; others see what a wrong password shows."""
        if not isinstance(user, User) or user.role != Role.ADMIN:
            raise ValidationError("Wrong user name or password.")


class PasswordForm(AdminPasswordChangeForm):  # type: ignore[type-arg]  # generic only in the stubs
    """Sets the password of a user and ends their sessions, as a password change of their own does."""

    def save(self, commit: bool = True) -> User:  # noqa: FBT001, FBT002 - Django's signature
        """Save it."""
        user: User = super().save(commit)
        sessions_end(user=user)
        return user


admin.site.login_form = SignInForm
admin.site.unregister(Group)


@admin.register(User)
class UserAdmin(DjangoUserAdmin):  # type: ignore[type-arg]  # generic only in the stubs
    """Users with their role, which decides what they may do."""

    list_display = ("username", "first_name", "last_name", "email", "role", "is_active", "last_login")
    list_filter = ("role", "is_active")
    filter_horizontal = ()
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Person", {"fields": ("first_name", "last_name", "email")}),
        ("Discern", {"fields": ("role", "is_active")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = (*DjangoUserAdmin.add_fieldsets, ("Discern", {"fields": ("email", "role")}))
    change_password_form = PasswordForm

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:  # noqa: ARG002
        """The role of an account that is there is changed on the page of people, which keeps one administrator."""
        return ("last_login", "date_joined") if obj is None else ("role", "is_active", "last_login", "date_joined")

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        """Log who is deleted; Django's own log does so in one query, without signals."""
        for person in queryset:
            audited(session_viewer(request), Audited.PERSON_DELETED, person.username, before=person.role)
        return super().log_deletions(request, queryset)


@admin.register(AuditEntry)
class AuditEntryAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """What administrators did: to read, never to change."""

    list_display = ("at", "who", "what", "on", "before", "after", "address")
    list_filter = ("what",)
    search_fields = ("who", "on")
    date_hierarchy = "at"

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's signature
        """Not allowed."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        """Not allowed."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        """Not allowed."""
        return False


@receiver(post_save, sender=LogEntry)
def _note_change(instance: LogEntry, **_: Any) -> None:
    """Take what Django notes of its administration over into the audit log: which fields, never their values."""
    audited_by(
        instance.user.get_username(),
        Audited.ADMIN_SITE,
        f"{instance.content_type.name if instance.content_type else 'something'}: {instance.object_repr}",
        after=str(instance.get_change_message()),
    )
