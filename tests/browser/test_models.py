"""What an administrator and a visitor do on the page of models in a browser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.test_evaluations import sign_in
from tests.browser.test_theatre import KITT, ask

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_visitor_finds_what_each_model_is_on_a_telephone_too(open_page: Callable[..., Page], scheme: str) -> None:
    page = open_page("/evaluations", width=360, height=740, color_scheme=scheme)
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Models").click()
    expect(page).to_have_url(re.compile(r"/models$"))
    expect(page).to_have_title("Models · Discern")
    encoder = page.get_by_test_id("model").filter(has_text="sentence encoder")
    expect(encoder).to_contain_text("default")
    expect(encoder).to_contain_text("queue cpu")
    # A worker loads it before it is asked; the page looks again until it is there.
    expect(encoder.get_by_test_id("model-state")).to_have_text("available")
    expect(encoder.locator("summary")).to_contain_text(re.compile(r"Learned from [\d,]+ questions of "))
    encoder.locator("summary").press("Enter")
    expect(encoder.get_by_role("table").first).to_contain_text("Hits@1")
    expect(page.get_by_test_id("train")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_training_is_refused_started_stopped_and_gone_on_with_by_the_keyboard(
    open_page: Callable[..., Page], site: RunningSite
) -> None:
    page = open_page("/evaluations")
    sign_in(page, site)
    page.goto("/models")
    page.get_by_test_id("train").press("Enter")
    form = page.get_by_test_id("training-form")
    form.get_by_label("Name").fill("encoder")
    form.get_by_label("Name").press("Enter")
    expect(form.get_by_role("alert")).to_contain_text("A model “encoder” exists already")
    form.get_by_label("Name").fill("small")
    form.get_by_label("Maximum epochs").fill("1")
    form.get_by_label("Name").press("Enter")
    expect(form).to_be_hidden()
    training = page.get_by_test_id("training")
    expect(training).to_contain_text("small")
    training.get_by_role("button", name="Stop small").press("Enter")
    expect(training).to_contain_text("stopped")
    training.get_by_role("button", name="Resume small").press("Enter")
    training.get_by_role("button", name="Stop small").press("Enter")
    expect(training).to_contain_text("stopped")
    # Questions are answered meanwhile.
    page.goto("/")
    ask(page, KITT)
    expect(page.get_by_test_id("answer")).to_contain_text("William Daniels")


def test_the_weights_of_a_strategy_are_shown_and_trained_on_the_page(
    open_page: Callable[..., Page], site: RunningSite
) -> None:
    page = open_page("/evaluations")
    sign_in(page, site)
    page.goto("/models")
    weights = page.get_by_test_id("weights").filter(has_text="EtD")
    expect(weights).to_contain_text("Built in.")
    weights.locator("summary").press("Enter")
    expect(weights.get_by_role("table")).to_contain_text("Hits@1")

    page.get_by_test_id("train").press("Enter")
    form = page.get_by_test_id("training-form")
    form.get_by_test_id("kind").select_option("strategy:etd")
    expect(form.get_by_label("Name")).to_have_count(0)
    form.get_by_label("Learns from").select_option("sample")
    form.get_by_label("Epochs").fill("1")
    form.get_by_label("Epochs").press("Enter")
    expect(form).to_be_hidden()
    training = page.get_by_test_id("training").filter(has_text="etd")
    training.get_by_role("button", name="Stop etd").press("Enter")
    expect(training).to_contain_text("stopped")
    expect(weights).to_contain_text("Built in.")


def test_where_the_site_is_away_the_page_says_so_and_looks_again(open_page: Callable[..., Page]) -> None:
    page = open_page("/models")
    expect(page.get_by_test_id("model").first).to_be_visible()
    page.context.set_offline(True)
    page.get_by_role("link", name="Evaluations", exact=True).click()
    page.get_by_role("link", name="Models", exact=True).click()
    expect(page.get_by_text("The models could not be loaded")).to_be_visible()
    page.context.set_offline(False)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_test_id("model").first).to_be_visible()


def test_the_page_is_quiet_where_nothing_is_at_work(open_page: Callable[..., Page]) -> None:
    page = open_page("/models")
    expect(page.get_by_test_id("model-state").first).to_have_text("available")
    page.wait_for_load_state("networkidle")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(2_000)
    assert asked == []


def test_a_recipe_is_sent_and_removed(open_page: Callable[..., Page], site: RunningSite) -> None:
    page = open_page("/evaluations")
    sign_in(page, site)
    page.goto("/models")
    recipes = page.get_by_test_id("recipes")
    recipes.locator("summary").press("Enter")
    text = '[[sources]]\nname = "ours"\ndataset = "sample"\nformat = "discern"\n'
    field = recipes.get_by_label("Upload a recipe (TOML)")
    field.set_input_files({"name": "Our Own.toml", "mimeType": "application/toml", "buffer": text.encode()})
    expect(recipes.get_by_role("alert")).to_contain_text("graph")
    whole = f'{text}graph = "sample"\n'
    field.set_input_files({"name": "Our Own.toml", "mimeType": "application/toml", "buffer": whole.encode()})
    expect(recipes.get_by_role("status")).to_have_text("“our-own” was added.")
    # Those that come with Discern stay.
    expect(recipes.get_by_role("button", name="Delete")).to_have_count(1)
    recipes.get_by_role("button", name="Delete the recipe our-own").press("Enter")
    question = page.get_by_test_id("remove-recipe")
    question.get_by_role("button", name="Delete").press("Enter")
    expect(question).to_be_hidden()
    expect(recipes.get_by_role("link", name="our-own")).to_have_count(0)
    expect(recipes.get_by_role("status")).to_have_text("“our-own” was deleted.")
