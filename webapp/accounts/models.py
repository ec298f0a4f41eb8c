"""People, their sessions, tokens and invitations, and the audit log."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from django.contrib.auth.models import AbstractUser, UserManager
from django.contrib.auth.password_validation import validate_password
from django.db import models
from django.db.models import Q
from django.utils import timezone


class Role(models.TextChoices):
    """What a user may do on the site."""

    ASKER = "asker", "Asker"
    ANNOTATOR = "annotator", "Annotator"
    REVIEWER = "reviewer", "Reviewer"
    ADMIN = "admin", "Admin"


class PeopleManager(UserManager["User"]):
    """Makes accounts."""

    def create_superuser(
        self, username: str, email: str | None = None, password: str | None = None, **fields: Any
    ) -> User:
        """Make an administrator; ``manage.py createsuperuser`` does.

        Raises:
            ValidationError: the password will not do. The command itself checks only what is typed.

        """
        if password is not None:
            validate_password(password, self.model(username=username, email=email or ""))
        return super().create_superuser(username, email, password, **{"role": Role.ADMIN, **fields})


class User(AbstractUser):
    """A user with an account. The role decides; Django's flags for its administration follow it."""

    role = models.CharField(max_length=16, choices=Role.choices, default=Role.ASKER)
    sso_issuer = models.CharField(max_length=200, blank=True)
    sso_subject = models.CharField(max_length=255, blank=True)
    """Who this is at the provider of single sign-on, from the first time they came that way."""

    keeps_tokens = False
    """Set on an object before a new password is saved: the tokens stay good. It is kept nowhere."""

    objects: ClassVar[PeopleManager] = PeopleManager()

    class Meta(AbstractUser.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=Q(role__in=Role.values), name="user_role_is_known"),
            models.CheckConstraint(
                condition=Q(role=Role.ADMIN, is_staff=True, is_superuser=True)
                | (~Q(role=Role.ADMIN) & Q(is_staff=False, is_superuser=False)),
                name="user_flags_follow_the_role",
            ),
            models.UniqueConstraint(
                fields=["sso_issuer", "sso_subject"], condition=~Q(sso_subject=""), name="user_is_one_at_the_provider"
            ),
        ]

    def __str__(self) -> str:
        return self.display_name

    def save(self, *args: Any, update_fields: Any = None, **kwargs: Any) -> None:
        """Keep Django's flags in step with the role."""
        self.is_staff = self.is_superuser = self.role == Role.ADMIN
        if update_fields is not None and "role" in update_fields:
            update_fields = {*update_fields, "is_staff", "is_superuser"}
        super().save(*args, update_fields=update_fields, **kwargs)

    @property
    def display_name(self) -> str:
        """What to call them on a screen."""
        return self.get_full_name() or self.username


class SignedInSession(models.Model):
    """Where a user is signed in: a record for each of Django's sessions that belongs to an account."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="signed_in_sessions")
    session_key = models.CharField(max_length=40, unique=True)
    browser = models.CharField(max_length=100)
    """In words: Firefox on Linux."""
    address = models.CharField(max_length=50)
    """Shortened: enough to recognise one's own network, too little to find a person."""
    started_at = models.DateTimeField(default=timezone.now)
    seen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar[list[str]] = ["-seen_at"]

    def __str__(self) -> str:
        return f"{self.user}: {self.browser}"


class ApiToken(models.Model):
    """Lets a script act for a user. The token itself is shown once and never stored."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    """SHA-256 of the token in hexadecimal; the token has 256 random bits, so that it cannot be guessed."""
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.user}: {self.name}"


class Invitation(models.Model):
    """An invited person. The link is mailed, and only its digest is stored."""

    email = models.EmailField()
    role = models.CharField(max_length=16, choices=Role.choices)
    digest = models.CharField(max_length=64, blank=True, db_index=True)
    """SHA-256 of what the link holds, in hexadecimal; empty until the mail is written."""
    inviter = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="invitations")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    mailed_at = models.DateTimeField(null=True, blank=True)
    fault = models.CharField(max_length=300, blank=True)
    """Why the mail could not be sent."""
    accepted_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["-created_at"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=Q(role__in=Role.values), name="invitation_role_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.email} as {self.role}"


class Audited(models.TextChoices):
    """What administrators do that is written down."""

    ROLE_CHANGED = "role_changed", "changed the role of"
    PERSON_DEACTIVATED = "person_deactivated", "closed the account of"
    PERSON_REACTIVATED = "person_reactivated", "reopened the account of"
    PERSON_DELETED = "person_deleted", "deleted the account of"
    SESSIONS_ENDED = "sessions_ended", "signed out everywhere"
    TOKENS_REVOKED = "tokens_revoked", "revoked the tokens of"
    INVITED = "invited", "invited"
    INVITATION_REVOKED = "invitation_revoked", "revoked the invitation of"
    INVITATION_ACCEPTED = "invitation_accepted", "accepted an invitation as"
    EVALUATION_STARTED = "evaluation_started", "started the evaluation"
    EVALUATION_CANCELLED = "evaluation_cancelled", "stopped the evaluation"
    EVALUATION_RESUMED = "evaluation_resumed", "resumed the evaluation"
    EVALUATION_CHANGED = "evaluation_changed", "renamed or grouped the evaluation"
    EVALUATION_REMOVED = "evaluation_removed", "deleted the evaluation"
    OVERLAY_KEPT = "overlay_kept", "saved the corrections"
    OVERLAY_REMOVED = "overlay_removed", "removed the corrections"
    TRAINING_STARTED = "training_started", "started the training"
    TRAINING_CANCELLED = "training_cancelled", "stopped the training"
    TRAINING_RESUMED = "training_resumed", "resumed the training"
    RECIPE_SENT = "recipe_sent", "uploaded the recipe"
    RECIPE_REMOVED = "recipe_removed", "removed the recipe"
    PIPELINE_STARTED = "chain_started", "started the pipeline"
    PIPELINE_STOPPED = "chain_stopped", "stopped the pipeline"
    PIPELINE_RESUMED = "chain_resumed", "resumed the pipeline"
    PIPELINE_REVIEWED = "chain_reviewed", "reviewed the pipeline"
    HELD_OUT_PINNED = "held_out_pinned", "pinned the held-out questions"
    DEFAULT_CHANGED = "default_changed", "changed the default model to"
    DATASET_LOADED = "dataset_loaded", "loaded the dataset"
    DATASET_CANCELLED = "dataset_cancelled", "stopped loading the dataset"
    DATASET_ARCHIVED = "dataset_archived", "archived the dataset"
    DATASET_RESTORED = "dataset_restored", "restored the dataset"
    DATASET_REMOVED = "dataset_removed", "removed the dataset"
    GRAPH_LOAD_STARTED = "graph_load_started", "started to load the graph"
    GRAPH_LOAD_CANCELLED = "graph_load_cancelled", "stopped loading the graph"
    GRAPH_REMOVED = "graph_removed", "removed the graph"
    PROJECT_MADE = "project_made", "created the annotation project"
    PROJECT_CHANGED = "project_changed", "changed the annotation project"
    EXPLORATION_REMOVED = "exploration_removed", "removed the exploration of another user"
    RUN_CANCELLED = "run_cancelled", "stopped the run of another user"
    ADMIN_SITE = "admin_site", "in the administration"


class AppendOnlyError(TypeError):
    """Something tried to change the audit log."""


class AuditQuerySet(models.QuerySet["AuditEntry"]):
    """Reads and appends, nothing else."""

    def update(self, **_: Any) -> NoReturn:
        """Refuse.

        Raises:
            AppendOnlyError: always.

        """
        raise AppendOnlyError("The audit log is only appended to.")

    def delete(self) -> NoReturn:
        """Refuse.

        Raises:
            AppendOnlyError: always.

        """
        raise AppendOnlyError("The audit log is only appended to.")


class AuditEntry(models.Model):
    """One thing that an administrator did. It names people in text, so that it outlives their accounts."""

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    who = models.CharField(max_length=150)
    """The user name; “single sign-on” where the provider's word changed a role."""
    what = models.CharField(max_length=32, choices=Audited.choices)
    on = models.CharField(max_length=300)
    """What it was done to."""
    before = models.CharField(max_length=300, blank=True)
    after = models.CharField(max_length=300, blank=True)
    address = models.CharField(max_length=50, blank=True)
    """Where the request came from."""

    objects: ClassVar[models.Manager[AuditEntry]] = models.Manager.from_queryset(AuditQuerySet)()

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        verbose_name_plural = "audit log"

    def __str__(self) -> str:
        return f"{self.who} {self.get_what_display()} {self.on}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Append.

        Raises:
            AppendOnlyError: the entry is there already.

        """
        if not self._state.adding:
            raise AppendOnlyError("The audit log is only appended to.")
        super().save(*args, **kwargs)

    def delete(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse.

        Raises:
            AppendOnlyError: always.

        """
        raise AppendOnlyError("The audit log is only appended to.")
