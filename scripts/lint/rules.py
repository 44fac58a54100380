"""The rules that need nothing but the text: sizes, memory-order tags, banned words and names."""
import ast
import pathlib
import re

from .functions import functions
from .links import code_paths, links
from .source import Finding

FILE_LINES = 800
FUNCTION_LINES = 70
COLUMNS = 100
TAG_REACH = 3  # lines above a statement in which the tag of its ordering may stand

CPP_FOLDERS = ("src", "include", "tests", "bench", "examples", "tools")
MEASURED = (".cpp", ".hpp", ".S", ".py", ".sh", ".cmake", ".md", "CMakeLists.txt")
URL = re.compile(r"https?://[^\s)>]+")


# --- sizes ----------------------------------------------------------------------------------------

def measured(tree):
    for path in tree.paths:
        if (path.endswith(MEASURED) or path == "dev") and not path.startswith("bench/peers/"):
            source = tree.source(path)
            if source is not None:
                yield source


def python_functions(source):
    for node in ast.walk(ast.parse(source.text, source.path)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno


def sizes(tree):
    for source in measured(tree):
        is_page = source.path.endswith(".md")
        if len(source.lines) > FILE_LINES and not is_page:
            yield Finding(source.path, FILE_LINES + 1, "file-size",
                          f"{len(source.lines)} lines; the ceiling is {FILE_LINES}")
        for number, line in enumerate(source.lines, 1):
            if len(URL.sub("", line) if is_page else line) > COLUMNS:
                yield Finding(source.path, number, "line-length",
                              f"{len(line)} columns; {COLUMNS} is the limit")
        found = ()
        if source.is_cpp:
            found = functions(source.code_text)
        elif source.path.endswith(".py"):
            found = python_functions(source)
        for name, first, last in found:
            if last - first + 1 > FUNCTION_LINES:
                yield Finding(source.path, first, "function-size", f"{name} has "
                              f"{last - first + 1} lines; the ceiling is {FUNCTION_LINES}")


# --- memory order ---------------------------------------------------------------------------------

ORDERING = re.compile(r"\bmemory_order(?:_|::)(acquire|release|acq_rel|seq_cst|consume)\b")
TAGS = re.compile(r"\bpairs\(([^)]*)\)")
TAG = re.compile(r"[a-z][a-z0-9_.]*$")
EDGES = "docs/memory_order.md"
SEAM = "include/rota/detail/atomic.hpp"  # defines the operations; their callers name the edges


def statement_begin(source, number, ends=";{}:"):
    """The line on which the statement begins that line `number` belongs to; both from 0."""
    while number > 0:
        above = source.code[number - 1].rstrip()
        if not above.strip() or above[-1] in ends or above.lstrip().startswith("#"):
            break
        number -= 1
    return number


def statement_end(source, number):
    """The line on which that statement, or its head, ends."""
    last, depth = len(source.lines) - 1, 0
    while True:
        line = source.code[number].rstrip()
        depth += line.count("(") - line.count(")")  # a for has semicolons in its head
        if number == last or depth <= 0 and line.endswith((";", "{", "}")):
            return number
        number += 1


def ordering_tags(tree):
    ends = {}
    for source in tree.below("src", "include"):
        if not source.is_cpp:
            continue
        comments = source.comments
        tagged = [TAGS.findall(c) for c in comments]
        for number, lists in enumerate(tagged, 1):
            for tag in (t.strip() for found in lists for t in found.split(",")):
                if not TAG.match(tag):
                    yield Finding(source.path, number, "ordering-tag",
                                  f"`{tag}` is no name for an edge")
                ends.setdefault(tag, []).append((source.path, number))
        if source.path == SEAM:
            continue
        for number, line in enumerate(source.code, 1):
            match = ORDERING.search(line)
            if match and not re.match(r"\s*using\b", line):
                begin = statement_begin(source, number - 1)
                end = statement_end(source, number - 1)
                if not any(tagged[max(0, begin - TAG_REACH):end + 1]):
                    yield Finding(source.path, number, "ordering-tag",
                                  f"{match[1]} names no edge: say pairs(tag) here or right above")
    for tag, places in ends.items():
        if len(places) == 1:
            yield Finding(*places[0], "ordering-tag", f"pairs({tag}) has one end only")
    yield from explained_tags(tree, ends)


def explained_tags(tree, ends):
    """docs/memory_order.md names each tag in backticks, and begins no entry with another."""
    page = tree.source(EDGES)
    if page is None:
        return
    named = set(re.findall(r"`([^`\n]+)`", page.text))
    for tag, places in ends.items():
        if tag not in named:
            yield Finding(*places[0], "ordering-tag", f"{EDGES} does not explain {tag}")
    for number, line in enumerate(page.lines, 1):
        entry = re.match(r"(?:\* |\*\*)(`[a-z0-9_.]+`(?:, `[a-z0-9_.]+`)*)(?::|\*\*$)", line)
        for tag in re.findall(r"[^`, ]+", entry[1]) if entry else ():
            if tag not in ends:
                yield Finding(EDGES, number, "ordering-tag", f"no pairs({tag}) is in the code")


# --- banned words and names -----------------------------------------------------------------------

# (pattern over code, what is wrong, files in which it may stand)
BANNED = [
    (r"\bstd::(?:recursive_|timed_|shared_)*mutex\b",
     "std::mutex blocks an m unseen: use sys/thread/lock.hpp", ()),
    (r"\bstd::j?thread\b", "std::thread blocks an m unseen: use sys/thread/thread.hpp", ()),
    (r"\bstd::atomic\b", "std::atomic: use rota::atomic (base/atomic.hpp)",
     ("src/base/atomic.hpp", SEAM)),
]
BANNED_IN_SRC = [
    (r"\bthread_local\b", "thread_local: the one slot is in sys/thread/self.cpp",
     ("src/sys/thread/self.cpp", "src/sys/thread/self.hpp",
      "src/diag/crash/crash.cpp")),  # of threads that are in no goroutine
    (r"(?<!asm )(?<!__asm__ )\bvolatile\b", "volatile is no synchronisation: use rota::atomic", ()),
    (r"\bassert\s*\(", "assert(): use ROTA_CHECK or ROTA_DCHECK", ()),
    (r"(?<![\w>])::(?:open|openat|opendir|memfd_create|socket|accept4?|pipe2?|dup|eventfd|"
     r"epoll_create1?)\s*\(|\bfopen\s*\(",
     "makes a descriptor, perhaps 0, 1 or 2: use sys/call/number.hpp, or what sys/io/file and "
     "sys/io/io offer",
     ("src/sys/call/number.cpp", "src/sys/proc/memory_map.cpp",
      "src/diag/trace/debug_trace.cpp")),
    (r"\bstd::function\b", "std::function allocates: pass a function pointer and an argument", ()),
]
BANNED_HEADERS = {
    "<iostream>": "brings static constructors",
    "<cassert>": "use base/check.hpp", "<assert.h>": "use base/check.hpp",
}
BANNED_STEMS = {"util", "common", "misc", "helper", "manager"}


def words(tree):
    for source in tree.below("src", "include"):
        if not source.is_cpp:
            continue
        in_src = source.path.startswith("src/")
        for pattern, text, allowed in BANNED + (BANNED_IN_SRC if in_src else []):
            if source.path in allowed:
                continue
            for number, line in enumerate(source.code, 1):
                if re.search(pattern, line):
                    yield Finding(source.path, number, "banned-word", text)
        for number, include in source.includes():
            if include in BANNED_HEADERS:
                yield Finding(source.path, number, "banned-word",
                              f"{include}: {BANNED_HEADERS[include]}")


def names(tree):
    for source in tree.below(*CPP_FOLDERS):
        stem = pathlib.PurePath(source.path).stem
        parts = {p.removesuffix("s") for p in re.split(r"[_\-.]", stem)}
        if source.is_cpp and (parts & BANNED_STEMS or source.path.endswith("-inl.hpp")):
            yield Finding(source.path, 1, "banned-name",
                          f"{stem}: name the file after its one concept")


# Written in pieces, so that this file does not find itself.
WORKPLACE = [
    (re.compile(r"(?<![\w.\-/])/wo" r"rk/"), "a path of one machine"),
    (re.compile(r"\bTO" r"DO\b|\bFIX" r"ME\b|\bXX" r"X\b"), "a promise instead of the deed"),
    (re.compile(r"\bfor n" r"ow\b", re.I), "a promise instead of the deed"),
]


def workplace(tree):
    for path in tree.paths:
        source = tree.source(path)
        if source is None:
            continue
        for pattern, what in WORKPLACE:
            if not pattern.search(source.text):
                continue
            for number, line in enumerate(source.lines, 1):
                match = pattern.search(line)
                if match:
                    yield Finding(path, number, "workplace", f"`{match[0]}`: {what}")


TEXT_RULES = (sizes, ordering_tags, words, names, workplace, links, code_paths)
