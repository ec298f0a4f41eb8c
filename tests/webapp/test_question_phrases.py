"""Suggested questions are English, whatever the form of a relation's name."""

from __future__ import annotations

import pytest

from kgstore.terms import Direction, Relation
from webapp.asking.questions.phrases import question_about


@pytest.mark.parametrize(
    ("predicate", "of_subject", "of_object"),
    [
        ("works_at", "where does X work?", "which one works at X?"),
        ("worksFor", "what does X work for?", "which one works for X?"),
        ("lives_near", "where does X live?", "which one lives near X?"),
        ("reports_to", "what does X report to?", "which one reports to X?"),
        ("manages", "who does X manage?", "which one manages X?"),
        ("studies", "what does X study?", "which one studies X?"),
        ("teaches", "who does X teach?", "which one teaches X?"),
        ("born_on", "when was X born?", "which one was born on X?"),
        ("born_in", "where was X born?", "which one was born in X?"),
        ("written_by", "what was X written by?", "which one was written by X?"),
        ("is_located_in", "where is X located?", "which one is located in X?"),
        ("owned_by", "what is X owned by?", "which one is owned by X?"),
        ("has_part", "what part does X have?", "which one has X as part?"),
        ("capital_of", "what is X the capital of?", "which one is the capital of X?"),
        ("is_part_of", "what is X part of?", "which one is part of X?"),
        ("member_of", "what is X a member of?", "which one is a member of X?"),
        ("date_of_birth", "what is the date of birth of X?", "which one has X as its date of birth?"),
        ("hr.employee.manager", "what is the manager of X?", "which employee has X as its manager?"),
        ("parents", "what are the parents of X?", "which one has X among its parents?"),
        ("awards", "what are the awards of X?", "which one has X among its awards?"),
        ("boss", "what is the boss of X?", "which one has X as its boss?"),
        ("film.film.directed_by", "what was X directed by?", "which film was directed by X?"),
        ("location.location.contains", "what does X contain?", "which place contains X?"),
    ],
)
def test_a_relation_is_asked_for_by_the_form_of_its_name(predicate: str, of_subject: str, of_object: str) -> None:
    assert question_about(Relation(predicate), "X") == of_subject
    assert question_about(Relation(predicate, Direction.REVERSE), "X") == of_object
