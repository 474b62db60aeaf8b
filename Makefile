# SPDX-License-Identifier: Apache-2.0
# ARGS reaches the command: make bench ARGS="--device cpu --rounding once"
PYTHON ?=
ARGS ?=
VENV := .venv
RUN := $(VENV)/bin/python
STAMP := $(VENV)/.installed
CXX_FILES = $(shell find solution -name '*.cu' -o -name '*.cuh' -o -name '*.cc' -o -name '*.h')

# A stamp is worth nothing where the Python behind it is gone, as after a move or an upgrade.
BROKEN := $(if $(shell $(RUN) -c 'print(1)' 2>/dev/null),,always)

.DEFAULT_GOAL := help
.PHONY: help bench correctness test slow lint report docs freeze clean always

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):[^#]*## /  make \1\t/p' Makefile | expand -t 20

bench: $(STAMP)  ## time solution against baseline on the best device found
	$(RUN) bench/benchmark.py $(ARGS)

correctness: $(STAMP)  ## check both sides against the oracle and the contract
	$(RUN) bench/correctness.py $(ARGS)

# Where nvcc is found, pytest also compiles every .cu for sm_80, sm_90 and sm_100.
test: lint  ## lint, types and tests; needs no GPU
	$(RUN) -m pytest $(ARGS)

slow: $(STAMP)  ## the tests that make test leaves out: the whole gauntlet, compilers of rivals
	$(RUN) -m pytest -m slow $(ARGS)

lint: $(STAMP)  ## ruff, clang-format and mypy, changing nothing
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(VENV)/bin/clang-format --dry-run --Werror $(CXX_FILES)
	$(RUN) -m mypy

report: $(STAMP)  ## make report.html of the results in results/
	$(RUN) -m bench.report --html report.html $(ARGS)

docs: $(STAMP)  ## write every generated document anew
	$(RUN) -m bench.cli_document
	$(RUN) -m bench.record.baseline_source
	$(if $(wildcard results/*.jsonl),$(RUN) -m bench.report --write)
	$(RUN) -m bench.leaderboard --write

freeze: $(STAMP)  ## accept an edited workloads.json: write its digest into config.toml
	$(RUN) -m bench.task.freeze

clean:  ## remove everything that make built; results stay
	rm -rf $(VENV) .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

# The first of these that runs, is of a version that torch serves, and can make environments.
define FIND_PYTHON
for name in $(or $(PYTHON),python3 python3.14 python3.13 python3.12 python3.11 python3.10); do \
  if "$$name" -c 'import ensurepip, sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 14))' \
    2>/dev/null; then echo "$$name"; exit; fi; \
done
endef

# The requirements in pyproject.toml, one a line. Python 3.10 has no tomllib, but pip brings one.
define REQUIREMENTS
import importlib, pathlib, sys
toml = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "pip._vendor.tomli")
project = toml.loads(pathlib.Path("pyproject.toml").read_text())["project"]
extras = project["optional-dependencies"].values()
print(*project["dependencies"], *(one for extra in extras for one in extra), sep="\n")
endef
export REQUIREMENTS

$(STAMP): constraints.txt pyproject.toml $(BROKEN)
	@if ! $(RUN) -m pip --version >/dev/null 2>&1; then \
	  python=$$($(FIND_PYTHON)); \
	  if [ -z "$$python" ]; then \
	    echo 'make: found no Python from 3.10 to 3.14 with venv; install one (apt-get install' \
	      'python3 python3-venv) or name one: make PYTHON=python3.12' >&2; exit 1; fi; \
	  echo "making $(VENV) with $$python"; \
	  "$$python" -m venv --clear $(VENV); fi
	@$(RUN) -c "$$REQUIREMENTS" >$(VENV)/requirements.txt
	@echo 'installing pinned packages; a first time can take minutes: torch is large'
	@$(RUN) -m pip install -qq --no-input --disable-pip-version-check \
	  --constraint constraints.txt --requirement $(VENV)/requirements.txt
	@touch $@
