# Every target sets up what it needs; a second run finds it done. `make` alone lists them.
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
.PHONY: help setup run test check format lock clean

help:  ## List the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r name what; do \
		printf '  make %-8s %s\n' "$$name" "$$what"; done

setup:  ## Make .venv with everything, from the lock file
	@scripts/setup dev

run:  ## Start the hub on http://127.0.0.1:8000 (PORT, HOST and STREAMHUB_* are read from the environment)
	@scripts/setup base
	@exec .venv/bin/python manage.py hub

test:  ## Run all tests, with Redis, PostgreSQL and Chromium; ARGS goes to pytest
	@scripts/test $(ARGS)

check:  ## The one definition of clean; ARGS names single steps
	@scripts/check $(ARGS)

format:  ## Put code in the form that check wants
	@scripts/setup dev
	@.venv/bin/ruff format .
	@.venv/bin/ruff check --fix-only .

lock:  ## Compile requirements/*.txt from pyproject.toml, with hashes; ARGS=--upgrade takes newer versions
	@scripts/setup dev
	@scripts/lock $(ARGS)

clean:  ## Remove .venv, caches and built files; data stays
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage* htmlcov \
		test-results staticfiles
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
