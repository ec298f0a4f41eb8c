"""What the stand-ins for DoG's roles make of questions that are made by templates, and of others."""

from __future__ import annotations

import pytest

from kgstore.terms import Date, Entity, Relation
from reasoning.core.options import Mention
from reasoning.strategies.dog.by_rule import NOT_NAMED, spoken
from reasoning.strategies.dog.shrinking import Shrinking
from reasoning.strategies.dog.turns import Subject

RELATIONS = {
    "directed": "film.film.directed_by",
    "written": "film.film.written_by",
    "actors": "film.film.starring_actors",
    "parents": "people.person.parents",
    "children": "people.person.children",
    "spouse": "people.person.spouse_s",
}


def subject(text: str, step: str, others: tuple[Mention, ...] = ()) -> Subject:
    """A question with its topic in [brackets], after a step was followed (``^`` for back)."""
    begin, end = text.index("["), text.index("]") - 1
    relation = Relation.parse(("^" if step.startswith("^") else "") + RELATIONS[step.removeprefix("^")])
    question = Shrinking(text.replace("[", "").replace("]", ""), (begin, end), others)
    return Subject(1, 1, relation, question, "IT")


@pytest.mark.parametrize(
    ("text", "steps", "questions"),
    [
        # Before the topic.
        ("who starred in the films written by [George Howe]", "^written", ["who starred in IT"]),
        ("when were the films acted by [João Miguel] released", "^actors", ["when were IT released"]),
        ("which person wrote the films acted by the actors in [The Experts]", "actors ^actors", [
            "which person wrote the films acted by IT",
            "which person wrote IT",
        ]),
        ("what is the heir of child of [jodhabai] ?", "children", ["what is the heir of IT ?"]),
        # Behind it.
        ("who is listed as director of [Alice Lowe] starred movies", "^actors", ["who is listed as director of IT"]),
        ("what genres are the films directed by the [The Fantasticks] director", "directed ^directed", [
            "what genres are the films directed by IT",
            "what genres are IT",
        ]),
        ("what is the [alice] 's heir 's ethnicity ?", "children", ["what is IT 's ethnicity ?"]),
        ("[georg] 's other half 's sex ?", "spouse", ["IT 's sex ?"]),
        ("what did [joachim]'s father die from ?", "parents", ["what did IT die from ?"]),
        # On both sides.
        ("what is the job of husband of [louise] 's daughter ?", "children spouse", [
            "what is the job of husband of IT ?",
            "what is the job of IT ?",
        ]),
        # Said once for there and back.
        ("the films that share writers with the movie [Lamerica] were in which languages", "written ^written", [
            "the films that writers IT were in which languages",
            "IT were in which languages",
        ]),
        ("the actor [Beth Broderick] co-starred with who", "^actors", ["IT starred with who"]),
        ("who wrote films together with [Lewis John Carlino]", "^written", ["who wrote films IT"]),
        ("what is the name of the grandchildren of [tiberius] ?", "children", [
            "what is the name of the children of IT ?",
        ]),
        # Said twice.
        ("what are the genres of the films whose directors also directed [Target]", "directed ^directed", [
            "what are the genres of the films whose directors IT",
            "what are the genres of IT",
        ]),
    ],
)  # fmt: skip
def test_templates_are_shortened_word_by_word(text: str, steps: str, questions: list[str]) -> None:
    for step, expected in zip(steps.split(), questions, strict=True):
        _, after, _ = spoken(subject(text, step), "3")
        assert after.text == expected
        assert after.topic is not None
        text = f"{after.text[: after.topic[0]]}[IT]{after.text[after.topic[1] :]}"


def test_each_role_takes_out_a_little_more(subtests: pytest.Subtests) -> None:
    asked = "who starred in the films written by [George Howe]"
    for debaters, expected in (
        ("1", "who starred in the films IT"),
        ("2", "who starred in the films IT"),
        ("3", "who starred in IT"),
        ("one-for-all", "who starred in IT"),
    ):
        with subtests.test(debaters=debaters):
            turns, after, _ = spoken(subject(asked, "^written"), debaters)  # type: ignore[arg-type]
            assert after.text == expected
            assert f"“{expected}”" in turns[-1][1] or debaters == "2"


def test_the_critic_gives_back_what_is_asked_for() -> None:
    turns, after, _ = spoken(subject("who directed [KITT]", "directed"), "1")
    assert (after.text, len(turns)) == ("who IT", 1)
    turns, after, _ = spoken(subject("name directors of [KITT]", "directed"), "2")
    assert after.text == "name directors of IT"
    assert turns[1][1].startswith("No word is left that says what is asked for.")


def test_words_of_another_name_stay() -> None:
    text = "who plays KITT in [Knight Rider] in 1982"
    others = (Mention(10, 14, Entity("en.kitt")), Mention(34, 38, Date("1982")))
    _, after, gone = spoken(subject(text, "actors", others), "3")
    assert after.text == "who plays KITT in IT in 1982"
    assert [after.text[one.start : one.end] for one in after.others] == ["KITT", "1982"]
    assert gone == [(18, 30)]


def test_a_question_that_does_not_name_its_topic_stays() -> None:
    unnamed = Subject(1, 1, Relation.parse(RELATIONS["parents"]), Shrinking("who is it?", None), "IT")
    assert spoken(unnamed, "3") == ([("simplifier", NOT_NAMED)], unnamed.question, [])


def test_what_is_taken_out_is_reported_in_the_words_of_the_question() -> None:
    asked = subject("what genres are the movies written by [Émile Zola] writers", "written")
    _, _, gone = spoken(asked, "3")
    assert [asked.question.text[slice(*span)] for span in gone] == ["Émile Zola", "writers"]
