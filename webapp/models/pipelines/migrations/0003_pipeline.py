"""The model `Chain` becomes `Pipeline`. Its table keeps its name, so no data moves."""

from __future__ import annotations

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("learning", "0002_language_models")]

    operations = [
        migrations.AlterModelTable(name="chain", table="learning_chain"),
        migrations.RenameModel(old_name="Chain", new_name="Pipeline"),
    ]
