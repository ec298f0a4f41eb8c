"""The scorers, and training them."""

from django.http import HttpRequest
from ninja import Router

from webapp.scorers.schemas import ScorerOut
from webapp.scorers.selectors import scorer_list

router = Router(tags=["scorers"])


@router.get("", response=list[ScorerOut], operation_id="scorer_list")
def list_(request: HttpRequest) -> list[ScorerOut]:
    """All scorers of this site, the default one first."""
    return scorer_list()
