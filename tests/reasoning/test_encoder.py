"""The encoder scorer: its sentence encoder, its words and features, and what it decides on the sample."""

from __future__ import annotations

import json
import math
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch
from transformers import BertModel

from kgstore.loading.formats.rog import RogReader
from kgstore.sqlite.loader import load_graph
from kgstore.sqlite.store import SqliteStore
from reasoning import events
from reasoning.core.errors import ScorerUnavailableError
from reasoning.engine.engine import answer
from reasoning.scorers.cards import BUNDLED_WEIGHTS, CARD_FILE
from reasoning.scorers.encoder.architecture import Biases
from reasoning.scorers.encoder.minilm import EncoderFiles, MiniLm, Words
from reasoning.scorers.encoder.scorer import WEIGHTS_FILE, EncoderScorer
from reasoning.training.encoder.card import README_FILE, as_markdown

if TYPE_CHECKING:
    from kgstore.store import GraphStore

DATA = Path(os.environ.get("DISCERN_DATA", Path(__file__).parents[3] / "shared" / "data"))
NEIGHBOURHOODS = DATA / "webqsp_subgraphs" / "subgraphs.jsonl"


@pytest.fixture(scope="module")
def scorer() -> EncoderScorer:
    return EncoderScorer.open()


def _answers(question: str, store: GraphStore, scorer: EncoderScorer) -> list[str]:
    last = list(answer(question, store, scorer))[-1]
    assert isinstance(last, events.Finished), last
    return sorted(found.term.label for found in last.answers)


@pytest.mark.slow
def test_our_encoder_computes_what_transformers_bert_computes() -> None:
    files = EncoderFiles.locate()
    ids = torch.tensor(Words(files).ids(["what do people in it speak"]))
    encoder = MiniLm.load(files)
    reference = BertModel.from_pretrained(files.folder).eval()
    with torch.inference_mode():
        ours = encoder.run(encoder.embed(ids), None, slice(None))
        theirs = reference(ids).last_hidden_state
    assert torch.allclose(ours, theirs, atol=1e-5)


def test_a_padded_text_has_the_vectors_of_the_text_alone() -> None:
    files = EncoderFiles.locate()
    words, encoder = Words(files), MiniLm.load(files)
    short, long = words.ids(["who?", "which albums did it release after that year"])
    padded = torch.tensor([short + [0] * (len(long) - len(short)), long])
    with torch.inference_mode():
        together = encoder.run(encoder.embed(padded), torch.tensor([len(short), len(long)]), slice(None))
        alone = encoder.run(encoder.embed(torch.tensor([short])), None, slice(None))
    assert torch.allclose(together[0, : len(short)], alone[0], atol=1e-5)


def test_the_weights_are_small_and_their_card_says_where_they_come_from() -> None:
    card = json.loads((BUNDLED_WEIGHTS / CARD_FILE).read_text(encoding="utf-8"))
    assert (BUNDLED_WEIGHTS / WEIGHTS_FILE).stat().st_size < 5_000_000
    assert card["trained"]["command"] == "python manage.py train_scorer"
    assert {"sample", "metaqa/kb.txt", "webqsp/WebQSP.train.json"} <= card["trained"]["data_sha256"].keys()
    assert {len(digest) for digest in card["trained"]["data_sha256"].values()} == {64}
    figures = card["figures"]
    assert figures["sample"]["answerable"]["hits_at_1"] >= 0.94
    assert figures["sample"]["answerable"]["macro_f1"] >= 0.94
    # Films of one name are one entity in MetaQA, so that the first answer may be the other film's.
    assert figures["metaqa-1"]["answerable"]["hit"] >= 0.98
    for source, least in {
        "metaqa-2": 0.995,
        "metaqa-3": 0.99,
        "pathquestion-2h": 0.96,
        "pathquestion-3h": 0.96,
    }.items():
        assert figures[source]["answerable"]["hits_at_1"] >= least
    assert figures["simplequestions"]["answerable"]["hit"] >= 0.93


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("what does jamaican people speak", ["Jamaican Creole English Language", "Jamaican English"]),
        ("who plays the voice of KITT in Knight Rider?", ["William Daniels"]),
        ("where did Kevin Love go to college", ["University of California, Los Angeles"]),
        ("who won the Super Bowl in 2011", ["Green Bay Packers"]),
    ],
)
def test_it_answers_the_sample(sample: GraphStore, scorer: EncoderScorer, question: str, answers: list[str]) -> None:
    assert _answers(question, sample, scorer) == answers


def test_what_the_graph_does_not_hold_is_not_made_up(sample: GraphStore, scorer: EncoderScorer) -> None:
    shown = list(answer("what was the budget of Knight Rider", sample, scorer))
    last = shown[-1]
    assert isinstance(last, events.Finished)
    assert last.verdict in events.UNANSWERED


@pytest.mark.slow
def test_texts_are_read_once(sample: GraphStore) -> None:
    scorer = EncoderScorer.open()
    costs = []
    for _ in range(2):
        last = list(answer("who won the Super Bowl in 2011", sample, scorer))[-1]
        assert isinstance(last, events.Finished)
        costs.append(last.cost)
    assert costs[0].calls > 0
    assert costs[1].calls == 0


@pytest.mark.slow
@pytest.mark.real_data
def test_a_real_neighbourhood_is_answered(scorer: EncoderScorer, tmp_path: Path) -> None:
    if not NEIGHBOURHOODS.exists():
        pytest.skip(f"{NEIGHBOURHOODS} is not there; see DISCERN_DATA")
    path = tmp_path / "jamaica.sqlite"
    load_graph(RogReader(NEIGHBOURHOODS, rows=["WebQTest-0"]), path, name="jamaica", title="Jamaica", source="WebQSP")
    store = SqliteStore(path)
    try:
        emitted = list(answer("what does jamaican people speak", store, scorer))
        first = next(event for event in emitted if isinstance(event, events.SearchStepTaken))
        # There are 128 relations, both directions counted; what is never offered and what repeats is left out.
        assert first.decision.total > 90
        last = emitted[-1]
        assert isinstance(last, events.Finished)
        labels = sorted(found.term.label for found in last.answers)
        assert labels == ["Jamaican Creole English Language", "Jamaican English"]
    finally:
        store.close()


def test_another_encoder_is_refused(tmp_path: Path) -> None:
    for name in ("config.json", "tokenizer.json"):
        shutil.copy(EncoderFiles.locate().folder / name, tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"something else")
    with pytest.raises(ScorerUnavailableError, match="not all-MiniLM-L6-v2 as published"):
        EncoderScorer.open(encoder=str(tmp_path))


def test_an_incomplete_encoder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScorerUnavailableError, match=r"lacks config\.json"):
        EncoderScorer.open(encoder=str(tmp_path))


def test_missing_weights_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ScorerUnavailableError, match="train_scorer"):
        EncoderScorer.open(tmp_path)


def test_weights_of_other_features_are_refused(tmp_path: Path) -> None:
    shutil.copytree(BUNDLED_WEIGHTS, tmp_path / "weights")
    card = json.loads((tmp_path / "weights" / CARD_FILE).read_text(encoding="utf-8"))
    card["option_features"] = card["option_features"][1:]
    (tmp_path / "weights" / CARD_FILE).write_text(json.dumps(card), encoding="utf-8")
    with pytest.raises(ScorerUnavailableError, match="trained with other option features"):
        EncoderScorer.open(tmp_path / "weights")


def test_the_card_for_people_is_the_card() -> None:
    card = json.loads((BUNDLED_WEIGHTS / CARD_FILE).read_text(encoding="utf-8"))
    assert (BUNDLED_WEIGHTS / README_FILE).read_text(encoding="utf-8") == as_markdown(card)


def _biased(folder: Path, **biases: float) -> EncoderScorer:
    """The bundled scorer with other biases."""
    shutil.copytree(BUNDLED_WEIGHTS, folder)
    card = json.loads((folder / CARD_FILE).read_text(encoding="utf-8"))
    (folder / CARD_FILE).write_text(json.dumps(card | biases), encoding="utf-8")
    return EncoderScorer.open(folder)


@pytest.mark.slow
@pytest.mark.parametrize("bias", ["first_none_bias", "later_none_bias"])
def test_the_card_may_lower_the_odds_of_none_before_the_first_step_or_after_it(
    bias: str, sample: GraphStore, tmp_path: Path
) -> None:
    question = "who directed Jaws?"
    odds = []
    for moved in (0.0, -0.5):
        emitted = list(answer(question, sample, _biased(tmp_path / str(moved), **(_UNBIASED | {bias: moved}))))
        steps = [
            e.decision for e in emitted if isinstance(e, events.SearchStepTaken | events.SearchEnded) and e.decision
        ]
        odds.append([_log_odds_of_none(decision) for decision in steps])
    first, *later = [lowered - without for without, lowered in zip(*odds, strict=True)]
    assert later
    assert first == pytest.approx(-0.5 if bias == "first_none_bias" else 0.0, abs=1e-4)
    assert later == pytest.approx([-0.5 if bias == "later_none_bias" else 0.0] * len(later), abs=1e-4)


_UNBIASED = Biases().to_json()


def _log_odds_of_none(decision: events.DecisionRecord) -> float:
    none = next(option.probability for option in decision.options if option.kind == "none")
    best = max(option.probability or 0.0 for option in decision.options if option.kind != "none")
    assert none is not None
    return math.log(none / best)
