"""The program `ricochet`: the wheel has it beside the module."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Runs the program with the arguments of this process, in its place."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "ricochet")
    if not os.path.exists(program):
        sys.exit("ricochet: the program is not part of this installation. Install the wheel: pip install .")
    os.execv(program, ["ricochet", *sys.argv[1:]])


if __name__ == "__main__":
    main()
