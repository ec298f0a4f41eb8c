"""What was to blame for an answer, how sure it was, and what its gold derivation ends with.

All but what was to blame is read from the outcomes that there are.
"""

from django.db import migrations, models

_ROWS_AT_ONCE = 500


def fill(apps, _):
    """Write confidence, relation and domain of what was judged before."""
    questions = apps.get_model("evaluations", "EvaluatedQuestion").objects
    rows = []
    for row in questions.filter(outcome__isnull=False).only("outcome").iterator(_ROWS_AT_ONCE):
        row.confidence = row.outcome.get("confidence")
        gold = row.outcome.get("gold_derivation")
        if gold is not None and gold["answer"]:
            row.relation = gold["search"][gold["answer"] - 1][1].removeprefix("^")[:300]
            row.domain = row.relation.partition(".")[0][:100]
        rows.append(row)
        if len(rows) == _ROWS_AT_ONCE:
            questions.bulk_update(rows, ["confidence", "relation", "domain"])
            rows = []
    questions.bulk_update(rows, ["confidence", "relation", "domain"])


class Migration(migrations.Migration):
    dependencies = [
        ("evaluations", "0006_judged_decisions"),
    ]

    operations = [
        migrations.AddField(
            model_name="evaluatedquestion",
            name="blamed_stage",
            field=models.CharField(blank=True, max_length=8),
        ),
        migrations.AddField(
            model_name="evaluatedquestion",
            name="cause",
            field=models.CharField(blank=True, max_length=32),
        ),
        migrations.AddField(
            model_name="evaluatedquestion",
            name="confidence",
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name="evaluatedquestion",
            name="domain",
            field=models.CharField(blank=True, max_length=100),
        ),
        migrations.AddField(
            model_name="evaluatedquestion",
            name="relation",
            field=models.CharField(blank=True, max_length=300),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
