"""Where the functions of a C++ file begin and end, by counting braces: good enough for sizes."""
import re

PARENS = re.compile(r"\([^()]*\)")
ANGLES = re.compile(r"<[^<>]*>")
ACCESS = re.compile(r"\s*\b(public|private|protected)\s*:(?!:)")
SCOPE = re.compile(r'\s*(inline\s+)?namespace\b|\s*extern\s*"[^"]*"\s*$')
TYPE = re.compile(r"\s*(export\s+)?(class|struct|union|enum)\b")
SINGLE_COLON = re.compile(r"(?<!:):(?!:)")
NAME = re.compile(r"(operator\s*[^\s\w(]+|~?\w+)\s*\(")
NO_NAME = {"alignas", "decltype", "explicit", "noexcept", "requires", "__attribute__"}


def without(pattern, text):
    """`text` without the innermost matches of pattern, then without those around them."""
    while True:
        shorter = pattern.sub("", text)
        if shorter == text:
            return text
        text = shorter


def kind_of(header):
    """What the brace behind `header` begins: scope, function, init (of a member) or value."""
    plain = without(PARENS, header)
    if "(" in plain:
        return "value"  # within an argument list
    declared = re.sub(r"operator\s*[^\s\w]+", "operator", plain)
    declared = re.sub(r"^\s*template\s*", "", without(ANGLES, declared.replace("->", "  ")))
    if SCOPE.match(header) or TYPE.match(declared):
        return "scope"
    if "=" in declared or "(" not in header:
        return "value"
    colon = SINGLE_COLON.search(declared)
    if colon and re.search(r"[\w>]\s*$", header):  # a body would stand behind a parenthesis
        return "init"
    return "function"


def closing(code, opening):
    """The position of the brace that closes the one at `opening`."""
    depth = 0
    for match in re.compile(r"[{}]").finditer(code, opening):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.start()
    return len(code) - 1


def without_preprocessor(code):
    """`code` with its # lines blanked, those continued by a backslash too."""
    lines, inside = code.split("\n"), False
    for i, line in enumerate(lines):
        inside = inside or line.lstrip().startswith("#")
        if inside:
            lines[i] = " " * len(line)
            inside = line.rstrip().endswith("\\")
    return "\n".join(lines)


def functions(code):
    """Yields (name, first line, last line), counted from 1, of each function in `code`."""
    code = without_preprocessor(code)
    begin = at = depth = 0
    while True:
        match = re.compile(r"[{};()]").search(code, at)
        if not match:
            return
        at, sign = match.end(), match[0]
        if sign in "()":
            depth += 1 if sign == "(" else -1
        elif sign == "{":
            header = ACCESS.sub("", code[begin:match.start()])
            kind = kind_of(header)
            if kind == "scope":
                begin = at
                continue
            end = closing(code, match.start())
            at = end + 1
            if kind == "function":
                first = begin + re.compile(r"\s*(?:(?:public|private|protected)\s*:\s*)*").match(
                    code[begin:match.start()]).end()
                names = [n for n in NAME.findall(header) if n not in NO_NAME and not n.isupper()]
                yield names[0] if names else "function", line_of(code, first), line_of(code, end)
                begin = at
            elif kind == "value" and depth == 0 and not re.compile(r"\s*[,;)]").match(code, at):
                begin = at
            elif kind == "init":  # the header goes on behind it, as if the braces were parentheses
                code = code[:match.start()] + "(" + code[match.end():end] + ")" + code[end + 1:]
        elif sign == "}" or depth == 0:
            begin, depth = at, 0


def line_of(code, position):
    return code.count("\n", 0, position) + 1
