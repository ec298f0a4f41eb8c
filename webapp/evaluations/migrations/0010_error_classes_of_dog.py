from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("evaluations", "0009_evaluated_question_case"),
    ]

    operations = [
        migrations.RemoveIndex(model_name="evaluatedquestion", name="evaluated_question_case"),
        migrations.AddField(
            model_name="evaluatedquestion",
            name="dog_class",
            field=models.CharField(blank=True, default="", max_length=16),
            preserve_default=False,
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
    ]
