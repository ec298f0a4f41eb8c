import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("learning", "0001_initial"),
        ("learning", "0002_language_models"),
    ]

    initial = True

    dependencies = [
        ("datasets", "0001_squashed_0003_missing_gold"),
        ("evaluations", "0001_squashed_0010_error_classes_of_dog"),
        ("scorers", "0001_squashed_0005_strategies"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="DefaultChoice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("scorer", models.CharField(blank=True, max_length=100)),
                ("before", models.CharField(blank=True, max_length=100)),
                ("chosen_at", models.DateTimeField(auto_now_add=True)),
                (
                    "chooser",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="defaults_chosen",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "evaluation",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="evaluations.evaluation",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="HeldOut",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("split", models.CharField(max_length=16)),
                ("limit", models.PositiveIntegerField(blank=True, null=True)),
                ("graph", models.CharField(max_length=100)),
                ("questions", models.PositiveIntegerField()),
                ("pinned_at", models.DateTimeField(auto_now_add=True)),
                (
                    "dataset",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="held_out", to="datasets.dataset"
                    ),
                ),
                (
                    "pinner",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="held_out",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-pinned_at"],
            },
        ),
        migrations.CreateModel(
            name="Chain",
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
                    "link",
                    models.CharField(
                        choices=[
                            ("snapshot", "Snapshot"),
                            ("train", "Train"),
                            ("evaluate", "Evaluate"),
                            ("compare", "Compare"),
                            ("review", "Review"),
                        ],
                        default="snapshot",
                        max_length=16,
                    ),
                ),
                ("awaits", models.BooleanField(default=False)),
                ("sources", models.JSONField()),
                ("lessons", models.JSONField(blank=True, default=list)),
                ("start", models.CharField(blank=True, max_length=100)),
                (
                    "kind",
                    models.CharField(
                        choices=[("encoder", "an encoder"), ("causal", "a language model")],
                        default="encoder",
                        max_length=16,
                    ),
                ),
                ("base", models.CharField(blank=True, max_length=200)),
                ("how", models.JSONField(blank=True, default=dict)),
                ("against", models.CharField(blank=True, max_length=100)),
                ("comparison", models.JSONField(blank=True, null=True)),
                ("reviewed_at", models.DateTimeField(blank=True, null=True)),
                ("note", models.CharField(blank=True, max_length=1000)),
                (
                    "baseline",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="evaluations.evaluation",
                    ),
                ),
                (
                    "evaluation",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="evaluations.evaluation",
                    ),
                ),
                (
                    "reviewer",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="chains_reviewed",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "starter",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="chains",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "training",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="chains",
                        to="scorers.training",
                    ),
                ),
                (
                    "held_out",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="chains", to="learning.heldout"
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.AddConstraint(
            model_name="heldout",
            constraint=models.CheckConstraint(
                condition=models.Q(("split__in", ("validation", "all"))), name="held_out_is_not_for_training"
            ),
        ),
        migrations.AddConstraint(
            model_name="chain",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["queued", "running", "succeeded", "failed", "cancelled"])),
                name="chain_status_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="chain",
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
                name="chain_is_claimed_exactly_while_running",
            ),
        ),
        migrations.AddConstraint(
            model_name="chain",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("finished_at__isnull", False), ("status__in", ("succeeded", "failed", "cancelled"))),
                    models.Q(
                        models.Q(("status__in", ("succeeded", "failed", "cancelled")), _negated=True),
                        ("finished_at__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="chain_has_an_end_exactly_when_over",
            ),
        ),
        migrations.AddConstraint(
            model_name="chain",
            constraint=models.CheckConstraint(
                condition=models.Q(("link__in", ["snapshot", "train", "evaluate", "compare", "review"])),
                name="chain_link_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="chain",
            constraint=models.UniqueConstraint(
                condition=models.Q(("status__in", ("succeeded", "failed", "cancelled")), _negated=True),
                fields=("name",),
                name="one_chain_of_a_name_at_a_time",
            ),
        ),
    ]
