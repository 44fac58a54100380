"""The rules that clang checks, thread safety and format; and the formatting of ./dev fmt."""
import concurrent.futures
import hashlib
import os
import pathlib
import re
import subprocess
import tempfile

from .rules import COLUMNS, CPP_FOLDERS, statement_begin
from .source import Finding, Source

CLANG_FORMAT = "clang-format-19"
CLANG = "clang++-19"
THREAD_SAFETY = [CLANG, "-std=c++20", "-fsyntax-only", "-Wthread-safety", "-Werror",
                 "-DROTA_DEBUG_CHECKS=1", "-Iinclude", "-Isrc", "-Itests",
                 "-isystem/usr/share/include/llhttp",
                 "-fno-caret-diagnostics", "-fno-color-diagnostics"]
TAKES_LOCKS = re.compile(r"\block_guard\b")
MESSAGE = re.compile(r"(?P<path>[^:\s][^:]*):(?P<line>\d+):\d+: (?:fatal )?error: (?P<text>.*)")


class Memory:
    """What was found clean before, by fingerprint: it is not looked at again until it changes."""

    def __init__(self, root):
        self.file = root / "build/lint/clean"
        try:
            self.before = set(self.file.read_text().split())
        except FileNotFoundError:
            self.before = set()
        self.clean = set()

    def knows(self, mark):
        if mark in self.before:
            self.clean.add(mark)
        return mark in self.clean

    def save(self):
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            new = self.file.with_suffix(f".{os.getpid()}")
            new.write_text("\n".join(sorted(self.clean)))
            new.replace(self.file)
        except OSError:
            pass  # a checkout that we may not write to: the next run takes as long as this one


def fingerprint(*texts):
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode() + b"\0")
    return digest.hexdigest()


def in_parallel(work, items):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(work, items))


def formatted_paths(tree):
    return [s.path for s in tree.below(*CPP_FOLDERS) if s.is_cpp]


def clang_format(path, text, root):
    """`text` as clang-format would have it."""
    got = subprocess.run([CLANG_FORMAT, f"--assume-filename={path}"], cwd=root, input=text.encode(),
                         stdout=subprocess.PIPE, check=True)
    return got.stdout.decode()


def format_check(tree, memory):
    style = (tree.root / ".clang-format").read_text()

    def first_difference(path):
        source = tree.source(path)
        mark = fingerprint("format", style, source.text)
        if memory.knows(mark):
            return None
        wanted = clang_format(path, source.text, tree.root)
        if wanted == source.text:
            memory.clean.add(mark)
            return None
        pairs = zip(source.text.split("\n"), wanted.split("\n"))
        line = next((n for n, (a, b) in enumerate(pairs, 1) if a != b), len(source.lines))
        return Finding(path, line, "format", "not as clang-format has it; ./dev fmt mends it")

    return [f for f in in_parallel(first_difference, formatted_paths(tree)) if f]


def with_headers(tree, path):
    """A file and every header of ours that it includes, directly or not."""
    known, waiting = set(), [path]
    while waiting:
        path = waiting.pop()
        if path in known or not (tree.root / path).is_file():
            continue
        known.add(path)
        for _, include in tree.source(path).includes():
            folders = ("src/", "tests/") if include[0] == '"' else ("include/",)
            waiting += [folder + include[1:-1] for folder in folders]
    return sorted(known)


def thread_safety(tree, memory):
    """Each file of src/ by itself, as a build without ROTA_UNITY compiles it: clang's analysis of
    locks, and names that only a neighbour has. What of the unit tests takes locks, together."""
    def compiled(paths, precompiled):
        files = sorted({f for path in paths for f in with_headers(tree, path)})
        mark = fingerprint(*THREAD_SAFETY, *files, *(tree.source(f).text for f in files))
        if memory.knows(mark):
            return []
        whole = "".join(f'#include "{path}"\n' for path in paths)
        got = subprocess.run([*THREAD_SAFETY, *precompiled, "-x", "c++", "-"], cwd=tree.root,
                             input=whole, stderr=subprocess.PIPE, text=True)
        if got.returncode == 0:
            memory.clean.add(mark)
            return []
        found = [Finding(m["path"].removeprefix("./"), int(m["line"]), "thread-safety", m["text"])
                 for m in MESSAGE.finditer(got.stderr)]
        return found or [Finding(paths[0], 1, "thread-safety", got.stderr.strip()[-300:])]

    alone = [[source.path] for source in tree.below("src") if source.path.endswith(".cpp")]
    rooms = {path.rpartition("/")[0] for path, in alone}
    tests = [source.path for source in tree.below("tests")
             if source.path.endswith("_test.cpp") and TAKES_LOCKS.search(source.text)
             and any(room.startswith(source.path.rpartition("/")[0].replace("tests/", "src/", 1))
                     for room in rooms)]
    with tempfile.TemporaryDirectory(prefix="rota-lint-") as scratch:
        precompiled = precompile(tree, pathlib.Path(scratch) / "library.pch")
        found = in_parallel(lambda paths: compiled(paths, precompiled),
                            ([tests] if tests else []) + alone)
    return [f for some in found for f in some]


def precompile(tree, to):
    """Arguments with which clang has read the headers from outside; none where there are none."""
    headers = tree.root / "cmake/precompiled_library.hpp"
    if not headers.exists():
        return []
    subprocess.run([*(a for a in THREAD_SAFETY if a != "-fsyntax-only"), "-x", "c++-header",
                    str(headers), "-o", str(to)], cwd=tree.root, check=True)
    return ["-include-pch", str(to)]


# --- ./dev fmt ------------------------------------------------------------------------------------

def comment_block(source, number):
    """The comment behind the code of a line and its continuation: (text, the line after it)."""
    column = source.comments[number].index("//")
    text, end = source.comments[number].strip(), number + 1
    while end < len(source.lines) and not source.code[end].strip() \
            and source.comments[end].find("//") >= column:
        text += " " + source.comments[end].strip().lstrip("/").strip()
        end += 1
    return text, end


def does_not_fit(source, number):
    line, code = source.lines[number], source.code[number].rstrip()
    return (len(line) > COLUMNS and source.comments[number].strip().startswith("//")
            and code.strip() and not code.lstrip().startswith("#") and not code.endswith("\\"))


def lift_comments(text):
    """Puts a comment behind code that does not fit the line above its statement.

    clang-format would break the code instead, and indent the comment to the end of the line.
    """
    source, number = Source("x.cpp", text), 0
    while number < len(source.lines):
        if not does_not_fit(source, number):
            number += 1
            continue
        lines = source.lines
        comment, end = comment_block(source, number)
        bare = lines[number][:len(source.code[number].rstrip())]
        indent = bare[:len(bare) - len(bare.lstrip())]
        begin = number
        if bare.lstrip().startswith("}"):  # above, it would speak of the block that ends here
            replaced = [bare, indent + "    " + comment]
        else:
            begin = statement_begin(source, number, ";{}:,")
            said = begin > 0 and lines[begin - 1].strip() == comment
            replaced = [] if said else [indent + comment]
            replaced += lines[begin:number] + [bare]
        lines[begin:end] = replaced
        number = begin + len(replaced)
        source = Source("x.cpp", "\n".join(lines) + "\n")
    return source.text


def format_text(path, text, root):
    for _ in range(4):  # what clang-format joins may be too long again; two rounds are the rule
        lifted = lift_comments(text)
        if Source(path, lifted).bare() != Source(path, text).bare():
            raise RuntimeError(f"{path}: moving comments changed the code; nothing is written")
        again = clang_format(path, lifted, root)
        if again == text:
            break
        text = again
    return text


def format_in_place(tree):
    """Formats all files; returns the paths of those that it changed."""
    def one(path):
        text = tree.source(path).text
        wanted = format_text(path, text, tree.root)
        if wanted == text:
            return None
        (tree.root / path).write_text(wanted)
        return path

    return [p for p in in_parallel(one, formatted_paths(tree)) if p]
