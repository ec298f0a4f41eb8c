"""EPERM's judge: what it is shown, how it weighs that, and what is read of a folder of its weights."""

from __future__ import annotations

import math
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
import torch
from safetensors.torch import load_file, save

from kgstore.terms import Entity, Relation
from reasoning.question.linking import link
from reasoning.run.run import Run
from reasoning.scorers.cards import write_weights
from reasoning.strategies.eperm.model import PARTS, JudgeModel
from reasoning.strategies.eperm.shape import JudgeShape
from reasoning.strategies.eperm.surroundings import FLAGS, OF_ANOTHER_KIND, Known, Met, met_of
from reasoning.strategies.eperm.weights import WEIGHTS_FILE, EntityJudge, read_judge, save_judge
from tests.reasoning.random_graphs import sqlite_store

if TYPE_CHECKING:
    from pathlib import Path


def judge_that_gives(folder: Path, *, usual: float, mediators: float, threshold: float, power: float = 1.0) -> None:
    """A judge that reads nothing but whether something is a mediator."""
    model = JudgeModel(JudgeShape(width=2, hidden=1))
    with torch.no_grad():
        model.hidden.weight.zero_()
        model.hidden.bias.zero_()
        model.hidden.weight[0, len(PARTS) * 3 + FLAGS.index("mediator")] = 1.0
        model.score.weight.fill_(_logit(mediators) - _logit(usual))
        model.score.bias.fill_(_logit(usual))
    shape = model.shape.to_json()
    card = {"name": "made up", "shape": shape, "power": power, "threshold": threshold, "weights_sha256": "0" * 64}
    save_judge(folder, model, card)


def _logit(share: float) -> float:
    return math.log(share / (1 - share))


def test_each_part_counts_by_how_it_goes_with_the_question() -> None:
    model = JudgeModel(JudgeShape(width=1, hidden=1, text=2))
    with torch.no_grad():
        model.question.weight.copy_(torch.tensor([[1.0, 0.0]]) / 2**0.5)
        for part in model.parts:
            assert isinstance(part, torch.nn.Linear)
            part.weight.copy_(torch.tensor([[0.0, 1.0]]) / 2**0.5)
        model.hidden.weight.zero_()
        model.hidden.bias.zero_()
        model.hidden.weight[0, PARTS.index("types")] = 1.0
        model.hidden.weight[0, len(PARTS) + PARTS.index("name")] = 2.0
        model.hidden.weight[0, 2 * len(PARTS)] = 0.5
        model.score.weight.fill_(3.0)
        model.score.bias.fill_(-1.0)
    question = torch.tensor([[0.6, 0.8]])
    parts = torch.zeros(1, len(PARTS), 2)
    parts[0, PARTS.index("types")] = torch.tensor([0.0, 1.0])
    parts[0, PARTS.index("name")] = torch.tensor([1.0, 0.0])
    # The types: 0.6 of the question times 1 of them; the name's cosine is 0.6; the first flag is on.
    hidden = 0.6 * 1.0 + 2 * 0.6 + 0.5
    logit = model.logits(question, parts, torch.tensor([[1.0, *[0.0] * (len(FLAGS) - 1)]]))
    assert logit.item() == pytest.approx(3 * hidden - 1)


def test_a_judge_is_shown_what_is_of_the_kind_that_is_asked_for(tmp_path: Path) -> None:
    triples = [
        (mid, "type.object.type", kind)
        for mid, kind in (("m.bonn", "location.citytown"), ("m.rhine", "geography.river"), ("m.ems", "geography.river"))
    ]
    triples += [("m.germany", "location.location.contains", mid) for mid, *_ in triples]
    triples += [("m.germany", "type.object.name", '"Germany"@en')]
    with closing(sqlite_store(triples, tmp_path)) as store:
        ends = [Entity(mid) for mid in ("m.bonn", "m.rhine", "m.ems")]

        def flags(question: str) -> list[tuple[float, ...]]:
            asked = Run(question, store, None)
            met = met_of(
                asked, link(question, store, Entity("m.germany")), Relation("location.location.contains"), ends
            )
            return [known.flags[-2:] for known in met.known if known is not None]

        assert flags("which rivers are in Germany") == [(0.0, 1.0), (1.0, 0.0), (1.0, 0.0)]
        assert flags("what is in Germany") == [(0.0, 0.0)] * 3


def test_a_judge_that_learned_fewer_flags_is_read_and_judges_as_it_did(tmp_path: Path) -> None:
    judge_that_gives(tmp_path, usual=0.8, mediators=0.5, threshold=0.5)
    card, model = read_judge(tmp_path)
    fewer = len(FLAGS) - 2
    weights = load_file(tmp_path / WEIGHTS_FILE)
    weights["hidden.weight"] = weights["hidden.weight"][:, :-2].contiguous()
    write_weights(tmp_path / WEIGHTS_FILE, save(weights), {**card, "flags": list(FLAGS[:fewer])})
    _, read = read_judge(tmp_path)
    question, parts = torch.ones(2, 384), torch.ones(2, len(PARTS), 384)
    flags = torch.zeros(2, len(FLAGS))
    flags[0, FLAGS.index("mediator")] = 1.0
    flags[1, fewer] = 1.0
    assert torch.equal(read.logits(question, parts, flags), model.logits(question, parts, flags))
    # What is of another kind than the question asks for begins lower, whatever was learned.
    flags[:, FLAGS.index(OF_ANOTHER_KIND)] = 1.0
    assert (read.logits(question, parts, flags) < model.logits(question, parts, torch.zeros_like(flags)) - 3).all()


def test_scores_are_raised_to_the_power_that_was_tuned(tmp_path: Path) -> None:
    judge_that_gives(tmp_path, usual=0.81, mediators=0.49, threshold=0.5, power=0.5)
    flags = [tuple(float(flag == held) for flag in FLAGS) for held in ("entity", "mediator")]
    known = tuple(Known("", (), (), one) for one in flags)
    met = Met("who is it", "parent", (Entity("en.a"), Entity("en.b"), Entity("en.c")), (*known, None))
    # What was not looked up gets the mean.
    assert EntityJudge.open(tmp_path).scores(met) == pytest.approx([0.9, 0.7, 0.8], abs=1e-2)
