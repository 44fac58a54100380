"""Fuzzing: a program for each target of tests/fuzz, which makes up inputs for a while.

The inputs that led somewhere new are kept in build/fuzz/found, so that the next run goes on from
there. What breaks a target lies in build/fuzz/broken; mended, it belongs into tests/fuzz/corpus,
which the unit layer goes through each time.
"""
import re

from . import watch
from .steps import LOGS, LONG, ROOT, SANITIZER_ENV, Outcome, Step, last_lines

TARGETS = ROOT / "tests/fuzz/targets.hpp"


class Fuzz(Step):
    SECONDS, MOST_BYTES, MOST_SECONDS_EACH = 20, 2048, 25

    def __init__(self, target):
        self.target = target
        self.name = f"rota_fuzz_{target}"
        self.preset = self.where = "fuzz"
        self.targets = (self.name,)

    def wanted(self, options):
        return not options.filter or options.filter in self.name

    def run(self, options):
        seconds = self.SECONDS * (LONG if options.long else 1)
        found, broken = (ROOT / "build/fuzz" / kind / self.target for kind in ("found", "broken"))
        for folder in (found, broken):
            folder.mkdir(parents=True, exist_ok=True)
        command = [str(ROOT / "build/fuzz/tests" / self.name), str(found),
                   str(ROOT / "tests/fuzz/corpus" / self.target), f"-seed={options.seed % 2**31}",
                   f"-max_total_time={seconds}", f"-max_len={self.MOST_BYTES}",
                   f"-timeout={self.MOST_SECONDS_EACH}", "-print_final_stats=1",
                   f"-artifact_prefix={broken}/"]
        env = SANITIZER_ENV["asan"]
        run = watch.run(command, env, seconds * 2 + 120, LOGS / f"{self.name}.log", ROOT)
        count = re.findall(r"number_of_executed_units: (\d+)", run.output)
        if run.status == 0 and count:
            return Outcome(1, seconds=run.seconds, note=f"{int(count[-1]):,} inputs")
        return Outcome(0, 1, seconds=run.seconds, note=run.ending(), shown=last_lines(run.output),
                       again=watch.as_typed(command, env, ROOT))


def steps():
    names = re.findall(r"^void (\w+)\(std::string_view input\);", TARGETS.read_text(), re.M)
    return [Fuzz(name) for name in names]
