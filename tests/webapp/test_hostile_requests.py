"""Requests that no page sends: none makes the site fail, and none leaves anything behind."""

from __future__ import annotations

import json
import uuid
from http.client import HTTPResponse
from socket import create_connection
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import pytest
from channels.db import database_sync_to_async
from channels.testing import WebsocketCommunicator
from django.test import Client
from django.utils import timezone

from reasoning.question.linking import MAX_QUESTION_LENGTH
from tests.webapp.conftest import KITT
from tests.webapp.web_server import Answer, WebServer
from webapp.asgi import application
from webapp.asking.runs.models import Question
from webapp.evaluations.models import EvaluatedQuestion, Evaluation
from webapp.platform.http.file_parts import PART_BYTES, PART_TYPE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.webapp.conftest import Browser

RUN = "/api/runs/11111111-1111-4111-8111-111111111111"
EVALUATION = "/api/evaluations/11111111-1111-4111-8111-111111111111"
HUGE = str(10**30)


@pytest.fixture(scope="module")
def server() -> Iterator[WebServer]:
    server = WebServer(DISCERN_READ_RATE="100000/minute")
    yield server
    server.end()


class Visitor:
    """Who has a page open, and sends what it likes."""

    def __init__(self, server: WebServer) -> None:
        self.server = server
        answer = server.send("GET", "/api/session")
        self.token = answer.json["csrf_token"]
        self.cookie = answer.headers["set-cookie"].partition(";")[0]

    def post(self, target: str, body: bytes, **headers: str | None) -> Answer:
        known: dict[str, str | None] = {"cookie": self.cookie, "x_csrftoken": self.token}
        return self.server.send("POST", target, body, **{**known, "content_type": "application/json", **headers})

    def ask(self, **fields: Any) -> Answer:
        return self.post("/api/runs", json.dumps(fields).encode())


@pytest.fixture
def visitor(server: WebServer) -> Visitor:
    return Visitor(server)


def refused(answer: Answer, status: int, code: str) -> Any:
    """The body of a refusal, which is the one that all errors have."""
    assert answer.status == status, answer.body[:300]
    assert answer.headers["content-type"].startswith("application/json")
    assert set(answer.json) == {"code", "message", "extra"}
    assert answer.json["code"] == code
    assert answer.json["message"]
    assert Question.objects.count() == 0
    return answer.json


def test_a_body_over_the_limit_is_too_large(visitor: Visitor) -> None:
    body = refused(visitor.ask(question="x" * 70_000), 413, "too_large")
    assert body["extra"]["limit"] == 65_536
    assert "64 kB" in body["message"]


@pytest.mark.parametrize(
    "content_type",
    [
        "application/x-www-form-urlencoded",
        "application/x-www-form-urlencoded; charset=utf-16",
        "application/json-patch+json",
        "text/plain; charset=nonsense",
        "nonsense",
        "",
        None,
    ],
)
@pytest.mark.parametrize("target", ["/api/runs", "/api/session", f"{RUN}/cancel"])
def test_a_body_that_is_not_json_is_refused_by_its_type(
    visitor: Visitor, target: str, content_type: str | None
) -> None:
    answer = visitor.post(target, b'{"question": "who?"}', content_type=content_type)
    assert "application/json" in refused(answer, 415, "not_json")["message"]


@pytest.mark.parametrize("content_type", ["multipart/form-data", "multipart/form-data; boundary="])
def test_a_multipart_body_without_a_boundary_is_refused(visitor: Visitor, content_type: str) -> None:
    refused(visitor.post("/api/runs", b"--x", content_type=content_type), 415, "not_json")
    client = Client(enforce_csrf_checks=True)
    for target in ("/api/runs", "/api/session", f"{RUN}/cancel"):
        assert client.post(target, b"--x", content_type=content_type).status_code == 415


def test_a_whole_multipart_body_is_refused_by_its_type(visitor: Visitor) -> None:
    body = b'--x\r\nContent-Disposition: form-data; name="question"\r\n\r\nwho?\r\n--x--\r\n'
    refused(visitor.post("/api/runs", body, content_type="multipart/form-data; boundary=x"), 415, "not_json")


def test_a_body_that_does_not_say_its_length_is_too_large_too(visitor: Visitor) -> None:
    piece = b"2000\r\n" + b" " * 0x2000 + b"\r\n"
    body = piece * 10 + b"0\r\n\r\n"
    refused(visitor.post("/api/runs", body, content_length=None, transfer_encoding="chunked"), 413, "too_large")


@pytest.mark.parametrize("content_type", ["application/json", "application/x-www-form-urlencoded", PART_TYPE])
@pytest.mark.parametrize("tells_its_length", [True, False])
def test_of_a_body_of_any_length_the_server_keeps_no_more_than_the_site_reads(
    visitor: Visitor, content_type: str, *, tells_its_length: bool
) -> None:
    """Neither the disk nor the memory is any visitor's to fill."""
    server = visitor.server
    piece, count = b"a=1&" * (1 << 18), 32
    body = [piece if tells_its_length else b"%x\r\n%b\r\n" % (len(piece), piece)] * count
    length = f"Content-Length: {count * len(piece)}" if tells_its_length else "Transfer-Encoding: chunked"
    known = f"Host: 127.0.0.1\r\nCookie: {visitor.cookie}\r\nX-CSRFToken: {visitor.token}\r\n"
    head = f"POST /api/runs HTTP/1.1\r\n{known}Content-Type: {content_type}\r\n{length}\r\n\r\n"
    memory = server.most_memory()
    with create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(head.encode() + b"".join(body[:-1]))
        assert server.nameless_files() < 2 * PART_BYTES
        connection.sendall(body[-1] + (b"" if tells_its_length else b"0\r\n\r\n"))
        response = HTTPResponse(connection)
        response.begin()
        assert response.status in (413, 415)
    assert server.most_memory() - memory < 64 << 20


@pytest.mark.parametrize("content_type", ["application/json; charset=utf-8", "Application/JSON"])
def test_json_is_taken_however_its_type_is_written(visitor: Visitor, content_type: str) -> None:
    refused(visitor.post("/api/runs", b'{"question": " "}', content_type=content_type), 422, "empty_question")


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"\xff\xfe",
        b'{"question": "\xff"}',
        b'{"question": "\xed\xa0\x80"}',
        b"[" * 60_000,
        b'{"question":' * 5_000,
        b"9" * 5_000,
        b'{"question": NaN}',
        b'{"question": -Infinity}',
        b'{"question": "one", "question": "two"}',
        '{"question": "who?"}'.encode("utf-16"),
    ],
    ids=range(11),
)
def test_a_body_that_cannot_be_read_is_a_bad_request(visitor: Visitor, body: bytes) -> None:
    assert "JSON" in refused(visitor.post("/api/runs", body), 400, "bad_request")["message"]


@pytest.mark.parametrize("body", [b"[]", b"null", b'"who?"', b"5", b"{}", b"[[[[]]]]", b'{"question": {}}'])
def test_json_of_another_shape_is_not_well_formed(visitor: Visitor, body: bytes) -> None:
    refused(visitor.post("/api/runs", body), 422, "invalid_request")


@pytest.mark.parametrize("text", ["\\u0000", "who\\u0000?", "\\ud800", "\\udfff who?", "\\udc00\\ud800"])
@pytest.mark.parametrize("field", ["question", "graph", "topic", "scorer"])
def test_text_that_cannot_be_stored_is_refused_with_its_field(visitor: Visitor, field: str, text: str) -> None:
    body = f'{{"question": "who?", "{field}": "{text}"}}' if field != "question" else f'{{"question": "{text}"}}'
    reply = refused(visitor.post("/api/runs", body.encode()), 422, "invalid_request")
    assert reply["extra"]["faults"][0]["where"] == f"body.{field}"


def test_such_text_is_refused_in_names_of_fields_and_deep_inside(visitor: Visitor) -> None:
    refused(visitor.post("/api/runs", b'{"question": "who?", "a\\u0000": 1}'), 422, "invalid_request")
    reply = refused(visitor.post("/api/runs", b'{"question": [{"a": ["\\u0000"]}]}'), 422, "invalid_request")
    assert reply["extra"]["faults"][0]["where"] == "body.question.0.a.0"


def test_a_field_that_is_not_known_is_refused_by_its_name(visitor: Visitor) -> None:
    shown = refused(visitor.ask(question="who?", gold=["m.1"]), 422, "invalid_request")
    assert shown["extra"]["faults"][0]["where"] == "body.gold"
    answer = visitor.post("/api/session", b'{"username": "a", "password": "b", "staff": true}')
    assert refused(answer, 422, "invalid_request")["extra"]["faults"][0]["where"] == "body.staff"


@pytest.mark.parametrize(
    "fields",
    [{"question": 5}, {"question": KITT, "graph": 5}, {"question": KITT, "scorer": True}, {"question": KITT * 500}],
)
def test_values_of_another_type_are_refused(visitor: Visitor, fields: dict[str, Any]) -> None:
    refused(visitor.ask(**fields), 422, "invalid_request")


@pytest.mark.parametrize(
    "target",
    [
        f"/api/evaluations?offset={HUGE}",
        f"/api/evaluations?offset={2**63}",
        "/api/evaluations?offset=-1",
        f"/api/evaluations?limit={HUGE}",
        f"/api/evaluations?offset={'9' * 5_000}",
        "/api/evaluations?offset=NaN",
        f"{EVALUATION}/questions?offset={HUGE}",
        f"{EVALUATION}/questions?hops={HUGE}",
        f"{EVALUATION}/questions?leaves=-{HUGE}",
        f"{EVALUATION}/questions?f1_from=nan",
        f"{EVALUATION}/questions?f1_below=1e400",
        f"{RUN}/events?after={HUGE}",
        f"{RUN}/events?after={2**63}",
        f"{RUN}/answers?offset={HUGE}",
        f"{RUN}/answers?limit={HUGE}",
        f"{RUN}/facts?position={HUGE}",
        f"{RUN}/facts?position=1&offset={HUGE}",
        f"/api/graphs/toy/entities?q=a&limit={HUGE}",
        f"/api/runs?limit={2**64}",
    ],
)
def test_numbers_beyond_what_is_counted_are_refused(server: WebServer, target: str) -> None:
    refused(server.send("GET", target), 422, "invalid_request")


@pytest.mark.parametrize(
    "target",
    [
        "/api/graphs/toy/entities?q=%00",
        "/api/graphs/toy/entities?q=%ed%a0%80",
        "/api/graphs/toy/entities?q=%ff",
        "/api/graphs/toy/entities?%00=a",
        "/api/graphs/%00/entities?q=a",
        "/api/graphs/toy%00/entities?q=a",
        "/api/examples?graph=%00",
        "/api/nothing/%00",
        "/%00",
        "/?a=%00",
        "/admin/login/?next=%00",
        "/admin/%00",
        "/static/%00",
        "/static/assets/%00.js",
        "/healthz?%00",
    ],
)
def test_a_null_or_broken_text_in_an_address_is_refused(server: WebServer, target: str) -> None:
    refused(server.send("GET", target), 422, "invalid_request")


@pytest.mark.parametrize(
    ("target", "statuses"),
    [
        ("/api/graphs/a%2fb/entities", {404}),
        ("/api/graphs/..%2f..%2fetc%2fpasswd/entities", {404}),
        ("/api/graphs/%f0%9f%98%80/entities", {404}),
        ("/api/graphs/%ff/entities", {404}),
        ("/api/runs/%ff", {404}),
        (f"{EVALUATION}/questions/{HUGE}/run", {405}),
        ("/static/../webapp/settings.py", {404}),
        ("/static/..%2f..%2fpyproject.toml", {404}),
        ("/static/%2e%2e/%2e%2e/pyproject.toml", {404}),
        ("/static//etc/passwd", {404}),
        ("/static/" + "a" * 5_000, {404}),
        ("/" + "a" * 9_000, {200, 503}),
        ("/" + "a" * 14_000, {200, 503}),
        ("//evil.example/%0d%0aSet-Cookie:a=b", {404}),
        ("/api/graphs/toy/entities?q=" + "a" * 500, {422}),
        ("/api/graphs/toy/entities?" + "&".join(f"a{n}=1" for n in range(1_500)), {400}),
        (f"{EVALUATION}/questions?label=%22%27%5C=x&search=%25%27%22", {404}),
    ],
)
def test_odd_addresses_lead_nowhere(server: WebServer, target: str, statuses: set[int]) -> None:
    assert server.send("GET", target).status in statuses


def test_the_longest_question_in_any_script_fits_into_an_address(server: WebServer) -> None:
    longest = quote("𓀀" * MAX_QUESTION_LENGTH)
    assert server.send("GET", f"/api/graphs/toy/recognised?q={longest}").status == 200
    assert server.send("GET", f"/api/graphs/toy/recognised?q={longest}%F0%93%80%80").status == 422


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "BREW"])
@pytest.mark.parametrize("target", ["/", "/api/runs", RUN, "/api/nothing", "/admin/", "/healthz", "/static/x"])
def test_no_method_makes_the_site_fail(server: WebServer, method: str, target: str) -> None:
    assert server.send(method, target).status < 500 or target == "/"


@pytest.mark.parametrize("target", ["/", "/admin/login/", "/runs/x", "/healthz"])
@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"a" * 70_000, "application/x-www-form-urlencoded"),
        (b"--x", "multipart/form-data"),
        (b"username=%00&password=%00", "application/x-www-form-urlencoded"),
        (b"username=a", "application/x-www-form-urlencoded; charset=utf-16"),
        (b"&".join(b"a%d=1" % n for n in range(1_500)), "application/x-www-form-urlencoded"),
    ],
)
def test_a_form_that_a_page_does_not_take_makes_nothing_fail(
    visitor: Visitor, target: str, body: bytes, content_type: str
) -> None:
    form = visitor.token.encode() and b"csrfmiddlewaretoken=" + visitor.token.encode() + b"&" + body
    for sent in (body, form):
        assert visitor.post(target, sent, content_type=content_type).status < 500


@pytest.mark.parametrize(
    "cookie",
    [
        'sessionid="\\000\\000\\000\\000\\000\\000\\000\\000"; csrftoken="\\000"',
        "sessionid=" + "a" * 7_000,
        "sessionid=\x01\x02; ;;; =; a",
        'sessionid="' + "\\377" * 20 + '"; csrftoken=\xff\xfe',
        "sessionid=..%2f..%2f; csrftoken=short",
    ],
)
def test_a_broken_cookie_is_no_cookie(server: WebServer, cookie: str) -> None:
    answer = server.send("GET", "/api/session", cookie=cookie)
    assert answer.status == 200
    assert answer.json["user"] is None
    assert server.send("GET", "/api/runs", cookie=cookie).json == []
    asked = server.send("POST", "/api/runs", b'{"question": "?"}', cookie=cookie, content_type="application/json")
    refused(asked, 403, "csrf_failed")


@pytest.mark.parametrize(
    "host", ["evil.example", "", "127.0.0.1:port", "[::1", "a b", "127.0.0.1/../", "\xff\xfe", "x" * 300]
)
def test_a_foreign_or_broken_host_gets_the_one_body(server: WebServer, host: str) -> None:
    answer = server.send("GET", "/api/session", host=host)
    assert answer.status == 400
    if answer.body:
        refused(answer, 400, "bad_request")


def test_forwarded_addresses_that_are_none_do_not_count() -> None:
    server = WebServer(DISCERN_PROXIES="1", DISCERN_VISITOR_RATE="2/hour")
    try:
        visitor = Visitor(server)
        statuses = [
            visitor.post("/api/runs", json.dumps({"question": KITT}).encode(), x_forwarded_for=junk).status
            for junk in ("junk one", "a" * 5_000, "\xff\xfe\x01", "1.2.3.4.5", ", ,", "\t")
        ]
        assert statuses == [201, 201, 429, 429, 429, 429]
        elsewhere = visitor.post("/api/runs", json.dumps({"question": KITT}).encode(), x_forwarded_for="203.0.113.9")
        assert elsewhere.status == 201
    finally:
        server.end()


def test_nothing_of_all_this_failed_inside(server: WebServer) -> None:
    """The log of the server, after the tests above: what is answered well may still have failed within."""
    assert "Traceback" not in server.log_text()


@pytest.mark.parametrize(
    "name",
    ["domain", '"', "'", "\\", "$.x", "a.b", "[0]", "0", "-1", "é", "%", "a\nb", "😀", "\x01", 'a"b', "%(x)s", "{}"],
)
def test_a_label_of_any_name_chooses_questions(name: str, rita: Browser) -> None:
    evaluation = Evaluation.objects.create(
        dataset="mine",
        format="discern",
        split="all",
        graph_title="Toy",
        scorer="lexical",
        switches={},
        seen_at=timezone.now(),
    )
    for position, value in enumerate(("yes", "no"), start=1):
        EvaluatedQuestion.objects.create(
            evaluation=evaluation, position=position, question_id=value, text="who?", labels={name: value}, gold={}
        )
    page = rita.get(f"/api/evaluations/{evaluation.pk}/questions?{urlencode({'label': f'{name}=yes'})}")
    assert [question["question_id"] for question in page["questions"]] == ["yes"]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/ws/runs/not-an-id/", 4404),
        ("/ws/runs/%00/", 4404),
        ("/ws/\x00", 4404),
        ("/", 4404),
        (f"/ws/runs/{uuid.UUID(int=1)}/?after=%00", 4400),
        (f"/ws/runs/{uuid.UUID(int=1)}/?after=NaN", 4400),
        (f"/ws/runs/{uuid.UUID(int=1)}/?after={'9' * 5_000}", 4400),
        (f"/ws/runs/{uuid.UUID(int=1)}/?after={HUGE}", 4400),
    ],
)
async def test_sockets_of_odd_addresses_are_closed_with_a_code(path: str, code: int) -> None:
    headers = [(b"host", b"localhost"), (b"origin", b"http://localhost")]
    communicator = WebsocketCommunicator(application, path, headers=headers)
    try:
        assert (await communicator.connect(timeout=5))[0]
        output = await communicator.receive_output(timeout=5)
    finally:
        await communicator.disconnect()
    assert (output["type"], output["code"]) == ("websocket.close", code)
    assert await database_sync_to_async(Question.objects.count)() == 0
