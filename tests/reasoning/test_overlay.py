"""Corrections of a benchmark: signed files, refused where altered; figures with and without, from the same answers."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from kgstore.terms import Date, Entity, Number
from reasoning.datasets.discern import phrasings
from reasoning.datasets.overlay import (
    CORRECTED,
    Correction,
    CorrectionKind,
    Overlay,
    OverlayError,
    overlay_of,
    read_overlay,
    signed,
)
from reasoning.datasets.question import BenchmarkQuestion, GoldParse
from reasoning.evaluation.judging.judging import ask, is_judged
from reasoning.evaluation.judging.settings import EvaluationSettings
from reasoning.evaluation.reporting.overlaid import NotApplied, under_overlay
from reasoning.evaluation.reporting.report import figures
from tests.reasoning.rules import Arbitrary
from tests.sample import sample_questions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kgstore.store import GraphStore
    from reasoning.evaluation.judging.outcome import Outcome

KEY = Ed25519PrivateKey.from_private_bytes(b"k" * 32)
OTHER = Ed25519PrivateKey.from_private_bytes(b"o" * 32)
AT = "2026-11-23T12:00:00+00:00"
OLD = GoldParse(Entity("m.a"), frozenset({Entity("m.b")}), None, "no gold path")
NEW = GoldParse(Entity("m.a"), frozenset({Entity("m.c")}), None, "")


def correction(**given: Any) -> Correction:
    usual: dict[str, Any] = {
        "question_id": "q",
        "kind": CorrectionKind.WRONG,
        "old": (OLD,),
        "new": (NEW,),
        "reason": "it is another “KITT”\n\u202e",
        "who": ("ben", "dan"),
        "agreement": 2 / 3,
        "at": AT,
    }
    return Correction(**{**usual, **given})


def overlay(*corrections: Correction) -> Overlay:
    return Overlay("webqsp", "0" * 64, "sha256-questions-1", "The site", AT, corrections)


# --- The file


def test_a_signed_file_is_read_as_it_was_and_says_who_signed(tmp_path: Path) -> None:
    made = overlay(
        correction(),
        correction(question_id="r", kind=CorrectionKind.REWORDED, rewording="who else?", agreement=None, at=""),
        correction(question_id="s", kind=CorrectionKind.OUTDATED, new=None),
    )
    path = tmp_path / "overlay.json"
    path.write_text(signed(made, KEY), encoding="utf-8")
    read = read_overlay(path)
    assert read.overlay == made
    assert (read.overlay.signer, read.key) == ("The site", KEY.public_key().public_bytes_raw().hex())
    assert read_overlay(path, key=read.key.upper()) == read
    # However it is laid out, it is the same content.
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8"))), encoding="utf-8")
    assert read_overlay(path) == read


def document() -> dict[str, Any]:
    made: dict[str, Any] = json.loads(signed(overlay(correction()), KEY))
    return made


def changed(*where: str | int, to: Any) -> dict[str, Any]:
    found = made = document()
    for part in where[:-1]:
        found = found[part]  # type: ignore[index]
    found[where[-1]] = to  # type: ignore[index]
    return made


@pytest.mark.parametrize(
    ("altered", "why"),
    [
        (changed("content", "signer", to="Somebody"), "was altered"),
        (changed("content", "dataset", "identity", to="1" * 64), "was altered"),
        (changed("content", "corrections", 0, "new", 0, "answers", to=["m.x"]), "was altered"),
        (changed("content", "corrections", 0, "agreement", to=1.0), "was altered"),
        (changed("content", "corrections", to=[]), "was altered"),
        (changed("sha256", to="0" * 64), "another hash"),
        (changed("signature", to=None), "is not signed"),
        (changed("signature", to={}), "is not signed"),
        (changed("signature", "algorithm", to="none"), "is not signed"),
        (changed("signature", "value", to="00" * 64), "was altered"),
        (changed("signature", "value", to="xyz"), "was altered"),
        (changed("signature", "key", to=OTHER.public_key().public_bytes_raw().hex()), "was altered"),
        (changed("signature", "key", to=""), "was altered"),
        (changed("format", to="discern-overlay-9"), "is no overlay"),
        ({"Questions": []}, "is no overlay"),
        ([], "is no overlay"),
    ],
)
def test_what_is_altered_or_not_signed_is_refused(altered: Any, why: str) -> None:
    overlay_of(document())
    with pytest.raises(OverlayError, match=why):
        overlay_of(altered)


def test_another_signer_than_expected_is_refused_and_so_are_other_files(tmp_path: Path) -> None:
    path = tmp_path / "overlay.json"
    path.write_text(signed(overlay(correction()), OTHER), encoding="utf-8")
    with pytest.raises(OverlayError, match=r"overlay\.json is signed with the key .*, not with the one"):
        read_overlay(path, key=KEY.public_key().public_bytes_raw().hex())
    path.write_bytes(b"\xff")
    with pytest.raises(OverlayError, match="not JSON"):
        read_overlay(path)
    with pytest.raises(OverlayError, match="cannot be read: No such file"):
        read_overlay(tmp_path / "none.json")


VALUES = st.recursive(
    st.none() | st.booleans() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=50, deadline=None)
@given(VALUES)
def test_whatever_is_signed_is_read_or_refused(content: Any) -> None:
    class Anything:
        def to_json(self) -> Any:
            return content

    made = json.loads(signed(Anything(), KEY))  # type: ignore[arg-type]
    with pytest.raises(OverlayError, match="is signed, but"):
        overlay_of(made)


@pytest.mark.parametrize(
    "given_",
    [
        {"kind": CorrectionKind.REWORDED},
        {"rewording": "who else?"},
        {"agreement": 1.5},
        {"at": "yesterday"},
    ],
)
def test_a_correction_whose_parts_do_not_belong_together_is_none(given_: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        correction(**given_)


def test_a_question_is_corrected_once() -> None:
    with pytest.raises(ValueError, match="twice"):
        overlay(correction(), correction())


def test_a_correction_is_of_the_label_that_was_corrected() -> None:
    question = BenchmarkQuestion("q", "who?", (OLD,))
    assert correction().is_of(question)
    assert not correction().is_of(replace(question, parses=(NEW,)))
    corrected = correction().corrected(question)
    assert corrected is not None
    assert (corrected.parses, corrected.labels, corrected.text) == ((NEW,), {CORRECTED: "wrong"}, "who?")
    reworded = correction(kind=CorrectionKind.REWORDED, rewording="who else?").corrected(question)
    assert reworded is not None
    assert reworded.text == "who else?"
    assert correction(new=None).corrected(question) is None


def test_a_correction_is_of_a_label_that_types_a_value_otherwise() -> None:
    old = replace(OLD, answers=frozenset({Date("1523")}))
    question = BenchmarkQuestion("q", "how many?", (replace(OLD, answers=frozenset({Number(1523)})),))
    assert correction(old=(old,)).is_of(question)
    assert not correction(old=(replace(OLD, answers=frozenset({Number(1524)})),)).is_of(question)


# --- Figures

QUESTIONS = 200
SETTINGS = EvaluationSettings(topics="gold")


@pytest.fixture(scope="module")
def questions() -> dict[str, BenchmarkQuestion]:
    found = [each for question in sample_questions() for each in phrasings(question)]
    some = [each for each in found if is_judged(each)]
    return {each.id: each for each in some[:: len(some) // QUESTIONS][:QUESTIONS]}


@pytest.fixture(scope="module")
def outcomes(questions: dict[str, BenchmarkQuestion], sample: GraphStore) -> list[Outcome]:
    """What any model might make of 200 questions, as files keep it."""
    made = [ask(each, sample, Arbitrary(7), SETTINGS) for each in questions.values()]
    return [type(each).from_json(json.loads(json.dumps(each.to_json()))) for each in made]


def shown(outcomes: Sequence[Outcome]) -> str:
    return json.dumps(figures(outcomes, topics="gold", graph="sample"))


def corrections_of(questions: dict[str, BenchmarkQuestion], **more: Any) -> list[Correction]:
    return [correction(question_id=each.id, old=each.parses, new=each.parses, **more) for each in questions.values()]


@pytest.mark.slow
def test_judging_200_questions_again_by_the_same_labels_gives_each_score_to_the_last_digit(
    questions: dict[str, BenchmarkQuestion], outcomes: list[Outcome], sample: GraphStore
) -> None:
    assert len(outcomes) == QUESTIONS
    assert 0 < sum(each.hit for each in outcomes) < QUESTIONS
    assert any(each.verdict != "answered" for each in outcomes)
    found = under_overlay(outcomes, questions, overlay(*corrections_of(questions)), sample, SETTINGS)
    assert found.applied == {CorrectionKind.WRONG: QUESTIONS}
    unlabelled = [replace(each, labels=questions[each.id].labels) for each in found.outcomes]
    assert unlabelled == outcomes
    assert shown(found.outcomes) == shown(outcomes)


def test_an_overlay_changes_what_it_corrects_and_no_other_score(
    questions: dict[str, BenchmarkQuestion], outcomes: list[Outcome], sample: GraphStore
) -> None:
    before = shown(outcomes)
    wrong = [each for each in outcomes if each.verdict == "answered" and not each.hit and each.predicted][:20]
    right = [each for each in outcomes if each.exact and each.predicted][:5]
    made = [
        correction(
            question_id=each.id,
            old=questions[each.id].parses,
            new=(GoldParse(questions[each.id].topic, frozenset(map(Entity, each.predicted)), None, "corrected"),),
        )
        for each in wrong
        if not any(term.startswith('"') for term in each.predicted)
    ]
    made += [
        correction(
            question_id=each.id,
            kind=CorrectionKind.UNANSWERABLE,
            old=questions[each.id].parses,
            new=(GoldParse(questions[each.id].topic, frozenset(), None, "fact missing"),),
        )
        for each in right
    ]
    found = under_overlay(outcomes, questions, overlay(*made), sample, SETTINGS)
    corrected = {each.question_id for each in made}
    assert len(corrected) > 10
    assert found.applied.total() == len(made)
    for old, new in zip(outcomes, found.outcomes, strict=True):
        if old.id not in corrected:
            assert new is old
            continue
        assert new.labels[CORRECTED] in ("wrong", "unanswerable")
        assert (new.predicted, new.verdict, new.calls, new.seconds) == (
            old.predicted,
            old.verdict,
            old.calls,
            old.seconds,
        )
        if new.labels[CORRECTED] == "wrong":
            assert (new.exact, new.f1) == (True, 1.0)
        else:
            assert (new.answerable, new.case) == (False, None)
    assert shown(found.outcomes) != before
    assert shown(outcomes) == before, "without the overlay nothing has changed"
    assert shown(under_overlay(outcomes, questions, overlay(), sample, SETTINGS).outcomes) == before


def test_what_an_overlay_cannot_change_is_counted_by_its_reason(
    questions: dict[str, BenchmarkQuestion], outcomes: list[Outcome], sample: GraphStore
) -> None:
    first, second, third, *_ = questions.values()
    made = overlay(
        correction(question_id=first.id, kind=CorrectionKind.REWORDED, old=first.parses, rewording="who else?"),
        correction(question_id=second.id, old=(OLD,)),
        correction(question_id=third.id, kind=CorrectionKind.OUTDATED, old=third.parses, new=None),
        correction(question_id="nobody asked this"),
    )
    found = under_overlay(outcomes, questions, made, sample, SETTINGS)
    assert found.not_applied == {NotApplied.REWORDED: 1, NotApplied.OTHER_LABEL: 1, NotApplied.NOT_ASKED: 1}
    assert (found.applied, found.left_out) == ({CorrectionKind.OUTDATED: 1}, 1)
    assert [each.id for each in found.outcomes] == [each.id for each in outcomes if each.id != third.id]


def test_answers_of_which_only_some_are_kept_are_found_again_by_the_decisions(
    questions: dict[str, BenchmarkQuestion], outcomes: list[Outcome], sample: GraphStore
) -> None:
    some = next(each for each in outcomes if each.predicted_total > 1)
    same = correction(question_id=some.id, old=questions[some.id].parses, new=questions[some.id].parses)
    cut = replace(some, predicted=("m.not_so",), predicted_total=some.predicted_total)
    found = under_overlay([cut], questions, overlay(same), sample, SETTINGS)
    assert (found.not_applied, found.outcomes) == ({NotApplied.TOO_MANY_ANSWERS: 1}, [cut])
