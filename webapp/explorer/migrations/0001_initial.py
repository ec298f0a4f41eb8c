import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Exploration",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=200)),
                ("graph", models.CharField(max_length=200)),
                ("graph_version", models.CharField(max_length=100)),
                (
                    "readers",
                    models.CharField(
                        choices=[
                            ("me", "nobody else"),
                            ("people", "whoever is signed in"),
                            ("link", "whoever has the link"),
                        ],
                        default="me",
                        max_length=8,
                    ),
                ),
                ("content", models.TextField()),
                ("revision", models.PositiveIntegerField(default=1)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField()),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="explorations",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-updated_at"],
                "indexes": [
                    models.Index(fields=["owner", "-updated_at"], name="explorations_of_owner"),
                    models.Index(fields=["readers", "-updated_at"], name="explorations_shared"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("readers__in", ["me", "people", "link"])),
                        name="exploration_readers_are_known",
                    )
                ],
            },
        ),
    ]
