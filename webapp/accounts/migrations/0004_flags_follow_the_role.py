from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_people_of_today"),
    ]

    operations = [
        migrations.AddConstraint(
            model_name="user",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("is_staff", True), ("is_superuser", True), ("role", "admin")),
                    models.Q(models.Q(("role", "admin"), _negated=True), ("is_staff", False), ("is_superuser", False)),
                    _connector="OR",
                ),
                name="user_flags_follow_the_role",
            ),
        ),
    ]
