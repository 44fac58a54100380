"""The layer `models`: the protocols in Promela, explored exhaustively by Spin.

Each model must be clean as it stands, and must fail with each of its bugs: the lines
` *   N kbNN  what is reverted` in its head say which there are.
"""
import concurrent.futures
import pathlib
import re
import resource
import shutil
import subprocess
import time

from .steps import ROOT, Outcome, Step, last_lines

FOLDER = ROOT / "build/models"
MEMORY_MB = 1500   # of a verifier; the models need a third of it
LIMIT_S = 120      # of one command
BUG_LINE = re.compile(r"^ \* +(\d+) (kb\d\d)  (.+)$", re.M)


def models():
    return sorted((ROOT / "models").glob("*.pml"))


def bugs(model):
    """(number, item of the list of known bugs, text) of each bug that the model can have."""
    return [(int(n), item, text) for n, item, text in BUG_LINE.findall(model.read_text())]


class Verdict:
    def __init__(self, bug, errors, states, seconds, output):
        self.bug, self.errors, self.states = bug, errors, states
        self.seconds, self.output = seconds, output


def bounded():
    size = (MEMORY_MB + 1500) << 20
    resource.setrlimit(resource.RLIMIT_AS, (size, size))


def command(folder, *words):
    done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=LIMIT_S, preexec_fn=bounded)
    return done.returncode, done.stdout.decode(errors="replace")


def verify(model, bug, progress=False):
    """Explores the model with the given bug (0: none); errors is None without a verdict."""
    began, folder = time.monotonic(), FOLDER / f"{model.stem}-{bug}{'-np' if progress else ''}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    kind = ["-DNP", "-DNOFAIR"] if progress else ["-DSAFETY"]
    steps = [("spin", f"-DBUG={bug}", "-a", str(model)),
             ("gcc", "-w", "-O0" if bug else "-O2", *kind, f"-DMEMLIM={MEMORY_MB}", "-o", "pan",
              "pan.c"),
             ("./pan", "-m100000", "-w23", *(["-l"] if progress else []))]
    text = ""
    for words in steps:
        try:
            status, text = command(folder, *words)
        except subprocess.TimeoutExpired:
            text = f"{words[0]}: no end after {LIMIT_S} s"
            break
        if status != 0:
            break
    seconds = time.monotonic() - began
    (folder / "output").write_text(text)
    errors = re.search(r"errors: (\d+)", text)
    states = re.search(r"(\d+) states, stored", text)
    whole = errors and "reached -DMEMLIM" not in text and "max search depth too small" not in text
    return Verdict(bug, int(errors[1]) if whole or errors and errors[1] != "0" else None,
                   int(states[1]) if states else 0, seconds, text)


class Model(Step):
    where = "spin"

    def __init__(self, model):
        self.model, self.name = model, model.name

    def missing(self):
        return None if shutil.which("spin") else "no `spin` on PATH: ./dev setup test installs it"

    def wanted(self, options):
        return not options.filter or options.filter.strip("*") in self.name

    def run(self, options):
        began = time.monotonic()
        known = bugs(self.model)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            clean = pool.submit(verify, self.model, 0)
            endless = pool.submit(verify, self.model, 0, True) if options.long else None
            planted = [pool.submit(verify, self.model, n) for n, _, _ in known]
            verdicts = [future.result() for future in planted]
        clean = clean.result()
        wrong = [self.complain(v, wants_error=True) for v in verdicts if not v.errors]
        if clean.errors != 0:
            wrong.insert(0, self.complain(clean, wants_error=False))
        if endless and endless.result().errors != 0:
            wrong.append("runs in circles:\n" + self.complain(endless.result(), False))
        ran = 1 + len(known) + (1 if endless else 0)
        note = (f"{clean.states:,} states in {clean.seconds:.1f} s; "
                f"{sum(1 for v in verdicts if v.errors)} of {len(known)} planted bugs found")
        return Outcome(ran - len(wrong), len(wrong), seconds=time.monotonic() - began, note=note,
                       shown="\n".join(wrong),
                       again=f"./dev test models --filter {self.model.stem}")

    def complain(self, verdict, wants_error):
        what = f"{self.model.name} with BUG={verdict.bug}"
        if verdict.errors is None:
            return f"{what}: no verdict\n{last_lines(verdict.output, 20)}"
        if wants_error:
            return f"{what}: planted, and not found in {verdict.states:,} states"
        folder = pathlib.Path("build/models") / f"{self.model.stem}-{verdict.bug}"
        return (f"{what}: an error\n{last_lines(verdict.output, 20)}\n"
                f"the way there: cd {folder} && spin -DBUG={verdict.bug} -t -p -g "
                f"../../../models/{self.model.name}")


def steps():
    return [Model(model) for model in models()]
