import django.db.models.deletion
from django.db import migrations, models


def fill(apps, _schema_editor):
    move = apps.get_model("annotation", "Move")
    assignment = apps.get_model("annotation", "Assignment")
    own = assignment.objects.filter(pk=models.OuterRef("assignment")).values("project")
    move.objects.update(project=models.Subquery(own))
    for row in move.objects.only("pk", "now").iterator():
        move.objects.filter(pk=row.pk).update(fields=" ".join(sorted(row.now)))


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0002_sent_back_and_adjudicating"),
    ]

    operations = [
        migrations.AddField(
            model_name="move",
            name="fields",
            field=models.CharField(default="", max_length=300),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="move",
            name="project",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="moves",
                to="annotation.project",
            ),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
    ]
