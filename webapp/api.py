"""The API: every route of the features, one error body, a schema that the frontend's types are made from."""

from __future__ import annotations

from webapp.accounts.api import router as session
from webapp.accounts.viewer import ViewerCookie
from webapp.error_handlers import answer_errors
from webapp.evaluations.api import datasets
from webapp.evaluations.api import router as evaluations
from webapp.graphs.api import router as graphs
from webapp.openapi import DescribedAPI
from webapp.questions.api import examples
from webapp.questions.api import router as runs
from webapp.scorers.api import router as scorers
from webapp.wellformed import StrictParser

api = DescribedAPI(
    title="Discern",
    version="1",
    description="Ask a knowledge graph, and follow every decision that leads to the answer.",
    auth=ViewerCookie(),
    parser=StrictParser(),
    docs_url=None,
    urls_namespace="api",
)
answer_errors(api)
api.add_router("/session", session)
api.add_router("/graphs", graphs)
api.add_router("/examples", examples)
api.add_router("/runs", runs)
api.add_router("/evaluations", evaluations)
api.add_router("/datasets", datasets)
api.add_router("/scorers", scorers)
