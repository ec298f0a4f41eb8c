"""Count the questions without a gold derivation, and allow a file to be read again."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from django.db import migrations, models

if TYPE_CHECKING:
    from django.apps.registry import Apps
    from django.db.backends.base.schema import BaseDatabaseSchemaEditor

_ROWS_AT_ONCE = 500
_NO_PARSE = "the benchmark has no parse"


def count_missing_gold(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Count them in every dataset that is loaded."""
    dataset_model = apps.get_model("datasets", "Dataset")
    question_model = apps.get_model("datasets", "Question")
    database = schema_editor.connection.alias
    for dataset in dataset_model.objects.using(database).filter(status="succeeded"):
        documents = question_model.objects.using(database).filter(dataset=dataset).values_list("document", flat=True)
        problems = Counter(_problem(document["parses"]) for document in documents.iterator(_ROWS_AT_ONCE))
        del problems[""]
        dataset.gold_missing = dict(problems)
        dataset.save(update_fields=["gold_missing"])


def _problem(parses: list[dict[str, object]]) -> str:
    if any(parse["derivation"] is not None for parse in parses):
        return ""
    return str(parses[0]["problem"]) if parses else _NO_PARSE


class Migration(migrations.Migration):
    dependencies = [
        ("datasets", "0002_reader_versions"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="dataset", name="dataset_of_a_file_is_loaded_once"),
        migrations.AddField(model_name="dataset", name="reading", field=models.PositiveSmallIntegerField(default=1)),
        migrations.AddField(
            model_name="dataset", name="gold_missing", field=models.JSONField(blank=True, default=dict)
        ),
        migrations.AddConstraint(
            model_name="dataset",
            constraint=models.UniqueConstraint(
                fields=("name", "format", "file_sha256", "reader_version", "reading"),
                name="dataset_of_a_file_is_loaded_once",
            ),
        ),
        migrations.RunPython(count_missing_gold, migrations.RunPython.noop),
    ]
