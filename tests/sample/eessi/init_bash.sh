# shellcheck shell=bash
# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Sample of EESSI's init/bash, for tests: sets EESSI up without its module. To be sourced.
# The compatibility layer must hold an Lmod, and each software directory its .lmod directory.
__init=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")

EESSI_PREFIX=$(dirname "$__init")
EESSI_VERSION=$(basename "$EESSI_PREFIX")
EESSI_CVMFS_REPO=$(dirname "$(dirname "$EESSI_PREFIX")")
EESSI_OS_TYPE=linux
EESSI_CPU_FAMILY=${EESSI_MACHINE_TYPE:-$(uname -m)}
EESSI_EPREFIX=$EESSI_PREFIX/compat/$EESSI_OS_TYPE/$EESSI_CPU_FAMILY
EPREFIX=$EESSI_EPREFIX
EESSI_INIT_PREFIX=$__init
export EESSI_PREFIX EESSI_INIT_PREFIX EESSI_VERSION EESSI_CVMFS_REPO EESSI_OS_TYPE EESSI_CPU_FAMILY EESSI_EPREFIX EPREFIX
export EESSI_USE_ARCHDETECT=1 EESSI_USE_ARCHSPEC=0

IFS=: read -r -a __candidates <<<"$("$__init/eessi_archdetect.sh" -a cpupath)"
for __candidate in "${__candidates[@]}"; do
    if [ -d "$EESSI_PREFIX/software/$EESSI_OS_TYPE/$__candidate" ]; then
        export EESSI_SOFTWARE_SUBDIR=$__candidate
        break
    fi
done
export EESSI_SOFTWARE_PATH=$EESSI_PREFIX/software/$EESSI_OS_TYPE/$EESSI_SOFTWARE_SUBDIR
export EESSI_SITE_SOFTWARE_PATH=${EESSI_SOFTWARE_PATH/\/versions\///host_injections/}
export EESSI_MODULEPATH=$EESSI_SOFTWARE_PATH/modules/all
export EESSI_SITE_MODULEPATH=$EESSI_SITE_SOFTWARE_PATH/modules/all
export LMOD_CONFIG_DIR=$EESSI_SOFTWARE_PATH/.lmod
export LMOD_PACKAGE_PATH=$EESSI_SOFTWARE_PATH/.lmod
export LMOD_RC=$EESSI_SITE_SOFTWARE_PATH/.lmod/lmodrc.lua:$EESSI_SOFTWARE_PATH/.lmod/lmodrc.lua

if __accel=$("$__init/eessi_archdetect.sh" accelpath); then
    export EESSI_ACCEL_SUBDIR=$__accel
    [ -d "$EESSI_SOFTWARE_PATH/$__accel" ] || __accel=${__accel::-1}0
    if [ -d "$EESSI_SOFTWARE_PATH/$__accel" ]; then
        export EESSI_ACCELERATOR_TARGET=$__accel
        export EESSI_MODULEPATH_ACCEL=$EESSI_SOFTWARE_PATH/$__accel/modules/all
    fi
fi

export PS1="{EESSI $EESSI_VERSION} ${PS1-}"
export PATH=$EPREFIX/usr/bin:$EPREFIX/bin:$PATH
# shellcheck disable=SC1091
source "$EESSI_EPREFIX/usr/share/Lmod/init/bash"
module use "$EESSI_MODULEPATH"
[ -z "${EESSI_MODULEPATH_ACCEL-}" ] || module use "$EESSI_MODULEPATH_ACCEL"
module use "$EESSI_SITE_MODULEPATH"
unset __init __candidates __candidate __accel
echo "Environment set up to use EESSI ($EESSI_VERSION)"
