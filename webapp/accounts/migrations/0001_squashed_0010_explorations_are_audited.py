import django.contrib.auth.validators
import django.db.models.deletion
import django.utils.timezone
import webapp.accounts.models
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("accounts", "0001_initial"),
        ("accounts", "0002_access"),
        ("accounts", "0003_people_of_today"),
        ("accounts", "0004_flags_follow_the_role"),
        ("accounts", "0005_datasets_and_graphs_are_audited"),
        ("accounts", "0006_annotation_projects_are_audited"),
        ("accounts", "0007_corrections_are_audited"),
        ("accounts", "0008_evaluations_are_changed_and_deleted"),
        ("accounts", "0009_learning_is_audited"),
        ("accounts", "0010_explorations_are_audited"),
    ]

    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(auto_now_add=True, db_index=True)),
                ("who", models.CharField(max_length=150)),
                (
                    "what",
                    models.CharField(
                        choices=[
                            ("role_changed", "changed the role of"),
                            ("person_deactivated", "closed the account of"),
                            ("person_reactivated", "opened the account again of"),
                            ("person_deleted", "deleted the account of"),
                            ("sessions_ended", "signed out everywhere"),
                            ("tokens_revoked", "revoked the tokens of"),
                            ("invited", "invited"),
                            ("invitation_revoked", "took back the invitation of"),
                            ("invitation_accepted", "accepted an invitation as"),
                            ("evaluation_started", "started the evaluation"),
                            ("evaluation_cancelled", "stopped the evaluation"),
                            ("evaluation_resumed", "resumed the evaluation"),
                            ("evaluation_changed", "renamed or grouped the evaluation"),
                            ("evaluation_removed", "deleted the evaluation"),
                            ("overlay_kept", "kept the corrections"),
                            ("overlay_removed", "removed the corrections"),
                            ("training_started", "started the training"),
                            ("training_cancelled", "stopped the training"),
                            ("training_resumed", "resumed the training"),
                            ("recipe_sent", "sent the recipe"),
                            ("recipe_removed", "removed the recipe"),
                            ("chain_started", "started to teach"),
                            ("chain_stopped", "stopped teaching"),
                            ("chain_resumed", "went on teaching"),
                            ("chain_reviewed", "said to have looked at"),
                            ("held_out_pinned", "pinned the held-out questions"),
                            ("default_changed", "changed the default model to"),
                            ("dataset_loaded", "loaded the dataset"),
                            ("dataset_cancelled", "stopped loading the dataset"),
                            ("dataset_archived", "archived the dataset"),
                            ("dataset_restored", "offered again the dataset"),
                            ("dataset_removed", "removed the dataset"),
                            ("graph_load_started", "started to load the graph"),
                            ("graph_load_cancelled", "stopped loading the graph"),
                            ("graph_removed", "removed the graph"),
                            ("project_made", "made the annotation project"),
                            ("project_changed", "changed the annotation project"),
                            ("exploration_removed", "removed the exploration of somebody else"),
                            ("run_cancelled", "stopped the run of somebody else"),
                            ("admin_site", "in the administration"),
                        ],
                        max_length=32,
                    ),
                ),
                ("on", models.CharField(max_length=300)),
                ("before", models.CharField(blank=True, max_length=300)),
                ("after", models.CharField(blank=True, max_length=300)),
                ("address", models.CharField(blank=True, max_length=50)),
            ],
            options={
                "verbose_name_plural": "audit log",
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="User",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                (
                    "username",
                    models.CharField(
                        error_messages={"unique": "A user with that username already exists."},
                        help_text="Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.",
                        max_length=150,
                        unique=True,
                        validators=[django.contrib.auth.validators.UnicodeUsernameValidator()],
                        verbose_name="username",
                    ),
                ),
                ("first_name", models.CharField(blank=True, max_length=150, verbose_name="first name")),
                ("last_name", models.CharField(blank=True, max_length=150, verbose_name="last name")),
                ("email", models.EmailField(blank=True, max_length=254, verbose_name="email address")),
                (
                    "is_staff",
                    models.BooleanField(
                        default=False,
                        help_text="Designates whether the user can log into this admin site.",
                        verbose_name="staff status",
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(
                        default=True,
                        help_text="Designates whether this user should be treated as active. Unselect this instead of deleting accounts.",
                        verbose_name="active",
                    ),
                ),
                ("date_joined", models.DateTimeField(default=django.utils.timezone.now, verbose_name="date joined")),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("asker", "Asker"),
                            ("annotator", "Annotator"),
                            ("reviewer", "Reviewer"),
                            ("admin", "Admin"),
                        ],
                        default="asker",
                        max_length=16,
                    ),
                ),
                ("sso_issuer", models.CharField(blank=True, max_length=200)),
                ("sso_subject", models.CharField(blank=True, max_length=255)),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
            ],
            options={
                "verbose_name": "user",
                "verbose_name_plural": "users",
                "abstract": False,
            },
            managers=[
                ("objects", webapp.accounts.models.PeopleManager()),
            ],
        ),
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100)),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_tokens",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("email", models.EmailField(max_length=254)),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("asker", "Asker"),
                            ("annotator", "Annotator"),
                            ("reviewer", "Reviewer"),
                            ("admin", "Admin"),
                        ],
                        max_length=16,
                    ),
                ),
                ("digest", models.CharField(blank=True, db_index=True, max_length=64)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField()),
                ("mailed_at", models.DateTimeField(blank=True, null=True)),
                ("fault", models.CharField(blank=True, max_length=300)),
                ("accepted_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "inviter",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="invitations",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="SignedInSession",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("session_key", models.CharField(max_length=40, unique=True)),
                ("browser", models.CharField(max_length=100)),
                ("address", models.CharField(max_length=50)),
                ("started_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("seen_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="signed_in_sessions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-seen_at"],
            },
        ),
        migrations.AddConstraint(
            model_name="user",
            constraint=models.CheckConstraint(
                condition=models.Q(("role__in", ["asker", "annotator", "reviewer", "admin"])), name="user_role_is_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="user",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("is_staff", True), ("is_superuser", True), ("role", "admin")),
                    models.Q(models.Q(("role", "admin"), _negated=True), ("is_staff", False), ("is_superuser", False)),
                    _connector="OR",
                ),
                name="user_flags_follow_the_role",
            ),
        ),
        migrations.AddConstraint(
            model_name="user",
            constraint=models.UniqueConstraint(
                condition=models.Q(("sso_subject", ""), _negated=True),
                fields=("sso_issuer", "sso_subject"),
                name="user_is_one_at_the_provider",
            ),
        ),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.CheckConstraint(
                condition=models.Q(("role__in", ["asker", "annotator", "reviewer", "admin"])),
                name="invitation_role_is_known",
            ),
        ),
    ]
