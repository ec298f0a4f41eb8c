"""What the API says of people."""

from ninja import Field, Schema

from webapp.accounts.models import Role
from webapp.inputs import Input


class UserOut(Schema):
    """Somebody signed in."""

    name: str
    username: str
    role: Role


class LimitsOut(Schema):
    """What a question may be."""

    question_length: int


class SessionOut(Schema):
    """Who is looking, and what a page needs to know to ask."""

    user: UserOut | None
    csrf_token: str
    """To be sent as ``X-CSRFToken`` with every request that changes something."""
    limits: LimitsOut


class CredentialsIn(Input):
    """A name and a password."""

    username: str = Field(max_length=150)
    password: str = Field(max_length=1_000)
