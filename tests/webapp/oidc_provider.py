"""A small provider of OpenID Connect on the loopback, that can be told to lie."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

CLIENT_ID, CLIENT_SECRET = "discern", "the secret of this site"


@dataclass
class Lies:
    """What is wrong about the answers."""

    claims: dict[str, Any] = field(default_factory=dict)
    """Other claims than the true ones; None leaves one out."""
    signature: str = "own"
    """``own`` key, a ``foreign`` one, ``none`` at all, or the client's ``secret``."""
    issuer: str | None = None
    """Who it says it is."""


class Provider(ThreadingHTTPServer):
    """Signs everybody in as the person that it was told."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.issuer = f"http://127.0.0.1:{self.server_address[1]}/realm"
        self.key, self.foreign_key = (RSAKey.generate_key(2048, {"kid": "1"}) for _ in range(2))
        self.person: dict[str, Any] = {}
        self.lies = Lies()
        self.codes: dict[str, dict[str, str]] = {}
        Thread(target=self.serve_forever, daemon=True).start()

    def id_token(self, asked: dict[str, str]) -> str:
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 300,
            "nonce": asked["nonce"],
            **self.person,
            **self.lies.claims,
        }
        claims = {name: value for name, value in claims.items() if value is not None}
        match self.lies.signature:
            case "own":
                return jwt.encode({"alg": "RS256", "kid": "1"}, claims, self.key)
            case "foreign":
                return jwt.encode({"alg": "RS256", "kid": "1"}, claims, self.foreign_key)
            case "secret":
                return jwt.encode({"alg": "HS256"}, claims, OctKey.import_key(CLIENT_SECRET), algorithms=["HS256"])
            case _:
                parts = ({"alg": "none", "kid": "1"}, claims)
                return ".".join(_base64(json.dumps(part).encode()) for part in parts) + "."


class _Handler(BaseHTTPRequestHandler):
    server: Provider

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        match parts.path.removeprefix("/realm"):
            case "/.well-known/openid-configuration":
                issuer = self.server.issuer
                self._answer(
                    {
                        "issuer": self.server.lies.issuer or issuer,
                        "authorization_endpoint": f"{issuer}/authorize",
                        "token_endpoint": f"{issuer}/token",
                        "jwks_uri": f"{issuer}/keys",
                        "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
                    }
                )
            case "/keys":
                self._answer({"keys": [self.server.key.as_dict(private=False)]})
            case "/authorize":
                code = secrets.token_urlsafe(8)
                self.server.codes[code] = query
                self.send_response(302)
                back = urlencode({"code": code, "state": query["state"]})
                self.send_header("Location", f"{query['redirect_uri']}?{back}")
                self.end_headers()
            case _:
                self.send_error(404)

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        asked = self.server.codes.pop(form["code"][0], None)
        basic = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
        verifier = hashlib.sha256(form.get("code_verifier", [""])[0].encode()).digest()
        if (
            asked is None
            or self.headers["Authorization"] != f"Basic {basic}"
            or asked["redirect_uri"] != form["redirect_uri"][0]
            or asked["code_challenge"] != _base64(verifier)
        ):
            self._answer({"error": "invalid_grant"}, 400)
            return
        self._answer({"access_token": "x", "token_type": "Bearer", "id_token": self.server.id_token(asked)})

    def _answer(self, body: object, status: int = 200) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        pass


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
