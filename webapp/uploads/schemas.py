"""What the API says of uploads."""

from uuid import UUID

from ninja import Field, Schema

from webapp.platform.http.inputs import Input
from webapp.uploads.models import MAX_FILE_NAME_LENGTH

LARGEST_FILE = 2**53 - 1
"""In bytes: what every reader of JSON counts up to. What a site takes is a setting."""


class UploadIn(Input):
    """A file that is to be sent."""

    name: str = Field(min_length=1, max_length=MAX_FILE_NAME_LENGTH)
    """What people call it."""
    bytes: int = Field(ge=0, le=LARGEST_FILE)


class UploadOut(Schema):
    """A file, whole or on its way here."""

    id: UUID
    name: str
    bytes: int
    """How many it has once it is whole."""
    received: int
    """How many of them are here."""
    part_bytes: int
    """Maximum size of a part in bytes."""
    sha256: str
    """In hexadecimal; empty until the file is whole."""
