"""The layer `mutants`: each patch of tests/mutants/ plants one bug; the layer it names must see it.

The tree is copied to build/mutants, each patch applied there alone, the target of its layer built
and the tests that it names run, within the patch's share of the layer's time. A mutant is caught
if they fail, hang or crash. At least 95 % must be; a patch that does not apply is an error.
"""
import os
import re
import shutil
import subprocess
import time

from . import watch
from .steps import ROOT, SANITIZER_ENV, SYMBOLIZER_DIR, LOGS, Outcome, Step, last_lines

FOLDER = ROOT / "build/mutants"
REQUIRED = 0.95
BUILD_S = 900

# layer -> (preset, program, seconds, values of GOMAXPROCS to try: the program's own where empty)
LAYERS = {
    "unit": ("dev", "rota_unit", 60, ()),
    "api": ("dev", "rota_api", 60, (1, 4)),
    "model": ("model", "rota_model", 120, ()),
    "exit": ("dev", "rota_prog_test", 120, ()),
    "stress": ("release", "rota_stress", 150, (4, 2, 16)),
    "sanitizer": ("asan", "rota_api", 90, (4,)),
}
FILES = re.compile(r"^\+\+\+ b/(\S+)", re.M)
ROOM = re.compile(r"(?:src|include/rota)/(\w+)")
HEAD = re.compile(r"^(Item|Layer|Caught-by): (.+)$", re.M)


class Stale(Exception):
    """A patch that is wrong itself; the text says how."""


class Mutant:
    def __init__(self, path):
        self.path, self.name = path, path.stem
        text = path.read_text()
        head = dict(HEAD.findall(text))
        absent = {"Item", "Layer", "Caught-by"} - set(head)
        if absent:
            raise Stale(f"{path.name}: its head names no {', no '.join(sorted(absent))}")
        self.item, self.layer, self.tests = head["Item"], head["Layer"], head["Caught-by"]
        self.files = FILES.findall(text)
        self.rooms = {room[1] for room in map(ROOM.match, self.files) if room}
        if self.layer not in LAYERS:
            raise Stale(f"{path.name}: no layer {self.layer}; there are {' '.join(LAYERS)}")

    def is_meant(self, wanted):
        """Whether one of `wanted` (with ':' in between) is a part of its name, its item, its layer
        or a room that it changes; without any, all are meant."""
        words = [word.strip("*") for word in (wanted or "").split(":")]
        names = {self.item, self.layer, *self.rooms}
        return any(word in self.path.stem or word in names for word in words)

    def patch(self, *options, tree=FOLDER / "tree"):
        with open(self.path, "rb") as text:
            return subprocess.run(["patch", "-p1", "--force", "--silent", "--no-backup-if-mismatch",
                                   "--reject-file=-", *options], cwd=tree, stdin=text,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def check(self, tree):
        """Raises Stale if the patch does not fit the tree any more."""
        tried = self.patch("--dry-run", tree=tree)
        if tried.returncode != 0:
            raise Stale(f"{self.path.name} does not apply: make it anew against the code as it is"
                        f"\n{tried.stdout.decode(errors='replace').rstrip()}")


def mutants():
    return sorted((ROOT / "tests/mutants").glob("*.patch"))


def copy_tree():
    """Brings build/mutants/tree up to date; files that are equal keep their times."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT,
                            stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")
    names = {n for n in listed if n and (ROOT / n).is_file()}
    tree = FOLDER / "tree"
    for name in names:
        new, old = (ROOT / name).read_bytes(), tree / name
        if not old.exists() or old.read_bytes() != new:
            old.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, old)
    for old in tree.rglob("*"):
        inside = old.relative_to(tree)
        if old.is_file() and inside.parts[0] != "build" and str(inside) not in names:
            old.unlink()


def build(preset, target):
    """Configures where needed and builds; the output if that failed, else None."""
    folder = FOLDER / "tree"
    env = {"CCACHE_BASEDIR": str(ROOT), "CCACHE_NOHASHDIR": "1"}
    commands = [["cmake", "--build", f"build/{preset}", "--target", target]]
    if not (folder / "build" / preset / "build.ninja").exists():
        commands.insert(0, ["cmake", "--preset", preset, "-DROTA_WERROR=OFF", "-DROTA_UNITY=OFF"])
    for command in commands:
        run = watch.run(command, env, BUILD_S, LOGS / "mutants-build.log", folder)
        if run.status != 0:
            return run.output
    return None


class Verdict:
    def __init__(self, caught, by, seconds, error=""):
        self.caught, self.by, self.seconds, self.error = caught, by, seconds, error


def judge(name, layer, tests, patience=1):
    """Builds the tree as it stands and runs the tests that shall see the bug."""
    preset, program, limit, procs = LAYERS[layer]
    limit *= patience
    wrong = build(preset, program)
    if wrong:
        raise Stale(f"{name}: the tree does not compile\n{last_lines(wrong, 25)}")
    began = time.monotonic()
    command = [str(FOLDER / "tree/build" / preset / "tests" / program),
               f"--gtest_filter={tests}", "--gtest_fail_fast"]
    paths = {"PATH": os.environ.get("PATH", "") + os.pathsep + SYMBOLIZER_DIR}
    for value in procs or (None,):
        env = {**SANITIZER_ENV.get(preset, {}), **({"GOMAXPROCS": str(value)} if value else {})}
        left = limit - (time.monotonic() - began)
        if left <= 0:
            break
        run = watch.run(command, {**env, **paths}, left, LOGS / f"mutant-{name}.log", ROOT)
        seconds = time.monotonic() - began
        begun = re.findall(r"^\[ RUN +\] ([\w/.]+)", run.output, re.M)
        if not begun and run.status == 0:
            raise Stale(f"{name}: no test is named like {tests}")
        if run.status == 0:
            continue
        failed = re.findall(r"^\[ +FAILED +\] ([\w/]+\.[\w/]+)", run.output, re.M)
        seen = failed[0] if failed else begun[-1] if begun else program
        return Verdict(True, seen if failed else f"{seen} ({run.ending()})", seconds)
    return Verdict(False, "", time.monotonic() - began)


class Applies(Step):
    """Every patch fits the code as it is; whether its bug is seen is for the layer `mutants`."""
    name, where = "mutants apply", "the tree"

    def run(self, options):
        began, wrong = time.monotonic(), []
        for path in mutants():
            try:
                Mutant(path).check(ROOT)
            except Stale as stale:
                wrong.append(str(stale))
        return Outcome(len(mutants()) - len(wrong), len(wrong), seconds=time.monotonic() - began,
                       shown="\n".join(wrong), again="./dev test lint")


class Mutants(Step):
    name, where = "mutants", "build/mutants"

    def missing(self):
        return None if mutants() else "nothing built: there is no tests/mutants/*.patch"

    def wanted(self, options):
        return True

    def run(self, options):
        began, errors, chosen = time.monotonic(), [], []
        for path in mutants():
            try:
                mutant = Mutant(path)
            except Stale as wrong:
                errors.append(str(wrong))
                continue
            if mutant.is_meant(options.filter):
                chosen.append(mutant)
        chosen.sort(key=lambda mutant: (list(LAYERS).index(mutant.layer), mutant.name))
        copy_tree()
        errors += self.fail_without_mutants(chosen)
        print(f"\n  {'mutant':<34} {'item':<5} {'layer':<6} {'result':<8} seconds, by which test")
        caught, survived = 0, []
        for mutant in chosen:
            try:
                verdict = self.one(mutant)
            except Stale as wrong:
                errors.append(str(wrong))
                verdict = Verdict(False, "", 0.0, "ERROR")
            caught += verdict.caught
            result = verdict.error or ("caught" if verdict.caught else "SURVIVED")
            if result == "SURVIVED":
                survived.append(mutant.name)
            print(f"  {mutant.name:<34} {mutant.item:<5} {mutant.layer:<6} {result:<8} "
                  f"{verdict.seconds:7.1f} {verdict.by}", flush=True)
        few = len(chosen) == 0 or caught < REQUIRED * len(chosen)
        note = f"{caught} of {len(chosen)} caught"
        shown = "\n".join(errors + [f"no test sees {name}" for name in survived])
        failed = len(errors) + (len(survived) if few else 0)
        return Outcome(caught, max(failed, int(few)), seconds=time.monotonic() - began, note=note,
                       shown=shown if chosen else "no mutant is named like that",
                       again="./dev test mutants" + (f" --filter {options.filter}"
                                                     if options.filter else ""))

    def fail_without_mutants(self, chosen):
        """Tests that fail on the tree as it stands tell nothing: they are errors."""
        tests, errors = {}, []
        for mutant in chosen:
            tests.setdefault(mutant.layer, {}).update(dict.fromkeys(mutant.tests.split(":")))
        for layer, names in tests.items():
            try:
                verdict = judge(f"none-{layer}", layer, ":".join(names), patience=4)
            except Stale as wrong:
                errors.append(str(wrong))
                continue
            if verdict.caught:
                errors.append(f"{verdict.by} fails without a mutant")
        return errors

    def one(self, mutant):
        mutant.check(FOLDER / "tree")
        mutant.patch()
        try:
            return judge(mutant.name, mutant.layer, mutant.tests)
        finally:
            # Not by the patch: what it took away it might put back at another place.
            for name in mutant.files:
                shutil.copy(ROOT / name, FOLDER / "tree" / name)
