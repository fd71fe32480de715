# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# PYTHON must be 3.11 or newer. SUITES picks test suites, INVENTORY the nodes to audit, EXAMPLES and SEED are for soak,
# TIME is for fuzz, RELEASES is for vm.
PYTHON ?= python3
SUITES ?=
INVENTORY ?=
TIME ?= 60
RELEASES ?= stable

LINT_SUITES = ruff yamllint shellcheck reuse changelog ansible-lint

export PYTHONDONTWRITEBYTECODE = 1

.PHONY: help test lint sanity unit faults fuzz soak vm bench bench-fleet docs release-check audit clean

help:
	@echo "make audit [INVENTORY=hosts.ini]   report on this node, or on each node of an inventory"
	@echo "make test [SUITES='unit sanity']   run all test suites, or some"
	@echo "make lint | unit | sanity          run a group of suites"
	@echo "make faults                        try all that can be wrong with a node on the guard and on the module"
	@echo "make fuzz [TIME=60]                fuzz what reads text from outside, for that many seconds"
	@echo "make soak [EXAMPLES=10000] [SEED=n] try the reload on that many made-up stories (an hour)"
	@echo "make vm [RELEASES='stable oldstable'] the role on booted machines of Debian that hide waitpkg; needs root"
	@echo "make bench                         what a task pays for the guard, as ratios; EESSI_SCRIPTS: with EESSI's own"
	@echo "make bench-fleet                   what asking a fleet and reporting on it costs"
	@echo "make docs                          lint the documentation and build the site below .cache/docsite"
	@echo "make release-check                 build what a release would be, install it and try it"
	@echo "make clean                         remove what tests and audit made"

test:
	@$(PYTHON) tests/tools/run_suites.py $(SUITES)

lint:
	@$(PYTHON) tests/tools/run_suites.py $(LINT_SUITES)

unit:
	@$(PYTHON) tests/tools/run_suites.py unit unit-pythons

sanity:
	@$(PYTHON) tests/tools/run_suites.py sanity

faults:
	@$(PYTHON) tests/tools/run_suites.py faults

fuzz:
	@FUZZ_SECONDS='$(TIME)' $(PYTHON) tests/tools/run_suites.py fuzz

soak:
	@EXAMPLES='$(EXAMPLES)' SEED='$(SEED)' $(PYTHON) tests/tools/run_suites.py soak

vm:
	@VM_RELEASES='$(RELEASES)' $(PYTHON) tests/tools/run_suites.py vm

bench:
	@$(PYTHON) tests/bench

bench-fleet:
	@$(PYTHON) tests/bench/fleet.py

docs:
	@$(PYTHON) tests/tools/run_suites.py docsite

release-check:
	@$(PYTHON) tests/tools/run_suites.py release

audit:
	@$(PYTHON) tools/audit $(if $(INVENTORY),--inventory '$(INVENTORY)')

clean:
	rm -rf .cache
