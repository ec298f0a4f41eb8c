import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("scorers", "0001_initial"),
        ("scorers", "0002_lessons_and_sent_recipes"),
        ("scorers", "0003_weak_labels"),
        ("scorers", "0004_language_models"),
        ("scorers", "0005_strategies"),
    ]

    initial = True

    dependencies = [
        ("datasets", "0001_squashed_0003_missing_gold"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="SiteRecipe",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60, unique=True)),
                ("text", models.TextField()),
                ("sent_at", models.DateTimeField(auto_now=True)),
                (
                    "sender",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="recipes",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="Training",
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
                ("name", models.CharField(max_length=60)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("encoder", "an encoder"),
                            ("causal", "a language model"),
                            ("strategy", "the weights of a strategy"),
                        ],
                        default="encoder",
                        max_length=16,
                    ),
                ),
                ("base", models.CharField(blank=True, max_length=200)),
                (
                    "queue",
                    models.CharField(
                        choices=[("cpu.background", "cpu.background"), ("gpu.background", "gpu.background")],
                        default="cpu.background",
                        max_length=16,
                    ),
                ),
                ("recipe", models.CharField(blank=True, max_length=100)),
                ("recipe_text", models.TextField(blank=True)),
                ("start", models.CharField(blank=True, max_length=100)),
                ("how", models.JSONField(blank=True, default=dict)),
                ("epochs", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("seed", models.PositiveIntegerField(blank=True, null=True)),
                ("stage", models.CharField(blank=True, max_length=100)),
                ("epoch", models.PositiveSmallIntegerField(default=0)),
                ("of_epochs", models.PositiveSmallIntegerField(default=0)),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("loss", models.FloatField(blank=True, null=True)),
                ("log", models.JSONField(blank=True, default=list)),
                (
                    "starter",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="trainings",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="TrainingLesson",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("graph", models.CharField(blank=True, max_length=100)),
                ("share", models.FloatField(default=1.0)),
                (
                    "topics",
                    models.CharField(
                        choices=[("named", "they are found in the question"), ("given", "they are given")],
                        default="named",
                        max_length=8,
                    ),
                ),
                ("overlay", models.UUIDField(blank=True, null=True)),
                ("least_precision", models.FloatField(blank=True, null=True)),
                (
                    "dataset",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="lessons",
                        to="datasets.dataset",
                    ),
                ),
                (
                    "training",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="lessons", to="scorers.training"
                    ),
                ),
            ],
            options={
                "ordering": ["training", "pk"],
            },
        ),
        migrations.AddConstraint(
            model_name="training",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["queued", "running", "succeeded", "failed", "cancelled"])),
                name="training_status_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="training",
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
                name="training_is_claimed_exactly_while_running",
            ),
        ),
        migrations.AddConstraint(
            model_name="training",
            constraint=models.UniqueConstraint(
                condition=models.Q(("status__in", ("succeeded", "failed", "cancelled")), _negated=True),
                fields=("name",),
                name="one_training_of_a_name_at_a_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="training",
            constraint=models.UniqueConstraint(
                condition=models.Q(("status", "running")),
                fields=("queue", "status"),
                name="one_training_runs_at_a_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="training",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(models.Q(("kind", "causal"), _negated=True), ("base", "")),
                    models.Q(("kind", "causal"), models.Q(("base", ""), _negated=True)),
                    _connector="OR",
                ),
                name="training_has_a_base_if_of_a_language_model",
            ),
        ),
        migrations.AddConstraint(
            model_name="traininglesson",
            constraint=models.CheckConstraint(condition=models.Q(("share__gt", 0)), name="lesson_has_a_share"),
        ),
    ]
