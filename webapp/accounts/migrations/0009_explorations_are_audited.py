from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0008_evaluations_are_changed_and_deleted"),
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
                    ("evaluation_changed", "renamed or grouped the evaluation"),
                    ("evaluation_removed", "deleted the evaluation"),
                    ("overlay_kept", "kept the corrections"),
                    ("overlay_removed", "removed the corrections"),
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
                    ("project_made", "made the annotation project"),
                    ("project_changed", "changed the annotation project"),
                    ("exploration_removed", "removed the exploration of somebody else"),
                    ("run_cancelled", "stopped the run of somebody else"),
                    ("admin_site", "in the administration"),
                ],
                max_length=32,
            ),
        ),
    ]
