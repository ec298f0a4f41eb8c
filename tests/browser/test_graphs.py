"""What an administrator and a visitor do on the page of graphs in a browser."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from kgstore.loading.formats.tsv import TripleReader
from kgstore.loading.reading import GraphToLoad
from kgstore.sqlite.library import SqliteLibrary
from tests.browser.test_accounts import sign_in
from tests.browser.test_evaluations import LONGEST_MS
from tests.browser.test_theatre import ask

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Locator, Page

    from tests.running_site import RunningSite

pytestmark = pytest.mark.browser

PHILOSOPHERS = """\
<http://dbpedia.org/resource/Ren%C3%A9_Descartes>\t<http://dbpedia.org/ontology/birthPlace>\t<http://dbpedia.org/resource/La_Haye>
<http://dbpedia.org/resource/Ren%C3%A9_Descartes>\t<http://dbpedia.org/ontology/birthDate>\t"1596-03-31"^^xsd:date
this line has no columns
"""
DESCARTES = "http://dbpedia.org/resource/Ren%C3%A9_Descartes"
QUESTION = "what is the birth place of René Descartes?"


def choose(form: Locator, name: str, content: bytes | str) -> None:
    content = content.encode() if isinstance(content, str) else content
    field = form.get_by_test_id("file-upload").first.locator("input[type=file]")
    field.set_input_files([{"name": name, "mimeType": "text/plain", "buffer": content}])


def graph(page: Page, name: str) -> Locator:
    return page.get_by_test_id("graph").filter(has=page.get_by_text(name, exact=True))


def load_philosophers(page: Page) -> None:
    page.get_by_test_id("load-graph").press("Enter")
    form = page.get_by_test_id("load-form")
    form.get_by_role("button", name="Load", exact=True).click()
    expect(form.get_by_role("alert").last).to_have_text("Choose the file of triples first.")
    choose(form, "Philosophers.tsv", PHILOSOPHERS)
    expect(form.get_by_role("status")).to_contain_text("uploaded")
    expect(form.get_by_label("Name", exact=True)).to_have_value("philosophers")
    form.get_by_label("Title").fill("Philosophers of old")
    form.get_by_label("Title").press("Enter")
    expect(form).to_be_hidden()
    loaded = graph(page, "philosophers")
    expect(loaded).to_contain_text("2 facts about 2 entities, 2 of them with a name, with 2 relations")
    expect(loaded).to_contain_text("Philosophers.tsv (Triples as TSV)")
    loaded.get_by_text("1 line was skipped").click()
    expect(loaded.get_by_role("table")).to_contain_text("1 columns instead of 3")
    expect(loaded.get_by_role("table")).to_contain_text("this line has no columns")
    with page.expect_download() as download:
        loaded.get_by_role("link", name="Download all").click()
    assert "this line has no columns" in download.value.path().read_text(encoding="utf-8")


def ask_of_philosophers(page: Page) -> str:
    """Ask, and see the answer; returns the address of the run."""
    graph(page, "philosophers").get_by_role("link", name="Ask").click()
    expect(page.get_by_test_id("graph-select")).to_have_value("philosophers")
    ask(page, QUESTION)
    expect(page.get_by_test_id("answer")).to_contain_text("La Haye", timeout=LONGEST_MS)
    expect(page.get_by_test_id("graph-change")).to_have_count(0)
    return page.url


def evaluate_philosophers(page: Page, folder: Path) -> str:
    """Evaluate a question on the graph; returns the address of the report."""
    folder.mkdir(exist_ok=True)
    gold = {
        "id": "one",
        "phrasings": [QUESTION],
        "topic": DESCARTES,
        "search": [[0, "http://dbpedia.org/ontology/birthPlace"]],
        "constraints": [],
        "answer": 1,
        "answers": ["http://dbpedia.org/resource/La_Haye"],
    }
    (folder / "philosophers.jsonl").write_text(json.dumps(gold), encoding="utf-8")
    page.goto("/evaluations")
    page.get_by_test_id("new-evaluation").click()
    form = page.get_by_test_id("evaluation-form")
    form.get_by_test_id("dataset").select_option("philosophers.jsonl")
    form.locator("select").filter(has_text="Held out for validation").select_option("all")
    form.get_by_label("Graph").select_option("philosophers")
    form.get_by_test_id("start").click()
    expect(page.get_by_test_id("figures")).to_contain_text("100.0 %", timeout=LONGEST_MS)
    return page.url


def replace_philosophers(page: Page) -> None:
    """A file of which nothing can be loaded leaves the graph as it was; another one takes its place."""
    page.goto("/graphs")
    graph(page, "philosophers").get_by_role("button", name="Replace").click()
    form = page.get_by_test_id("load-form")
    choose(form, "notes.txt", "nothing of any use\n")
    expect(form.get_by_role("status")).to_contain_text("uploaded")
    form.get_by_role("button", name="Replace", exact=True).click()
    failed = page.get_by_test_id("load")
    expect(failed).to_contain_text("Cannot detect the format")
    expect(graph(page, "philosophers")).to_contain_text("2 facts")
    failed.get_by_role("button", name="Try again").click()
    expect(form.get_by_role("status")).to_contain_text("19 bytes, uploaded")
    form.get_by_role("button", name="Choose another file").click()
    choose(form, "better.tsv", PHILOSOPHERS.replace("this line has no columns", f"{DESCARTES}\twrote\tMeditations"))
    expect(form.get_by_role("status")).to_contain_text("uploaded")
    form.get_by_role("button", name="Replace", exact=True).click()
    expect(failed).to_have_count(0)
    expect(graph(page, "philosophers")).to_contain_text("3 facts")


def remove_philosophers(page: Page) -> None:
    page.goto("/graphs")
    graph(page, "philosophers").get_by_role("button", name="Delete").press("Enter")
    removal = page.get_by_test_id("remove-graph")
    expect(removal.get_by_role("status")).to_contain_text("1 question asked and 1 evaluation stay readable")
    expect(removal.get_by_role("button", name="Cancel")).to_be_focused()
    removal.get_by_role("button", name="Delete").click()
    expect(graph(page, "philosophers")).to_have_count(0)


def test_a_graph_is_loaded_asked_evaluated_replaced_and_removed(
    open_page: Callable[..., Page], site: RunningSite
) -> None:
    page = open_page("/")
    page.get_by_test_id("to-graphs").click()
    expect(page).to_have_title("Graphs · Discern")
    expect(page.get_by_test_id("load-graph")).to_have_count(0)
    sign_in(page, *site.account("admin"))
    load_philosophers(page)
    run = ask_of_philosophers(page)
    report = evaluate_philosophers(page, site.home / "datasets")

    replace_philosophers(page)
    page.goto(run)
    expect(page.get_by_test_id("answer")).to_contain_text("La Haye")
    expect(page.get_by_test_id("graph-change")).to_contain_text("was replaced after this run")

    # What was asked of a removed graph can be read, and asking again says what is so.
    remove_philosophers(page)
    page.goto(run)
    expect(page.get_by_test_id("answer")).to_contain_text("La Haye")
    expect(page.get_by_test_id("graph-change")).to_contain_text("was deleted after this run")
    expect(page.get_by_test_id("graph-select")).to_have_value("philosophers")
    page.get_by_role("button", name="Ask again").first.click()
    expect(page.get_by_text("There is no graph named 'philosophers'")).to_be_visible()
    page.goto(report)
    expect(page.get_by_test_id("figures")).to_contain_text("Hits@1")


def sent_at_most(page: Page, bytes_per_second: int) -> None:
    """Limit how fast the browser sends, so that a file is still on its way when it is cancelled; -1 for no limit."""
    conditions = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": bytes_per_second}
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", conditions)


def test_a_load_is_watched_and_stopped_and_what_is_long_is_sent_with_progress(
    open_page: Callable[..., Page], site: RunningSite
) -> None:
    page = open_page("/graphs")
    sign_in(page, *site.account("admin"))
    page.get_by_test_id("load-graph").click()
    form = page.get_by_test_id("load-form")
    sent_at_most(page, 1_000_000)
    content = b"".join(b"thing_%d\tnext\tthing_%d\n" % (number, number + 1) for number in range(400_000))
    choose(form, "things.tsv", content)
    expect(form.get_by_role("progressbar")).to_be_visible()
    expect(form.get_by_test_id("file-upload").first).to_contain_text(re.compile(r"MB of \d+\.\d MB"))
    expect(form.get_by_role("button", name="Load", exact=True)).to_be_disabled()
    expect(form.get_by_text("Wait until the file is uploaded.")).to_be_in_viewport()
    # By its key, for the button moves a little while the numbers next to it grow.
    form.get_by_role("button", name="Cancel").press("Enter")
    expect(form.get_by_text("or drop it here").first).to_be_visible()
    sent_at_most(page, -1)
    choose(form, "things.tsv", content)
    expect(form.get_by_role("status")).to_contain_text("uploaded")
    form.get_by_role("button", name="Load", exact=True).click()
    load = page.get_by_test_id("load")
    expect(load).to_contain_text(re.compile(r"reading|sorting|writing"))
    expect(load.get_by_role("progressbar")).to_be_visible()
    load.get_by_role("button", name="Stop loading").click()
    expect(load).to_contain_text("stopped")
    expect(graph(page, "things")).to_have_count(0)
    load.get_by_role("button", name="Try again").click()
    expect(form.get_by_role("status")).to_contain_text("uploaded")


def drop(page: Page, field: Locator, *files: tuple[str, str]) -> None:
    """Drop files from elsewhere: those of a name and a text each."""
    data = page.evaluate_handle(
        """files => {
            const data = new DataTransfer();
            for (const [name, text] of files) data.items.add(new File([text], name));
            return data;
        }""",
        [list(file) for file in files],
    )
    for event in ("dragenter", "dragover", "drop"):
        field.dispatch_event(event, {"dataTransfer": data, "cancelable": True})


def test_a_file_is_dropped_and_what_is_dropped_beside_the_field_leaves_the_page(
    open_page: Callable[..., Page], site: RunningSite
) -> None:
    page = open_page("/graphs")
    sign_in(page, *site.account("admin"))
    page.get_by_test_id("load-graph").click()
    form = page.get_by_test_id("load-form")
    field = form.get_by_text("or drop it here").first
    table = ("Inventors.csv", "head,relation,tail\nHedy_Lamarr,invented,Frequency_hopping\n")
    drop(page, form.get_by_role("heading"), table)
    expect(field).to_be_visible()
    drop(page, field, table, table)
    expect(form.get_by_role("alert").first).to_have_text("Drop only one file.")
    drop(page, field, table)
    expect(form.get_by_role("status").first).to_contain_text("uploaded")
    expect(form.get_by_label("Name", exact=True)).to_have_value("inventors")
    form.get_by_label("Name", exact=True).press("Enter")
    loaded = graph(page, "inventors")
    expect(loaded).to_contain_text("1 fact about 2 entities, 2 of them with a name, with 1 relation")
    expect(loaded).to_contain_text("Inventors.csv (Triples as CSV)")
    loaded.get_by_role("button", name="Delete").click()
    page.get_by_test_id("remove-graph").get_by_role("button", name="Delete").click()
    expect(loaded).to_have_count(0)


@pytest.fixture
def many_graphs(site: RunningSite, tmp_path: Path) -> Iterator[list[str]]:
    """More graphs than a page shows without a search, loaded by command in addition to those of the site."""
    path = tmp_path / "star.tsv"
    path.write_text("Sun\tlights\tEarth\n", encoding="utf-8")
    library = SqliteLibrary(site.home / "graphs")
    names = [f"star-{number:02}" for number in range(1, 31)]
    for name in names:
        library.load(GraphToLoad(TripleReader(path), name, f"Star {name[-2:]}", "star.tsv", names_from_ids=True))
    yield names
    for name in names:
        library.remove(name)


@pytest.mark.parametrize("width", [1440, 360])
def test_many_graphs_are_searched_by_name(open_page: Callable[..., Page], many_graphs: list[str], width: int) -> None:
    page = open_page("/graphs", width=width)
    search = page.get_by_role("searchbox", name="Search the graphs")
    rows = page.get_by_test_id("graph")
    expect(rows.filter(has_text="Star ")).to_have_count(len(many_graphs))
    expect(page.get_by_text(re.compile(r"^(\d+) of \1$"))).to_be_visible()
    search.fill("STAR 07")
    expect(rows).to_have_count(1)
    expect(page.get_by_text(re.compile(r"^1 of \d\d$"))).to_be_visible()
    expect(graph(page, "star-07")).to_contain_text("1 fact")
    search.fill("no such star")
    expect(page.get_by_text("No graph is called “no such star”.")).to_be_visible()
    search.fill("star-3")
    expect(rows).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # They are chosen where a question is asked, too.
    rows.get_by_role("link", name="Ask").click()
    expect(page.get_by_test_id("graph-select")).to_have_value("star-30")
    expect(page.get_by_test_id("graph-select").locator("option", has_text="Star ")).to_have_count(len(many_graphs))
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_visitor_finds_what_each_graph_is_on_a_telephone_too(open_page: Callable[..., Page], scheme: str) -> None:
    page = open_page("/", width=360, height=740, color_scheme=scheme)
    page.get_by_test_id("to-graphs").click()
    sample = graph(page, "sample")
    expect(sample).to_contain_text("default")
    expect(page.get_by_text("sign in as an administrator")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_where_the_site_is_away_the_page_says_so_and_looks_again(open_page: Callable[..., Page]) -> None:
    page = open_page("/graphs")
    expect(page.get_by_test_id("graph").first).to_be_visible()
    page.context.set_offline(True)
    page.get_by_role("link", name="Evaluations", exact=True).click()
    page.get_by_role("link", name="Graphs", exact=True).click()
    expect(page.get_by_text("The graphs could not be loaded")).to_be_visible()
    page.context.set_offline(False)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_test_id("graph").first).to_be_visible()


STAFF = "id,name,born,boss_id,likes\n1,Ada Berg,1980,,tea;rye\n2,Ben Roth,1990,1,tea\n"


def test_the_columns_of_a_table_are_checked_changed_and_loaded(
    open_page: Callable[..., Page], site: RunningSite
) -> None:
    page = open_page("/graphs")
    sign_in(page, *site.account("admin"))
    page.get_by_test_id("load-graph").press("Enter")
    form = page.get_by_test_id("load-form")
    choose(form, "staff.csv", STAFF)
    expect(form.get_by_role("status")).to_contain_text("uploaded")
    form.get_by_test_id("look-at-columns").press("Enter")
    expect(form.get_by_test_id("column")).to_have_count(3)
    expect(form.get_by_label("What boss_id is")).to_have_value("of:staff")
    expect(form.get_by_label("Separator of likes")).to_have_value(";")
    expect(form.get_by_test_id("first-facts")).to_contain_text("staff_2 — boss → staff_1")
    form.get_by_label("Each row is a").fill("employee")
    form.get_by_label("Each row is a").press("Tab")
    form.get_by_label("Relation of boss_id").fill("reports_to")
    form.get_by_label("Relation of boss_id").press("Tab")
    form.get_by_label("What likes is").select_option("left out")
    facts = form.get_by_test_id("first-facts")
    expect(facts).to_contain_text("employee_2 — reports_to → employee_1")
    expect(facts).not_to_contain_text("tea")
    with page.expect_download() as download:
        form.get_by_role("button", name="Save this mapping").click()
    assert json.loads(download.value.path().read_text(encoding="utf-8"))[0]["kind"] == "employee"
    form.get_by_role("button", name="Load", exact=True).click()
    expect(form).to_be_hidden()
    loaded = graph(page, "staff")
    expect(loaded).to_contain_text("facts about 2 entities")
    loaded.get_by_role("link", name="Ask").click()
    ask(page, "Who does Ben Roth report to?")
    expect(page.get_by_test_id("answer")).to_contain_text("Ada Berg", timeout=LONGEST_MS)
