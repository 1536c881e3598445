# make demo    set up, then run the embedded world; one paper of it: make demo TARGETS=joint_align
# make full    the same world, larger
# make small   real public data; MIRROR=<folder or URL prefix> takes the files from there first
# make tiny    every step in minutes; its numbers mean nothing
# make run CONFIG=mine.yaml    your own configuration, of several files: CONFIG="scales/own.yaml mine.yaml"
# ARGS='--config seeds=[1]' is passed on to snakemake; where it has --config, that stands in place of MIRROR
# make schemas write the schema and docs/configuration.md anew
# make test    set up, then lint, format check, workflow lint and every test
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
CORES ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu)
CONFIG ?=
MIRROR ?=
TARGETS ?=
ARGS ?=
PYTEST_ARGS ?=

# A value as one word of the shell, whatever is in it.
quoted = '$(subst ','\'',$(1))'
BIN := $(call quoted,$(VENV))/bin
WITH_MIRROR = $(if $(MIRROR),--config $(call quoted,data={"mirror": "$(MIRROR)"}))
# The files of CONFIG, each as a word of the shell: one whose name has spaces, or several.
CONFIGS = $(if $(shell test -f $(call quoted,$(CONFIG)) && echo one),$(call quoted,$(CONFIG)),$(foreach name,$(CONFIG),$(call quoted,$(name))))

# Run a configuration, whose files are words of the shell. What an earlier run left locked because it was killed is
# unlocked first.
define run
@$(BIN)/python scripts/unlock.py
$(BIN)/snakemake --cores $(CORES) $(TARGETS) $(if $(1),--configfile $(1)) $(WITH_MIRROR) $(ARGS)
endef

.PHONY: demo full small tiny run test lint format setup lock schemas reference clean

demo: setup
	$(call run)
	@echo "Results: results/demo/report.html, tables in results/demo/tables/, numbers in results/demo/metrics.csv"

full small tiny: setup
	$(call run,scales/$@.yaml)
	@echo "Results: results/$@/report.html, tables in results/$@/tables/, numbers in results/$@/metrics.csv"

run: setup
	@$(BIN)/python scripts/read_configuration.py $(CONFIGS)
	$(call run,$(CONFIGS))

test: lint
	$(BIN)/python -m pytest -n $(CORES) --dist loadfile $(PYTEST_ARGS)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile rules
	$(BIN)/snakemake --lint

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile rules

# What was installed is noted last: an interrupted installation is begun again, and so is one of other requirements.
setup:
	@cat requirements.lock pyproject.toml | cmp -s - $(BIN)/.installed || { \
	    $(call quoted,$(PYTHON)) -c 'import sys; sys.exit(not ((3, 11) <= sys.version_info < (3, 13)))' || \
	        { echo "Python 3.11 or 3.12 is needed; found: $$($(call quoted,$(PYTHON)) --version). Set PYTHON=..." >&2; exit 1; }; \
	    echo "Setting up" $(call quoted,$(VENV)) && \
	    $(call quoted,$(PYTHON)) -m venv $(call quoted,$(VENV)) && \
	    $(BIN)/python -m pip install --quiet --requirement requirements.lock && \
	    $(BIN)/python -m pip install --quiet --no-deps --editable . && \
	    cat requirements.lock pyproject.toml > $(BIN)/.installed; }

# Resolve pyproject.toml anew; the CPU build's local version tag is dropped, so that any build of torch fits.
lock:
	rm -rf .lock-venv
	$(call quoted,$(PYTHON)) -m venv .lock-venv
	.lock-venv/bin/python -m pip install --quiet ".[dev]"
	.lock-venv/bin/python -m pip freeze --exclude crosslingua | sed 's/+cpu$$//' > requirements.lock
	rm -rf .lock-venv

# The schema of configurations and docs/configuration.md, from the typed keys and settings.
schemas: setup
	$(BIN)/python scripts/write_schemas.py

# Take the finished runs at hand as what a scale is expected to produce; what they did not make stays.
reference:
	for scale in tiny demo full small; do \
	    if [ -f results/$$scale/claims.csv ]; then \
	        mkdir -p results/reference/$$scale && \
	        cp results/$$scale/claims.csv results/$$scale/costs.csv results/$$scale/tables/*.csv results/$$scale/tables/*.md results/reference/$$scale/ || exit 1; \
	    fi; \
	done

# What takes minutes to make again.
clean:
	rm -rf results/demo results/tiny
