import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("datasets", "0001_initial"),
        ("datasets", "0002_reader_versions"),
        ("datasets", "0003_missing_gold"),
    ]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Dataset",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("succeeded", "Succeeded"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        db_index=True,
                        default="queued",
                        max_length=16,
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=1000)),
                ("claim", models.UUIDField(blank=True, null=True)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("enqueued_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("name", models.CharField(max_length=200)),
                ("version", models.PositiveIntegerField()),
                ("format", models.CharField(max_length=32)),
                ("file", models.CharField(max_length=300)),
                ("second_file", models.CharField(blank=True, max_length=300)),
                ("file_sha256", models.CharField(max_length=64)),
                ("file_bytes", models.PositiveBigIntegerField()),
                ("reader_version", models.PositiveSmallIntegerField(default=0)),
                ("reading", models.PositiveSmallIntegerField(default=1)),
                ("questions_stored", models.PositiveIntegerField(default=0)),
                ("malformed_found", models.PositiveIntegerField(default=0)),
                ("malformed_reasons", models.JSONField(blank=True, default=dict)),
                ("train", models.PositiveIntegerField(default=0)),
                ("validation", models.PositiveIntegerField(default=0)),
                ("gold_missing", models.JSONField(blank=True, default=dict)),
                ("compared_by", models.CharField(blank=True, max_length=8)),
                ("identity", models.CharField(blank=True, max_length=64)),
                ("identity_algorithm", models.CharField(blank=True, max_length=40)),
                ("archived_at", models.DateTimeField(blank=True, null=True)),
                (
                    "starter",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="datasets",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="MalformedEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField()),
                ("place", models.CharField(max_length=300)),
                ("reason", models.CharField(max_length=200)),
                ("detail", models.CharField(max_length=1000)),
                (
                    "dataset",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="malformed", to="datasets.dataset"
                    ),
                ),
            ],
            options={
                "ordering": ["dataset", "position"],
            },
        ),
        migrations.CreateModel(
            name="Question",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField()),
                ("question_id", models.CharField(max_length=200)),
                ("text", models.CharField(max_length=2000)),
                ("identity", models.CharField(max_length=64)),
                ("text_hash", models.CharField(max_length=64)),
                ("split", models.CharField(max_length=16)),
                ("document", models.JSONField()),
                (
                    "dataset",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="questions", to="datasets.dataset"
                    ),
                ),
            ],
            options={
                "ordering": ["dataset", "position"],
            },
        ),
        migrations.AddConstraint(
            model_name="dataset",
            constraint=models.UniqueConstraint(fields=("name", "version"), name="dataset_has_its_own_version"),
        ),
        migrations.AddConstraint(
            model_name="dataset",
            constraint=models.UniqueConstraint(
                fields=("name", "format", "file_sha256", "reader_version", "reading"),
                name="dataset_of_a_file_is_loaded_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="dataset",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["queued", "running", "succeeded", "failed", "cancelled"])),
                name="dataset_status_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="dataset",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("claim__isnull", False), ("lease_until__isnull", False), ("status", "running")),
                    models.Q(
                        models.Q(("status", "running"), _negated=True),
                        ("claim__isnull", True),
                        ("lease_until__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="dataset_is_claimed_exactly_while_running",
            ),
        ),
        migrations.AddConstraint(
            model_name="dataset",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("finished_at__isnull", False), ("status__in", ("succeeded", "failed", "cancelled"))),
                    models.Q(
                        models.Q(("status__in", ("succeeded", "failed", "cancelled")), _negated=True),
                        ("finished_at__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="dataset_has_an_end_exactly_when_over",
            ),
        ),
        migrations.AddConstraint(
            model_name="dataset",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("status", "succeeded"),
                        models.Q(("identity", ""), _negated=True),
                        models.Q(("identity_algorithm", ""), _negated=True),
                    ),
                    models.Q(
                        models.Q(("status", "succeeded"), _negated=True), ("identity", ""), ("identity_algorithm", "")
                    ),
                    _connector="OR",
                ),
                name="dataset_has_an_identity_exactly_when_loaded",
            ),
        ),
        migrations.AddConstraint(
            model_name="malformedentry",
            constraint=models.UniqueConstraint(
                fields=("dataset", "position"), name="malformed_entry_has_its_own_position"
            ),
        ),
        migrations.AddConstraint(
            model_name="question",
            constraint=models.UniqueConstraint(fields=("dataset", "position"), name="question_has_its_own_position"),
        ),
        migrations.AddConstraint(
            model_name="question",
            constraint=models.UniqueConstraint(fields=("dataset", "question_id"), name="question_has_its_own_id"),
        ),
    ]
