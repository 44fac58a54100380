"""The shape of src/: crowded folders, and include circles, which are files that include each other,
each through the next. A stem (`a.hpp`, `a.cpp`) is one file here."""
import pathlib

from .source import Finding


def stem_of(path):
    return str(pathlib.PurePosixPath(path).with_suffix(""))


def arrows(tree):
    """stem -> {stem that it includes: (path, line number)}, of src/."""
    sources = [s for s in tree.below("src") if s.is_cpp]
    known = {stem_of(s.path) for s in sources}
    to = {stem: {} for stem in known}
    for source in sources:
        here = stem_of(source.path)
        for number, include in source.includes():
            there = "src/" + stem_of(include[1:-1])
            if include[0] == '"' and there in known and there != here:
                to[here].setdefault(there, (source.path, number))
    return to


def circles(to):
    """The strongly connected parts of more than one stem (Tarjan), largest first."""
    order, low, stack, on_stack, found = {}, {}, [], set(), []

    def visit(root):
        work = [(root, iter(sorted(to[root])))]
        order[root] = low[root] = len(order)
        stack.append(root)
        on_stack.add(root)
        while work:
            stem, rest = work[-1]
            for there in rest:
                if there not in order:
                    order[there] = low[there] = len(order)
                    stack.append(there)
                    on_stack.add(there)
                    work.append((there, iter(sorted(to[there]))))
                    break
                if there in on_stack:
                    low[stem] = min(low[stem], order[there])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[stem])
                if low[stem] == order[stem]:
                    at = stack.index(stem)
                    part = stack[at:]
                    del stack[at:]
                    on_stack.difference_update(part)
                    if len(part) > 1:
                        found.append(sorted(part))

    for stem in sorted(to):
        if stem not in order:
            visit(stem)
    return sorted(found, key=lambda part: (-len(part), part))


FOLDER_FILES = 25  # of src/: what a reader can take in


def folder_sizes(tree):
    sizes = {}
    for path in tree.paths:
        if path.startswith("src/"):
            folder = path.rpartition("/")[0]
            sizes[folder] = sizes.get(folder, 0) + 1
    return sizes


def folders(tree):
    for folder, size in folder_sizes(tree).items():
        if size > FOLDER_FILES:
            first = next(path for path in tree.paths if path.rpartition("/")[0] == folder)
            yield Finding(first, 1, "folder-size", f"{size} files in {folder}; the ceiling is "
                          f"{FOLDER_FILES}: open it into rooms")


def summary(tree):
    size, folder = max(((n, f) for f, n in folder_sizes(tree).items()), default=(0, ""))
    longest = max((len(part) for part in circles(arrows(tree))), default=1)
    return f"house: largest folder {size} files ({folder}); longest include circle {longest}"


def check(tree):
    to = arrows(tree)
    for part in circles(to):
        first = part[0]
        path, line = next(to[first][t] for t in sorted(to[first]) if t in part)
        names = ", ".join(p.removeprefix("src/") for p in part)
        yield Finding(path, line, "circle", f"{len(part)} files include each other: {names}")


RULES = (check, folders)
