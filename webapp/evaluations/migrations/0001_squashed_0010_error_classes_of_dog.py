import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("evaluations", "0001_initial"),
        ("evaluations", "0002_evaluation_refused"),
        ("evaluations", "0003_sums_from_an_index"),
        ("evaluations", "0004_longer_verdict"),
        ("evaluations", "0005_snapshots_and_seen_questions"),
        ("evaluations", "0006_judged_decisions"),
        ("evaluations", "0007_blame_and_relation"),
        ("evaluations", "0008_others_systems_names_and_manifests"),
        ("evaluations", "0009_evaluated_question_case"),
        ("evaluations", "0010_error_classes_of_dog"),
    ]

    initial = True

    dependencies = [
        ("datasets", "0001_squashed_0003_missing_gold"),
        ("questions", "0001_squashed_0007_side_by_side"),
        ("uploads", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="EvaluatedQuestion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField()),
                ("seen", models.BooleanField(null=True)),
                ("question_id", models.CharField(max_length=200)),
                ("text", models.CharField(max_length=2000)),
                ("labels", models.JSONField(default=dict)),
                ("gold", models.JSONField()),
                ("given", models.JSONField(blank=True, null=True)),
                ("claim", models.UUIDField(blank=True, null=True)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("judged_at", models.DateTimeField(blank=True, null=True)),
                ("outcome", models.JSONField(blank=True, null=True)),
                ("verdict", models.CharField(blank=True, max_length=32)),
                ("case", models.CharField(blank=True, max_length=2)),
                ("right", models.BooleanField(null=True)),
                ("f1", models.FloatField(null=True)),
                ("seconds", models.FloatField(null=True)),
                ("leaves", models.PositiveSmallIntegerField(null=True)),
                ("hops", models.PositiveSmallIntegerField(null=True)),
                ("graph_gap", models.BooleanField(null=True)),
                ("answerable", models.BooleanField(null=True)),
                ("cause", models.CharField(blank=True, max_length=32)),
                ("dog_class", models.CharField(blank=True, max_length=16)),
                ("blamed_stage", models.CharField(blank=True, max_length=8)),
                ("relation", models.CharField(blank=True, max_length=300)),
                ("domain", models.CharField(blank=True, max_length=100)),
                ("confidence", models.FloatField(null=True)),
                (
                    "dataset_question",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="datasets.question",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="questions.reasoningrun",
                    ),
                ),
            ],
            options={
                "ordering": ["evaluation", "position"],
            },
        ),
        migrations.CreateModel(
            name="JudgedDecisions",
            fields=[
                (
                    "question",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="decisions",
                        serialize=False,
                        to="evaluations.evaluatedquestion",
                    ),
                ),
                ("events", models.JSONField()),
            ],
        ),
        migrations.CreateModel(
            name="Evaluation",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("note", models.CharField(blank=True, max_length=200)),
                ("group", models.CharField(blank=True, db_index=True, max_length=60)),
                ("starred", models.BooleanField(default=False)),
                ("dataset", models.CharField(max_length=300)),
                ("format", models.CharField(max_length=32)),
                ("fingerprint", models.CharField(blank=True, max_length=64)),
                ("compared_by", models.CharField(blank=True, max_length=8)),
                ("split", models.CharField(max_length=16)),
                ("limit", models.PositiveIntegerField(blank=True, null=True)),
                ("graph", models.CharField(blank=True, max_length=100)),
                ("graph_title", models.CharField(max_length=200)),
                ("graph_version", models.CharField(blank=True, max_length=100)),
                ("scorer", models.CharField(max_length=100)),
                ("predictions", models.JSONField(blank=True, null=True)),
                ("manifest", models.JSONField(blank=True, null=True)),
                ("switches", models.JSONField()),
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
                ("total", models.PositiveIntegerField(blank=True, null=True)),
                ("left_out", models.JSONField(blank=True, default=dict)),
                ("refused", models.JSONField(blank=True, default=list)),
                ("seen_in_training", models.JSONField(blank=True, null=True)),
                ("done", models.PositiveIntegerField(default=0)),
                ("figures", models.JSONField(blank=True, null=True)),
                ("figures_of", models.PositiveIntegerField(default=0)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("seen_at", models.DateTimeField()),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "snapshot",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="evaluations",
                        to="datasets.dataset",
                    ),
                ),
                (
                    "starter",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="evaluations",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "upload",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="uploads.upload",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.AddField(
            model_name="evaluatedquestion",
            name="evaluation",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="questions", to="evaluations.evaluation"
            ),
        ),
        migrations.AddConstraint(
            model_name="evaluation",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["queued", "running", "succeeded", "failed", "cancelled"])),
                name="evaluation_status_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="evaluation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("done", 0), ("total__isnull", True)), ("total__gte", models.F("done")), _connector="OR"
                ),
                name="evaluation_does_no_more_than_all",
            ),
        ),
        migrations.AddConstraint(
            model_name="evaluation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("finished_at__isnull", False), ("status__in", ("succeeded", "failed", "cancelled"))),
                    models.Q(
                        models.Q(("status__in", ("succeeded", "failed", "cancelled")), _negated=True),
                        ("finished_at__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="evaluation_has_an_end_exactly_when_over",
            ),
        ),
        migrations.AddIndex(
            model_name="evaluatedquestion",
            index=models.Index(fields=["evaluation", "case"], name="evaluated_question_by_case"),
        ),
        migrations.AddIndex(
            model_name="evaluatedquestion",
            index=models.Index(fields=["evaluation", "right", "f1"], name="evaluated_question_sums"),
        ),
        migrations.AddIndex(
            model_name="evaluatedquestion",
            index=models.Index(
                fields=[
                    "evaluation",
                    "right",
                    "position",
                    "case",
                    "cause",
                    "blamed_stage",
                    "relation",
                    "domain",
                    "leaves",
                    "hops",
                    "confidence",
                    "f1",
                    "graph_gap",
                    "question_id",
                    "dog_class",
                ],
                name="evaluated_question_case",
            ),
        ),
        migrations.AddIndex(
            model_name="evaluatedquestion",
            index=models.Index(
                condition=models.Q(("judged_at__isnull", True)),
                fields=["evaluation", "position"],
                name="evaluated_question_open",
            ),
        ),
        migrations.AddConstraint(
            model_name="evaluatedquestion",
            constraint=models.UniqueConstraint(
                fields=("evaluation", "position"), name="evaluated_question_has_its_own_position"
            ),
        ),
        migrations.AddConstraint(
            model_name="evaluatedquestion",
            constraint=models.UniqueConstraint(
                fields=("evaluation", "question_id"), name="evaluated_question_is_asked_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="evaluatedquestion",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("judged_at__isnull", True), ("right__isnull", True)),
                    models.Q(("judged_at__isnull", False), ("right__isnull", False)),
                    _connector="OR",
                ),
                name="evaluated_question_is_judged_as_a_whole",
            ),
        ),
        migrations.AddConstraint(
            model_name="evaluatedquestion",
            constraint=models.CheckConstraint(
                condition=models.Q(("judged_at__isnull", True), ("claim__isnull", True), _connector="OR"),
                name="judged_question_is_held_by_nobody",
            ),
        ),
    ]
