"""The API: every route of the features, one error body, a schema that the frontend's types are made from."""

from __future__ import annotations

from ninja import NinjaAPI

from webapp.accounts.api import account, links, people
from webapp.accounts.api import router as session
from webapp.accounts.viewer import ViewerCookie, ViewerToken
from webapp.errors import answer_errors
from webapp.evaluations.api import datasets
from webapp.evaluations.api import router as evaluations
from webapp.graphs.api import router as graphs
from webapp.questions.api import examples
from webapp.questions.api import router as runs
from webapp.scorers.api import router as scorers

api = NinjaAPI(
    title="Discern",
    version="1",
    description="Ask a knowledge graph, and follow every decision that leads to the answer.",
    auth=[ViewerToken(), ViewerCookie()],
    docs_url=None,
    urls_namespace="api",
)
answer_errors(api)
api.add_router("/session", session)
api.add_router("/account", account)
api.add_router("/links", links)
api.add_router("", people)
api.add_router("/graphs", graphs)
api.add_router("/examples", examples)
api.add_router("/runs", runs)
api.add_router("/evaluations", evaluations)
api.add_router("/datasets", datasets)
api.add_router("/scorers", scorers)
