"""The API: the routes of all features, one error body, and the schema for the frontend's types."""

from __future__ import annotations

from webapp.accounts.api import account, links, people
from webapp.accounts.api import router as session
from webapp.accounts.viewer import ViewerCookie, ViewerToken
from webapp.asking.feedback.api import of_run as run_feedback
from webapp.asking.feedback.api import router as feedback
from webapp.asking.questions.api import examples, own_questions, strategies
from webapp.asking.questions.api import router as questions
from webapp.asking.questions.side_by_side_api import router as side_by_side
from webapp.asking.runs.api import router as runs
from webapp.asking.runs.schemas import HeartbeatOut
from webapp.datasets.api import router as datasets
from webapp.evaluations.api import router as evaluations
from webapp.evaluations.comparisons.api import router as comparisons
from webapp.evaluations.overlays.api import of_evaluation as evaluation_overlays
from webapp.evaluations.overlays.api import router as overlays
from webapp.explorer.api import explorations
from webapp.explorer.api import router as explorer
from webapp.graphs.api import loads as graph_loads
from webapp.graphs.api import router as graphs
from webapp.labelling.adjudication.api import router as adjudication
from webapp.labelling.agreement.api import router as agreement
from webapp.labelling.exports.api import router as label_exports
from webapp.labelling.graph_updates.api import router as graph_updates
from webapp.labelling.log.api import router as labelling_log
from webapp.labelling.projects.api import router as annotation
from webapp.models.pipelines.api import router as learning
from webapp.models.trainings.api import router as scorers
from webapp.platform.http.error_handlers import answer_errors
from webapp.platform.http.openapi import DescribedAPI
from webapp.platform.http.wellformed import StrictParser
from webapp.review.api import router as review
from webapp.review.corrections_api import router as review_corrections
from webapp.uploads.api import router as uploads

_EVENT_OR_HEARTBEAT = {
    "oneOf": [{"$ref": "#/components/schemas/RunEventOut"}, HeartbeatOut.model_json_schema(mode="serialization")]
}
_RUN_SOCKET = {
    "summary": "What /ws/runs/{run_id}/?after= sends, one a message",
    "description": "Every event above `after`, then each as it comes, and a heartbeat every five seconds without one. "
    "Close codes: 1000 after the last event; 4400 `after` is no number of an event; "
    "4401 the token is not, or no longer, good; 4403 the page is of another site, a script sent no token, or "
    "another user asked it and the site hides it from others; 4404 there is no such run; "
    "4429 too many sockets of one address are open; 4500 the events cannot be read now, connect again in a moment.",
    "requestBody": {"required": True, "content": {"application/json": {"schema": _EVENT_OR_HEARTBEAT}}},
    "responses": {"default": {"description": "Nothing is answered."}},
}
api = DescribedAPI(
    title="Discern",
    version="1",
    description="Ask a knowledge graph, and follow every decision that leads to the answer.",
    auth=[ViewerToken(), ViewerCookie()],
    optional_scheme=ViewerCookie,
    parser=StrictParser(),
    docs_url=None,
    urls_namespace="api",
    openapi_extra={"webhooks": {"run_socket": {"post": _RUN_SOCKET}}},
)
answer_errors(api)
api.add_router("/session", session)
api.add_router("/account", account)
api.add_router("/links", links)
api.add_router("", people)
api.add_router("/uploads", uploads)
api.add_router("/graphs", graphs)
api.add_router("/graph-loads", graph_loads)
api.add_router("/explore", explorer)
api.add_router("/explorations", explorations)
api.add_router("/examples", examples)
api.add_router("/strategies", strategies)
api.add_router("/questions", own_questions)
api.add_router("/runs", questions)
api.add_router("/side-by-side", side_by_side)
api.add_router("/runs", runs)
api.add_router("/runs", run_feedback)
api.add_router("/feedback", feedback)
api.add_router("/annotation", annotation)
api.add_router("/annotation", adjudication)
api.add_router("/annotation/projects", agreement)
api.add_router("/annotation/projects", graph_updates)
api.add_router("/annotation", label_exports)
api.add_router("/annotation/projects", labelling_log)
api.add_router("/evaluations", evaluations)
api.add_router("/evaluations", comparisons)
api.add_router("/evaluations", evaluation_overlays)
api.add_router("/overlays", overlays)
api.add_router("/review", review)
api.add_router("/review", review_corrections)
api.add_router("/datasets", datasets)
api.add_router("/scorers", scorers)
api.add_router("/learning", learning)
