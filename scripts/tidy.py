#!/usr/bin/env python3
"""The gate that a compiler cannot be; `./dev lint` calls it.

    tidy.py               all rules over all files that git knows or would take in
    tidy.py --fmt [FILE]  puts the C++ files, or those named, into the format that lint asks for
    tidy.py --self-test   plants a breach of every rule in a tree of its own and expects the finding

The rules: format (clang-format-19), layers (scripts/layers.txt), sizes of files, functions and
lines, memory-order tags, banned words and names, words of a workplace, links of the documents, the
language of comments and pages, include circles, crowded folders, and clang's thread-safety analysis
with its warnings as errors. Each finding is a line
`file:line: rule: text`.

Exit status: 0; 1 with findings; 2 for a wrong command line.
"""
import sys

sys.dont_write_bytecode = True

import argparse
import pathlib
import subprocess
import time

from lint import circles, layers, prose, rules, selftest, tools
from lint.source import Tree

ROOT = pathlib.Path(__file__).resolve().parent.parent


def findings(tree, order, with_compiler):
    found = list(layers.check(tree, order))
    for rule in (*rules.TEXT_RULES, *prose.RULES, *circles.RULES):
        found += rule(tree)
    memory = tools.Memory(tree.root)
    found += tools.format_check(tree, memory)
    if with_compiler:
        found += tools.thread_safety(tree, memory)
    memory.save()
    return sorted({f.key(): f for f in found}.values(), key=lambda f: f.key())


def lint(order, with_compiler):
    began = time.monotonic()
    tree = Tree(ROOT)
    found = findings(tree, order, with_compiler)
    for finding in found:
        print(finding)
    print(prose.summary(tree))
    print(circles.summary(tree))
    print(f"lint: {len(tree.paths)} files, {len(found)} findings, {time.monotonic() - began:.1f} s")
    return 1 if found else 0


def fmt(names):
    tree = Tree(ROOT)
    if names:
        wanted = {str(pathlib.Path(n).resolve().relative_to(ROOT)) for n in names}
        unknown = wanted - set(tools.formatted_paths(tree))
        if unknown:
            print("fmt: not C++ files of this project:", *sorted(unknown), file=sys.stderr)
            return 2
        tree = Tree(ROOT, wanted)
    changed = tools.format_in_place(tree)
    for path in changed:
        print(f"fmt: {path}")
    print(f"fmt: {len(changed)} files changed")
    return 0


def main():
    ap = argparse.ArgumentParser(prog="tidy.py", description=__doc__.split("\n")[0],
                                 epilog="./dev lint checks, ./dev fmt formats.")
    ap.add_argument("--fmt", action="store_true", help="format instead of checking")
    ap.add_argument("--self-test", action="store_true",
                    help="check that every rule finds what it must")
    ap.add_argument("--without-compiler", action="store_true",
                    help="leave thread safety to a build by clang++, which checks it too")
    ap.add_argument("files", nargs="*", help="with --fmt: the files to format (default: all)")
    args = ap.parse_args()
    if args.files and not args.fmt:
        ap.error("files can be named with --fmt only")
    order = layers.Layers((ROOT / "scripts/layers.txt").read_text())
    if args.self_test:
        return selftest.run(order, ROOT)
    if args.fmt:
        return fmt(args.files)
    return lint(order, not args.without_compiler)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (FileNotFoundError, subprocess.CalledProcessError) as e:
        sys.exit(f"tidy.py: {e}; ./dev setup lint installs what the rules need")
