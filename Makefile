# Everything a newcomer needs is `make run` and `make test`; `make help` lists the rest.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
UV     := $(BIN)/uv
# Tests wait more than they reckon: two processes for each core keep it busy.
PROCESSES ?= $(shell echo $$((2 * $$(nproc))))

.PHONY: help run test check bench compare chaos soak cluster lock clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(VENV)/.run ## start the whole product (PARLOR_PORT, PARLOR_DATA_DIR and every other PARLOR_* are obeyed)
	@exec $(BIN)/parlor up

test: $(VENV)/.dev .browser .ingress ## run every test (ORDER=<seed> repeats the order of a run)
	$(BIN)/pytest -n $(PROCESSES) --dist loadfile --no-loadscope-reorder --durations 20 $(if $(ORDER),--order $(ORDER))

check: $(VENV)/.dev ## lint, types, import rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.dev ## measure the hot paths as ratios to a bare FastAPI endpoint
	$(BIN)/python -m benchmarks

compare: $(VENV)/.dev ## is this tree dearer in CPU time than OLD=<revision>? (ONLY=move,relay MINUTES=20 SEED=)
	@$(BIN)/python -m benchmarks.compare

chaos: $(VENV)/.dev .ingress ## the long form of the crash tests
	$(BIN)/pytest --timeout 0 -m chaos tests/chaos

soak: $(VENV)/.dev .browser ## the long form of the other tests
	$(BIN)/pytest --timeout 0 -m soak

cluster: $(VENV)/.dev ## the acceptance and relay tests on a Redis Cluster
	PARLOR_TEST_REDIS=cluster PARLOR_TEST_DATABASES=both $(BIN)/pytest tests/acceptance tests/relay

lock: $(VENV)/.uv ## resolve the dependencies anew into requirements/
	$(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header --upgrade \
		pyproject.toml --group build -o requirements/run.txt
	$(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header \
		-c requirements/run.txt pyproject.toml --group build --group dev -o requirements/dev.txt

clean: ## remove what the targets made (the data directory .parlor stays)
	rm -rf $(VENV) .compare .browser .ingress .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.uv: requirements/uv.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Parlor needs Python 3.11 or newer (PYTHON=/path/to/python make …)"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	@touch $@

$(VENV)/.run: $(VENV)/.uv requirements/run.txt pyproject.toml
	@echo "Setting up Parlor in $(VENV) …"
	@$(UV) pip install --quiet --compile-bytecode --python $(BIN)/python --require-hashes -r requirements/run.txt
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements/dev.txt
	@echo "Setting up the tools for development …"
	@$(UV) pip install --quiet --compile-bytecode --python $(BIN)/python --require-hashes -r requirements/dev.txt
	@touch $@

# The pages are tested in a real browser; everything else needs no system package.
.browser:
	@test -x /usr/bin/chromium || { \
		if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
			echo "Installing Chromium for the browser tests …"; \
			apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; \
		else \
			echo "The browser tests need Chromium at /usr/bin/chromium: install Debian's package 'chromium', or run make test as root."; exit 1; \
		fi; }
	@touch $@

# The ingress is tested with a real nginx where there is one, or one can be installed.
.ingress:
	@test -x /usr/sbin/nginx || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
		&& apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends nginx-light >/dev/null; } \
		|| echo "Without nginx the tests of the ingress are skipped: install Debian's package 'nginx-light'."
	@touch $@
