"""Who may include whom: holds the includes of src/ and include/ against scripts/layers.txt."""
from .source import Finding


def top_of(room):
    return room.split("/")[0]


class Layers:
    def __init__(self, text):
        self.row, self.public = {}, {}
        self.beside, self.doors, self.inside = set(), {}, {}
        for number, line in enumerate(text.splitlines(), 1):
            words = line.split("#")[0].split()
            if words:
                self._read(number, *words)

    def _read(self, number, verb, *words):
        if verb == "row":
            height = 1 + max(self.row.values(), default=0)
            self.row.update(dict.fromkeys(words, height))
        elif verb == "beside" and len(words) == 2:
            self.beside.add(words)
        elif verb == "doors" and len(words) > 1:
            self.doors[words[0]] = set(words[1:])
        elif verb == "inside" and len(words) > 1:
            self.inside[words[0]] = set(words[1:])
        elif verb == "public" and len(words) == 2:
            self.public[words[0]] = words[1]
        else:
            raise ValueError(f"layers.txt:{number}: cannot read this line")

    def room_of_public(self, name):
        """The room of include/rota/`name`, or None if layers.txt does not say."""
        folder = name.split("/")[0] + "/" if "/" in name else None
        return self.public.get(name, self.public.get(folder))

    def room_of(self, path):
        """The room that the file `path` belongs to: (room, what is wrong)."""
        if path.startswith("include/rota/"):
            name = path.removeprefix("include/rota/")
            room = self.room_of_public(name)
            return room, None if room else f"layers.txt has no room for the public header {name}"
        room = self.room_of_name(path.removeprefix("src/"))
        return room, None if room else f"layers.txt has no room {path.rsplit('/', 1)[0]}"

    def room_of_name(self, name):
        """The room of src/`name`: its folder, or the folder around it, if that is a row."""
        parts = name.split("/")[:-1]
        while parts and "/".join(parts) not in self.row:
            parts.pop()
        return "/".join(parts) or None

    def complaint(self, room, include):
        """What is wrong with a file of `room` including `include` (with its brackets), or None."""
        name = include[1:-1]
        if name.startswith("rota/"):
            to, door = self.room_of_public(name.removeprefix("rota/")), None
            if to is None:
                return f"layers.txt has no room for the public header {name}"
        elif include[0] == "<":
            return None
        elif (to := self.room_of_name(name)) is None:
            return f'{include} names no room: a private header is included as "room/file.hpp"'
        else:
            door = name.removeprefix(to + "/").rsplit(".", 1)[0]
        if to == room:
            return None
        if self.row[to] == self.row[room] and (room, to) not in self.beside:
            return f"{room} and {to} stand in one row of layers.txt and may not include each other"
        if self.row[to] > self.row[room]:
            return f"{room} may not include {to}, which stands below it in layers.txt"
        if top_of(to) == top_of(room):
            return None
        doors = self.doors.get(to)
        inside = self.inside.get(to, self.inside.get(top_of(to), ()))
        if door and doors and door not in doors and not {room, top_of(room)} & set(inside):
            return f"{include} is no door of {to} (layers.txt: {' '.join(sorted(doors))})"
        return None


def check(tree, layers):
    for source in tree.below("src", "include"):
        if not source.is_cpp:
            continue
        room, wrong = layers.room_of(source.path)
        if wrong:
            yield Finding(source.path, 1, "layers", wrong)
            continue
        public = source.path.startswith("include/")
        for number, include in source.includes():
            if public and include[0] == '"':
                yield Finding(source.path, number, "layers",
                              f"{include}: a public header includes only std and <rota/...>")
                continue
            complaint = layers.complaint(room, include)
            if complaint:
                yield Finding(source.path, number, "layers", complaint)
