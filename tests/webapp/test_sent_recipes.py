"""Recipes that are sent to a site: the line that is wrong is told, and trainings keep what they began with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.webapp.labelled import removed
from webapp.models.trainings.models import Training
from webapp.models.trainings.trainers.held_out import held_out_keys
from webapp.models.trainings.trainers.lessons import taught_by

if TYPE_CHECKING:
    from tests.webapp.conftest import Browser

RECIPE = """title = "Ours"

[settings]
epochs = 2

[[sources]]
name = "sample"
dataset = "sample"
format = "discern"
graph = "sample"

[[sources]]
name = "again"
dataset = "sample"
format = "discern"
graph = "sample"
share = 0.5
"""
TWICE = 'name = "again"\ndataset = "sample"\nformat = "discern"'


@pytest.mark.parametrize(
    ("was", "now", "line", "key"),
    [
        ("epochs = 2", "epochs = ", 4, ""),
        ("epochs = 2", 'epochs = "two"', 4, "epochs"),
        ("epochs = 2", "epoch = 2", 4, "epoch"),
        ('title = "Ours"', 'titel = "Ours"', 1, "titel"),
        ("share = 0.5", 'topics = "known"', 17, "topics"),
        (TWICE, TWICE.replace("discern", "x"), 15, "format"),
        ("share = 0.5", "share = true", 17, "share"),
        ('name = "again"\n', "", 12, "sources"),
    ],
)  # fmt: skip
def test_the_line_and_the_key_are_shown_that_are_wrong(cleo: Browser, was: str, now: str, line: int, key: str) -> None:
    assert was in RECIPE
    reply = cleo.post("/api/scorers/recipes", {"name": "ours", "text": RECIPE.replace(was, now)}, status=422)
    assert (reply["code"], reply["extra"]) == ("recipe", {"line": line, "key": key})
    assert reply["message"].startswith(f"Line {line}: ")
    assert [row for row in cleo.get("/api/scorers/recipes") if row["sent"]] == []


def test_a_recipe_is_sent_read_trained_by_and_removed(cleo: Browser) -> None:
    listed = cleo.post("/api/scorers/recipes", {"name": "ours", "text": RECIPE}, status=201)
    assert {"name": "ours", "title": "Ours", "sent": True} in listed
    assert cleo.client.get("/api/scorers/recipes/ours.toml").content.decode() == RECIPE
    assert "bundled sample" in cleo.client.get("/api/scorers/recipes/sample.toml").content.decode()
    started = cleo.post("/api/scorers/trainings", {"name": "small", "recipe": "ours", "epochs": 5}, status=201)
    # Uploading another one of the name does not change a started training.
    cleo.post("/api/scorers/recipes", {"name": "ours", "text": RECIPE.replace("0.5", "0.7")}, status=201)
    recipe = taught_by(Training.objects.get(pk=started["id"]), held_out_keys()).recipe
    assert (recipe.title, recipe.settings.epochs, recipe.sources[1].share) == ("Ours", 5, 0.5)
    removed(cleo, "/api/scorers/recipes/ours")
    removed(cleo, "/api/scorers/recipes/ours", 404)
    assert cleo.client.get("/api/scorers/recipes/ours.toml").status_code == 404


def test_a_recipe_from_the_network_names_no_file_elsewhere(cleo: Browser) -> None:
    def refused(was: str, now: str) -> str:
        body = {"name": "ours", "text": RECIPE.replace(was, now)}
        reply = cleo.post("/api/scorers/recipes", body, status=422)
        return str(reply["extra"]["key"])

    assert refused('dataset = "sample"', 'dataset = "/etc/passwd"') == "dataset"
    assert refused('graph = "sample"', 'graph = "../../secret.tsv"') == "graph"
    assert refused('title = "Ours"', 'start = "/srv/weights"') == "start"
    assert cleo.post("/api/scorers/recipes", {"name": "sample", "text": RECIPE}, status=422)["code"] == "recipe_name"
