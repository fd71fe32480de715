# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables that mirror code are those that the code makes."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import (
    accelerator,
    archdetect,
    cli,
    cpuinfo,
    errors,
    facts,
    log,
    messages,
    prolog,
    shared_result,
    taskprolog,
    verdict,
)
from docs import markdown
from docs.markdown import ROOT
from harness.launcher import write_launcher
from orchestration.cores import CORES
from reference import blocks, cpu_flags, options, pages, reasons

GUARD = ROOT / "plugins" / "module_utils" / "arch_guard"
LAUNCHER = ROOT / "roles" / "eessi_arch_guard" / "templates" / "eessi-arch-guard.j2"
TASKS = ROOT / "roles" / "eessi_arch_guard" / "tasks"
VARIABLE = re.compile(r"\b(?:(?:EESSI|SLURM|SLURMD|LMOD|LD)_[A-Z_]*[A-Z]|EESSI_ARCH_GUARD)\b")
# Names that Lmod and the start script keep to themselves, and what differs between tasks (told in cost.md).
NOT_FOR_READERS = re.compile(r"LMOD_FAMILY|LMOD_REF_COUNT|EESSI_ARCH_GUARD_KEPT\w*")
EESSI_SCRIPTS = os.environ.get("EESSI_SCRIPTS")


def code_in(text):
    return re.findall(r"`([^`\n]+)`", text)


@pytest.mark.parametrize("page", pages.TABLES)
def test_generated_tables_are_those_of_the_code(page):
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert text == blocks.filled(text, {name: table(ROOT) for name, table in pages.TABLES[page].items()})


def test_the_tool_finds_what_differs_and_mends_it(tmp_path):
    # In a copy, since it writes.
    copy = tmp_path / "copy"
    for name in ("tools/reference", "tests/tools/orchestration", "tests/stubs", "docs", "roles", "plugins"):
        shutil.copytree(ROOT / name, copy / name)
    link = copy / ".collections" / "ansible_collections" / "eessi"
    link.mkdir(parents=True)
    (link / "arch_guard").symlink_to(copy)
    page = copy / "docs" / "reference" / "module.md"
    page.write_text(page.read_text(encoding="utf-8").replace("| `timeout` | int | `20`", "| `timeout` | int | `30`"))

    def run(action):
        command = [sys.executable, copy / "tools" / "reference", action]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    found = run("--check")
    assert (found.returncode, found.stdout) == (1, "differs from the code: docs/reference/module.md\n"), found.stderr
    assert (run("--write").returncode, run("--check").returncode) == (0, 0)
    assert page.read_text(encoding="utf-8") == markdown.read("docs/reference/module.md")


def test_every_marked_block_belongs_to_a_table():
    marked = {page: blocks.names(markdown.read(page)) for page in markdown.pages()}
    assert {page.removeprefix("docs/"): names for page, names in marked.items() if names} == {
        page: list(tables) for page, tables in pages.TABLES.items()
    }


@pytest.mark.skipif(not EESSI_SCRIPTS, reason="EESSI_SCRIPTS names no checkout of EESSI's own scripts")
def test_the_rules_are_those_of_eessi():
    text = (Path(EESSI_SCRIPTS) / "init" / "arch_specs" / "eessi_arch_x86.spec").read_text(encoding="utf-8")
    spec = {target: flags.split() for target, flags in re.findall(r'^"(\S+)"\s+"\w+"\s+"([^"]+)"', text, re.MULTILINE)}
    assert cpu_flags.rules(ROOT) == spec


def test_variables_are_those_of_the_code():
    named = set()
    for path in GUARD.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            # Data, and not a docstring.
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and VARIABLE.fullmatch(node.value):
                named.add(node.value)
    named |= set(re.findall(r"\${?((?:EESSI|SLURM|SLURMD)_\w+)", LAUNCHER.read_text(encoding="utf-8")))
    named -= shared_result.PER_TASK - {"SLURM_LOCALID"}
    named -= set(shared_result.PER_TASK_PREFIXES)
    told = set(code_in(markdown.read("docs/reference/variables.md")))
    told = {name for name in told if VARIABLE.fullmatch(name)}
    assert {name for name in named if not NOT_FOR_READERS.fullmatch(name)} - {"SLURM_CONF"} == told
    assert set(archdetect.ACCELERATOR_SETTINGS) <= set(code_in(markdown.read("docs/reference/variables.md")))


def test_message_forms_are_those_of_the_code():
    rows = markdown.table_rows(markdown.read("docs/reference/messages.md"), ["Message", "When"])
    shown = [code_in(form)[0] for form, _when in rows]
    made = verdict.Verdict(verdict.RELOAD, "…", "…", "", "…")
    forms = [messages.reloaded(made), messages.still_old(made, ["…"]), messages.failed(made.failed("", "…"))]
    forms += [messages.failed(made.failed(word, "…")) for word in messages.ABOUT_NODE]
    assert [form.removeprefix(messages.PREFIX) for form in forms] == shown
    assert [when for _form, when in rows][3:] == [f"word `{word}`" for word in messages.ABOUT_NODE]


def test_words_of_labels_are_those_of_the_errors():
    words = {error.word for error in [errors.GuardError, *errors.GuardError.__subclasses__()]}
    rows = markdown.table_rows(markdown.read("docs/reference/messages.md"), ["Label", "Variable"])
    told = {code_in(label)[0].partition("->")[2] for label, _variable in rows}
    assert told == words | {"<node>"}
    assert words == set(messages.ABOUT_NODE)


def test_every_form_in_the_how_to_is_one_of_the_code():
    text = markdown.prose(markdown.read("docs/how-to/correct-a-message.md"))
    said = [form for line in text.split("\n") if line.startswith("- `") for form in code_in(line)]
    made = verdict.Verdict(verdict.RELOAD, "…", "…", "", "…")
    forms = [message.removeprefix(messages.PREFIX) for message in (messages.reloaded(made), messages.still_old(made, ["…"]))]
    assert sorted(said) == sorted([*reasons.reasons(ROOT), *forms, "<loaded>->guard-error"])


def test_fields_of_the_log_are_those_of_the_code():
    made = verdict.Verdict(verdict.FAILURE, "a", "b", "", "c")
    environ = {"SLURM_JOB_ID": "1", "SLURM_STEP_ID": "2", "SLURMD_NODENAME": "n"}
    fields = re.findall(r"(\w+)=", log.line(made, environ).decode("ascii"))
    section = markdown.read("docs/reference/messages.md").partition("## In the system log")[2]
    assert [name for name in code_in(section) if name in fields] == fields


def test_exit_statuses_are_those_of_the_code(tmp_path):
    text = markdown.read("docs/reference/exit-statuses.md")
    rows = markdown.table_rows(text, ["Started as", "Status"])
    assert rows[-1][1] == str(cli.BAD_USAGE)
    # A job whose EESSI is not in order: a failure, which only "abort" lets end the task.
    ended = {}
    for on_failure in ("warn", "abort"):
        launcher = write_launcher(tmp_path / on_failure, on_failure=on_failure)
        ended[on_failure] = subprocess.run([launcher], env={"EESSI_SOFTWARE_SUBDIR": "x86_64/generic"}, check=False).returncode
    assert {"warn": rows[0][1], "abort": rows[1][1]} == {name: str(status) for name, status in ended.items()}
    asked = markdown.table_rows(text, ["Question", "Status"])
    none = {status for question, status, made in asked if question == "`accelpath`" and made.startswith("no accelerator")}
    assert none == {*map(str, accelerator.NO_GPU), "any other"}


def test_versions_are_those_of_the_metadata():
    runtime = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text(encoding="utf-8"))["requires_ansible"]
    oldest = CORES[0].name
    assert runtime == f">={oldest}.0"
    galaxy = yaml.safe_load((TASKS.parent / "meta" / "main.yml").read_text(encoding="utf-8"))["galaxy_info"]
    assert galaxy["min_ansible_version"] == oldest
    told = dict(markdown.table_rows(markdown.read("docs/reference/supported-versions.md"), ["What", "Versions"]))
    assert told["ansible-core"] == f"{oldest} and newer"
    role = yaml.safe_load((TASKS.parent / "vars" / "main.yml").read_text(encoding="utf-8"))
    assert role["_eessi_arch_guard_slurm_with_long_lines"] in told["Slurm"]
    assert str(role["_eessi_arch_guard_line_of_older_slurm"]) in told["Slurm"]
    assert role["_eessi_arch_guard_oldest_python"] in told["Python on the nodes"]
    readme = markdown.read("README.md")
    assert all(core.name in readme for core in CORES)


def test_what_is_on_a_node_is_what_the_role_puts_there():
    role = yaml.safe_load((TASKS.parent / "vars" / "main.yml").read_text(encoding="utf-8"))
    defaults = yaml.safe_load((TASKS.parent / "defaults" / "main.yml").read_text(encoding="utf-8"))
    named = ("launcher", "libraries", "manifest", "record")
    paths = [role[f"_eessi_arch_guard_{name}"] for name in named]
    paths = [path.replace("{{ eessi_arch_guard_install_dir }}", defaults["eessi_arch_guard_install_dir"]) for path in paths]
    rows = markdown.table_rows(markdown.read("docs/reference/role.md"), ["Path", "What it is"])
    assert [code_in(path)[0].rstrip("/") for path, _what in rows] == paths


def test_variables_of_the_role_in_the_pages_exist():
    known = set(options.argument_specs(ROOT)["main"]["options"]) | {"eessi_arch_guard", "eessi_arch_guard_task_prolog"}
    known |= {"eessi_arch_guard_hosts", "eessi_arch_guard_wiring"}
    # Those that the playbooks take, and the names of the modules.
    for path in (ROOT / "playbooks").glob("*.yml"):
        known |= set(re.findall(r"\beessi_arch_guard\w*", path.read_text(encoding="utf-8")))
    named = {(page, name) for page in markdown.pages() for name in re.findall(r"\beessi_arch_guard\w*", markdown.read(page))}
    assert {(page, name) for page, name in named if name.rstrip("_") not in known} == set()


def test_examples_use_options_that_exist():
    examples = options.documentation(ROOT, "EXAMPLES")
    pages_yaml = [
        yaml.safe_load(block.text) for page in markdown.pages() for block in markdown.blocks(markdown.read(page))
        if block.language == "yaml"
    ]
    tasks = [task for tasks in [examples, *pages_yaml] if isinstance(tasks, list) for task in tasks]
    given = [task["eessi.arch_guard.eessi_arch_guard"] or {} for task in tasks if "eessi.arch_guard.eessi_arch_guard" in task]
    assert len(given) >= 4
    assert {name for arguments in given for name in arguments} <= set(options.documentation(ROOT, "DOCUMENTATION")["options"])


def test_what_a_play_says_when_it_stops_is_what_the_role_says():
    sources = [*TASKS.glob("*.yml"), *TASKS.parent.glob("files/*.py"), GUARD / "slurm_conf.py"]
    said = " ".join(" ".join(path.read_text(encoding="utf-8").split()) for path in sources)
    said = re.sub(r"\{\{.*?\}\}|\{folder\}", "…", said).replace("{user}", "nobody")
    rows = markdown.table_rows(markdown.read("docs/how-to/deploy.md"), ["It says", "Do"])
    assert [form for form, _do in rows if form.strip("… ") not in said] == []


def test_figures_in_the_text_are_those_of_the_code():
    rules = " ".join(markdown.read("docs/reference/detection-and-matching.md").split())
    assert f"one line of at most {archdetect.LINE_LIMIT:,} bytes" in rules
    assert f"Reading stops at {cpuinfo.LIMIT >> 20} MiB" in rules
    assert f"{taskprolog.LONGEST_VARIABLE >> 10} KiB or more" in rules
    cost = " ".join(markdown.read("docs/explanation/cost.md").split())
    assert f"gives up after {prolog.FIRST_SHARE:.0%}".replace("%", " %") in cost
    assert f"the others wait until {prolog.WAITING_SHARE:.0%}".replace("%", " %") in cost
    assert f"holds at most {shared_result.LARGEST_DIRECTORY >> 10} KiB" in cost
    assert f"exceeds {shared_result.KEPT_BYTES >> 10} KiB together" in cost
    kept = (shared_result.KEPT_SECONDS, shared_result.KEPT_STEPS, shared_result.YOUNG_SECONDS)
    assert kept == (600, 6, 60)
    assert "older than ten minutes, all but the newest six older than a minute" in cost
    start = LAUNCHER.read_text(encoding="utf-8")
    pauses = re.search(r"for eessi_arch_guard_pause in ([\d. ]+);", start)[1].split()
    assert f"{', '.join(pauses[:-1])} and {pauses[-1]} seconds" in cost
    assert f"loses these {sum(map(float, pauses)):.1f} seconds" in cost
    assert f"A line of {int(re.search(r'_match}. -lt ([0-9]+)', start)[1]):,} characters or more" in cost


def test_documented_time_limits_are_those_of_the_code():
    assert options.documentation(ROOT, "DOCUMENTATION")["options"]["timeout"]["default"] == facts.DEFAULT_TIMEOUT
    assert options.argument_specs(ROOT)["main"]["options"]["eessi_arch_guard_timeout"]["default"] == prolog.DEFAULT_BUDGET
