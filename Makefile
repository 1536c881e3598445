# Usage: make TARGET [VARIABLE=value ...]; make alone prints this text
#
# make help    print this text
# make demo    run every paper on generated text; no download; 20 to 30 minutes on two cores
# make full    run every system and ablation on generated text with five seeds; hours a paper
# make real    run on public data sets, which are downloaded first; 4 to 5 hours on two cores
# make atlas   compare the strategies on 43 real language pairs, on public text; hours
# make tiny    run every step in minutes; its numbers mean nothing
# make run CONFIG=mine.yaml    run your own configuration; scales/own.yaml is a template
# make ask SOURCE=text.sw TARGET=text.en    say which strategy suits two texts; make their dictionary and vectors
# make test    check format, style and types, then run the quick tests; seven minutes on two cores
# make test-all    the same with every test; 11 to 40 minutes
# make lint    check format, style and types only
# make bench   measure speed and memory beside peers (docs/performance.md); ten minutes of one core
# make format  repair format and style
# make docs    build the documentation site in site/, which opens at site/index.html
# make setup   install what is needed into .venv; the other targets do this first
# make lock    resolve the requirements again and write requirements.lock
# make reference    copy finished results into results/reference
# make page SCALE=full    draw the page of results/reference/full and its leaderboards, without a run
# make clean   delete the results of demo and tiny
#
# TARGETS      what to make: a paper (joint_align, xlm_align, align_mlm, mbert_align, laser_taggers), a part
#              (bli, translation, aer, xtreme), a pair of make atlas (en-hu), ablations, claims, report, data,
#              data_card, or a file
# CONFIG       configuration files for make run; several are read in turn: CONFIG="scales/own.yaml mine.yaml"
# ARGS         further arguments for crosslingua and snakemake: ARGS="--config seeds=[1]", ARGS=--dry-run;
#              of make bench for benchmarks/all.py: ARGS="--size full --only csls vecmap"
# SCALE        the scale of make page, full by default
# SOURCE       text of make ask in the source language, a sentence a line, .gz is fine
# TARGET       the same in the target language
# DICTIONARY   pairs of words for make ask, if you have any: source and target a line
# MIRROR       a folder or URL prefix from which data sets are taken first: <mirror>/<data set>/<file>;
# CORES        number of cores; all of the machine by default
# PYTHON       the Python that .venv is made of, 3.11 or 3.12
# VENV         the folder of the virtual environment, .venv by default
# PYTEST_ARGS  arguments for pytest in make test and make test-all: PYTEST_ARGS=tests/test_registry.py

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
CORES ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu)
CONFIG ?=
MIRROR ?=
TARGETS ?=
SCALE ?= full
SOURCE ?=
TARGET ?=
DICTIONARY ?=
ARGS ?=
PYTEST_ARGS ?=

# What a user gives is text: as it stands, so that no `$` in it is make's, in one line, and not for the programs that
# are called. `one_word` is the value of a variable as one word of the shell, whatever is in it.
USERS = PYTHON VENV CORES CONFIG MIRROR TARGETS SCALE SOURCE TARGET DICTIONARY ARGS PYTEST_ARGS
unexport $(USERS)
define line_end


endef
$(foreach name,$(USERS),$(if $(findstring $(line_end),$(value $(name))),$(error $(name) has a line end: write one line)))
text = $(if $(filter file,$(origin $(1))),$($(1)),$(value $(1)))
quoted = '$(subst ','\'',$(1))'
one_word = $(call quoted,$(call text,$(1)))
BIN := $(call one_word,VENV)/bin
# A program with the words of the first variable before its options, and those of the second at the end.
with_words = $(BIN)/python scripts/call.py --first=$(if $(1),$(call one_word,$(1))) --last=$(call one_word,$(2)) $(BIN)
# The files of CONFIG, each as a word of the shell: one whose name has spaces, or several.
CONFIGS = $(if $(shell test -f $(call one_word,CONFIG) && echo one),$(call one_word,CONFIG),$(foreach name,$(call text,CONFIG),$(call quoted,$(name))))

# Run a verb of crosslingua, with words of the shell.
define run
@case $(call one_word,CORES) in all) ;; ''|*[!0-9]*|0*) \
    printf 'CORES=%s: write a whole number from 1, or all\n' $(call one_word,CORES) >&2; exit 1;; esac
$(call with_words,TARGETS,ARGS)/crosslingua $(1) --cores $(call one_word,CORES) $(if $(value MIRROR),--mirror $(call one_word,MIRROR))
endef

.DEFAULT_GOAL := help
.PHONY: help demo full real atlas tiny run ask test test-all lint bench format docs setup lock reference page clean

# Print the comment at the top of this file.
help:
	@sed -n '/^#/!q; s/^# \{0,1\}//; p' Makefile

demo full real atlas tiny: setup
	$(call run,$@)

run: setup
	@$(BIN)/python scripts/read_configuration.py $(CONFIGS)
	$(call run,run --config $(CONFIGS))

ask: setup
	$(call with_words,,ARGS)/crosslingua ask --cores $(call one_word,CORES) --source $(call one_word,SOURCE) --target $(call one_word,TARGET) \
	    $(if $(value DICTIONARY),--dictionary $(call one_word,DICTIONARY))

test test-all: lint
	$(call with_words,,PYTEST_ARGS)/python -m pytest -n $(call one_word,CORES) --dist loadfile --no-loadscope-reorder \
	    $(if $(filter test,$@),-m "not slow")

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile rules
	$(BIN)/mypy
	$(BIN)/snakemake --lint

bench: setup
	$(call with_words,,ARGS)/python benchmarks/all.py $(if $(value MIRROR),--mirror $(call one_word,MIRROR))

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile rules

# Broken links and missing pages are errors; nothing is fetched.
docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "Documentation: site/index.html"

# What was installed is noted last: an interrupted installation is begun again, and so is one of other requirements.
setup:
	@cat requirements.lock pyproject.toml | cmp -s - $(BIN)/.installed || { \
	    $(call one_word,PYTHON) -c 'import sys; sys.exit(not ((3, 11) <= sys.version_info < (3, 13)))' || \
	        { echo "Python 3.11 or 3.12 is needed; found: $$($(call one_word,PYTHON) --version). Set PYTHON=..." >&2; exit 1; }; \
	    echo "Setting up" $(call one_word,VENV) && \
	    $(call one_word,PYTHON) -m venv $(call one_word,VENV) && \
	    $(BIN)/python -m pip install --quiet --requirement requirements.lock && \
	    $(BIN)/python -m pip install --quiet --no-deps --editable . && \
	    cat requirements.lock pyproject.toml > $(BIN)/.installed; }

# Resolve pyproject.toml anew; the CPU build's local version tag is dropped, so that any build of torch fits.
lock:
	rm -rf .lock-venv
	$(call one_word,PYTHON) -m venv .lock-venv
	.lock-venv/bin/python -m pip install --quiet ".[dev]"
	.lock-venv/bin/python -m pip freeze --exclude crosslingua | sed 's/+cpu$$//' > requirements.lock
	rm -rf .lock-venv

# Take the finished runs at hand as what a scale is expected to produce; what they did not make stays.
reference: setup
	$(BIN)/python scripts/keep_reference.py $(addprefix results/,tiny demo full real atlas) --out results/reference

page: setup
	@scale=$(call one_word,SCALE); $(BIN)/crosslingua site "results/reference/$$scale" --out "results/$$scale-page"

# What takes minutes to make again.
clean:
	rm -rf results/demo results/tiny
