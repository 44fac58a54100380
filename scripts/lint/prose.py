"""The language of comments and documents: pronouns, long sentences, heads of files."""
import functools
import re

from .source import Finding

PER_FILE_WHO, PER_TREE_WHO = 10, 2  # words of WHO per 1,000 words of prose
TREE_WORDS = 10_000  # a smaller tree has no rate of its own
PER_FILE_VAGUE = 25  # words of VAGUE per 1,000
SENTENCE_WORDS = 40
FEW_WHO, FEW_VAGUE = 2, 5  # so many stand in any file: a rate needs some 200 words
HEAD_WORDS = 5  # of the first sentence of a file

FOLDERS = ("src", "include", "tests", "bench", "examples", "tools", "docs", "hook")
PAGES = ("README.md", "ARCHITECTURE.md", "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md")
READ = (".cpp", ".hpp", ".h", ".c", ".S", ".md")

WHO = re.compile(r"\b(?:who|whom|whose|whoever)\b", re.I)
# They leave open what they stand for. Each has honest uses: hence a rate, not a ban.
VAGUE = re.compile(
    r"\b(?:who|whom|whose|whoever|somebody|someone|nobody|anybody|anyone|everybody|everyone|ones|"
    r"those|others?|another one|he|him|his|she|her|as ever|likewise|lacks but|but an?|all|some|"
    r"what|one)\b", re.I)
WORD = re.compile(r"[A-Za-z_']+")
DRAWN = re.compile("[\u2190-\u21ff\u2500-\u257f\u25b2-\u25c4]")  # a line of a diagram
MARKS = re.compile(r"^\s*(?://+!?<?|/\*+|\*/|\*|#)\s?")


def is_prose(path):
    top = path.split("/")[0]
    return (path in PAGES or top in FOLDERS and path.endswith(READ)) \
        and not path.startswith("bench/peers/")


def prose_lines(source):
    """The words of a reader's language, line by line; code, and names in backticks, are blank."""
    if source.path.endswith(".md"):
        text = re.sub(r"```.*?```", lambda m: "\n" * m[0].count("\n"), source.text, flags=re.S)
        text = re.sub(r"`[^`]*`", lambda m: "x" + "\n" * m[0].count("\n"), text)
        return text.split("\n")
    lines = []
    for code, line in zip(*split(source)):
        line = re.sub(r"//+<?", " ", MARKS.sub("", line))
        if not line.strip() or DRAWN.search(line):
            line = ""
        elif code.strip():  # behind a field: a sentence of its own
            line = "- " + line.strip()
        lines.append(line)
    return re.sub(r"`[^`\n]*`", "x", "\n".join(lines)).split("\n")


def split(source):
    """Code and comments, line by line; in assembly a comment stands behind // or #."""
    if source.is_cpp:
        return source.code, source.comments
    parts = [re.match(r"((?:[^/#]|/(?!/))*)(.*)", line) for line in source.lines]
    return [m[1] for m in parts], [m[2] for m in parts]


def sentences(lines):
    """(line number, words) of each sentence. Paragraphs, items and cells of tables end one."""
    begun, words = 0, 0
    for number, line in enumerate(lines, 1):
        if not line.strip() or re.match(r"\s*(?:[-*|#]|\d+\.)\s?", line):
            if words:
                yield begun, words
            words = 0
        for piece in re.split(r"(?<=[.;:?!])(?=\s|$)|\|", line):
            if not words:
                begun = number
            words += len(WORD.findall(piece))
            if re.search(r"[.;:?!]\s*$", piece) or piece != line and "|" in line:
                if words:
                    yield begun, words
                words = 0
    if words:
        yield begun, words


class Prose:
    def __init__(self, source):
        self.lines = prose_lines(source)
        text = "\n".join(self.lines)
        self.words, self.who, self.vague = (len(p.findall(text)) for p in (WORD, WHO, VAGUE))
        self.longest = max(sentences(self.lines), key=lambda s: s[1], default=(1, 0))

    def rate(self, count):
        return 1000 * count / max(self.words, 1)


@functools.lru_cache(maxsize=None)
def prose_of(source):
    return Prose(source)


def all_prose(tree):
    for path in tree.paths:
        source = tree.source(path) if is_prose(path) else None
        if source is not None:
            yield path, source, prose_of(source)


def pronouns(tree):
    for path, _, prose in all_prose(tree):
        for what, count, most, few in (
                ("who, whom, whose, whoever", prose.who, PER_FILE_WHO, FEW_WHO),
                ("vague words", prose.vague, PER_FILE_VAGUE, FEW_VAGUE)):
            if count > few and prose.rate(count) > most:
                yield Finding(path, 1, "prose", f"{what}: {count} in {prose.words} words, "
                              f"{prose.rate(count):.0f} per 1,000; {most} is the limit")
        line, words = prose.longest
        if words > SENTENCE_WORDS:
            yield Finding(path, line, "prose", f"a sentence of {words} words; {SENTENCE_WORDS} is "
                          "the limit")


def heads(tree):
    """A file begins with a whole sentence that says what it does for its callers."""
    for path, source, prose in all_prose(tree):
        if not path.endswith((".cpp", ".hpp")):
            continue
        first = next((n for n, line in enumerate(source.lines) if line.strip()), None)
        if first is None:
            continue
        head = []
        for number in range(first, len(source.lines)):
            if not source.comments[number].strip():
                break
            head.append(prose.lines[number])
        begin = re.split(r"(?<=[.?!])(?=\s|$)", " ".join(head))[0]
        if len(WORD.findall(begin)) < HEAD_WORDS or not re.search(r"[.:?!]$", begin.rstrip()):
            yield Finding(path, first + 1, "prose", "the file's head is no whole sentence")


def of_tree(tree):
    total = {"words": 0, "who": 0, "vague": 0}
    for _, _, prose in all_prose(tree):
        for key in total:
            total[key] += getattr(prose, key)
    words = max(total["words"], 1)
    return words, *(1000 * total[key] / words for key in ("who", "vague"))


def whole(tree):
    words, who, _ = of_tree(tree)
    if who > PER_TREE_WHO and words > TREE_WORDS:
        yield Finding("docs", 1, "prose", f"who, whom, whose, whoever: {who:.1f} per 1,000 words "
                      f"of the tree; {PER_TREE_WHO} is the limit")


def summary(tree):
    words, who, vague = of_tree(tree)
    longest = max((prose.longest[1] for _, _, prose in all_prose(tree)), default=0)
    return (f"prose: {words:,} words; per 1,000: {who:.1f} who, {vague:.0f} vague; "
            f"longest sentence {longest} words")


RULES = (pronouns, heads, whole)
