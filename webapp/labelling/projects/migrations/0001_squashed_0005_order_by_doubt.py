import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("annotation", "0001_initial"),
        ("annotation", "0002_sent_back_and_adjudicating"),
        ("annotation", "0003_move_of_a_project"),
        ("annotation", "0004_move_is_of_a_project"),
        ("annotation", "0005_order_by_doubt"),
    ]

    initial = True

    dependencies = [
        ("datasets", "0001_squashed_0003_missing_gold"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Assignment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("round", models.PositiveSmallIntegerField(default=0)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "open"),
                            ("skipped", "skipped"),
                            ("submitted", "handed in"),
                            ("adjudicating", "adjudicating"),
                        ],
                        default="open",
                        max_length=16,
                    ),
                ),
                ("holds", models.BooleanField(default=True)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("sent_back", models.BooleanField(default=False)),
                ("draft", models.JSONField(blank=True, default=dict)),
                ("last", models.PositiveIntegerField(default=0)),
                ("flagged", models.BooleanField(default=False)),
                ("seconds", models.PositiveIntegerField(default=0)),
                ("timed_at", models.DateTimeField(blank=True, null=True)),
                ("guideline", models.PositiveIntegerField(default=0)),
                ("started_at", models.DateTimeField(auto_now_add=True)),
                ("moved_at", models.DateTimeField(blank=True, null=True)),
                ("submitted_at", models.DateTimeField(blank=True, null=True)),
                ("answers", models.JSONField(blank=True, null=True)),
                ("score", models.FloatField(blank=True, null=True)),
                (
                    "person",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="assignments",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["task", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Project",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("title", models.CharField(max_length=200)),
                ("graph", models.CharField(max_length=100)),
                ("graph_title", models.CharField(max_length=200)),
                ("graph_version", models.CharField(max_length=100)),
                ("overlap", models.PositiveSmallIntegerField(default=1)),
                (
                    "order",
                    models.CharField(
                        choices=[
                            ("given", "as in the dataset"),
                            ("random", "at random"),
                            ("chosen", "as they were chosen"),
                            ("asked", "what people ask most often first"),
                            ("doubt", "where the model is least sure first"),
                        ],
                        default="given",
                        max_length=16,
                    ),
                ),
                (
                    "suggests",
                    models.CharField(
                        choices=[
                            ("nothing", "nothing"),
                            ("dataset", "what the dataset says"),
                            ("model", "what a model decides"),
                        ],
                        default="nothing",
                        max_length=16,
                    ),
                ),
                ("blind_percent", models.PositiveSmallIntegerField(default=0)),
                ("qualification_size", models.PositiveSmallIntegerField(default=0)),
                ("qualification_percent", models.PositiveSmallIntegerField(default=80)),
                ("known_percent", models.PositiveSmallIntegerField(default=0)),
                ("tasks_total", models.PositiveIntegerField(default=0)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("archived_at", models.DateTimeField(blank=True, null=True)),
                (
                    "creator",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="projects_made",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "dataset",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="projects", to="datasets.dataset"
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="Move",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("move_id", models.UUIDField()),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("was", models.JSONField()),
                ("now", models.JSONField()),
                ("fields", models.CharField(max_length=300)),
                ("undoes", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="moves", to="annotation.assignment"
                    ),
                ),
                (
                    "who",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="moves",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="moves",
                        to="annotation.project",
                    ),
                ),
            ],
            options={
                "ordering": ["assignment", "number"],
            },
        ),
        migrations.CreateModel(
            name="Member",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "role",
                    models.CharField(
                        choices=[("annotator", "annotator"), ("reviewer", "reviewer"), ("manager", "manager")],
                        default="annotator",
                        max_length=16,
                    ),
                ),
                ("labels", models.BooleanField(default=True)),
                ("joined_at", models.DateTimeField(auto_now_add=True)),
                ("left_at", models.DateTimeField(blank=True, null=True)),
                (
                    "standing",
                    models.CharField(
                        choices=[
                            ("open", "not done yet"),
                            ("passed", "passed"),
                            ("failed", "not passed"),
                            ("let_in", "let in"),
                        ],
                        default="open",
                        max_length=16,
                    ),
                ),
                ("round", models.PositiveSmallIntegerField(default=1)),
                ("guideline_seen", models.PositiveIntegerField(default=0)),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="members", to="annotation.project"
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="assignment",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="assignments", to="annotation.project"
            ),
        ),
        migrations.CreateModel(
            name="SentBack",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("comment", models.TextField(max_length=2000)),
                ("last", models.PositiveIntegerField()),
                ("against", models.JSONField(blank=True, null=True)),
                ("sent_at", models.DateTimeField(auto_now_add=True)),
                ("reply", models.TextField(blank=True, max_length=2000)),
                ("answered_at", models.DateTimeField(blank=True, null=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sendings_back",
                        to="annotation.assignment",
                    ),
                ),
                (
                    "sender",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="labels_sent_back",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["assignment", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="Suggesting",
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
                ("scorer", models.CharField(max_length=100)),
                ("strategy", models.CharField(default="reads", max_length=40)),
                ("width", models.PositiveSmallIntegerField(default=3)),
                ("wanted", models.PositiveIntegerField()),
                ("position", models.PositiveIntegerField(default=0)),
                ("found", models.PositiveIntegerField(default=0)),
                ("unanswered", models.PositiveIntegerField(default=0)),
                ("late", models.PositiveIntegerField(default=0)),
                (
                    "project",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="suggesting", to="annotation.project"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Task",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField()),
                ("free", models.PositiveSmallIntegerField()),
                ("round", models.PositiveSmallIntegerField(default=0)),
                ("known", models.JSONField(blank=True, null=True)),
                ("blind", models.BooleanField(default=False)),
                ("suggestion", models.JSONField(blank=True, null=True)),
                ("doubt", models.FloatField(blank=True, null=True)),
                ("rank", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="tasks", to="annotation.project"
                    ),
                ),
                (
                    "question",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="tasks", to="datasets.question"
                    ),
                ),
            ],
            options={
                "ordering": ["project", "position"],
            },
        ),
        migrations.CreateModel(
            name="Guideline",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveIntegerField()),
                ("text", models.TextField(blank=True, max_length=50000)),
                ("changed", models.CharField(blank=True, max_length=300)),
                ("written_at", models.DateTimeField(auto_now_add=True)),
                (
                    "writer",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="guidelines",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="guidelines", to="annotation.project"
                    ),
                ),
                (
                    "because",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="guidelines",
                        to="annotation.task",
                    ),
                ),
            ],
            options={
                "ordering": ["project", "-version"],
            },
        ),
        migrations.AddField(
            model_name="assignment",
            name="task",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="assignments", to="annotation.task"
            ),
        ),
        migrations.AddConstraint(
            model_name="project",
            constraint=models.CheckConstraint(
                condition=models.Q(("order__in", ["given", "random", "chosen", "asked", "doubt"])),
                name="project_order_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="project",
            constraint=models.CheckConstraint(
                condition=models.Q(("suggests__in", ["nothing", "dataset", "model"])),
                name="project_suggests_what_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="project",
            constraint=models.CheckConstraint(
                condition=models.Q(("overlap__gte", 1)), name="project_overlap_is_one_at_least"
            ),
        ),
        migrations.AddConstraint(
            model_name="project",
            constraint=models.CheckConstraint(
                condition=models.Q(("blind_percent__lte", 100)), name="project_blind_percent_is_a_share"
            ),
        ),
        migrations.AddConstraint(
            model_name="project",
            constraint=models.CheckConstraint(
                condition=models.Q(("known_percent__lte", 100), ("qualification_percent__lte", 100)),
                name="project_quality_is_in_shares",
            ),
        ),
        migrations.AddIndex(
            model_name="move",
            index=models.Index(
                fields=["project", "-at", "-id", "who", "fields", "assignment"], name="move_of_a_project"
            ),
        ),
        migrations.AddConstraint(
            model_name="move",
            constraint=models.UniqueConstraint(fields=("assignment", "number"), name="move_has_its_own_number"),
        ),
        migrations.AddConstraint(
            model_name="move",
            constraint=models.UniqueConstraint(fields=("assignment", "move_id"), name="move_counts_once"),
        ),
        migrations.AddConstraint(
            model_name="member",
            constraint=models.UniqueConstraint(fields=("project", "person"), name="member_is_in_a_project_once"),
        ),
        migrations.AddConstraint(
            model_name="member",
            constraint=models.CheckConstraint(
                condition=models.Q(("role__in", ["annotator", "reviewer", "manager"])), name="member_role_is_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="member",
            constraint=models.CheckConstraint(
                condition=models.Q(("standing__in", ["open", "passed", "failed", "let_in"])),
                name="member_standing_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="member",
            constraint=models.CheckConstraint(
                condition=models.Q(models.Q(("role", "annotator"), _negated=True), ("labels", True), _connector="OR"),
                name="member_who_is_an_annotator_labels",
            ),
        ),
        migrations.AddConstraint(
            model_name="sentback",
            constraint=models.UniqueConstraint(
                condition=models.Q(("answered_at__isnull", True)),
                fields=("assignment",),
                name="label_is_sent_back_once_at_a_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="suggesting",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["queued", "running", "succeeded", "failed", "cancelled"])),
                name="suggesting_status_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="suggesting",
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
                name="suggesting_is_claimed_exactly_while_running",
            ),
        ),
        migrations.AddConstraint(
            model_name="suggesting",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("finished_at__isnull", False), ("status__in", ("succeeded", "failed", "cancelled"))),
                    models.Q(
                        models.Q(("status__in", ("succeeded", "failed", "cancelled")), _negated=True),
                        ("finished_at__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="suggesting_has_an_end_exactly_when_over",
            ),
        ),
        migrations.AddIndex(
            model_name="task",
            index=models.Index(
                condition=models.Q(("free__gt", 0)), fields=["project", "position"], name="task_is_free"
            ),
        ),
        migrations.AddIndex(
            model_name="task",
            index=models.Index(
                condition=models.Q(("round__gt", 0)), fields=["project", "round"], name="task_of_a_round"
            ),
        ),
        migrations.AddConstraint(
            model_name="task",
            constraint=models.UniqueConstraint(fields=("project", "position"), name="task_has_its_own_position"),
        ),
        migrations.AddConstraint(
            model_name="task",
            constraint=models.UniqueConstraint(fields=("project", "question"), name="task_is_one_of_a_question"),
        ),
        migrations.AddConstraint(
            model_name="task",
            constraint=models.CheckConstraint(
                condition=models.Q(("round", 0), models.Q(("free", 0), ("known__isnull", False)), _connector="OR"),
                name="task_of_a_round_has_known_answers",
            ),
        ),
        migrations.AddConstraint(
            model_name="guideline",
            constraint=models.UniqueConstraint(fields=("project", "version"), name="guideline_has_its_own_version"),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(fields=["project", "lease_until"], name="assignment_lapses"),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(fields=["project", "person", "state"], name="assignment_of_a_person"),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(
                condition=models.Q(("sent_back", True)), fields=["person"], name="assignment_is_sent_back"
            ),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(
                condition=models.Q(("state", "submitted")),
                fields=["project", "-submitted_at", "-id"],
                name="assignment_handed_in",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(fields=("task", "person"), name="assignment_is_one_of_a_person"),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["open", "skipped", "submitted", "adjudicating"])),
                name="assignment_state_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("state", "open"),
                    models.Q(("holds", False), ("state__in", ("skipped", "adjudicating"))),
                    models.Q(("holds", True), ("state", "submitted")),
                    _connector="OR",
                ),
                name="assignment_holds_what_is_handed_in",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("holds", True), ("lease_until__isnull", False), ("sent_back", False), ("state", "open")),
                    ("lease_until__isnull", True),
                    _connector="OR",
                ),
                name="assignment_has_a_lease_only_while_it_is_open",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("sent_back", False), models.Q(("state", "submitted"), _negated=True), _connector="OR"
                ),
                name="assignment_sent_back_is_not_handed_in",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("answers__isnull", False), ("state", "submitted")),
                    models.Q(models.Q(("state", "submitted"), _negated=True), ("answers__isnull", True)),
                    _connector="OR",
                ),
                name="assignment_gives_answers_once_handed_in",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.CheckConstraint(
                condition=models.Q(("score__isnull", True), ("state", "submitted"), _connector="OR"),
                name="assignment_has_a_score_once_handed_in",
            ),
        ),
    ]
