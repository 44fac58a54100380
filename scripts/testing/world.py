"""The layer `world`: other people's libraries in goroutines, with a table of all rows at the end.

tests/world/world_test.py does the work, and starts the servers. `./dev test world` installs the
packages of the purpose `world` first, as far as they can be had: what is missing is skipped, with
that reason.
"""
import re

from .steps import LOGS, ROOT, PythonTest

LIMIT_S = 1800  # for all programs together


class World(PythonTest):
    measures_time = True

    def __init__(self):
        super().__init__(ROOT / "tests/world/world_test.py", "release", ("world",), LIMIT_S)

    def run(self, options):
        outcome = super().run(options)
        log = (LOGS / f"{self.name}-{self.preset}.log").read_text(errors="replace")
        print("", *re.findall(r"^row: (.*)$", log, re.M), "", sep="\n", end="", flush=True)
        return outcome


def steps():
    return [World()]
