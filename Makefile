# Two commands: `make run` opens pwtui on the bundled demo site, `make test` runs every check.
# Both set up all they need first: a virtual environment in .venv, and a browser.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	command -v $$p >/dev/null && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { command -v $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
LOWEST := .venv-lowest
READY := $(VENV)/.ready
COMPILED := $(VENV)/.compiled
# Browsers, daemons and panels wait for one another a lot: six at a time keep two processors busy.
# Files start in the order of their names: those of the panel, which take longest, come first.
PARALLEL := -n 6 --dist loadfile --no-loadscope-reorder

APT_INSTALL := DEBIAN_FRONTEND=noninteractive apt-get install -qqy --no-install-recommends -o DPkg::Lock::Timeout=120

# Else every process that the tests start compiles what it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test pytest test-fast test-thorough test-lowest test-wheel coverage checked packages tools lint \
	format bench docs browsers site pictures browser clean

# Packages that only some targets need: uv as below, else pip.
install-group = $(BIN)/uv pip install --quiet --python $(BIN)/python --group $(1) 2>/dev/null \
	|| $(BIN)/python -m pip install --quiet --group $(1)

run: $(READY) browser
	@$(BIN)/pwtui --demo

# The system's packages are installed beside Python's, and the tests begin while mypy, which uses one
# processor, still runs; a failure of either is one of both.
test:
	@$(MAKE) --no-print-directory -j 3 lint pytest

pytest: tools $(COMPILED)
	$(BIN)/python -m pytest $(PARALLEL)

# What needs no browser, daemon or terminal: an answer in a minute. Nothing waits: a worker a processor.
test-fast: $(READY)
	$(BIN)/python -m pytest $(PARALLEL) -n logical -m 'not browser and not thorough'

# The variations and large sizes that a normal run leaves out.
test-thorough: checked
	$(BIN)/python -m pytest $(PARALLEL) -m thorough

# The oldest versions that pyproject.toml allows; there are wheels of them all for Python 3.11 and 3.12.
test-lowest: tools
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(LOWEST)/bin/python -c 'import itertools, tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
		print(*(each.replace(">=", "==") for each in itertools.chain(project["dependencies"], \
		*project["optional-dependencies"].values())), sep="\n")' > $(LOWEST)/versions.txt
	$(LOWEST)/bin/python -m pip install --quiet --editable '.[read,serve]' --group dev --constraint $(LOWEST)/versions.txt
	$(LOWEST)/bin/python -m pytest $(PARALLEL)

# The wheel, installed by the pip that comes with Python, which may be an old one.
test-wheel: tools
	$(BIN)/python -m pytest -m 'thorough or not thorough' tests/test_packaging.py

# Branch coverage, with the daemons and commands that tests start. TESTS chooses: make coverage TESTS="-m 'not browser'"
coverage: tools
	@$(call install-group,coverage)
	rm -rf build/coverage
	-$(BIN)/python -m coverage run -m pytest $(PARALLEL) --timeout 900 $(TESTS)
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage html --quiet --directory build/coverage/html
	$(BIN)/python -m coverage report --sort cover

# What can be done at the same time before the tests begin.
checked:
	@$(MAKE) --no-print-directory -j 3 lint tools $(COMPILED)

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(READY)
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: $(READY)
	$(BIN)/python -m docs.generators

# What works in Firefox: every operation is run in it and in Chromium.
browsers: tools
	$(BIN)/python -m tests.firefox.sweep
	$(BIN)/python -m docs.generators

# The documentation as a website, in build/site.
site: $(READY)
	@$(call install-group,docs)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --clean --config-file docs/site/mkdocs.yml

# The pictures of the documentation, from the panel on the demo site.
pictures: $(READY) browser
	$(BIN)/python -m docs.generators.pictures

bench: $(READY) browser
	$(BIN)/python -m bench

browser: $(READY)
	@$(BIN)/python -m pwtui.browser.launch.install

# Browsers, a Firefox and a real terminal, where root can have them for the asking; not all systems have all.
packages:
	@missing=$$(for each in tmux chromium chromium-headless-shell firefox-esr; do \
		command -v $$each >/dev/null || echo $$each; done); \
	if test -n "$$missing" && test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then \
		echo "installing system packages:" $$missing "(apt-get)"; \
		{ apt-get update -qq; $(APT_INSTALL) $$missing \
			|| for each in $$missing; do $(APT_INSTALL) $$each; done; } >/dev/null 2>&1; fi; true

# What the tests use.
tools: packages $(READY)
	@$(BIN)/python -m pwtui.browser.launch.install
	@command -v tmux >/dev/null || echo "tmux is not installed: the tests in a real terminal are skipped"
	@command -v firefox-esr firefox >/dev/null || echo "Firefox is not installed: the tests with it are skipped"

$(READY): pyproject.toml pwtui/__init__.py
	@test -n "$(PYTHON)" || { echo "pwtui needs Python 3.11 or later: install it, or name it with PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
		&& { apt-get update -q; $(APT_INSTALL) python3-venv; }; } \
		|| { echo "$(PYTHON) has no venv module: install it (for example: apt-get install python3-venv)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@# uv takes a third of pip's time; pip knows every private index and mirror that it is configured for.
	$(BIN)/python -m pip install --quiet uv \
		&& $(BIN)/uv pip install --quiet --python $(BIN)/python --editable '.[read,serve]' --group dev \
		|| { $(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1' \
		&& $(BIN)/python -m pip install --quiet --editable '.[read,serve]' --group dev; }
	@$(BIN)/python -m pwtui.browser.launch.install driver
	@touch $@

# Once, in one process: else every worker of the first run compiles all tests for itself.
$(COMPILED): $(READY)
	@$(BIN)/python -m pytest --collect-only -qq >/dev/null 2>&1; touch $@

clean:
	rm -rf $(VENV) $(LOWEST) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
