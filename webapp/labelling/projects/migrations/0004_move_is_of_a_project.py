import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0003_move_of_a_project"),
    ]

    operations = [
        migrations.AlterField(
            model_name="move",
            name="project",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="moves",
                to="annotation.project",
            ),
        ),
        migrations.AddIndex(
            model_name="move",
            index=models.Index(
                fields=["project", "-at", "-id", "who", "fields", "assignment"], name="move_of_a_project"
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
    ]
