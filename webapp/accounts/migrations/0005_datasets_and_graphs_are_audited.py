"""Datasets and graphs are audited."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0004_flags_follow_the_role"),
    ]

    operations = [
        migrations.AlterField(
            model_name="auditentry",
            name="what",
            field=models.CharField(
                choices=[
                    ("role_changed", "changed the role of"),
                    ("person_deactivated", "closed the account of"),
                    ("person_reactivated", "opened the account again of"),
                    ("person_deleted", "deleted the account of"),
                    ("sessions_ended", "signed out everywhere"),
                    ("tokens_revoked", "revoked the tokens of"),
                    ("invited", "invited"),
                    ("invitation_revoked", "took back the invitation of"),
                    ("invitation_accepted", "accepted an invitation as"),
                    ("evaluation_started", "started the evaluation"),
                    ("evaluation_cancelled", "stopped the evaluation"),
                    ("evaluation_resumed", "resumed the evaluation"),
                    ("training_started", "started the training"),
                    ("training_cancelled", "stopped the training"),
                    ("training_resumed", "resumed the training"),
                    ("dataset_loaded", "loaded the dataset"),
                    ("dataset_cancelled", "stopped loading the dataset"),
                    ("dataset_archived", "archived the dataset"),
                    ("dataset_restored", "offered again the dataset"),
                    ("dataset_removed", "removed the dataset"),
                    ("graph_load_started", "started to load the graph"),
                    ("graph_load_cancelled", "stopped loading the graph"),
                    ("graph_removed", "removed the graph"),
                    ("run_cancelled", "stopped the run of somebody else"),
                    ("admin_site", "in the administration"),
                ],
                max_length=32,
            ),
        ),
    ]
