# SPDX-License-Identifier: Apache-2.0
"""lockproof in Python: the program, and its pytest plug-in."""
from lockproof.program import ProgramError, Refusal
from lockproof.result import Missed, Result, Verdict

__all__ = ["Missed", "ProgramError", "Refusal", "Result", "Verdict"]
