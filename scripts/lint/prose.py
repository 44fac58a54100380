"""The language of comments and documents: pronouns, long sentences, heads of files."""
import functools
import re

from .source import Finding

PER_FILE_WHO, PER_TREE_WHO = 10, 2  # words of WHO per 1,000 words of prose
PER_FILE_VAGUE = 25  # words of VAGUE per 1,000
SENTENCE_WORDS = 40
FEW = 2  # so many stand in any file, however short
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
    comments = source.comments if source.is_cpp else source.lines
    lines = []
    for line in comments:
        line = re.sub(r"//+<?", " ", MARKS.sub("", line))
        lines.append(line if line.strip() else "")
    return re.sub(r"`[^`\n]*`", "x", "\n".join(lines)).split("\n")


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
        for what, count, most in (("who, whom, whose, whoever", prose.who, PER_FILE_WHO),
                                  ("vague words", prose.vague, PER_FILE_VAGUE)):
            if count > FEW and prose.rate(count) > most:
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


def summary(tree):
    """What the whole tree has, in one line; a finding if its pronouns are too many."""
    total, longest = {"words": 0, "who": 0, "vague": 0}, 0
    for _, _, prose in all_prose(tree):
        for key in total:
            total[key] += getattr(prose, key)
        longest = max(longest, prose.longest[1])
    words = max(total["words"], 1)
    who, vague = (1000 * total[key] / words for key in ("who", "vague"))
    return who, (f"prose: {words:,} words; per 1,000: {who:.1f} who, {vague:.0f} vague; "
                 f"longest sentence {longest} words")


RULES = (pronouns, heads)
