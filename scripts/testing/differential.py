"""The layer `differential`: made-up requests to our server, to Go's and to node's, compared.

tests/differential/differential_test.py does the work. `./dev test differential` installs node and
has bench/peers/get-go fetch Go, where they are missing and can be had. Without one of them the test
is skipped, with that reason.
"""
import re

from .steps import LOGS, ROOT, PythonTest

LIMIT_S = 300


class Differential(PythonTest):
    def __init__(self):
        super().__init__(ROOT / "tests/differential/differential_test.py", "dev",
                         ("rota_differential",), LIMIT_S)

    def wanted(self, options):
        return not options.filter

    def run(self, options):
        self.env = {**self.env, "ROTA_TEST_SEED": str(options.seed)}
        outcome = super().run(options)
        log = (LOGS / f"{self.name}-{self.preset}.log").read_text(errors="replace")
        counts = re.findall(r"^(\d+) requests in .* s: (.*)$", log, re.M)
        if counts and not outcome.note:
            outcome.note = f"{int(counts[-1][0]):,} requests: {counts[-1][1]}"
        return outcome


def steps():
    return [Differential()]
