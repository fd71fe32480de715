# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""What GCC's -march enables on x86, in the spelling of /proc/cpuinfo. Data only.

Origin: GCC 16, the PTA_* masks of gcc/config/i386/i386.h with the implications of i386-common.cc and
i386-options.cc (GPL-3.0-or-later), read in the mirror gcc-mirror/gcc at commit b40f769c2f6c, a state of late 2025
before the release that has its new masks, novalake and znver6. Taken over are facts: which names belong to which
march; no code.
Names of the kernel: arch/x86/include/asm/cpufeatures.h (GPL-2.0) of Linux 6.1, and of a later development
version, which already knows MOVRS and AVX512_BMM, for those that have none.

An older kernel does not know every name, and a kernel leaves out what firmware, microcode or a hypervisor
switched off (hle and sgx on most machines). A flag that is missing is information, not proof of a crash.

MARCH_FLAGS is generated: `python3 tools/march_flags.py --write` rewrites it from the installed gcc, as far as
that gcc knows the march, and `--check` compares. To add a march, add it with an empty tuple and write.
"""

# Leaf of an EESSI candidate -> name that -march takes. EESSI's own names first, then those of later or other
# CPUs, where EESSI spells the - of GCC as _. emeraldrapids is another name of the same mask in GCC.
LEAF_MARCH = {
    "generic": "x86-64",
    "haswell": "haswell",
    "skylake_avx512": "skylake-avx512",
    "cascadelake": "cascadelake",
    "icelake": "icelake-server",
    "sapphirerapids": "sapphirerapids",
    "zen2": "znver2",
    "zen3": "znver3",
    "zen4": "znver4",
    "zen5": "znver5",
    "nehalem": "nehalem",
    "westmere": "westmere",
    "sandybridge": "sandybridge",
    "ivybridge": "ivybridge",
    "broadwell": "broadwell",
    "skylake": "skylake",
    "cannonlake": "cannonlake",
    "cooperlake": "cooperlake",
    "icelake_client": "icelake-client",
    "icelake_server": "icelake-server",
    "rocketlake": "rocketlake",
    "tigerlake": "tigerlake",
    "tremont": "tremont",
    "alderlake": "alderlake",
    "arrowlake": "arrowlake",
    "arrowlake_s": "arrowlake-s",
    "pantherlake": "pantherlake",
    "novalake": "novalake",
    "emeraldrapids": "sapphirerapids",
    "graniterapids": "graniterapids",
    "graniterapids_d": "graniterapids-d",
    "diamondrapids": "diamondrapids",
    "sierraforest": "sierraforest",
    "grandridge": "grandridge",
    "clearwaterforest": "clearwaterforest",
    "zen": "znver1",
    "zen1": "znver1",
    "zen6": "znver6",
    "x86_64_v2": "x86-64-v2",
    "x86_64_v3": "x86-64-v3",
    "x86_64_v4": "x86-64-v4",
}

# Option as `gcc -Q --help=target` prints it -> flag of /proc/cpuinfo.
OPTION_FLAGS = {
    "-mabm": "abm",
    "-madx": "adx",
    "-maes": "aes",
    "-mamx-bf16": "amx_bf16",
    "-mamx-int8": "amx_int8",
    "-mamx-tile": "amx_tile",
    "-mavx": "avx",
    "-mavx2": "avx2",
    "-mavx512bf16": "avx512_bf16",
    "-mavx512bitalg": "avx512_bitalg",
    "-mavx512bw": "avx512bw",
    "-mavx512cd": "avx512cd",
    "-mavx512dq": "avx512dq",
    "-mavx512f": "avx512f",
    "-mavx512fp16": "avx512_fp16",
    "-mavx512ifma": "avx512ifma",
    "-mavx512vbmi": "avx512vbmi",
    "-mavx512vbmi2": "avx512_vbmi2",
    "-mavx512vl": "avx512vl",
    "-mavx512vnni": "avx512_vnni",
    "-mavx512vp2intersect": "avx512_vp2intersect",
    "-mavx512vpopcntdq": "avx512_vpopcntdq",
    "-mavxvnni": "avx_vnni",
    "-mbmi": "bmi1",
    "-mbmi2": "bmi2",
    "-mcldemote": "cldemote",
    "-mclflushopt": "clflushopt",
    "-mclwb": "clwb",
    "-mclzero": "clzero",
    "-mcx16": "cx16",
    "-menqcmd": "enqcmd",
    "-mf16c": "f16c",
    "-mfma": "fma",
    "-mfsgsbase": "fsgsbase",
    "-mfxsr": "fxsr",
    "-mgfni": "gfni",
    "-mhle": "hle",
    "-mlzcnt": "abm",
    "-mmmx": "mmx",
    "-mmovbe": "movbe",
    "-mmovdir64b": "movdir64b",
    "-mmovdiri": "movdiri",
    "-mmwait": "monitor",
    "-mmwaitx": "mwaitx",
    "-mpclmul": "pclmulqdq",
    "-mpconfig": "pconfig",
    "-mpku": "pku",
    "-mpopcnt": "popcnt",
    "-mprfchw": "3dnowprefetch",
    "-mrdpid": "rdpid",
    "-mrdrnd": "rdrand",
    "-mrdseed": "rdseed",
    "-msahf": "lahf_lm",
    "-mserialize": "serialize",
    "-msgx": "sgx",
    "-msha": "sha_ni",
    "-msse": "sse",
    "-msse2": "sse2",
    "-msse3": "pni",
    "-msse4.1": "sse4_1",
    "-msse4.2": "sse4_2",
    "-msse4a": "sse4a",
    "-mssse3": "ssse3",
    "-mtsxldtrk": "tsxldtrk",
    "-mvaes": "vaes",
    "-mvpclmulqdq": "vpclmulqdq",
    "-mwaitpkg": "waitpkg",
    "-mwbnoinvd": "wbnoinvd",
    "-mxsave": "xsave",
    "-mxsavec": "xsavec",
    "-mxsaveopt": "xsaveopt",
    "-mxsaves": "xsaves",
}

_HIDDEN = "the kernel knows it and keeps it out of /proc/cpuinfo"
_UNKNOWN = "cpufeatures.h has no name for it"
_GROUP = "a name for options that are listed by themselves"

# Option -> why /proc/cpuinfo cannot tell whether a CPU has it.
OPTIONS_WITHOUT_FLAG = {
    "-mamx-avx512": _UNKNOWN,
    "-mamx-complex": _UNKNOWN,
    "-mamx-fp16": _HIDDEN,
    "-mamx-fp8": _UNKNOWN,
    "-mamx-movrs": _UNKNOWN,
    "-mamx-tf32": _UNKNOWN,
    "-mamx-transpose": _UNKNOWN,
    "-mapxf": _HIDDEN,
    "-mavx10.1": _UNKNOWN,
    "-mavx10.1-256": _UNKNOWN,
    "-mavx10.1-512": _UNKNOWN,
    "-mavx10.2": _UNKNOWN,
    "-mavx10.2-256": _UNKNOWN,
    "-mavx10.2-512": _UNKNOWN,
    "-mavx512bmm": _HIDDEN,
    "-mavxifma": _HIDDEN,
    "-mavxneconvert": _UNKNOWN,
    "-mavxvnniint16": _UNKNOWN,
    "-mavxvnniint8": _UNKNOWN,
    "-mcmpccxadd": _HIDDEN,
    "-mcrc32": "its instruction comes with sse4_2",
    "-mevex512": "a width of the AVX-512 options, in GCC 14 and 15 only",
    "-mhreset": _UNKNOWN,
    "-mkl": _UNKNOWN,
    "-mmovrs": _HIDDEN,
    "-mprefetchi": _HIDDEN,
    "-mptwrite": _UNKNOWN,
    "-mraoint": _UNKNOWN,
    "-msha512": _HIDDEN,
    "-msm3": _HIDDEN,
    "-msm4": _HIDDEN,
    "-msse4": _GROUP,
    "-muintr": _UNKNOWN,
    "-musermsr": _UNKNOWN,
    "-mwidekl": _UNKNOWN,
}

# Major version of GCC -> march -> what that version enables beyond MARCH_FLAGS ("more") and leaves out
# ("fewer"). 11 and 12 were compared by running them, 13 by reading its masks.
_CLDEMOTE = {"more": ("cldemote",), "fewer": (), "reason": "later masks of client CPUs drop CLDEMOTE"}
KNOWN_DIFFERENCES = {
    11: {
        "alderlake": _CLDEMOTE,
        "sapphirerapids": {
            "more": ("avx512_vp2intersect",),
            "fewer": ("avx512_fp16",),
            "reason": "GCC 13 dropped VP2INTERSECT from the mask; GCC 11 cannot do AVX512-FP16",
        },
    },
    12: {
        "alderlake": _CLDEMOTE,
        "sapphirerapids": {
            "more": ("avx512_vp2intersect",),
            "fewer": (),
            "reason": "GCC 13 dropped VP2INTERSECT from the mask",
        },
    },
    13: {
        "alderlake": _CLDEMOTE,
    },
}

# Name that -march takes -> flags, sorted.
# generated: begin
MARCH_FLAGS = {
    "x86-64": (
        "fxsr mmx sse sse2"
    ).split(),
    "haswell": (
        "abm avx avx2 bmi1 bmi2 cx16 f16c fma fsgsbase fxsr hle lahf_lm mmx monitor movbe pclmulqdq pni popcnt "
        "rdrand sse sse2 sse4_1 sse4_2 ssse3 xsave xsaveopt"
    ).split(),
    "skylake-avx512": (
        "3dnowprefetch abm adx aes avx avx2 avx512bw avx512cd avx512dq avx512f avx512vl bmi1 bmi2 clflushopt clwb"
        " cx16 f16c fma fsgsbase fxsr hle lahf_lm mmx monitor movbe pclmulqdq pku pni popcnt rdrand rdseed sgx "
        "sse sse2 sse4_1 sse4_2 ssse3 xsave xsavec xsaveopt xsaves"
    ).split(),
    "cascadelake": (
        "3dnowprefetch abm adx aes avx avx2 avx512_vnni avx512bw avx512cd avx512dq avx512f avx512vl bmi1 bmi2 "
        "clflushopt clwb cx16 f16c fma fsgsbase fxsr hle lahf_lm mmx monitor movbe pclmulqdq pku pni popcnt "
        "rdrand rdseed sgx sse sse2 sse4_1 sse4_2 ssse3 xsave xsavec xsaveopt xsaves"
    ).split(),
    "icelake-server": (
        "3dnowprefetch abm adx aes avx avx2 avx512_bitalg avx512_vbmi2 avx512_vnni avx512_vpopcntdq avx512bw "
        "avx512cd avx512dq avx512f avx512ifma avx512vbmi avx512vl bmi1 bmi2 clflushopt clwb cx16 f16c fma "
        "fsgsbase fxsr gfni hle lahf_lm mmx monitor movbe pclmulqdq pconfig pku pni popcnt rdpid rdrand rdseed "
        "sgx sha_ni sse sse2 sse4_1 sse4_2 ssse3 vaes vpclmulqdq wbnoinvd xsave xsavec xsaveopt xsaves"
    ).split(),
    "sapphirerapids": (
        "3dnowprefetch abm adx aes amx_bf16 amx_int8 amx_tile avx avx2 avx512_bf16 avx512_bitalg avx512_fp16 "
        "avx512_vbmi2 avx512_vnni avx512_vpopcntdq avx512bw avx512cd avx512dq avx512f avx512ifma avx512vbmi "
        "avx512vl avx_vnni bmi1 bmi2 cldemote clflushopt clwb cx16 enqcmd f16c fma fsgsbase fxsr gfni hle lahf_lm"
        " mmx monitor movbe movdir64b movdiri pclmulqdq pconfig pku pni popcnt rdpid rdrand rdseed serialize sgx "
        "sha_ni sse sse2 sse4_1 sse4_2 ssse3 tsxldtrk vaes vpclmulqdq waitpkg wbnoinvd xsave xsavec xsaveopt "
        "xsaves"
    ).split(),
    "znver2": (
        "3dnowprefetch abm adx aes avx avx2 bmi1 bmi2 clflushopt clwb clzero cx16 f16c fma fsgsbase fxsr lahf_lm "
        "mmx monitor movbe mwaitx pclmulqdq pni popcnt rdpid rdrand rdseed sha_ni sse sse2 sse4_1 sse4_2 sse4a "
        "ssse3 wbnoinvd xsave xsavec xsaveopt xsaves"
    ).split(),
    "znver3": (
        "3dnowprefetch abm adx aes avx avx2 bmi1 bmi2 clflushopt clwb clzero cx16 f16c fma fsgsbase fxsr lahf_lm "
        "mmx monitor movbe mwaitx pclmulqdq pku pni popcnt rdpid rdrand rdseed sha_ni sse sse2 sse4_1 sse4_2 "
        "sse4a ssse3 vaes vpclmulqdq wbnoinvd xsave xsavec xsaveopt xsaves"
    ).split(),
    "znver4": (
        "3dnowprefetch abm adx aes avx avx2 avx512_bf16 avx512_bitalg avx512_vbmi2 avx512_vnni avx512_vpopcntdq "
        "avx512bw avx512cd avx512dq avx512f avx512ifma avx512vbmi avx512vl bmi1 bmi2 clflushopt clwb clzero cx16 "
        "f16c fma fsgsbase fxsr gfni lahf_lm mmx monitor movbe mwaitx pclmulqdq pku pni popcnt rdpid rdrand "
        "rdseed sha_ni sse sse2 sse4_1 sse4_2 sse4a ssse3 vaes vpclmulqdq wbnoinvd xsave xsavec xsaveopt xsaves"
    ).split(),
    "znver5": (
        "3dnowprefetch abm adx aes avx avx2 avx512_bf16 avx512_bitalg avx512_vbmi2 avx512_vnni "
        "avx512_vp2intersect avx512_vpopcntdq avx512bw avx512cd avx512dq avx512f avx512ifma avx512vbmi avx512vl "
        "avx_vnni bmi1 bmi2 clflushopt clwb clzero cx16 f16c fma fsgsbase fxsr gfni lahf_lm mmx monitor movbe "
        "movdir64b movdiri mwaitx pclmulqdq pku pni popcnt rdpid rdrand rdseed sha_ni sse sse2 sse4_1 sse4_2 "
        "sse4a ssse3 vaes vpclmulqdq wbnoinvd xsave xsavec xsaveopt xsaves"
    ).split(),
    "nehalem": (
        "cx16 fxsr lahf_lm mmx monitor pni popcnt sse sse2 sse4_1 sse4_2 ssse3"
    ).split(),
    "westmere": (
        "cx16 fxsr lahf_lm mmx monitor pclmulqdq pni popcnt sse sse2 sse4_1 sse4_2 ssse3"
    ).split(),
    "sandybridge": (
        "avx cx16 fxsr lahf_lm mmx monitor pclmulqdq pni popcnt sse sse2 sse4_1 sse4_2 ssse3 xsave xsaveopt"
    ).split(),
    "ivybridge": (
        "avx cx16 f16c fsgsbase fxsr lahf_lm mmx monitor pclmulqdq pni popcnt rdrand sse sse2 sse4_1 sse4_2 ssse3"
        " xsave xsaveopt"
    ).split(),
    "broadwell": (
        "3dnowprefetch abm adx avx avx2 bmi1 bmi2 cx16 f16c fma fsgsbase fxsr hle lahf_lm mmx monitor movbe "
        "pclmulqdq pni popcnt rdrand rdseed sse sse2 sse4_1 sse4_2 ssse3 xsave xsaveopt"
    ).split(),
    "skylake": (
        "3dnowprefetch abm adx aes avx avx2 bmi1 bmi2 clflushopt cx16 f16c fma fsgsbase fxsr hle lahf_lm mmx "
        "monitor movbe pclmulqdq pni popcnt rdrand rdseed sgx sse sse2 sse4_1 sse4_2 ssse3 xsave xsavec xsaveopt "
        "xsaves"
    ).split(),
    "cannonlake": (
        "3dnowprefetch abm adx aes avx avx2 avx512bw avx512cd avx512dq avx512f avx512ifma avx512vbmi avx512vl "
        "bmi1 bmi2 clflushopt cx16 f16c fma fsgsbase fxsr hle lahf_lm mmx monitor movbe pclmulqdq pku pni popcnt "
        "rdrand rdseed sgx sha_ni sse sse2 sse4_1 sse4_2 ssse3 xsave xsavec xsaveopt xsaves"
    ).split(),
    "cooperlake": (
        "3dnowprefetch abm adx aes avx avx2 avx512_bf16 avx512_vnni avx512bw avx512cd avx512dq avx512f avx512vl "
        "bmi1 bmi2 clflushopt clwb cx16 f16c fma fsgsbase fxsr hle lahf_lm mmx monitor movbe pclmulqdq pku pni "
        "popcnt rdrand rdseed sgx sse sse2 sse4_1 sse4_2 ssse3 xsave xsavec xsaveopt xsaves"
    ).split(),
    "icelake-client": (
        "3dnowprefetch abm adx aes avx avx2 avx512_bitalg avx512_vbmi2 avx512_vnni avx512_vpopcntdq avx512bw "
        "avx512cd avx512dq avx512f avx512ifma avx512vbmi avx512vl bmi1 bmi2 clflushopt cx16 f16c fma fsgsbase "
        "fxsr gfni hle lahf_lm mmx monitor movbe pclmulqdq pku pni popcnt rdpid rdrand rdseed sgx sha_ni sse sse2"
        " sse4_1 sse4_2 ssse3 vaes vpclmulqdq xsave xsavec xsaveopt xsaves"
    ).split(),
    "rocketlake": (
        "3dnowprefetch abm adx aes avx avx2 avx512_bitalg avx512_vbmi2 avx512_vnni avx512_vpopcntdq avx512bw "
        "avx512cd avx512dq avx512f avx512ifma avx512vbmi avx512vl bmi1 bmi2 clflushopt cx16 f16c fma fsgsbase "
        "fxsr gfni hle lahf_lm mmx monitor movbe pclmulqdq pku pni popcnt rdpid rdrand rdseed sha_ni sse sse2 "
        "sse4_1 sse4_2 ssse3 vaes vpclmulqdq xsave xsavec xsaveopt xsaves"
    ).split(),
    "tigerlake": (
        "3dnowprefetch abm adx aes avx avx2 avx512_bitalg avx512_vbmi2 avx512_vnni avx512_vp2intersect "
        "avx512_vpopcntdq avx512bw avx512cd avx512dq avx512f avx512ifma avx512vbmi avx512vl bmi1 bmi2 clflushopt "
        "clwb cx16 f16c fma fsgsbase fxsr gfni hle lahf_lm mmx monitor movbe movdir64b movdiri pclmulqdq pku pni "
        "popcnt rdpid rdrand rdseed sgx sha_ni sse sse2 sse4_1 sse4_2 ssse3 vaes vpclmulqdq xsave xsavec xsaveopt"
        " xsaves"
    ).split(),
    "tremont": (
        "3dnowprefetch aes cldemote clflushopt clwb cx16 fsgsbase fxsr gfni lahf_lm mmx monitor movbe movdir64b "
        "movdiri pclmulqdq pni popcnt rdpid rdrand rdseed sgx sha_ni sse sse2 sse4_1 sse4_2 ssse3 waitpkg xsave "
        "xsavec xsaveopt xsaves"
    ).split(),
    "alderlake": (
        "3dnowprefetch abm adx aes avx avx2 avx_vnni bmi1 bmi2 clflushopt clwb cx16 f16c fma fsgsbase fxsr gfni "
        "lahf_lm mmx monitor movbe movdir64b movdiri pclmulqdq pconfig pku pni popcnt rdpid rdrand rdseed "
        "serialize sgx sha_ni sse sse2 sse4_1 sse4_2 ssse3 vaes vpclmulqdq waitpkg xsave xsavec xsaveopt xsaves"
    ).split(),
    "arrowlake": (
        "3dnowprefetch abm adx aes avx avx2 avx_vnni bmi1 bmi2 clflushopt clwb cx16 f16c fma fsgsbase fxsr gfni "
        "lahf_lm mmx monitor movbe movdir64b movdiri pclmulqdq pconfig pku pni popcnt rdpid rdrand rdseed "
        "serialize sgx sha_ni sse sse2 sse4_1 sse4_2 ssse3 vaes vpclmulqdq waitpkg xsave xsavec xsaveopt xsaves"
    ).split(),
    "arrowlake-s": (
        "3dnowprefetch abm adx aes avx avx2 avx_vnni bmi1 bmi2 clflushopt clwb cx16 f16c fma fsgsbase fxsr gfni "
        "lahf_lm mmx monitor movbe movdir64b movdiri pclmulqdq pconfig pku pni popcnt rdpid rdrand rdseed "
        "serialize sgx sha_ni sse sse2 sse4_1 sse4_2 ssse3 vaes vpclmulqdq waitpkg xsave xsavec xsaveopt xsaves"
    ).split(),
    "pantherlake": (
        "3dnowprefetch abm adx aes avx avx2 avx_vnni bmi1 bmi2 clflushopt clwb cx16 f16c fma fsgsbase fxsr gfni "
        "lahf_lm mmx monitor movbe movdir64b movdiri pclmulqdq pconfig pku pni popcnt rdpid rdrand rdseed "
        "serialize sgx sha_ni sse sse2 sse4_1 sse4_2 ssse3 vaes vpclmulqdq waitpkg xsave xsavec xsaveopt xsaves"
    ).split(),
    "novalake": (
        "3dnowprefetch abm adx aes avx avx2 avx512_bf16 avx512_bitalg avx512_fp16 avx512_vbmi2 avx512_vnni "
        "avx512_vpopcntdq avx512bw avx512cd avx512dq avx512f avx512ifma avx512vbmi avx512vl avx_vnni bmi1 bmi2 "
        "clflushopt clwb cx16 f16c fma fsgsbase fxsr gfni lahf_lm mmx monitor movbe movdir64b movdiri pclmulqdq "
        "pconfig pku pni popcnt rdpid rdrand rdseed serialize sgx sha_ni sse sse2 sse4_1 sse4_2 ssse3 vaes "
        "vpclmulqdq waitpkg xsave xsavec xsaveopt xsaves"
    ).split(),
    "graniterapids": (
        "3dnowprefetch abm adx aes amx_bf16 amx_int8 amx_tile avx avx2 avx512_bf16 avx512_bitalg avx512_fp16 "
        "avx512_vbmi2 avx512_vnni avx512_vpopcntdq avx512bw avx512cd avx512dq avx512f avx512ifma avx512vbmi "
        "avx512vl avx_vnni bmi1 bmi2 cldemote clflushopt clwb cx16 enqcmd f16c fma fsgsbase fxsr gfni hle lahf_lm"
        " mmx monitor movbe movdir64b movdiri pclmulqdq pconfig pku pni popcnt rdpid rdrand rdseed serialize sgx "
        "sha_ni sse sse2 sse4_1 sse4_2 ssse3 tsxldtrk vaes vpclmulqdq waitpkg wbnoinvd xsave xsavec xsaveopt "
        "xsaves"
    ).split(),
    "graniterapids-d": (
        "3dnowprefetch abm adx aes amx_bf16 amx_int8 amx_tile avx avx2 avx512_bf16 avx512_bitalg avx512_fp16 "
        "avx512_vbmi2 avx512_vnni avx512_vpopcntdq avx512bw avx512cd avx512dq avx512f avx512ifma avx512vbmi "
        "avx512vl avx_vnni bmi1 bmi2 cldemote clflushopt clwb cx16 enqcmd f16c fma fsgsbase fxsr gfni hle lahf_lm"
        " mmx monitor movbe movdir64b movdiri pclmulqdq pconfig pku pni popcnt rdpid rdrand rdseed serialize sgx "
        "sha_ni sse sse2 sse4_1 sse4_2 ssse3 tsxldtrk vaes vpclmulqdq waitpkg wbnoinvd xsave xsavec xsaveopt "
        "xsaves"
    ).split(),
    "diamondrapids": (
        "3dnowprefetch abm adx aes amx_bf16 amx_int8 amx_tile avx avx2 avx512_bf16 avx512_bitalg avx512_fp16 "
        "avx512_vbmi2 avx512_vnni avx512_vpopcntdq avx512bw avx512cd avx512dq avx512f avx512ifma avx512vbmi "
        "avx512vl avx_vnni bmi1 bmi2 cldemote clflushopt clwb cx16 enqcmd f16c fma fsgsbase fxsr gfni hle lahf_lm"
        " mmx monitor movbe movdir64b movdiri pclmulqdq pconfig pku pni popcnt rdpid rdrand rdseed serialize sgx "
        "sha_ni sse sse2 sse4_1 sse4_2 ssse3 tsxldtrk vaes vpclmulqdq waitpkg wbnoinvd xsave xsavec xsaveopt "
        "xsaves"
    ).split(),
    "sierraforest": (
        "3dnowprefetch abm adx aes avx avx2 avx_vnni bmi1 bmi2 cldemote clflushopt clwb cx16 enqcmd f16c fma "
        "fsgsbase fxsr gfni lahf_lm mmx monitor movbe movdir64b movdiri pclmulqdq pconfig pku pni popcnt rdpid "
        "rdrand rdseed serialize sgx sha_ni sse sse2 sse4_1 sse4_2 ssse3 vaes vpclmulqdq waitpkg xsave xsavec "
        "xsaveopt xsaves"
    ).split(),
    "grandridge": (
        "3dnowprefetch abm adx aes avx avx2 avx_vnni bmi1 bmi2 cldemote clflushopt clwb cx16 enqcmd f16c fma "
        "fsgsbase fxsr gfni lahf_lm mmx monitor movbe movdir64b movdiri pclmulqdq pconfig pku pni popcnt rdpid "
        "rdrand rdseed serialize sgx sha_ni sse sse2 sse4_1 sse4_2 ssse3 vaes vpclmulqdq waitpkg xsave xsavec "
        "xsaveopt xsaves"
    ).split(),
    "clearwaterforest": (
        "3dnowprefetch abm adx aes avx avx2 avx_vnni bmi1 bmi2 cldemote clflushopt clwb cx16 enqcmd f16c fma "
        "fsgsbase fxsr gfni lahf_lm mmx monitor movbe movdir64b movdiri pclmulqdq pconfig pku pni popcnt rdpid "
        "rdrand rdseed serialize sgx sha_ni sse sse2 sse4_1 sse4_2 ssse3 vaes vpclmulqdq waitpkg xsave xsavec "
        "xsaveopt xsaves"
    ).split(),
    "znver1": (
        "3dnowprefetch abm adx aes avx avx2 bmi1 bmi2 clflushopt clzero cx16 f16c fma fsgsbase fxsr lahf_lm mmx "
        "monitor movbe mwaitx pclmulqdq pni popcnt rdrand rdseed sha_ni sse sse2 sse4_1 sse4_2 sse4a ssse3 xsave "
        "xsavec xsaveopt xsaves"
    ).split(),
    "znver6": (
        "3dnowprefetch abm adx aes avx avx2 avx512_bf16 avx512_bitalg avx512_fp16 avx512_vbmi2 avx512_vnni "
        "avx512_vp2intersect avx512_vpopcntdq avx512bw avx512cd avx512dq avx512f avx512ifma avx512vbmi avx512vl "
        "avx_vnni bmi1 bmi2 clflushopt clwb clzero cx16 f16c fma fsgsbase fxsr gfni lahf_lm mmx monitor movbe "
        "movdir64b movdiri mwaitx pclmulqdq pku pni popcnt rdpid rdrand rdseed sha_ni sse sse2 sse4_1 sse4_2 "
        "sse4a ssse3 vaes vpclmulqdq wbnoinvd xsave xsavec xsaveopt xsaves"
    ).split(),
    "x86-64-v2": (
        "cx16 fxsr lahf_lm mmx monitor pni popcnt sse sse2 sse4_1 sse4_2 ssse3"
    ).split(),
    "x86-64-v3": (
        "abm avx avx2 bmi1 bmi2 cx16 f16c fma fxsr lahf_lm mmx monitor movbe pni popcnt sse sse2 sse4_1 sse4_2 "
        "ssse3 xsave"
    ).split(),
    "x86-64-v4": (
        "abm avx avx2 avx512bw avx512cd avx512dq avx512f avx512vl bmi1 bmi2 cx16 f16c fma fxsr lahf_lm mmx "
        "monitor movbe pni popcnt sse sse2 sse4_1 sse4_2 ssse3 xsave"
    ).split(),
}
# generated: end
