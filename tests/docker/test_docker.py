"""The images' recipes and the compose file, as far as they can be tried without an engine."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from webapp.launch.setup import VLLM
from webapp.platform.environment import ELSEWHERE, Environment, variable
from webapp.platform.work.queues import Queue

REPOSITORY = Path(__file__).resolve().parents[2]
DOCKER = REPOSITORY / "docker"
DOCKERFILES = ("Dockerfile", "Dockerfile.gpu")
SECRETS = ("DISCERN_SECRET_KEY", "POSTGRES_PASSWORD", "NEO4J_PASSWORD")
FILLED_IN = {
    **dict.fromkeys(SECRETS, "0123456789abcdef0123456789abcdef"),
    "DISCERN_ALLOWED_HOSTS": "discern.example.org",
}


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    content = yaml.safe_load((DOCKER / "compose.yaml").read_text(encoding="utf-8"))
    return dict(content["services"])


def environment(service: dict[str, Any]) -> dict[str, str]:
    return dict(service.get("environment", {}))


@pytest.mark.parametrize("name", DOCKERFILES)
def test_hadolint_finds_nothing(name: str) -> None:
    hadolint = shutil.which("hadolint", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if hadolint is None:
        pytest.skip("hadolint is not installed; `make setup` brings it")
    done = subprocess.run([hadolint, DOCKER / name], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("name", DOCKERFILES)
def test_an_image_runs_for_a_user_of_its_own(name: str) -> None:
    text = (DOCKER / name).read_text(encoding="utf-8")
    last_stage = text[text.rindex("\nFROM ") :]
    assert re.findall(r"^USER (.*)$", last_stage, re.MULTILINE) == ["10001:10001"]
    assert "\nHEALTHCHECK " in last_stage
    assert not re.search(r"(?i)(password|secret|token)\w*=", text)


@pytest.mark.parametrize("name", DOCKERFILES)
def test_what_an_image_holds_is_enough_to_start(name: str, tmp_path: Path) -> None:
    """Copies what the recipe copies from the repository, and lets it check itself."""
    text = (DOCKER / name).read_text(encoding="utf-8")
    last_stage = text[text.rindex("\nFROM ") :]
    ignored = (DOCKER / f"{name}.dockerignore").read_text(encoding="utf-8").split()
    for line in re.findall(r"^COPY (?!--from)(.*)$", last_stage, re.MULTILINE):
        *sources, target = line.split()
        for source in sources:
            assert {f"!{source}", f"!{source.split('/')[0]}/"} & set(ignored)
            if source.endswith("/"):
                shutil.copytree(REPOSITORY / source, tmp_path / target)
            else:
                (tmp_path / target).mkdir(exist_ok=True)
                shutil.copy(REPOSITORY / source, tmp_path / target)
    outside = {key: value for key, value in os.environ.items() if not key.startswith(("DISCERN_", "DJANGO_"))}
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=tmp_path,
        env=outside | {"DISCERN_HOME": str(tmp_path / "home"), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "no issues" in done.stdout, done.stdout + done.stderr


def test_every_variable_is_a_setting(services: dict[str, Any]) -> None:
    known = {variable(name) for name in Environment.model_fields}
    for name in ("migrate", "web", "worker", "worker-gpu"):
        assert environment(services[name]).keys() <= known
        assert "DISCERN_SECRET_KEY" in environment(services[name])
        assert {"DISCERN_LLM_URL", "DISCERN_LLM_MODEL", "DISCERN_LLM_KEY"} <= environment(services[name]).keys()
    example = re.findall(r"^(DISCERN_\w+)=", (DOCKER / "env.example").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(example) <= known | ELSEWHERE


def test_the_settings_are_good_ones(services: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What compose hands to the site is accepted by it; graphs apart, whose store is chosen by the address."""

    def filled(text: str) -> str:
        return re.sub(r"\$\{(\w+)(?::[-?]([^{}]*))?\}", lambda m: FILLED_IN.get(m[1], m[2] or ""), text)

    for key, value in environment(services["worker"]).items():
        if key != "GRAPH_STORE_URL":
            monkeypatch.setenv(key, filled(value))
    monkeypatch.setenv("DISCERN_HOME", str(tmp_path))
    read = Environment()
    assert read.allowed_hosts == ("discern.example.org", "localhost")
    assert read.https
    assert read.database_url == f"postgresql://discern:{FILLED_IN['POSTGRES_PASSWORD']}@postgres:5432/discern"
    assert not read.is_embedded


def test_every_service_is_watched_and_waits_for_what_it_needs(services: dict[str, Any]) -> None:
    for name, service in services.items():
        check = service.get("healthcheck", {})
        assert ("test" in check) or (name == "migrate" and check == {"disable": True}), name
        for needed in service.get("depends_on", {}):
            assert needed in services
        assert "no-new-privileges:true" in service["security_opt"]
    for name in ("web", "worker", "worker-gpu"):
        assert services[name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}
        assert services[name]["read_only"] is True
    assert {name for name, service in services.items() if service.get("profiles") == ["gpu"]} == {"vllm", "worker-gpu"}
    assert {name for name, service in services.items() if "ports" in service} == {"web"}


def test_the_vllm_of_the_gpu_profile_is_the_one_that_is_tested(services: dict[str, Any]) -> None:
    assert f":-v{VLLM.partition('==')[2]}}}" in services["vllm"]["image"]
    assert "--enable-prompt-tokens-details" in services["vllm"]["command"]


def test_the_redis_is_of_a_line_that_is_still_mended(services: dict[str, Any]) -> None:
    """Valkey mends a minor line for three years: 8.1 until March 2028."""
    redis = services["redis"]
    image, _, version = redis["image"].partition(":")
    assert image == "valkey/valkey"
    assert tuple(map(int, version.split("."))) >= (8, 1)
    assert redis["user"] == "valkey"
    assert redis["command"][0] == "valkey-server"
    assert redis["healthcheck"]["test"] == ["CMD", "valkey-cli", "ping"]


def test_the_workers_together_serve_every_queue_and_the_one_with_a_gpu_takes_turns(services: dict[str, Any]) -> None:
    queues: dict[str, list[str]] = {}
    for name in ("worker", "worker-gpu"):
        (asked,) = (word for word in services[name]["command"] if word.startswith("--queues="))
        queues[name] = re.sub(r"\$\{\w+:-(.*)\}", r"\1", asked.partition("=")[2]).split(",")
    assert queues == {
        "worker": [Queue.CPU, Queue.CPU_BACKGROUND],
        "worker-gpu": [Queue.GPU, Queue.GPU_BACKGROUND],
    }
    assert {"--pool=solo", "--concurrency=1"} <= set(services["worker-gpu"]["command"])
    image = (DOCKER / "Dockerfile.gpu").read_text(encoding="utf-8")
    assert '"--queues", "gpu,gpu.background", "--pool", "solo", "--concurrency", "1"]' in image


def test_no_secret_stands_in_the_compose_file() -> None:
    text = (DOCKER / "compose.yaml").read_text(encoding="utf-8")
    for secret in SECRETS:
        assert set(re.findall(rf"\$\{{{secret}(..)", text)) == {":?"}
        assert f"\n{secret}=\n" in (DOCKER / "env.example").read_text(encoding="utf-8")
    assert "/docker/.env" in (REPOSITORY / ".gitignore").read_text(encoding="utf-8").splitlines()


def compose(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    docker = shutil.which("docker")
    if docker is None or subprocess.run([docker, "compose", "version"], capture_output=True, check=False).returncode:
        pytest.skip("docker compose is not installed")
    outside = {key: value for key, value in os.environ.items() if key in ("PATH", "HOME", "DOCKER_CONFIG")}
    command = [docker, "compose", "-f", str(DOCKER / "compose.yaml"), "--env-file", os.devnull, *arguments]
    return subprocess.run(command, env=outside | variables, capture_output=True, text=True, check=False)


def test_docker_compose_accepts_it() -> None:
    done = compose("--profile", "gpu", "config", "--format", "json", **FILLED_IN)
    assert (done.returncode, done.stderr) == (0, "")
    services = json.loads(done.stdout)["services"]
    assert services.keys() == {"migrate", "web", "worker", "worker-gpu", "neo4j", "postgres", "redis", "vllm"}
    without = compose("config", "--services", **FILLED_IN).stdout.split()
    assert sorted(without) == sorted(services.keys() - {"vllm", "worker-gpu"})


@pytest.mark.parametrize("missing", sorted(FILLED_IN))
def test_docker_compose_asks_for_what_is_missing(missing: str) -> None:
    done = compose("config", "--quiet", **{key: value for key, value in FILLED_IN.items() if key != missing})
    assert done.returncode != 0
    assert f"Set {missing} in docker/.env" in done.stderr
