"""The layer `faults`: every call to the kernel refused once, one after the other, with a table.

The unit layer runs the same tests (tests/http/fault_walk_test.cpp) without showing the table.
"""
import re

from .steps import LOGS, GoogleTest


class FaultWalk(GoogleTest):
    pattern, variant = "fault_walk.*", "-faults"

    def run(self, options):
        outcome = super().run(options)
        log = LOGS / f"{self.name}-{self.preset}{self.variant}.log"
        rows = re.findall(r"^fault: (.*)$", log.read_text(errors="replace"), re.M)
        print("", *(row.rstrip() for row in rows), "", sep="\n    ", end="", flush=True)
        return outcome
