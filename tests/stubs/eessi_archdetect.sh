#!/usr/bin/env bash
# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Stands for EESSI's own init/eessi_archdetect.sh in tests, examples and the sample audit.
# It is never installed on a node: a node runs the script of the EESSI version it has mounted.
#
#   eessi_archdetect.sh [-a] cpupath     best CPU target; with -a all that fit, best first, separated by colons
#   eessi_archdetect.sh accelpath        accelerator target; status 2: no nvidia-smi, 3: nvidia-smi failed
#
# Any other argument list is an error: usage on stderr, status 1.
#
# Read as the real script reads them:
#   EESSI_PROC_CPUINFO (default /proc/cpuinfo), EESSI_MACHINE_TYPE (default: uname -m),
#   EESSI_SOFTWARE_SUBDIR_OVERRIDE, EESSI_ACCELERATOR_TARGET_OVERRIDE
#
# Steering, for tests only. Texts are in the form of printf's %b (\r, \0000; a last \c leaves out the line feed).
#   EESSI_STUB_CPUPATH, EESSI_STUB_ACCELPATH                  the answer, in place of detection
#   EESSI_STUB_CPUPATH_STATUS, EESSI_STUB_ACCELPATH_STATUS    exit status, in place of detection
#   EESSI_STUB_CPUPATH_SLEEP, EESSI_STUB_ACCELPATH_SLEEP      seconds to wait before anything is answered
#   EESSI_STUB_STDERR                                         text for stderr
#   EESSI_STUB_LOG                                            file that gets one line a start: cpupath or accelpath
#   EESSI_STUB_NVIDIA_SMI                                     program to run in place of the nvidia-smi on PATH;
#                                                             "none": this node has no nvidia-smi

# The version whose contract this is; read from here by whoever wants to know what a node has.
VERSION="1.2.0-stub"
usage="eessi_archdetect.sh $VERSION, usage: eessi_archdetect.sh [-a] cpupath | accelpath"

fail() {
    printf 'eessi_archdetect.sh (stub): %s\n' "$1" >&2
    exit 1
}

# The last line of cpuinfo with this key (a pattern, any letter case), without key and colon.
cpuinfo_value() {
    sed -n -E "s/^$1[[:space:]]*:[[:space:]]*//Ip" "${EESSI_PROC_CPUINFO:-/proc/cpuinfo}" | tail -n 1
}

# offer TARGET WORD...: TARGET fits if every WORD stands in the node's flags. A later fit is a better one.
offer() {
    local target=$1 word
    shift
    # The real script ends here as well: a known vendor without flags is an error, not a generic CPU.
    [ -n "$flags" ] || fail "no CPU flags in ${EESSI_PROC_CPUINFO:-/proc/cpuinfo}"
    for word in "$@"; do
        [[ " $flags " == *" $word "* ]] || return 0
    done
    best=$target
    all=$target:$all
}

offer_x86_64() {
    local avx512="avx512f avx512bw avx512cd avx512dq avx512vl"
    flags=$(cpuinfo_value flags)
    # $avx512 is a list of words.
    # shellcheck disable=SC2086
    case $1 in
        GenuineIntel)
            offer x86_64/intel/haswell avx2 fma
            offer x86_64/intel/skylake_avx512 avx2 fma $avx512
            offer x86_64/intel/cascadelake avx2 fma $avx512 avx512_vnni
            offer x86_64/intel/icelake avx2 fma $avx512 avx512_vnni avx512_vbmi2
            offer x86_64/intel/sapphirerapids avx2 fma $avx512 avx512_bf16 amx_tile
            ;;
        AuthenticAMD)
            offer x86_64/amd/zen2 avx2 fma
            offer x86_64/amd/zen3 avx2 fma vaes
            offer x86_64/amd/zen4 avx2 fma vaes avx512f avx512ifma
            offer x86_64/amd/zen5 avx2 fma vaes avx512f avx512ifma avx512_vp2intersect avx_vnni movdiri
            ;;
    esac
}

offer_aarch64() {
    # lscpu writes "Vendor ID: ARM" and "Flags:", the kernel "CPU implementer" and "Features".
    if [ "$1" = ARM ]; then
        flags=$(cpuinfo_value flags)
    else
        flags=$(cpuinfo_value features)
    fi
    case $1 in
        0x46)
            offer aarch64/a64fx asimdhp sve
            ;;
        ARM)
            offer aarch64/neoverse_n1 asimddp
            offer aarch64/neoverse_v1 asimddp svei8mm
            ;;
        *)
            # Arm itself (0x41), and every implementer that EESSI has no list for.
            offer aarch64/neoverse_n1 asimddp
            offer aarch64/neoverse_v1 asimddp svei8mm
            offer aarch64/nvidia/grace sve2 sm3 sm4 svesm4
            offer aarch64/google/axion sve2 rng sm3 sm4 svesm4
            ;;
    esac
}

offer_riscv64() {
    local x60_k66="rv64imafdcv_zicbom_zicboz_zicntr_zicond_zicsr_zifencei_zihintpause_zihpm_zfh_zfhmin_zca_zcd"
    x60_k66+="_zba_zbb_zbc_zbs_zkt_zve32f_zve32x_zve64d_zve64f_zve64x_zvfh_zvfhmin_zvkt_sscofpmf_sstc_svinval"
    x60_k66+="_svnapot_svpbmt"
    flags=$(cpuinfo_value isa)
    case $1 in
        0x489)
            offer riscv64/sifive/p550 rv64imafdch_zicsr_zifencei_zba_zbb_sscofpmf
            ;;
        0x710)
            offer riscv64/spacemit/x60 rv64imafdcv_sscofpmf_sstc_svpbmt_zicbom_zicboz_zicbop_zihintpause
            offer riscv64/spacemit/x60-k6.6 "$x60_k66"
            ;;
    esac
}

cpupath() {
    if [ -n "$EESSI_SOFTWARE_SUBDIR_OVERRIDE" ]; then
        printf '%s\n' "$EESSI_SOFTWARE_SUBDIR_OVERRIDE"
        return
    fi
    local machine vendor flags best all
    machine=${EESSI_MACHINE_TYPE:-$(uname -m)}
    best=$machine/generic
    all=$best
    vendor=$(cpuinfo_value 'vendor[ _]id')
    [ -n "$vendor" ] || vendor=$(cpuinfo_value 'cpu[ _]implementer')
    [ -n "$vendor" ] || vendor=$(cpuinfo_value mvendorid)
    case $machine in
        x86_64) offer_x86_64 "$vendor" ;;
        aarch64) offer_aarch64 "$vendor" ;;
        riscv64) offer_riscv64 "$vendor" ;;
        ppc64le)
            flags=$(cpuinfo_value cpu)
            [ -n "$vendor" ] || offer ppc64le/power9le POWER9
            ;;
        *) fail "unknown machine type $machine" ;;
    esac
    if [ "$1" = all ]; then
        printf '%s\n' "$all"
    else
        printf '%s\n' "$best"
    fi
}

accelpath() {
    if [ -n "$EESSI_ACCELERATOR_TARGET_OVERRIDE" ]; then
        [[ $EESSI_ACCELERATOR_TARGET_OVERRIDE =~ ^accel/(nvidia/cc[0-9]+|amd/gfx[0-9a-f]+)$ ]] ||
            fail "EESSI_ACCELERATOR_TARGET_OVERRIDE is no accelerator target: $EESSI_ACCELERATOR_TARGET_OVERRIDE"
        printf '%s\n' "$EESSI_ACCELERATOR_TARGET_OVERRIDE"
        return
    fi

    local program=${EESSI_STUB_NVIDIA_SMI:-nvidia-smi} answer line capability
    if [ "$program" = none ] || ! command -v "$program" >/dev/null; then
        exit 2
    fi
    # As in the real script: the file stays behind when nvidia-smi fails, and what nvidia-smi
    # writes to stderr lands on this script's stdout, in front of the answer.
    answer=$(mktemp -p /tmp nvidia_smi_out.XXXXX) || fail "no temporary file"
    {
        "$program" --query-gpu=gpu_name,count,driver_version,compute_cap --format=csv,noheader >"$answer"
    } 2>&1 || exit 3
    # The first GPU decides. An answer without a comma is taken whole, as cut would take it.
    line=$(head -n 1 "$answer")
    rm -f "$answer"
    line=${line//, /,}
    capability=$line
    [[ $line != *,* ]] || IFS=, read -r _ _ _ capability _ <<<"$line"
    printf 'accel/nvidia/cc%s\n' "${capability//./}"
}

case $# in
    1) [ "$1" = cpupath ] || [ "$1" = accelpath ] || { echo "$usage" >&2; exit 1; } ;;
    2) [ "$1 $2" = "-a cpupath" ] || { echo "$usage" >&2; exit 1; } ;;
    *) echo "$usage" >&2; exit 1 ;;
esac
action=${!#}
wanted=best
[ $# -eq 1 ] || wanted=all

name=EESSI_STUB_${action^^}
text=$name
status=${name}_STATUS
seconds=${name}_SLEEP

[ -z "$EESSI_STUB_LOG" ] || printf '%s\n' "$action" >>"$EESSI_STUB_LOG"
[ -z "$EESSI_STUB_STDERR" ] || printf '%b\n' "$EESSI_STUB_STDERR" >&2
[ -z "${!seconds}" ] || sleep "${!seconds}"

if [ -n "${!text+set}" ] || [ -n "${!status}" ]; then
    [ -z "${!text+set}" ] || printf '%b\n' "${!text}"
    exit "${!status:-0}"
fi
"$action" "$wanted"
