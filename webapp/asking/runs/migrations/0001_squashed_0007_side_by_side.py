import django.db.models.deletion
import uuid
import webapp.asking.runs.models
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("questions", "0001_initial"),
        ("questions", "0002_run_switches"),
        ("questions", "0003_strategy_and_judged_decisions"),
        ("questions", "0004_variants"),
        ("questions", "0005_own_questions"),
        ("questions", "0006_may_be_labelled"),
        ("questions", "0007_side_by_side"),
    ]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Question",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text", models.CharField(max_length=2000)),
                ("visitor", models.UUIDField(blank=True, null=True)),
                ("asked_at", models.DateTimeField(auto_now_add=True)),
                ("starred", models.BooleanField(default=False)),
                ("may_be_labelled", models.BooleanField(default=False)),
                (
                    "asker",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=webapp.asking.runs.models.leave_what_others_rest_on,
                        related_name="questions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ReasoningRun",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("graph", models.CharField(max_length=100)),
                ("graph_title", models.CharField(max_length=200)),
                ("graph_version", models.CharField(max_length=100)),
                ("topic", models.CharField(blank=True, max_length=200)),
                ("scorer", models.CharField(max_length=100)),
                ("strategy", models.CharField(default="reads", max_length=40)),
                ("switches", models.JSONField(blank=True, default=dict)),
                ("decided", models.JSONField(blank=True, default=list)),
                ("change", models.JSONField(blank=True, default=dict)),
                ("what_if", models.CharField(blank=True, max_length=300)),
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
                        default="queued",
                        max_length=16,
                    ),
                ),
                ("last_seq", models.PositiveIntegerField(default=0)),
                ("answers", models.JSONField(blank=True, default=list)),
                ("verdict", models.CharField(blank=True, max_length=32)),
                ("claim", models.UUIDField(blank=True, null=True)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("enqueued_at", models.DateTimeField()),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "original",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tree",
                        to="questions.reasoningrun",
                    ),
                ),
                (
                    "parent",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="variants",
                        to="questions.reasoningrun",
                    ),
                ),
                (
                    "question",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="runs", to="questions.question"
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="RunEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("seq", models.PositiveIntegerField()),
                ("kind", models.CharField(max_length=32)),
                ("event", models.JSONField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="events", to="questions.reasoningrun"
                    ),
                ),
            ],
            options={
                "ordering": ["run", "seq"],
            },
        ),
        migrations.CreateModel(
            name="SideBySide",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "question",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="side_by_side",
                        to="questions.question",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.AddField(
            model_name="reasoningrun",
            name="side_by_side",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="runs",
                to="questions.sidebyside",
            ),
        ),
        migrations.AddIndex(
            model_name="question",
            index=models.Index(fields=["visitor", "-asked_at"], name="questions_q_visitor_ba7909_idx"),
        ),
        migrations.AddConstraint(
            model_name="question",
            constraint=models.CheckConstraint(
                condition=models.Q(("text", ""), _negated=True), name="question_is_not_empty"
            ),
        ),
        migrations.AddConstraint(
            model_name="runevent",
            constraint=models.UniqueConstraint(fields=("run", "seq"), name="event_has_its_own_seq"),
        ),
        migrations.AddConstraint(
            model_name="runevent",
            constraint=models.CheckConstraint(condition=models.Q(("seq__gte", 1)), name="event_counts_from_one"),
        ),
        migrations.AddIndex(
            model_name="reasoningrun",
            index=models.Index(
                condition=models.Q(("status__in", ("queued", "running"))), fields=["lease_until"], name="run_not_over"
            ),
        ),
        migrations.AddConstraint(
            model_name="reasoningrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["queued", "running", "succeeded", "failed", "cancelled"])),
                name="run_status_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="reasoningrun",
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
                name="run_is_claimed_exactly_while_running",
            ),
        ),
        migrations.AddConstraint(
            model_name="reasoningrun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("finished_at__isnull", False), ("status__in", ("succeeded", "failed", "cancelled"))),
                    models.Q(
                        models.Q(("status__in", ("succeeded", "failed", "cancelled")), _negated=True),
                        ("finished_at__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="run_has_an_end_exactly_when_over",
            ),
        ),
        migrations.AddConstraint(
            model_name="reasoningrun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("change", {}), ("original__isnull", True), ("parent__isnull", True)),
                    models.Q(
                        ("original__isnull", False), ("parent__isnull", False), models.Q(("change", {}), _negated=True)
                    ),
                    _connector="OR",
                ),
                name="run_changes_its_parent",
            ),
        ),
    ]
