# SPDX-License-Identifier: Apache-2.0
"""A command on a terminal of 80 columns."""
import os
import pty
import subprocess
import termios

SIZE = (24, 80)
NOT_OF_A_TERMINAL = ("COLUMNS", "NO_COLOR")


def on_terminal(command, **options):
    """Its exit code, and all that it writes there."""
    main_side, side = pty.openpty()
    termios.tcsetwinsize(side, SIZE)
    environment = {name: value for name, value in os.environ.items() if name not in NOT_OF_A_TERMINAL}
    with subprocess.Popen(command, stdin=side, stdout=side, stderr=side, env=environment, **options) as child:
        os.close(side)
        text = b""
        try:
            while data := os.read(main_side, 65536):
                text += data
        except OSError:  # the other side is gone
            pass
        os.close(main_side)
        return child.wait(timeout=100), text.decode()
