# SPDX-License-Identifier: Apache-2.0
"""The command `lockproof` of the wheel: the program takes the place of this process."""
import os
import sys

from lockproof.program import ProgramError, program_path


def main() -> None:
    try:
        program = program_path()
    except ProgramError as error:
        sys.exit(f"lockproof: {error}")
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
