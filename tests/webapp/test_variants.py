"""Runs that go on from others with one change: what they keep, cost and say, who may make them, how they compare."""

from __future__ import annotations

import re
import uuid
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings
from django.core.cache import caches
from django.utils import timezone

from kgstore.loading.formats.tsv import TripleReader
from kgstore.loading.reading import GraphToLoad
from tests.webapp.conftest import TOY_GRAPH
from webapp import engine
from webapp.asking.runs.models import Question, ReasoningRun, RunEvent
from webapp.asking.runs.transitions import runs
from webapp.asking.runs.worker import run_execute
from webapp.platform.work.states import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_django.fixtures import SettingsWrapper

    from tests.webapp.conftest import Browser

CHARACTER = {"kind": "step", "position": 1, "relation": "tv.regular_tv_appearance.character"}
ACTOR = {**CHARACTER, "relation": "tv.regular_tv_appearance.actor"}
"""What the rules take for the second step is the character; the encoder takes the actor."""
IS_KITT = {"kind": "constraint", "position": 3, "operator": "=", "target": "en.kitt"}


def replaced(stage: str, number: int, choice: dict[str, Any], **more: str) -> dict[str, Any]:
    return {"change": {"kind": "replace", "stage": stage, "number": number, "choice": choice, **more}}


def inserted(number: int, choice: dict[str, Any], **more: str) -> dict[str, Any]:
    return {"change": {"kind": "insert", "stage": "prune", "number": number, "choice": choice, **more}}


@pytest.fixture
def visitor(browser: Callable[[], Browser]) -> Browser:
    return browser()


@pytest.fixture
def asked(visitor: Browser) -> dict[str, Any]:
    """The question of the voice of KITT, answered by rules."""
    return answered(visitor, visitor.ask())


def answered(who: Browser, run: dict[str, Any]) -> dict[str, Any]:
    run_execute(uuid.UUID(run["id"]))
    found: dict[str, Any] = who.get(f"/api/runs/{run['id']}")
    return found


def changed(who: Browser, run: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    """The variant, worked off."""
    return answered(who, who.post(f"/api/runs/{run['id']}/variants", body, status=201))


def events_of(run: dict[str, Any]) -> list[dict[str, Any]]:
    return list(RunEvent.objects.filter(run=run["id"]).order_by("seq").values_list("event", flat=True))


def kinds(run: dict[str, Any]) -> list[str]:
    return [event["kind"] for event in events_of(run)]


def test_another_option_is_chosen_and_what_came_before_asks_no_model(visitor: Browser, asked: dict[str, Any]) -> None:
    variant = changed(visitor, asked, replaced("search", 1, ACTOR))
    assert (variant["status"], variant["parent"], variant["original"]) == ("succeeded", asked["id"], asked["id"])
    before, now = events_of(asked), events_of(variant)
    started, kept = now[0], now[1:3]
    assert kept == before[1:3], "the topic and the first step stand as they were told"
    assert started["continued"]["kept"] == 2
    assert started["continued"]["change"] == {"kind": "replace", "stage": "search", "number": 1}
    given = now[3]["decision"]
    assert (given["given"], given["cost"]) == (True, None)
    assert now[3]["node"]["relation"]["label"] == "actor"


@pytest.mark.usefixtures("encoder_reloaded")
def test_nothing_that_is_kept_asks_the_model(visitor: Browser) -> None:
    asked = answered(visitor, visitor.ask(scorer="encoder"))
    variant = changed(visitor, asked, {"change": {"kind": "remove", "stage": "prune", "number": 0, "later": "keep"}})
    was, now = ([event["decision"] for event in events_of(run) if event.get("decision")] for run in (asked, variant))
    assert now[:5] == was[:5], "the topic and the search stand as they were told"
    assert all(decision["cost"] is None for decision in now[5:])
    calls = sum(decision["cost"]["calls"] for decision in was[:5])
    assert events_of(variant)[-1]["cost"]["calls"] == calls > 0, "of those that were kept, and no others"


def test_a_condition_is_dropped_and_its_branches_come_back(visitor: Browser) -> None:
    asked = answered(visitor, visitor.ask(scorer="encoder"))
    assert asked["answers"] == ["William Daniels"]
    body = {"change": {"kind": "remove", "stage": "prune", "number": 0, "later": "keep"}}
    variant = changed(visitor, asked, body)
    assert "constraint_chosen" not in kinds(variant)
    assert len(variant["answers"]) > 1
    assert variant["what_if"] == "without character is KITT"
    difference = visitor.get(f"/api/runs/{variant['id']}/difference")
    assert [term["label"] for term in difference["kept"]] == ["William Daniels"]
    assert (difference["gained_total"], difference["lost_total"], difference["complete"]) == (2, 0, True)
    # And back: what was dropped is set again.
    again = changed(visitor, variant, inserted(0, IS_KITT, later="keep"))
    assert again["answers"] == ["William Daniels"]
    assert (again["parent"], again["original"]) == (variant["id"], asked["id"])


def test_a_condition_is_added_that_was_not_offered(visitor: Browser) -> None:
    asked = answered(visitor, visitor.ask(scorer="encoder"))
    dropped = changed(visitor, asked, {"change": {"kind": "remove", "stage": "prune", "number": 0, "later": "keep"}})
    # The question names no Michael Knight, so no pool offered him.
    condition = {**IS_KITT, "target": "en.michael_knight"}
    variant = changed(visitor, dropped, inserted(0, condition, later="keep"))
    assert variant["answers"] == ["David Hasselhoff"]
    assert variant["what_if"] == "with character is Michael Knight"
    assert visitor.get(f"/api/runs/{variant['id']}/difference")["lost"][0]["label"] == "William Daniels"
    both = {**condition, "position": 2, "target": "en.david_hasselhoff"}
    refused = visitor.post(f"/api/runs/{variant['id']}/variants", inserted(1, both), status=422)
    assert "no place would be left" in refused["message"]
    refused = visitor.post(f"/api/runs/{variant['id']}/variants", inserted(1, condition), status=422)
    assert "exists already" in refused["message"]


def test_stop_here_and_go_on(visitor: Browser, asked: dict[str, Any]) -> None:
    stopped = changed(visitor, asked, {"change": {"kind": "end", "stage": "search", "number": 1}})
    assert kinds(stopped).count("search_step") == 1
    assert stopped["what_if"].startswith("stopped before ")
    gone_on = changed(visitor, stopped, replaced("search", 1, ACTOR))
    assert kinds(gone_on).count("search_step") >= 2
    assert gone_on["what_if"] == "with actor"


def test_another_topic(visitor: Browser, asked: dict[str, Any]) -> None:
    variant = changed(visitor, asked, replaced("link", 0, {"kind": "topic", "entity": "en.super_bowl"}))
    linked = events_of(variant)[1]
    assert (linked["topic"]["id"], linked["chosen_by_asker"]) == ("en.super_bowl", True)
    assert variant["topic"] == "en.super_bowl"


def test_another_reading_is_opened_as_it_was(visitor: Browser) -> None:
    asked = answered(visitor, visitor.ask(strategy="beam", scorer="lexical"))
    readings = events_of(asked)[-1]["readings"]
    assert readings
    reading = {"change": {"kind": "reading", "index": 0}}
    preview = visitor.post(f"/api/runs/{asked['id']}/preview", reading)
    variant = changed(visitor, asked, reading)
    assert variant["what_if"] == "other reading 1"
    assert ReasoningRun.objects.get(pk=variant["id"]).strategy == "reads"
    shown = events_of(variant)
    assert shown[0]["scorer"] == "given decisions"
    assert shown[-1]["verdict"] == readings[0]["verdict"]
    assert shown[-1]["answers_total"] == readings[0]["answers_total"]
    steps = [event for event in shown if event["kind"] == "search_step"]
    assert preview["facts_total"] == (steps[0]["facts_gained"] if steps else 0)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (replaced("search", 7, CHARACTER), "no decision 8 in its stage “Search”"),
        (replaced("search", 1, {**CHARACTER, "relation": "no.such.relation"}), "was not among the options"),
        (replaced("search", 0, {"kind": "answer", "position": 1}), "is of the kind step or none"),
        (replaced("link", 0, {"kind": "topic", "entity": "en.nobody"}), "does not hold en.nobody"),
        (replaced("infer", 0, {"kind": "answer", "position": 9}), "was not among the options"),
        (inserted(0, {**IS_KITT, "position": 0}), "no place 0"),
        (inserted(0, {**IS_KITT, "position": 1}), "only links others"),
        (inserted(0, {**IS_KITT, "operator": "<"}), "holds no numbers or dates"),
        (inserted(0, {**IS_KITT, "operator": "max"}), "holds no numbers or dates"),
        (inserted(0, {**IS_KITT, "target": '"2011"^^xsd:date'}), "and .*2011.* is none"),
        (inserted(0, {**IS_KITT, "target": "en.nobody"}), "does not hold en.nobody"),
        (inserted(0, {**IS_KITT, "target": '"2011'}), "cannot be read"),
        ({"change": {"kind": "remove", "stage": "infer", "number": 0}}, "exactly one"),
        (
            {
                "change": {
                    "kind": "insert",
                    "stage": "link",
                    "number": 0,
                    "choice": {"kind": "topic", "entity": "en.kitt"},
                }
            },
            "exactly one",
        ),
        ({"change": {"kind": "reading", "index": 0}}, "no other reading 1"),
        ({"change": {"kind": "twist"}}, "not well formed"),
        ({"change": {"kind": "end", "stage": "search", "number": -1}}, "not well formed"),
        ({"change": {"kind": "end", "stage": "search", "number": 1, "more": 2}}, "not well formed"),
        ({}, "not well formed"),
    ],
)
def test_a_change_that_does_not_fit_is_refused_with_the_reason(
    visitor: Browser, body: dict[str, Any], says: str
) -> None:
    asked = answered(visitor, visitor.ask(scorer="encoder"))
    count = ReasoningRun.objects.count()
    refused = visitor.post(f"/api/runs/{asked['id']}/variants", body, status=422)
    assert re.search(says, refused["message"]), refused["message"]
    assert ReasoningRun.objects.count() == count


def test_what_was_chosen_is_no_change(visitor: Browser, asked: dict[str, Any]) -> None:
    first = next(event for event in events_of(asked) if event["kind"] == "search_step")
    same = {"kind": "step", "position": 0, "relation": first["node"]["relation"]["id"]}
    refused = visitor.post(f"/api/runs/{asked['id']}/variants", replaced("search", 0, same), status=422)
    assert "The run has chosen this" in refused["message"]
    ended = {"change": {"kind": "end", "stage": "search", "number": kinds(asked).count("search_step")}}
    assert "ended there already" in visitor.post(f"/api/runs/{asked['id']}/variants", ended, status=422)["message"]


def test_a_run_at_work_is_not_changed(visitor: Browser) -> None:
    run = visitor.ask()
    refused = visitor.post(f"/api/runs/{run['id']}/variants", replaced("search", 0, CHARACTER), status=409)
    assert refused["code"] == "not_over"


def test_a_run_that_is_not_there(visitor: Browser) -> None:
    visitor.post(f"/api/runs/{uuid.uuid4()}/variants", replaced("search", 0, CHARACTER), status=404)


@pytest.fixture
def own_graph() -> Iterator[Callable[[str], None]]:
    def load(text: str) -> None:
        path = settings.ENVIRONMENT.home / "mine.tsv"
        path.write_text(text)
        engine.graph_library().load(GraphToLoad(TripleReader(path), "mine", "Mine", "here"))

    yield load
    if "mine" in engine.graph_library().names():
        engine.graph_library().remove("mine")


def test_a_graph_that_was_loaded_anew_is_refused_with_the_reason(
    visitor: Browser, own_graph: Callable[[str], None]
) -> None:
    toy = TOY_GRAPH.read_text()
    own_graph(toy)
    asked = answered(visitor, visitor.ask(graph="mine"))
    first = visitor.post(f"/api/runs/{asked['id']}/variants", replaced("search", 1, ACTOR), status=201)
    own_graph(toy + "en.kitt\ttv.tv_character.sort\ten.car\n")
    refused = visitor.post(f"/api/runs/{asked['id']}/variants", replaced("search", 1, ACTOR), status=409)
    assert refused["code"] == "graph_changed"
    assert "reloaded" in refused["message"]
    assert visitor.get(f"/api/runs/{asked['id']}/options?stage=search&number=0", status=409)["code"] == "graph_changed"
    # One that was queued before ends with the same reason.
    failed = answered(visitor, first)
    assert failed["status"] == "failed"
    assert "reloaded" in events_of(failed)[-1]["message"]


def test_of_a_graph_that_is_gone_nothing_can_be_decided_otherwise(
    visitor: Browser, own_graph: Callable[[str], None]
) -> None:
    own_graph(TOY_GRAPH.read_text())
    asked = answered(visitor, visitor.ask(graph="mine"))
    engine.graph_library().remove("mine")
    body = replaced("search", 1, ACTOR)
    options = visitor.get(f"/api/runs/{asked['id']}/options?stage=search&number=0", status=409)
    preview = visitor.post(f"/api/runs/{asked['id']}/preview", body, status=409)
    refused = visitor.post(f"/api/runs/{asked['id']}/variants", body, status=409)
    assert options == preview == refused
    assert refused["code"] == "graph_unavailable"
    assert refused["message"].startswith("There is no graph named 'mine'.")


def test_of_a_strategy_that_is_gone_no_options_are_known(visitor: Browser, asked: dict[str, Any]) -> None:
    ReasoningRun.objects.filter(pk=asked["id"]).update(strategy="gone")
    refused = visitor.get(f"/api/runs/{asked['id']}/options?stage=search&number=0", status=409)
    assert refused["code"] == "unknown_strategy"
    assert "gone" in refused["message"]


def test_a_changed_model_is_said(visitor: Browser, asked: dict[str, Any]) -> None:
    variant = changed(visitor, asked, {**replaced("search", 1, ACTOR), "scorer": "encoder"})
    assert variant["scorer"] == "encoder"
    started = events_of(variant)[0]
    assert started["continued"]["scorer"] != started["scorer"]
    refused = visitor.post(
        f"/api/runs/{asked['id']}/variants", {**replaced("search", 1, ACTOR), "scorer": "nobody"}, status=422
    )
    assert refused["code"] == "unknown_scorer"


def test_changing_counts_as_asking(visitor: Browser, asked: dict[str, Any], settings: SettingsWrapper) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"visitor_rate": "2/minute"})
    path, body = f"/api/runs/{asked['id']}/variants", replaced("search", 1, ACTOR)
    visitor.post(path, body, status=201)
    refused = visitor.post(path, body, status=429)
    assert refused["extra"]["wait_seconds"] > 0


def test_previews_count_as_reads(visitor: Browser, asked: dict[str, Any], settings: SettingsWrapper) -> None:
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"read_rate": "1/minute"})
    path, body = f"/api/runs/{asked['id']}/preview", replaced("search", 1, ACTOR)
    caches["process"].clear()
    visitor.post(path, body)
    assert visitor.post(path, body, status=429)["code"] == "too_many_requests"


def test_every_option_is_reported_with_the_probabilities_that_are_known(
    visitor: Browser, asked: dict[str, Any]
) -> None:
    first = next(event for event in events_of(asked) if event["kind"] == "search_step")["decision"]
    options = visitor.get(f"/api/runs/{asked['id']}/options?stage=search&number=0")["options"]
    assert len(options) == first["total"]
    assert sorted(options, key=lambda one: one["index"]) == sorted(first["options"], key=lambda one: one["index"])
    visitor.get(f"/api/runs/{asked['id']}/options?stage=search&number=30", status=422)
    visitor.get(f"/api/runs/{asked['id']}/options?stage=read&number=0", status=422)


def test_only_what_the_run_s_own_switches_let_it_choose_is_offered(visitor: Browser) -> None:
    run = visitor.ask()
    ReasoningRun.objects.update(switches={"search": "chain"})
    answered(visitor, run)
    options = visitor.get(f"/api/runs/{run['id']}/options?stage=search&number=1")["options"]
    assert {option["position"] for option in options if option["kind"] == "step"} == {1}


def test_a_preview_tells_what_an_option_would_add_and_take_out(visitor: Browser) -> None:
    asked = answered(visitor, visitor.ask(scorer="encoder"))
    runs = ReasoningRun.objects.count()
    step = visitor.post(f"/api/runs/{asked['id']}/preview", replaced("search", 1, CHARACTER))
    assert (step["facts_total"], step["removed"], step["removed_total"], step["kept_total"]) == (3, [], 0, None)
    assert {fact["target"]["label"] for fact in step["facts"]} >= {"KITT"}
    ended = kinds(asked).count("constraint_chosen")
    held = next(event for event in events_of(asked) if event["kind"] == "constraint_chosen")["constraint"]
    other = {**IS_KITT, "position": held["position"], "target": "en.michael_knight"}
    condition = visitor.post(f"/api/runs/{asked['id']}/preview", replaced("prune", 0, other))
    assert (condition["facts"], condition["facts_total"]) == ([], 0)
    assert len(condition["removed"]) == condition["removed_total"] > 0
    assert condition["kept_total"] is not None
    assert ended == 1
    assert ReasoningRun.objects.count() == runs, "nothing is kept"
    refused = visitor.post(f"/api/runs/{asked['id']}/preview", replaced("search", 1, ACTOR), status=422)
    assert refused["code"] == "unsuitable_change"
    assert refused["message"] == "The run has chosen this. Choose something else."


def test_the_tree_holds_what_its_asker_tried_and_one_s_own(
    browser: Callable[[], Browser], visitor: Browser, asked: dict[str, Any]
) -> None:
    first = changed(visitor, asked, replaced("search", 1, ACTOR))
    second = changed(visitor, first, {"change": {"kind": "end", "stage": "search", "number": 1}})
    ben, cleo = browser(), browser()
    bens = changed(ben, asked, {"change": {"kind": "end", "stage": "search", "number": 1}})
    everything = [asked["id"], first["id"], second["id"]]

    def tree(who: Browser, run: dict[str, Any]) -> list[str]:
        return [one["id"] for one in who.get(f"/api/runs/{run['id']}/variants")]

    assert tree(visitor, second) == everything
    assert tree(cleo, asked) == everything
    assert tree(ben, asked) == [*everything, bens["id"]]
    assert tree(cleo, bens) == [*everything, bens["id"]], "anyone with the link of one may look at it"
    cleos = changed(cleo, bens, replaced("search", 1, ACTOR))
    assert tree(visitor, cleos) == [*everything, bens["id"], cleos["id"]], "the way to it goes through Ben's"
    assert tree(visitor, asked) == everything
    reply = {one["id"]: one for one in visitor.get(f"/api/runs/{asked['id']}/variants")}
    assert reply[second["id"]]["parent"] == first["id"]
    assert reply[asked["id"]]["what_if"] == ""
    for run in (asked, first, second):
        same = ("id", "parent", "what_if", "status", "verdict", "answers", "created_at")
        assert reply[run["id"]] == {name: run[name] for name in same}
    # A variant is its maker's: Ben's is none of the visitor's to stop, and stands in Ben's list.
    assert [run["id"] for run in visitor.get("/api/runs")] == [asked["id"]]
    assert [run["id"] for run in ben.get("/api/runs")] == [bens["id"]]


def test_of_what_nobody_asks_any_more_the_tree_tells_no_more_than_the_way(
    browser: Callable[[], Browser], visitor: Browser, asked: dict[str, Any]
) -> None:
    stopped = {"change": {"kind": "end", "stage": "search", "number": 1}}
    own, bens = changed(visitor, asked, stopped), changed(browser(), asked, stopped)
    # Both erased their questions, of which these are kept, since something rests on them.
    Question.objects.update(asker=None, visitor=None)
    trees = [visitor.get(f"/api/runs/{run['id']}/variants") for run in (asked, own, bens)]
    ids = [[one["id"] for one in tree] for tree in trees]
    assert ids == [[asked["id"]], [asked["id"], own["id"]], [asked["id"], bens["id"]]]


def test_only_variants_are_compared(visitor: Browser, asked: dict[str, Any]) -> None:
    refused = visitor.get(f"/api/runs/{asked['id']}/difference", status=409)
    assert refused["code"] == "no_variant"
    assert refused["message"] == "This run varies no other one, so there is nothing to compare it with."
    waiting = visitor.post(f"/api/runs/{asked['id']}/variants", replaced("search", 1, ACTOR), status=201)
    refused = visitor.get(f"/api/runs/{waiting['id']}/difference", status=409)
    assert (refused["code"], refused["message"]) == ("not_over", "Both runs have to be over to be compared.")


def test_all_answers_are_compared_though_the_logs_list_some(visitor: Browser, own_graph: Callable[[str], None]) -> None:
    people, cities = range(100, 550), {"m.c1": "North", "m.c2": "South"}
    text = "".join(
        f"m.band\tmusic.band.member\tm.p{n}\nm.p{n}\tperson.born\tm.c{1 if n < 400 else 2}\n" for n in people
    )
    named = {"m.band": "The Many", **{f"m.p{n}": f"Person {n}" for n in people}, **cities}
    text += "".join(f'{mid}\ttype.object.name\t"{name}"@en\n' for mid, name in named.items())
    own_graph(text)
    asked = answered(visitor, visitor.ask("who is a member of The Many?", graph="mine"))
    stepped = {"kind": "step", "position": 0, "relation": "music.band.member"}
    if not asked["answers"]:
        asked = changed(visitor, asked, replaced("search", 0, stepped))
    further = replaced("search", 1, {"kind": "step", "position": 1, "relation": "person.born"})
    preview = visitor.post(f"/api/runs/{asked['id']}/preview", further)
    assert (len(preview["facts"]), preview["facts_total"]) == (24, 450)
    born = changed(visitor, asked, further)
    place = kinds(born).count("constraint_chosen")
    condition = {"kind": "constraint", "position": 2, "operator": "=", "target": "m.c1"}
    some = changed(visitor, born, inserted(place, condition))
    assert events_of(some)[-1]["answers_total"] == 300
    difference = visitor.get(f"/api/runs/{some['id']}/difference")
    assert (difference["was"], difference["now"], difference["complete"]) == ("answered", "answered", True)
    assert (difference["kept_total"], difference["gained_total"], difference["lost_total"]) == (300, 0, 150)
    listed = {part: [term["label"] for term in difference[part]] for part in ("kept", "gained", "lost")}
    assert listed == {
        "kept": [f"Person {n}" for n in range(100, 200)],
        "gained": [],
        # The logs name none of these; the graph does.
        "lost": [f"Person {n}" for n in range(400, 500)],
    }
    few = changed(visitor, born, inserted(place, {**condition, "target": "m.c2"}))
    # Where the graph is another one, what the logs list is all that is known.
    own_graph(text.replace("Person", "Somebody"))
    difference = visitor.get(f"/api/runs/{some['id']}/difference")
    assert not difference["complete"]
    assert [term["label"] for term in difference["kept"]] == listed["kept"]
    assert (difference["kept_total"], difference["gained_total"], difference["lost_total"]) == (200, 0, 0)
    assert not visitor.get(f"/api/runs/{few['id']}/difference")["complete"], "of the original, not all are known"


def test_a_variant_that_was_stopped_has_lost_every_answer(visitor: Browser, asked: dict[str, Any]) -> None:
    waiting = visitor.post(f"/api/runs/{asked['id']}/variants", replaced("search", 1, ACTOR), status=201)
    visitor.post(f"/api/runs/{waiting['id']}/cancel")
    difference = visitor.get(f"/api/runs/{waiting['id']}/difference")
    assert (difference["was"], difference["now"], difference["complete"]) == ("answered", None, True)
    stopped = visitor.get(f"/api/runs/{asked['id']}/variants")[-1]
    assert (stopped["status"], stopped["verdict"]) == ("cancelled", None)
    assert [term["label"] for term in difference["lost"]] == asked["answers"]
    assert (difference["lost_total"], difference["kept"], difference["gained"]) == (len(asked["answers"]), [], [])


def test_a_run_that_was_stopped_had_no_answer_to_lose(visitor: Browser) -> None:
    run = visitor.ask()
    run_execute(uuid.UUID(run["id"]), stopping=lambda: RunEvent.objects.count() >= 3)
    visitor.post(f"/api/runs/{run['id']}/cancel")
    creator = {"kind": "step", "position": 0, "relation": "tv.tv_program.program_creator"}
    variant = changed(visitor, run, replaced("search", 0, creator))
    difference = visitor.get(f"/api/runs/{variant['id']}/difference")
    assert (difference["was"], difference["now"]) == (None, variant["verdict"])
    assert [term["label"] for term in difference["gained"]] == variant["answers"] != []


@pytest.mark.parametrize("after", [0, 1, 2, 3, 4, 6])
def test_a_variant_whose_worker_died_goes_on_with_its_change(
    visitor: Browser, asked: dict[str, Any], after: int
) -> None:
    body = replaced("search", 1, ACTOR, later="keep")
    whole = changed(visitor, asked, body)
    broken = changed(visitor, asked, body)
    _break_off(broken, min(after, len(events_of(whole)) - 1))
    again = answered(visitor, broken)
    assert again["answers"] == whole["answers"]
    assert [_timeless(event) for event in events_of(again)] == [_timeless(event) for event in events_of(whole)]


@pytest.mark.usefixtures("encoder_reloaded")
def test_a_variant_whose_worker_died_asks_the_model_nothing_twice(visitor: Browser) -> None:
    asked = answered(visitor, visitor.ask(scorer="encoder"))
    variant = changed(visitor, asked, {"change": {"kind": "remove", "stage": "search", "number": 1}})
    whole = events_of(variant)
    _break_off(variant, len(whole) - 1)
    again = events_of(answered(visitor, variant))
    assert sum(event["decision"]["given"] is False for event in whole if event.get("decision")) > 2
    assert again[-1]["cost"] == whole[-1]["cost"]


def _break_off(run: dict[str, Any], after: int) -> None:
    """Have a worker die over a run after this number of events, and another take it up."""
    RunEvent.objects.filter(run=run["id"], seq__gt=after).delete()
    ReasoningRun.objects.filter(pk=run["id"]).update(
        status=Status.RUNNING,
        claim=uuid.uuid4(),
        lease_until=timezone.now() - timedelta(seconds=1),
        attempts=1,
        last_seq=after,
        finished_at=None,
        verdict="",
        answers=[],
    )
    assert runs.recover() == 1


def _timeless(event: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in event.items() if key not in ("seconds", "cost", "costs")}


def test_the_question_of_a_removed_run_goes_with_its_variants(visitor: Browser, asked: dict[str, Any]) -> None:
    changed(visitor, asked, replaced("search", 1, ACTOR))
    ReasoningRun.objects.get(pk=asked["id"]).question.delete()
    assert ReasoningRun.objects.count() == 0
