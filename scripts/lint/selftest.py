"""Plants a breach of every rule in a small tree of its own: each must be found, and nothing else.

A rule that has stopped finding things looks just like clean code; this tells the two apart.
"""
import pathlib
import tempfile

from . import circles, layers, prose, rules, tools
from .functions import functions
from .source import Source, Tree

LONG_BODY = "    step();\n" * 71
PROMISE = "TO" + "DO"
ELSEWHERE = "/wo" + "rk/x"

# (path, text, the findings as (line, rule) in order)
PLANTS = [
    # layers
    ("src/base/a.hpp", '#include "base/b.hpp"\n#include "core/g.hpp"\n', [(2, "layers")]),
    ("src/chan/a.cpp", '#include "sched/base/park.hpp"\n#include "sched/queue/run_queue.hpp"\n',
     [(2, "layers")]),
    ("src/diag/text/a.cpp", '#include "sched/queue/run_queue.hpp"\n', []),
    ("src/chan/b.cpp", '#include "sync/lock_owners.hpp"\n', [(1, "layers")]),
    ("src/timer/a.cpp", '#include "mem/mapped.hpp"\n', []),
    ("src/mem/a.cpp", '#include "timer/heap.hpp"\n', [(1, "layers")]),
    ("src/mem/b.cpp", "#include <rota/chan.hpp>\n", [(1, "layers")]),
    ("src/mem/c.cpp", '#include "mapped.hpp"\n// #include "http/x.hpp"\n', [(1, "layers")]),
    ("src/cellar/a.cpp", "int x;\n", [(1, "layers")]),
    ("include/rota/unheard_of.hpp", "int x();\n", [(1, "layers")]),
    ("include/rota/chan.hpp", '#include "chan/hchan.hpp"\n#include <rota/http.hpp>\n',
     [(1, "layers"), (2, "layers")]),
    # sizes
    ("src/core/lines.cpp", "int x();\n" * 801, [(801, "file-size")]),
    ("src/core/long.cpp", "void f() {\n" + LONG_BODY + "}\nvoid g() {\n}\n",
     [(1, "function-size")]),
    ("src/core/wide.cpp", "// " + "x" * 98 + "\n", [(1, "line-length")]),
    ("docs/wide.md", "x" * 101 + "\nsee https://example.org/" + "y" * 90 + "\n" + "z\n" * 800,
     [(1, "line-length")]),
    ("scripts/long.py", "def f():\n" + "    pass\n" * 70, [(1, "function-size")]),
    # memory order
    ("src/core/order.cpp",
     "void f() { x.store(1, memory_order_release); }\n"
     "void g() { x.load(std::memory_order_acquire); }  // pairs(one)\n"
     "void h() { x.load(memory_order_relaxed); }  // not memory_order_release\n"
     "// pairs(one, two)\n"
     "void i() {\n"
     "    x.exchange(\n"
     "        1,\n"
     "        memory_order_acq_rel);\n"
     "    x.load(memory_order_acquire);\n"
     "    for (n* m = all.load(memory_order_acquire); m != nullptr;\n"
     "         m = m->next) {}  // pairs(two)\n"
     "}\n"
     "// pairs(alone)\n"
     "// pairs(untold), pairs(untold)\n",
     [(1, "ordering-tag"), (9, "ordering-tag"), (13, "ordering-tag"), (14, "ordering-tag")]),
    ("docs/memory_order.md", "* `one`: a\n* `two`, `alone`: b\n* `gone`: c\n",
     [(3, "ordering-tag")]),
    # words
    ("src/sys/call/words.cpp",
     "#include <iostream>\n"
     "std::mutex m1;\n"
     "std::thread t;\n"
     "std::atomic<int> a;\n"
     "static thread_local int slot;\n"
     "volatile int v;\n"
     "void f() { asm volatile(\"nop\"); }\n"
     "void g() { assert(1); static_assert(true); }\n"
     "std::function<void()> h;\n"
     "// std::mutex, volatile and assert() in a comment are no breach, nor are they in a text\n"
     "const char* s = \"std::thread\";\n",
     [(n, "banned-word") for n in (1, 2, 3, 4, 5, 6, 8, 9)]),
    ("src/sys/thread/self.cpp", "thread_local int x;\n", []),
    ("src/base/atomic.hpp", "template <class T> using atomic = std::atomic<T>;\n", []),
    ("src/core/string_util.hpp", "int x();\n", [(1, "banned-name")]),
    ("src/core/helpers.hpp", "int x();\n", [(1, "banned-name")]),
    ("src/core/g-inl.hpp", "int x();\n", [(1, "banned-name")]),
    ("docs/a.md", f"{PROMISE}: write\nsee {ELSEWHERE}\nfor n" "ow, so\nmktemp a." + "X" * 6 + "\n",
     [(1, "workplace"), (2, "workplace"), (3, "workplace")]),
    # links
    ("docs/links.md",
     "# A heading, `code` too\n"
     "[a](a.md) [b](#a-heading-code-too) [c](../docs) [d](links.md#twice-1) [e](absent.md)\n"
     "[f](#absent) [g](a.md#absent) [h](https://example.org/absent) [i](../src/core/wide.cpp)\n"
     "```\n"
     "[j](absent.md)\n"
     "```\n"
     "`[k](absent.md)`, and in code that is indented:\n"
     "\n"
     "    [l](absent.md)\n"
     "\n"
     "## Twice\n"
     "## Twice\n"
     "`core/wide`, `core/wide.cpp`, `src/core/*`, `docs`; `nowhere/absent`; `core/absent`\n",
     [(2, "links"), (3, "links"), (3, "links"), (13, "links")]),
    ("src/core/paths.cpp",
     "// core/wide, core/wide.cpp: as net/http and sync/cond.go say, core/absent.\n"
     "// See core/absent.hpp (src/core/absent), and \"core/absent.hpp\".\n"
     "const char* s = \"core/absent.hpp\";\n",
     [(1, "links"), (2, "links"), (2, "links")]),
]

TOOL_PLANTS = [
    ("src/core/shape.cpp", "int x();\nint   y( );\n", [(2, "format")]),
    ("src/core/guarded.cpp",
     "#define A(x) __attribute__((x))\n"
     "struct A(capability(\"mutex\")) lock {};\n"
     "lock mu;\n"
     "int guarded A(guarded_by(mu));\n"
     "int read() { return guarded; }\n",
     [(5, "thread-safety")]),
]

HEAD = "// Does one thing well for its callers.\n"
TEXT_PLANTS = [
    ("src/core/riddle.cpp", "// Letters, and the bell.\nint x();\n", [(1, "prose")]),
    ("src/core/headless.cpp", "int x();\n", [(1, "prose")]),
    ("src/core/who.cpp", HEAD + "// Who waits, who wakes, and whose turn it is.\n", [(1, "prose")]),
    ("src/core/vague.cpp", HEAD + "// All of those, and some others, as one does.\n" * 2,
     [(1, "prose")]),
    ("src/core/long.cpp", HEAD + "//\n// The word" + " and the word" * 9 + "\n//" +
     " and the word" * 9 + ".\n", [(3, "prose")]),
    ("docs/long.md", "The word" + " and the word" * 15 + ".\n", [(1, "prose")]),
    ("src/core/fields.cpp", HEAD + "int a;  // the word and the word and the word\n" * 15, []),
    ("src/core/plain.cpp", HEAD + "// `who` is a name here. Who waits is said once.\n", []),
    ("src/mem/a.hpp", HEAD, [(1, "folder-size")]),
    *((f"src/mem/b{n}.hpp", HEAD, []) for n in range(25)),
    ("src/core/one.hpp", HEAD + '#include "core/two.hpp"\n', [(2, "circle")]),
    ("src/core/two.hpp", HEAD + "int two();\n", []),
    ("src/core/two.cpp", HEAD + '#include "core/three.hpp"\n', []),
    ("src/core/three.hpp", HEAD + '#include "core/one.hpp"\n', []),
]

FUNCTIONS = """\
#define BODY(x) \\
    void x() {
namespace a {
struct b : c<int> {
    b() : x_{1}, y_(2) {
        int z{3};
    }
  public:
    bool operator==(const b&) const {
        return [] { return true; }();
    }
    int x_{0};
};
enum class e { one, two };
const int table[] = {1, 2};
template <class T>
    requires(sizeof(T) > 1)
auto f(T t, int n = 3) -> std::vector<T> {
    for (;;) {}
}
TEST(suite, name) {
}
}  // namespace a
"""
FUNCTION_LINES = [(5, 7), (9, 11), (16, 20), (21, 22)]

LIFTED = """\
void f() {
    // pairs(a), and more words until the line is longer than it may be: it is now
    word.store("a // b", memory_order_release);
    } else {
        // what stands behind an else that is too long belongs into its block: it goes down
}
"""
# The tildes widen the lines beyond what fits.
TO_LIFT = """\
void f() {
    word.store("a // b", memory_order_release);~  // pairs(a), and more words until the line
                                               ~  // is longer than it may be: it is now
    } else {~  // what stands behind an else that is too long belongs into its block: it goes down
}
""".replace("~", " " * 20)


def planted(root, plants, rule_set):
    """The findings of the rules over a tree of the plants alone, by path."""
    for path, text, _ in plants:
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    tree, found = Tree(root, [p for p, _, _ in plants]), {}
    for rule in rule_set:
        for finding in rule(tree):
            found.setdefault(finding.path, []).append((finding.line, finding.rule))
    return found


def compare(plants, found):
    for path, _, expected in plants:
        got = sorted(found.get(path, []))
        if got != sorted(expected):
            yield f"{path}: expected {sorted(expected)}, found {got}"


def run(order, root):
    wrong, cases = [], len(PLANTS) + len(TEXT_PLANTS) + len(TOOL_PLANTS) + 2
    text_rules = (lambda tree: layers.check(tree, order), *rules.TEXT_RULES)
    with tempfile.TemporaryDirectory(prefix="rota-lint-") as scratch:
        scratch = pathlib.Path(scratch)
        wrong += compare(PLANTS, planted(scratch / "text", PLANTS, text_rules))
        wrong += compare(TEXT_PLANTS, planted(scratch / "prose", TEXT_PLANTS,
                                              (*prose.RULES, *circles.RULES)))
        (scratch / "tools").mkdir()
        (scratch / "tools/.clang-format").write_text((root / ".clang-format").read_text())
        memory = tools.Memory(scratch)
        tool_rules = (lambda tree: tools.format_check(tree, memory),
                      lambda tree: tools.thread_safety(tree, memory))
        found = planted(scratch / "tools", TOOL_PLANTS, tool_rules)
        found = {p: [f for f in fs if (f[1] == "format") == p.endswith("shape.cpp")]
                 for p, fs in found.items()}
        wrong += compare(TOOL_PLANTS, found)
    got = [f[1:] for f in functions(Source("x.cpp", FUNCTIONS).code_text)]
    if got != FUNCTION_LINES:
        wrong.append(f"functions: expected {FUNCTION_LINES}, found {got}")
    if tools.lift_comments(TO_LIFT) != LIFTED:
        wrong.append(f"lift_comments gave:\n{tools.lift_comments(TO_LIFT)}")
    for line in wrong:
        print(f"self-test: {line}")
    print(f"{cases - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong else 0
