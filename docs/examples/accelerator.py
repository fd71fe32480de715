# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""CUDA loaded on a Zen 4 node with a GPU of compute capability 9.0, a job on one with 12.0: what the guard prints.

  mismatch        CUDA/12.6.0 is there for both GPUs
  missing-module  CUDA/12.6.0 is there for the first GPU only

Lines with Lmod's own bookkeeping (_ModuleTable*, __LMOD_*) are left out unless --all is given.
"""

from transcript import Software, Story, gpu_node, parser, tell

CC90, CC120 = "x86_64/amd/zen4/accel/nvidia/cc90", "x86_64/amd/zen4/accel/nvidia/cc120"
CUDA_FOR = {"mismatch": (CC90, CC120), "missing-module": (CC90,)}


def story(targets):
    """CUDA exists for `targets`."""
    return Story(
        login=gpu_node("login", "zen4", "9.0"),
        compute=gpu_node("compute", "zen4", "12.0"),
        software=((targets, Software("CUDA", "12.6.0", programs=("nvcc",))),),
        loads=("CUDA/12.6.0",),
    )


def main():
    arguments = parser(__doc__)
    arguments.add_argument("case", choices=sorted(CUDA_FOR), help="see above")
    chosen = arguments.parse_args()
    tell(story(CUDA_FOR[chosen.case]), chosen.all)


if __name__ == "__main__":
    main()
