"""The links of the documents: each relative one names a file or folder of the tree, and a heading.

Links to other sites are not looked at, nor what looks like a link in code. A path in backticks
(`sched/queue/run_queue`, `tests/prog`), or in a comment of C++, must be there as well, with or
without its ending.
"""
import fnmatch
import posixpath
import re

from .source import Finding

LINK = re.compile(r"\]\(([^()\s]+)\)")
CODE_PATH = re.compile(r"`([\w.-]+(?:/[\w.*-]+)+)/?`")
ABBREVIATED = ("src", "tests", "include")  # a path may leave them out
ELSEWHERE = ("net/http", "net/http/pprof", "os/exec")  # packages of Go that begin like a room
SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.I)


def text_lines(source):
    """(line number, line) of a page, without code."""
    fence = None
    for number, line in enumerate(source.lines, 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if fence is None and mark:
            fence = mark[1]
        elif fence is not None:
            if mark and mark[1].startswith(fence):
                fence = None
        elif not line.startswith("    "):
            yield number, line


def anchors(source):
    """The names of a page's headings, as GitHub makes them."""
    seen = {}
    for _, line in text_lines(source):
        heading = re.match(r"#+\s+(.*?)\s*#*$", line)
        if not heading:
            continue
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        count = seen[name] = seen.get(name, -1) + 1
        yield f"{name}-{count}" if count else name


def links(tree):
    known = set(tree.paths)
    folders = {parent for path in tree.paths for parent in parents(path)}
    for path in tree.paths:
        source = tree.source(path) if path.endswith(".md") else None
        if source is None:
            continue
        for number, line in text_lines(source):
            for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
                name, _, anchor = target.partition("#")
                if SCHEME.match(target):
                    continue
                place = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
                page = path if not name else place
                if page not in known | folders:
                    yield Finding(path, number, "links", f"{target} leads to no file")
                elif anchor and (not page.endswith(".md") or page not in known
                                 or anchor not in set(anchors(tree.source(page)))):
                    yield Finding(path, number, "links", f"{target} leads to no heading")


def parents(path):
    while path := posixpath.dirname(path):
        yield path
    yield "."


def names_of_files(tree):
    """Each file and folder, also without its ending, and without `src/` and the like."""
    for path in tree.paths:
        for whole in (path, *parents(path)):
            top, _, rest = whole.partition("/")
            yield from (whole, posixpath.splitext(whole)[0])
            if top in ABBREVIATED and rest:
                yield from (rest, posixpath.splitext(rest)[0])


def code_paths(tree):
    """Paths that begin with a folder of the tree, or with a room, are there."""
    known = {*names_of_files(tree), *ELSEWHERE}
    tops = {path.partition("/")[0] for path in known if "/" in path}
    rooms = "|".join(sorted({path.split("/")[1] for path in tree.paths if path.startswith("src/")}))
    in_comment = re.compile(rf"(?<![\w/.<\"])((?:{rooms}|src|tests|docs|models)"
                            r"(?:/[a-z_][a-z_0-9]*)+(?:\.(?:hpp|cpp|md|S|pml))?)(?![\w/*]|\.\w)")
    for path in tree.paths:
        source = None if path.startswith("bench/peers/") else tree.source(path)
        if source is None:
            continue
        if path.endswith(".md"):
            lines, pattern = text_lines(source), CODE_PATH
        elif source.is_cpp:
            lines, pattern = enumerate(source.comments, 1), in_comment
        else:
            continue
        for number, line in lines:
            for name in pattern.findall(line):
                is_there = name in known or "*" in name and fnmatch.filter(known, name)
                if name.partition("/")[0] in tops and not is_there:
                    yield Finding(path, number, "links", f"{name} is no file of the tree")
