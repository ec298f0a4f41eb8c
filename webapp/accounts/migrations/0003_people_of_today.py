"""Bring accounts and sessions of before into step.

Until now Django's flags decided, and the role was a word beside them. Whoever could act as an administrator becomes one
by role, and whoever was made one by role gets the flags. Sessions that are open stay so, and are listed from now on.
"""

from django.contrib.sessions.backends.db import SessionStore
from django.db import migrations
from django.db.models import Q
from django.utils import timezone


def keep_administrators(apps, _schema_editor):
    users = apps.get_model("accounts", "User").objects
    users.filter(Q(is_staff=True) | Q(is_superuser=True)).update(role="admin")
    users.filter(role="admin").update(is_staff=True, is_superuser=True)


def list_sessions(apps, _schema_editor):
    users = set(map(str, apps.get_model("accounts", "User").objects.values_list("pk", flat=True)))
    sessions = apps.get_model("sessions", "Session").objects.filter(expire_date__gt=timezone.now())
    listed = apps.get_model("accounts", "SignedInSession").objects
    for session in sessions.iterator():
        user = SessionStore().decode(session.session_data).get("_auth_user_id")
        if user in users:
            listed.create(user_id=user, session_key=session.session_key, browser="a browser", address="")


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_access"),
        ("sessions", "0001_initial"),
    ]

    operations = [
        migrations.RunPython(keep_administrators, migrations.RunPython.noop),
        migrations.RunPython(list_sessions, migrations.RunPython.noop),
    ]
