from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("scorers", "0002_lessons_and_sent_recipes"),
    ]

    operations = [
        migrations.AddField(
            model_name="traininglesson",
            name="least_precision",
            field=models.FloatField(blank=True, null=True),
        ),
    ]
