# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# PYTHON must be 3.11 or newer. SUITES picks test suites, INVENTORY the nodes to audit.
PYTHON ?= python3
SUITES ?=
INVENTORY ?=

LINT_SUITES = ruff yamllint shellcheck reuse changelog ansible-lint

export PYTHONDONTWRITEBYTECODE = 1

.PHONY: help test lint sanity unit audit clean

help:
	@echo "make audit [INVENTORY=hosts.ini]   show what this node, or each node of an inventory, is to EESSI"
	@echo "make test [SUITES='unit sanity']   run all test suites, or some"
	@echo "make lint | unit | sanity          run a group of suites"
	@echo "make clean                         remove what tests and audit made"

test:
	@$(PYTHON) tests/tools/run_suites.py $(SUITES)

lint:
	@$(PYTHON) tests/tools/run_suites.py $(LINT_SUITES)

unit:
	@$(PYTHON) tests/tools/run_suites.py unit unit-pythons

sanity:
	@$(PYTHON) tests/tools/run_suites.py sanity

audit:
	@$(PYTHON) tools/audit $(if $(INVENTORY),--inventory '$(INVENTORY)')

clean:
	rm -rf .cache
