#!/usr/bin/env python3
"""Compiles what the documents show, so that they cannot rot.

Usage: documents_test.py BUILD_DIR [FILTER]

What could go wrong: a document shows a call that does not exist, or no longer means the same. From
README.md and the pages of docs/ that are named below this test takes

* each ```cpp block: a whole program if it has an #include; the page's own names, which all others
  may use, if it opens with `// The names used on this page.`; otherwise the body of a function;
* in each table with a column "rota" the code of that column: a name is looked up, anything else
  is a statement.

and compiles each page by g++, with warnings as errors. A mistake is reported with the line of the
page. Links between the pages, and from them into the tree, must lead to a file, and so must names
of tests. A suite of known bugs (`kb01_wake`) must be there.

Prints one line for each page and ends with `N passed, N failed`; exit status 1 if any failed.
"""
import functools
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COMPILED = ("README.md", "docs/debugging.md", "docs/from-go.md", "docs/from-std-thread.md",
            "docs/hook.md", "docs/libraries.md", "docs/tls.md")
NAMES = "// The names used on this page."
HEADERS = ("atomic", "chrono", "condition_variable", "cstring", "mutex", "optional",
           "shared_mutex", "stop_token", "string", "system_error", "thread", "vector")
GXX = ["g++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wconversion", "-Werror",
       "-Wno-unused", "-I", str(ROOT / "include"), "-x", "c++", "-"]


@functools.lru_cache
def suites():
    """The suites of GoogleTest, by name."""
    found = set()
    for source in ROOT.glob("tests/**/*_test.cpp"):
        found.update(re.findall(r"^TEST(?:_[A-Z]+)?\(\s*(\w+),", source.read_text(), re.M))
    return found


class Page:
    def __init__(self, path):
        self.path, self.lines = path, (ROOT / path).read_text().split("\n")
        self.blocks = list(self.find_blocks())  # (number of its first line, its lines)
        self.spans = list(self.find_spans())    # (number of its line, code)

    def find_blocks(self):
        begin = None
        for number, line in enumerate(self.lines, 1):
            if line.startswith("```cpp"):
                begin = number
            elif line.startswith("```") and begin is not None:
                yield begin + 1, self.lines[begin:number - 1]
                begin = None

    def find_spans(self):
        column = None
        for number, line in enumerate(self.lines, 1):
            if not line.startswith("|"):
                column = None
                continue
            cells = [c.strip() for c in re.split(r"(?<!\\)\|", line)]
            if column is None:
                column = cells.index("rota") if "rota" in cells else -1
            elif column > 0 and not set(cells[column]) <= set("-"):
                yield from ((number, code.replace("\\|", "|"))
                            for code in re.findall(r"`([^`]+)`", cells[column]))

    def programs(self):
        """What is to be compiled."""
        names, bodies = "", []
        for number, lines in self.blocks:
            text = f'#line {number} "{self.path}"\n' + "\n".join(lines) + "\n"
            if any(line.startswith("#include") for line in lines):
                yield text
            elif lines[0] == NAMES:
                names = text
            else:
                bodies.append(text)
        for number, code in self.spans:
            statement = f"using {code}" if re.fullmatch(r"rota(::\w+)+", code) else code
            bodies.append(f'#line {number} "{self.path}"\n{statement};\n')
        if bodies:
            includes = "".join(f"#include <{h}>\n" for h in HEADERS) + "#include <rota/rota.hpp>\n"
            functions = "".join(f"void snippet_{i}() {{\n{body}}}\n"
                                for i, body in enumerate(bodies))
            yield includes + names + functions

    def complaints(self):
        for text in self.programs():
            run = subprocess.run(GXX, input=text, capture_output=True, text=True)
            if run.returncode != 0:
                yield run.stderr[:6000]
        fenced = False
        for number, line in enumerate(self.lines, 1):
            fenced ^= line.startswith("```")
            prose = "" if fenced else re.sub(r"`[^`]*`", "", line)
            for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", prose):
                if not (ROOT / self.path).parent.joinpath(target).exists():
                    yield f"{self.path}:{number}: the link {target} leads nowhere"
            for test in re.findall(r"`(?!tests/)((?:\w+/)+\w+_(?:test|cells))`", line):
                if not (ROOT / "tests" / f"{test}.cpp").exists():
                    yield f"{self.path}:{number}: there is no tests/{test}.cpp"
            for name in re.findall(r"`(kb\d\d_\w+)`", line):
                if name not in suites():
                    yield f"{self.path}:{number}: there is no suite {name}"


def main():
    wanted = "".join(sys.argv[2:3])
    pages = [str(p.relative_to(ROOT)) for p in sorted(ROOT.glob("docs/**/*.md"))]
    passed = failed = 0
    for path in dict.fromkeys(("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md",
                               "tests/README.md", *pages)):
        if wanted not in path:
            continue
        page = Page(path)
        if path not in COMPILED:
            page.blocks, page.spans = [], []
        wrong = list(page.complaints())
        if path in COMPILED and not page.blocks:
            wrong.append(f"{path}: no ```cpp block: nothing to compile")
        passed, failed = (passed, failed + 1) if wrong else (passed + 1, failed)
        print(f"{'FAILED' if wrong else 'ok':<6} {path:<26} {len(page.blocks)} blocks, "
              f"{len(page.spans)} pieces of code in tables", flush=True)
        for text in wrong:
            print(text)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
