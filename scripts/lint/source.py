"""The files of a tree as the rules see them: C++ split into code and comments, line by line."""
import functools
import pathlib
import re
import subprocess

CPP = (".cpp", ".hpp", ".h", ".c")

# Everything in C++ text in which a quote, a brace or a slash does not mean what it looks like.
TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?:u8|u|U|L)?R"(?P<delimiter>[^()\\\s]{0,16})\((?P<raw>.*?)\)(?P=delimiter)"
      | "(?P<string>(?:\\.|[^"\\\n])*)"
      | (?P<number>\b\d(?:[eEpP][+-]|[\w.'])*)
      | '(?P<char>(?:\\.|[^'\\\n])+)'""",
    re.S | re.X)
NOT_NEWLINE = re.compile(r"[^\n]")


def blank(text):
    return NOT_NEWLINE.sub(" ", text)


class Source:
    """One file. `code` and `comments` have the columns of `lines`, each with the other blanked."""

    def __init__(self, path, text):
        self.path, self.text = path, text
        self.lines = text.split("\n")
        if text.endswith("\n"):
            self.lines.pop()
        self.is_cpp = path.endswith(CPP)
        self._split = None

    @functools.cached_property
    def code(self):
        return self.code_text.split("\n")[:len(self.lines)]

    @functools.cached_property
    def comments(self):
        return self._views()[1].split("\n")[:len(self.lines)]

    def _views(self):
        if self._split is None:
            code, comments, end = [], [], 0
            for match in TOKEN.finditer(self.text):
                if match["number"]:
                    continue
                plain, token = self.text[end:match.start()], match[0]
                end = match.end()
                code.append(plain)
                comments.append(blank(plain))
                if match["comment"]:
                    code.append(blank(token))
                    comments.append(token)
                else:  # a literal: its quotes stay, its content goes
                    code.append(token[0] + blank(token[1:-1]) + token[-1])
                    comments.append(blank(token))
            code.append(self.text[end:])
            comments.append(blank(self.text[end:]))
            self._split = "".join(code), "".join(comments)
        return self._split

    @property
    def code_text(self):
        return self._views()[0]

    def bare(self):
        """The code alone, literals included, without a space: what formatting may not change."""
        pairs = zip(self.text, self._views()[1])
        return "".join(c for c, comment in pairs if c != comment and not c.isspace())

    def includes(self):
        """(line number, name with its brackets or quotes) of each #include."""
        for number, (line, code) in enumerate(zip(self.lines, self.code), 1):
            if code.lstrip().startswith("#"):
                match = re.match(r'\s*#\s*include\s*(<[^>]*>|"[^"]*")', line)
                if match:
                    yield number, match[1]


class Tree:
    """A checkout: the files that git tracks, or would if they were added."""

    def __init__(self, root, paths=None):
        self.root = pathlib.Path(root)
        self.paths = sorted(self._from_git() if paths is None else paths)
        self._sources = {}

    def _from_git(self):
        # safe.directory: in a container the checkout often belongs to another user.
        got = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-z", "-co",
                              "--exclude-standard"],
                             cwd=self.root, stdout=subprocess.PIPE, check=True)
        names = got.stdout.decode().split("\0")
        return {n for n in names if n and (self.root / n).is_file()}

    def below(self, *folders):
        """The sources below the folders, but not those of bench/peers: they follow other rules."""
        for path in self.paths:
            if path.split("/")[0] in folders and not path.startswith("bench/peers/"):
                source = self.source(path)
                if source is not None:
                    yield source

    def source(self, path):
        """The file as text, or None if it is none."""
        if path not in self._sources:
            try:
                text = (self.root / path).read_bytes().decode()
            except UnicodeDecodeError:
                text = None
            self._sources[path] = None if text is None or "\0" in text else Source(path, text)
        return self._sources[path]


class Finding:
    def __init__(self, path, line, rule, text):
        self.path, self.line, self.rule, self.text = path, line, rule, text

    def __str__(self):
        return f"{self.path}:{self.line}: {self.rule}: {self.text}"

    def key(self):
        return self.path, self.line, self.rule, self.text
