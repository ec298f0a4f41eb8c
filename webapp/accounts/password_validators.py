"""What a new password ends, however it was set: page, mailed link, administration or command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webapp.accounts.models import User
from webapp.accounts.tokens import tokens_revoke

if TYPE_CHECKING:
    from django.contrib.auth.base_user import AbstractBaseUser


class TokensEnd:
    """Revokes the tokens of an account whose password changed; Django calls all validators of passwords then."""

    def validate(self, password: str, user: AbstractBaseUser | None = None) -> None:
        """Accept every password."""

    def get_help_text(self) -> str:
        """What the forms of Django's administration say."""
        return "When the password changes, all tokens of the account are revoked."

    def password_changed(self, password: str, user: AbstractBaseUser | None = None) -> None:  # noqa: ARG002 - Django's
        """Revoke the tokens, unless their owner keeps them."""
        if isinstance(user, User) and not user.keeps_tokens:
            tokens_revoke(user=user)
