"""The layer `world`: other people's libraries in goroutines, with a table of all rows at the end.

tests/world/world_test.py does the work, and starts the servers. `./dev test world` installs the
packages of the purpose `world` first, as far as they can be had: what is missing is skipped, with
that reason.
"""
from .steps import ROOT, TabledTest

LIMIT_S = 1800  # for all programs together


def steps():
    return [TabledTest(ROOT / "tests/world/world_test.py", "release", ("world",), LIMIT_S)]
