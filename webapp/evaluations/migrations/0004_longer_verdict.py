"""Room for the longest verdict."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """See the module."""

    dependencies = [("evaluations", "0003_sums_from_an_index")]

    operations = [
        migrations.AlterField(
            model_name="evaluatedquestion",
            name="verdict",
            field=models.CharField(blank=True, max_length=32),
        )
    ]
