# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stories for the property test.

Left out on purpose: two loaded modules that set one variable to different values. Which one wins depends on the order
of loading inside of modules, so a load in the order of the list is no measure there.
"""

from dataclasses import replace
from shlex import quote

from hypothesis import strategies as st

from property.model import ACCELERATOR, CPU, OF_A_TARGET, OWN_TARGETS, PRIVATE, SITE, Do, Load, Module, Story, Unload, Use
from sample.modules import Software
from sample.nodes import SampleNode, gpu_node
from sample.tree import VERSION

EESSI = f"EESSI/{VERSION}"
CPUS = ("zen4", "zen2", "sapphirerapids", "sapphirerapids-vm")
COMPUTE_CAPABILITIES = ("8.0", "8.6", "9.0", "12.0")
CPU_TARGETS = ("x86_64/amd/zen4", "x86_64/amd/zen2", "x86_64/intel/sapphirerapids", "x86_64/intel/icelake")
GENERIC = "x86_64/generic"
ACCELERATORS = ("accel/nvidia/cc80", "accel/nvidia/cc90", "accel/nvidia/cc120")
PATH_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "MANPATH", "MADE_UP_PATH")
# The second is the same for all modules: Lmod counts how many of them have it.
ENTRIES = ("bin", "/opt/common/lib", "lib64")
PLACES = (CPU, CPU, CPU, CPU, ACCELERATOR, SITE, PRIVATE, OWN_TARGETS)
VALUES = ("1", "", "two words ", 'a "b" $c `d`', "x=y", "\u00e4\u2028", "/home/user/data:/scratch")
SWITCHES = (
    "export EESSI_MODULE_STICKY=1", "export EESSI_MODULE_FAMILY_NAME=stack", "export LMOD_EXACT_MATCH=yes",
    "export LMOD_PACKAGE_PATH=/etc/lmod", "export LMOD_RC=/etc/lmod/rc.lua", "export CC=gcc",
    "export EESSI_ACCELERATOR_TARGET_OVERRIDE=accel/nvidia/cc80", "export LMOD_REDIRECT=yes",
)


def rarely(draw, one_in):
    """Draw True once in a while; False is the simpler one."""
    return draw(st.integers(0, one_in - 1)) == one_in - 1


@st.composite
def nodes(draw, cpus):
    cpu = draw(st.sampled_from(cpus))
    gpu = draw(st.sampled_from((None, None, "broken", *COMPUTE_CAPABILITIES)))
    if gpu is None:
        return SampleNode(cpu, "x86_64", cpu)
    if gpu == "broken":
        return SampleNode(f"{cpu}-broken", "x86_64", cpu, ("9.0",), nvidia_smi_status=18)
    return gpu_node(f"{cpu}-{gpu}", cpu, gpu)


@st.composite
def softwares(draw, number, version, known):
    """A version of module `number`, which may need some of `known` (Softwares)."""
    relations = {"depends_on": [], "loads": [], "prereqs": [], "conflicts": [], "lua": []}
    kinds = ("depends_on", "depends_on", "depends_on", "loads", "loads", "lua", "prereqs", "conflicts")
    for other in draw(st.lists(st.sampled_from(known), max_size=2, unique_by=lambda one: one.name)) if known else ():
        kind = draw(st.sampled_from(kinds))
        name = other.full_name if kind == "lua" or draw(st.booleans()) else other.name
        # A load at the end of the module file: what it brings gets in front.
        relations[kind].append(f'if not isloaded("{name}") then load("{name}") end' if kind == "lua" else name)
    paths = st.dictionaries(
        st.sampled_from(PATH_VARIABLES), st.lists(st.sampled_from(ENTRIES), min_size=1, max_size=2, unique=True), max_size=2
    )
    setenv, pushenv = {}, {}
    if draw(st.booleans()):
        setenv[mode_of(number)] = draw(st.sampled_from(("on", "{installdir}/etc", 'a "b" $c')))
    if rarely(draw, 3):
        pushenv[draw(st.sampled_from(("CC", flag_of(number))))] = "{installdir}/bin/cc"
    # Lmod does not come to an end with a module that loads another of its own family.
    needs_none = not any(relations.values())
    return Software(
        name_of(number), version,
        **{kind: tuple(names) for kind, names in relations.items()},
        family=draw(st.sampled_from(("", "", "mpi", "compiler"))) if needs_none else "",
        setenv=setenv, pushenv=pushenv,
        prepend_path={"PATH": ("bin",), **_tuples(draw(paths))},
        append_path=_tuples(draw(paths)) if rarely(draw, 3) else {},
        sticky=rarely(draw, 12),
    )


def name_of(number):
    return f"m{number}"


def mode_of(number):
    return f"M{number}_MODE"


def flag_of(number):
    return f"M{number}_FLAG"


def _tuples(paths):
    return {name: tuple(entries) for name, entries in paths.items()}


@st.composite
def module_sets(draw):
    made = []
    for number in range(draw(st.integers(1, 6))):
        place = draw(st.sampled_from(PLACES))
        versions = draw(st.lists(st.sampled_from(("1.0", "2.0", ".3.0")), min_size=1, max_size=2, unique=True))
        # What is outside EESSI rarely needs something of it.
        reachable = [module.software for module in made if place not in (SITE, PRIVATE) or module.place == place]
        for version in versions:
            software = draw(softwares(number, version, reachable))
            on_node, there = place, software
            if place in OF_A_TARGET and rarely(draw, 12):
                on_node = draw(st.sampled_from((None, None, CPU, ACCELERATOR)))
            if place in OF_A_TARGET and rarely(draw, 8):
                there = draw(st.sampled_from((
                    replace(software, setenv=dict.fromkeys(software.setenv, "of this node")),
                    replace(software, setenv={}, append_path=dict.fromkeys(software.append_path, ("share",))),
                    replace(software, depends_on=(), pushenv={}),
                )))
            first = version == versions[0]
            made.append(Module(
                software, place, on_node, there,
                is_hidden=rarely(draw, 8), is_default=first and len(versions) > 1 and draw(st.booleans()),
                is_default_on_node=not first and rarely(draw, 3),
            ))
    return tuple(made)


def path_action(name, entry, at_end, with_empty):
    """The command that puts `entry` in front of a path variable, or behind. with_empty: as people write it, so that a
    variable that was not set gets an empty entry.
    """
    if with_empty:
        return f"export {name}={f'${name}:{entry}' if at_end else f'{entry}:${name}'}"
    return f"export {name}={f'${{{name}:+${name}:}}{entry}' if at_end else f'{entry}${{{name}:+:${name}}}'}"


def unless_there(name, entry, at_end, action):
    """`action` unless the entry is there already: of two side by side nothing tells which one was there before."""
    value, pattern = (f":${name}", f'*":{entry}"') if at_end else (f"${name}:", f'"{entry}:"*')
    return f'case "{value}" in {pattern}) ;; *) {action} ;; esac'


@st.composite
def anytime(draw):
    """What a user may do before, between and after the loads."""
    kind = draw(st.sampled_from(("front", "behind", "new", "venv")))
    if kind == "new":
        name = draw(st.sampled_from(("OMP_NUM_THREADS", "MY_DATA")))
        return Do(f"export {name}={quote(draw(st.sampled_from(VALUES)))}")
    if kind == "venv":
        return Do('export VIRTUAL_ENV=/home/user/venv\nexport PATH="$VIRTUAL_ENV/bin:$PATH"\nunset PYTHONHOME')
    # The last is one that modules have too.
    entry = draw(st.sampled_from(("/home/user/one", "/home/user/two", "/home/user/three", "/opt/common/lib")))
    name, at_end = draw(st.sampled_from(PATH_VARIABLES)), kind == "behind"
    action = path_action(name, entry, at_end, name != "PATH" and rarely(draw, 6))
    return Do(unless_there(name, entry, at_end, action), effect=action)


@st.composite
def copies(draw, number):
    """A module's own entry once more, to have it in front or behind."""
    root, name = f"EBROOTM{number}", draw(st.sampled_from(PATH_VARIABLES))
    entry, at_end = f"${root}/{draw(st.sampled_from(('bin', 'lib64')))}", draw(st.booleans())
    action = path_action(name, entry, at_end, with_empty=False)
    unless = unless_there(name, entry, at_end, action)
    # An entry in the old tree that is no module's is the user's own business.
    return Do(f'[ -z "${root}" ] || case ":${name}:" in *":{entry}:"*) {unless} ;; esac', effect=action)


@st.composite
def afterwards(draw, numbers):
    """What a user may do to variables that modules have set.

    Nothing to one that is not set: whether a module that sets it on the other node should win cannot be told.
    """
    number = draw(st.sampled_from(numbers))
    if rarely(draw, 4):
        return draw(copies(number))
    name = draw(st.sampled_from((mode_of(number), f"EBROOTM{number}", flag_of(number), "CC", *PATH_VARIABLES[1:])))
    if draw(st.booleans()):
        return Do(f"unset {name}")
    action = f"export {name}=/home/user/mine"
    # What was set on the login node stays the user's choice, whether or not a module of the node sets it too.
    return Do(f'[ -z "${{{name}+x}}" ] || {action}', effect=action)


@st.composite
def loadings(draw, modules, uses):
    """Loads of modules by one or the other name, and now and then something in between."""
    chosen = draw(st.lists(st.sampled_from(modules), min_size=1, max_size=5, unique_by=lambda one: one.software.full_name))
    events = []
    for module in chosen:
        software = module.software
        spellings = (software.full_name, software.name, alias_of(module), version_alias_of(module))
        name = draw(st.sampled_from(spellings))
        if events and isinstance(events[-1], Load) and rarely(draw, 4):
            events[-1] = Load((*events[-1].names, name))
        else:
            events.append(Load((name,)))
        if rarely(draw, 4):
            events.append(draw(st.one_of(uses, anytime(), st.just(Unload(draw(st.sampled_from(chosen)).software.name)))))
    return events


@st.composite
def stories(draw):
    modules = draw(module_sets())
    numbers = sorted({int(module.software.name[1:]) for module in modules})
    private = sorted({module.place for module in modules} & {PRIVATE, OWN_TARGETS})
    uses = st.builds(Use, st.sampled_from([*private, ""]), st.booleans())
    early = [module.software.full_name for module in modules if module.place in (SITE, PRIVATE)]
    before = [anytime(), uses, st.builds(Do, st.sampled_from(SWITCHES))]
    if early:
        before.append(st.builds(Load, st.tuples(st.sampled_from(early))))
    needed = [Use(place, draw(st.booleans())) for place in private]
    prelude = draw(st.lists(st.one_of(before), max_size=3))
    login = draw(nodes(CPUS))
    others = [cpu for cpu in CPUS if cpu != login.cpuinfo]
    return Story(
        login=login, compute=draw(nodes([*others, *others, login.cpuinfo])),
        cpu_targets=(*(target for target in CPU_TARGETS if not rarely(draw, 8)), GENERIC),
        accelerators=tuple(one for one in ACCELERATORS if not rarely(draw, 6)),
        modules=modules,
        events=(
            *([*needed, *prelude] if draw(st.booleans()) else prelude),
            Load((EESSI,)),
            *needed,
            *draw(loadings(modules, uses)),
            *draw(st.lists(st.one_of(anytime(), afterwards(numbers)), max_size=4)),
        ),
        looks_on=rarely(draw, 3),
        is_shared=draw(st.booleans()),
    )


def alias_of(module):
    return f"alias-of-{module.software.name}-{module.software.version.strip('.')}"


def version_alias_of(module):
    return f"{module.software.name}/called-{module.software.version.strip('.')}"
