# Goroutines in gdb: live processes and core files, with or without debug information.
#
#     (gdb) source rota-gdb.py
#
#     info goroutines [REGEX]    every goroutine, a line each; only lines in which REGEX is found
#     goroutine ID               what is known of one
#     goroutine ID bt [N] [full] its stack, whether it runs or waits; N frames; with local variables
#     goroutine ID COMMAND       any command of gdb, in its innermost frame: info registers, up 3
#     goroutine all COMMAND      the same for each
#
#     print VARIABLE             a rota::chan: what it holds and who waits; a rota::mutex: whether
#                                it is locked and how many wait; a rota::context: how it has ended
#
# Nothing is called in the program and nothing is written. The program's table of addresses and
# offsets (rota_debugger_layout) says where everything is, so that types are not needed: of the
# program's symbols the script needs that one, stacks need the unwind tables that every program has,
# names of functions need a symbol table (do not strip), lines and arguments need -g1 and -g.
#
# gdb runs this file among the names of the user's own Python and of other scripts. So that nothing
# of ours stays there it is a text, which is run among names of its own.
exec(compile(r'''
import re
import struct

import gdb
import gdb.printing
import gdb.unwinder

WORDS = ("version words all_ms about_now stacks reason_text reason_count begin "
         "g_room g_colours g_stride stack_min stack_page g_sp g_pc g_bp g_mp g_why "
         "g_status g_wait_since g_entry g_goid g_parent g_created_at g_name_size "
         "g_locked_m g_main_of m_link m_curg m_after m_prev m_tid m_id").split()
# What programs of the same version may be without.
LATER_WORDS = ("chan_buf chan_elem_size chan_capacity chan_closed chan_count "
               "chan_recv_at chan_receivers chan_senders waiter_g waiter_next "
               "context_canceler context_deadline context_bounded canceler_state "
               "canceler_closed_bit mutex_state mutex_locked mutex_starving "
               "mutex_waiter").split()
STATES = {0: "idle", 1: "runnable", 2: "running", 3: "syscall", 4: "waiting", 6: "dead",
          9: "preempted"}
ON_A_THREAD = ("running", "syscall", "preempted")
# Of processors: the registers that a parked goroutine has, and where a call leaves its return
# address, counted from the stack pointer behind the call (None: no fixed place).
REGISTERS = {"i386:x86-64": ("rsp", "rip", "rbp", -8), "aarch64": ("sp", "pc", "x29", None)}
# Functions of rota's, and of the standard library's below it, are not what one looks for.
OWN = re.compile(r"^(?:[\w:]+[ *&]+)?(?:rota::|std::(?:__)?(?:invoke|apply)|rota_\w+$)")
WRAPPED = re.compile(r"rota::detail::enter<rota::detail::closure<(.*?)>\s*>\(void\*\)$"
                     r"|rota::run<(.*)>\(.*::main_closure::entry\(void\*\)$")


def memory(address, size):
    return bytes(gdb.selected_inferior().read_memory(address, size))


def word(address, size=8):
    return int.from_bytes(memory(address, size), "little")


def text_at(address, most=1024):
    found = b""
    while len(found) < most:
        try:
            found += memory(address + len(found), 64 - (address + len(found)) % 64)
        except gdb.MemoryError:
            break
        if b"\0" in found:
            break
    return found.split(b"\0")[0].decode(errors="replace")


def symbol_at(address):
    """The function at an address, or the address itself."""
    said = gdb.execute(f"info symbol {address:#x}", to_string=True)
    match = re.match(r"(.*?)(?: \+ \d+)? in section ", said)
    return match.group(1) if match else f"{address:#x}"


def first_argument(arguments):
    """The first of a template's arguments."""
    depth = 0
    for i, c in enumerate(arguments):
        if c == "," and depth == 0:
            return arguments[:i]
        depth += (c in "<([{") - (c in ">)]}")
    return arguments


def shown_name(name):
    """A goroutine's function instead of the template that calls it."""
    match = WRAPPED.search(name)
    return first_argument(next(g for g in match.groups() if g)) if match else name


class Goroutine:
    def __init__(self, runtime, slot, header, data):
        def at(offset, size=8):
            return int.from_bytes(data[offset:offset + size], "little")
        r = runtime
        self.lo, self.hi = slot
        self.address = header
        self.state = STATES.get(at(r.g_status, 1), "?")  # version 1: the lowest byte of four
        self.id, self.parent = at(r.g_goid), at(r.g_parent)
        self.sp, self.pc, self.bp = at(r.g_sp), at(r.g_pc), at(r.g_bp)
        self.mp, self.entry = at(r.g_mp), at(r.g_entry)
        self.created_at = at(r.g_created_at) & (1 << 48) - 1  # above it: the number of a stack
        self.is_locked, self.is_main = at(r.g_locked_m) != 0, at(r.g_main_of) != 0
        self.name_size = at(r.g_name_size, 1)  # it stands right below the header
        self.has_begun = self.pc != r.begin
        self.reason = ""
        self.minutes = 0
        if self.state == "waiting":
            why, since = at(r.g_why, 1), at(r.g_wait_since, 4)
            self.reason = r.reasons[why] if why < len(r.reasons) else "?"
            self.minutes = max(0, r.now - since) // 60 if since else 0

    def name(self):
        size = self.name_size
        return bytes(memory(self.address - size, size)).decode(errors="replace") if size else ""

    def brackets(self):
        return ((self.reason or self.state)
                + (f", {self.minutes} minutes" if self.minutes else "")
                + (", locked to thread" if self.is_locked else ""))


class Table:
    """What the program says of where everything is."""

    def __init__(self):
        try:
            table = int(gdb.parse_and_eval("(unsigned long) &rota_debugger_layout"))
            head = struct.unpack("<2Q", memory(table, 16))
        except gdb.MemoryError:
            raise gdb.GdbError("rota: no process and no core file, or the table is not in it")
        except gdb.error as e:
            raise gdb.GdbError(f"rota: no goroutines here: {e} "
                               "(is the program linked to rota, and not stripped?)")
        if head[0] not in (1, 2, 3) or head[1] < len(WORDS):
            raise gdb.GdbError(f"rota: the program's table has version {head[0]}; this script "
                               "knows 1 to 3")
        names = (WORDS + LATER_WORDS)[:head[1]]
        values = struct.unpack(f"<{len(names)}Q", memory(table, 8 * len(names)))
        for name, value in zip(names, values):
            setattr(self, name, value)
        self.knows_objects = len(names) == len(WORDS) + len(LATER_WORDS)


class Runtime(Table):
    """The runtime of the program as it stands."""

    def __init__(self):
        super().__init__()
        self.now = word(self.about_now, 4)
        self.reasons = [text_at(word(self.reason_text + 8 * i))
                        for i in range(self.reason_count)]

    def goroutines(self):
        """Those that are alive, by their stacks' slots."""
        has_guards = self.version >= 3  # before that, a guard is a page
        layout = struct.unpack("<7Q", memory(self.stacks, 56) if has_guards
                               else memory(self.stacks, 48) + bytes(8))
        arenas_at, count_at, size, base, used, cls, guard_pages = layout
        arenas, count = word(arenas_at), word(count_at, 4)
        is_any_there = False
        for n in range(count):
            arena = memory(arenas + n * size, size)
            first = int.from_bytes(arena[base:base + 8], "little")
            pages = arena[guard_pages] if has_guards else 1
            slot = (self.stack_min << arena[cls]) + pages * self.stack_page
            for i in range(int.from_bytes(arena[used:used + 4], "little")):
                lo = first + i * slot
                header = lo + slot - self.g_room - i % self.g_colours * self.g_stride
                try:
                    data = memory(header, self.g_room)
                except gdb.MemoryError:
                    continue  # never touched, so not in the core file
                is_any_there = is_any_there or any(data)  # or zeros stand in their place
                g = Goroutine(self, (lo, lo + slot), header, data)
                if g.state not in ("idle", "dead", "?"):
                    yield g
        if count and not is_any_there:
            raise gdb.GdbError("rota: the core file has none of the goroutines' stacks: gcore "
                               "leaves out a mapping that it cannot read at the first guard page, "
                               "or writes zeros in its place; a core file that the kernel writes "
                               "(kill -ABRT) has them")

    def find(self, number):
        for g in self.goroutines():
            if g.id == number:
                return g
        raise gdb.GdbError(f"rota: no goroutine {number}")

    def ms(self):
        m = word(self.all_ms)
        while m:
            yield m
            m = word(m + self.m_link)

    def thread_of(self, g):
        """The thread on which g is; None: its registers are saved."""
        holders = [g.mp] if g.state in ON_A_THREAD and g.mp else []
        if not holders:
            # A waiting or queued goroutine may have been about to leave its stack.
            holders = [m for m in self.ms() if word(m + self.m_curg) == g.address or
                       (word(m + self.m_after) and word(m + self.m_prev) == g.address)]
        for m in holders:
            tid = word(m + self.m_tid, 4)
            for thread in gdb.selected_inferior().threads():
                if thread.ptid[1] != tid and thread.ptid[2] != tid:
                    continue
                if g.state in ON_A_THREAD or g.lo <= stack_pointer_of(thread) < g.hi:
                    return thread
        return None


def registers():
    name = gdb.selected_frame().architecture().name()
    if name not in REGISTERS:
        raise gdb.GdbError(f"rota: goroutines run on x86-64 and AArch64, not on {name}")
    return REGISTERS[name]


def stack_pointer_of(thread):
    with place_kept():
        thread.switch()
        frame = gdb.newest_frame()
        return int(frame.read_register(registers()[0]))


class place_kept:
    """Brings back the thread and the frame that were selected."""

    def __enter__(self):
        self.thread = gdb.selected_thread()
        if self.thread is None:
            raise gdb.GdbError("rota: the program is not being run")
        self.level = gdb.selected_frame().level()

    def __exit__(self, *_):
        self.thread.switch()
        frame = gdb.newest_frame()
        while frame is not None and frame.level() < self.level:
            frame = frame.older()
        if frame is not None:
            frame.select()


class FrameId:
    def __init__(self, sp, pc):
        self.sp, self.pc = sp, pc


class ParkedUnwinder(gdb.unwinder.Unwinder):
    """Makes a parked goroutine the caller of the selected thread's innermost frame, for as long
    as `at` is set. So a stack can be walked for which no thread, and no writable register, is
    there.
    """

    def __init__(self):
        super().__init__("rota parked goroutine")
        self.at = None  # (stack pointer, instruction pointer, frame pointer)
        self.real = None  # those of the thread's innermost frame

    def __call__(self, pending):
        if self.at is None:
            return None
        sp_name, pc_name, bp_name, _ = REGISTERS[pending.architecture().name()]
        sp, pc = pending.read_register(sp_name), pending.read_register(pc_name)
        if (int(sp), int(pc)) != self.real:
            return None
        bp = pending.read_register(bp_name)
        to = [gdb.Value(v).cast(r.type) for v, r in zip(self.at, (sp, pc, bp))]
        # Its stack pointer is below that of every frame of the goroutine: they count as older.
        info = pending.create_unwind_info(FrameId(to[0], to[1]))
        for name, value in zip((sp_name, pc_name, bp_name), to):
            info.add_saved_register(name, value)
        return info


PARKED = ParkedUnwinder()
gdb.unwinder.register_unwinder(None, PARKED, replace=True)


class on_goroutine:
    """Within it gdb.newest_frame of the goroutine is `first`; None: it has not begun."""

    def __init__(self, runtime, g):
        self.runtime, self.g = runtime, g

    def __enter__(self):
        self.kept = place_kept()
        self.kept.__enter__()
        try:
            self.first = self.find_first()
        except BaseException:
            self.__exit__()
            raise
        return self.first

    def find_first(self):
        thread = self.runtime.thread_of(self.g)
        if thread is not None:
            thread.switch()
            return gdb.newest_frame()
        if not self.g.has_begun:
            return None
        sp_name, pc_name, _, _ = registers()
        frame = gdb.newest_frame()
        real = (int(frame.read_register(sp_name)), int(frame.read_register(pc_name)))
        PARKED.real, PARKED.at = real, (self.g.sp, self.g.pc, self.g.bp)
        gdb.invalidate_cached_frames()
        frame = gdb.newest_frame()
        while frame is not None and int(frame.read_register(sp_name)) == real[0]:
            frame = frame.older()  # functions that are inlined there have the same registers
        if frame is None:
            raise gdb.GdbError(f"rota: goroutine {self.g.id} cannot be unwound")
        return frame

    def __exit__(self, *_):
        if PARKED.at is not None:
            PARKED.at = None
            gdb.invalidate_cached_frames()
        self.kept.__exit__()


def frames_from(frame):
    while frame is not None:
        yield frame
        try:
            frame = frame.older()
        except gdb.error:
            return


class Sources:
    """The files of rota's own functions. Of a library with line tables alone (-g1) a function's
    name may lack the namespace: its file says whose it is."""

    def __init__(self):
        self.root = None
        self.known = {}  # name: whether it is one
        try:
            main = int(gdb.parse_and_eval("(unsigned long) &rota_goroutine_main"))
            symtab = gdb.find_pc_line(main).symtab  # ROOT/sched/loop/goroutine.cpp
            if symtab is not None:
                self.root = symtab.fullname().rsplit("/sched/", 1)[0] + "/"
        except gdb.error:
            pass

    def have(self, frame):
        symtab = frame.find_sal().symtab if self.root is not None else None
        if symtab is None:
            return False
        name = symtab.filename
        if name not in self.known:
            at = symtab.fullname()
            self.known[name] = at.startswith(self.root) or "/include/rota/" in at
        return self.known[name]


class Functions:
    """The innermost function of each goroutine that is the program's own. Many goroutines have
    the same stack: one whose return addresses are those of another, at the same places, is not
    unwound again."""

    def __init__(self, runtime):
        self.runtime = runtime
        self.sources = Sources()
        self.known = {}  # saved instruction pointer: [(places, text)]
        self.entries = {}

    def entry(self, g):
        if g.entry not in self.entries:
            self.entries[g.entry] = shown_name(symbol_at(g.entry))
        return self.entries[g.entry]

    def of(self, g):
        if g.state in ("waiting", "runnable") and not g.has_begun:
            return self.entry(g)
        stack = b""
        if g.state == "waiting":
            try:
                stack = memory(g.sp, min(4096, g.hi - g.sp))
            except gdb.MemoryError:
                pass
            for places, text in self.known.get(g.pc, ()):
                if all(stack[at:at + 8] == pc for at, pc in places):
                    return text
        try:
            with on_goroutine(self.runtime, g) as first:
                text, places = self.walk(g, first)
        except (gdb.error, gdb.GdbError):
            return self.entry(g)
        if stack and places is not None:
            self.known.setdefault(g.pc, []).append((places, text))
        return text

    def walk(self, g, first):
        sp_name, _, _, return_at = registers()
        places = None if return_at is None or g.state != "waiting" else []
        for i, frame in enumerate(frames_from(first)):
            if i > 0 and places is not None:
                at = int(frame.read_register(sp_name)) + return_at - g.sp
                if 0 <= at:
                    places.append((at, struct.pack("<Q", frame.pc())))
            name = frame.name()
            if name is None or (not WRAPPED.search(name) and
                                (OWN.match(name) or self.sources.have(frame))):
                continue
            text, line = shown_name(name), frame.find_sal()
            if line.symtab is not None and line.line:
                text += f" at {line.symtab.filename}:{line.line}"
            return text, places
        return self.entry(g), None


class InfoGoroutines(gdb.Command):
    """info goroutines [REGEX]: every goroutine: number, state, what it waits for and for how
many minutes, and the innermost function of the program on its stack. `*`: it is on a thread."""

    def __init__(self):
        super().__init__("info goroutines", gdb.COMMAND_STATUS, gdb.COMPLETE_NONE)

    def invoke(self, arg, _from_tty):
        wanted = re.compile(arg) if arg else None
        runtime = Runtime()
        functions = Functions(runtime)
        for g in sorted(runtime.goroutines(), key=lambda g: g.id):
            star = "*" if g.state in ON_A_THREAD else " "
            name = g.name()
            line = (f"{star} {g.id} {g.state} [{g.brackets()}] {functions.of(g)}"
                    + (f"  # name: {name}" if name else ""))
            if wanted is None or wanted.search(line):
                print(line)


class GoroutineCommand(gdb.Command):
    """goroutine ID [COMMAND], goroutine all COMMAND: runs a command of gdb in the innermost
frame of a goroutine. `bt [N] [full]` prints its stack; without a command its state is shown."""

    def __init__(self):
        super().__init__("goroutine", gdb.COMMAND_STACK, gdb.COMPLETE_NONE)

    def invoke(self, arg, _from_tty):
        words = arg.split(None, 1)
        if not words or not (words[0] == "all" or words[0].isdigit()):
            raise gdb.GdbError("usage: goroutine ID|all [COMMAND]")
        runtime = Runtime()
        command = words[1] if len(words) > 1 else ""
        if words[0] == "all":
            for g in sorted(runtime.goroutines(), key=lambda g: g.id):
                try:
                    self.run(runtime, g, command)
                except (gdb.error, gdb.GdbError) as e:
                    print(e)
                print()
        else:
            self.run(runtime, runtime.find(int(words[0])), command)

    def run(self, runtime, g, command):
        name = f"  # name: {g.name()}" if g.name_size else ""
        print(f"goroutine {g.id} [{g.brackets()}]:{name}")
        verb, *rest = command.split() or [""]
        if verb in ("bt", "backtrace", "where"):
            self.backtrace(runtime, g, rest)
        elif verb:
            with on_goroutine(runtime, g) as first:
                if first is None:
                    raise gdb.GdbError("it has not begun")
                first.select()
                gdb.execute(command)
        else:
            self.show(g)

    def show(self, g):
        print(f"  g {g.address:#x}, stack {g.lo:#x} to {g.hi:#x}, sp {g.sp:#x}, pc {g.pc:#x}")
        print(f"  runs {shown_name(symbol_at(g.entry))}")
        if g.created_at and not g.is_main:
            print(f"  created by {symbol_at(g.created_at - 1)} in goroutine {g.parent}")

    def backtrace(self, runtime, g, rest):
        most = next((int(w) for w in rest if w.isdigit()), None)
        with on_goroutine(runtime, g) as first:
            if first is None:
                print(f"#0  {g.entry:#018x} in {shown_name(symbol_at(g.entry))} (not begun)")
                return
            for i, frame in enumerate(frames_from(first)):
                if i == most:
                    print("(More stack frames follow...)")
                    break
                frame.select()
                line = gdb.execute("frame", to_string=True).split("\n", 1)[0]
                print(re.sub(r"^#\d+ *", f"#{i:<3}", line))
                if "full" in rest:
                    gdb.execute("info locals")


WAITERS_SHOWN = 8


def number_of(count, one, many):
    return f"{count} {one if count == 1 else many}"


class Printer:
    """Of a variable whose type is rota's."""

    def __init__(self, value, table):
        self.value, self.table = value, table

    @classmethod
    def of(cls, value):
        """None where the program has no table to read it by: gdb prints it as any other."""
        try:
            table = Table()
        except (gdb.error, gdb.GdbError):
            return None
        return cls(value, table) if table.knows_objects else None

    def to_string(self):
        try:
            return self.said()
        except gdb.error as e:
            return f"({e})"


class ChanPrinter(Printer):
    """What a channel holds, and who waits for it."""

    @property
    def at(self):
        return int(self.value["c_"])

    def field(self, name, size=8):
        return word(self.at + getattr(self.table, name), size)

    def waiters(self, queue, what):
        """`2 wait to send (goroutines 7, 9)`, or nothing."""
        at, found, seen = self.field(queue), [], set()
        while at and at not in seen:
            seen.add(at)
            found.append(word(word(at + self.table.waiter_g) + self.table.g_goid))
            at = word(at + self.table.waiter_next)
        if not found:
            return []
        # A thread of the program's own has no number.
        names = ", ".join(str(n) if n else "a thread" for n in found[:WAITERS_SHOWN])
        more = ", ..." if len(found) > WAITERS_SHOWN else ""
        wait = number_of(len(found), "waits", "wait")
        return [f"{wait} to {what} ({'goroutine' if len(found) == 1 else 'goroutines'} "
                f"{names}{more})"]

    def said(self):
        name = self.value.type.strip_typedefs().unqualified()
        if self.at == 0:
            return f"{name} nil"
        parts = [f"{self.field('chan_count')} of {self.field('chan_capacity')} buffered"]
        if self.field("chan_closed", 1):
            parts.append("closed")
        parts += self.waiters("chan_receivers", "receive")
        parts += self.waiters("chan_senders", "send")
        return f"{name} " + ", ".join(parts)

    def slot_type(self):
        """How a buffered value lies there: (type, is it in a box); None: nobody knows."""
        channel = self.value.type.strip_typedefs().unqualified()
        of = channel.template_argument(0).strip_typedefs()
        size = self.field("chan_elem_size")
        scalars = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_FLT, gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_ENUM,
                   gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_CHAR)
        if of.code in scalars or (of.sizeof == size and size != 8):
            return of, False
        # Others travel in boxes; of an object as large as the pointer to one, nobody knows.
        return (of, True) if size == 8 and of.sizeof != 8 else None

    def children(self):
        try:
            if self.at == 0:
                return
            slot = self.slot_type()
            capacity = self.field("chan_capacity")
            for i in range(min(self.field("chan_count"), capacity) if slot else 0):
                place = (self.field("chan_buf") + self.field("chan_elem_size")
                         * ((self.field("chan_recv_at") + i) % capacity))
                if slot[1]:
                    place = word(place)
                yield str(i), gdb.Value(place).cast(slot[0].pointer()).dereference()
        except (gdb.error, RuntimeError):
            return

    def display_hint(self):
        return "array"


class MutexPrinter(Printer):
    """Whether a mutex is locked, and how many wait for it."""

    def said(self):
        if self.value.address is None:
            return "rota::mutex"
        state = word(int(self.value.address) + self.table.mutex_state, 4)
        parts = ["locked" if state & self.table.mutex_locked else "free"]
        waiting = state // self.table.mutex_waiter
        if waiting:
            parts.append(number_of(waiting, "waits", "wait"))
        if state & self.table.mutex_starving:
            parts.append("starving: handed to who has waited longest")
        return "rota::mutex " + ", ".join(parts)


class ContextPrinter(Printer):
    """Whether a context has ended, why, and when it will at the latest."""

    ENDS = {0: "live", 1: "canceled", 2: "deadline exceeded"}

    def said(self):
        node, t = int(self.value["n_"]), self.table
        if node == 0:
            return "rota::context background"
        canceler = word(node + t.context_canceler)
        if canceler == 0:
            return "rota::context that is never done"
        state = word(canceler + t.canceler_state, 1) & ~t.canceler_closed_bit
        said = f"rota::context {self.ENDS.get(state, '?')}"
        if state == 0 and word(node + t.context_bounded, 1):
            # How far away that is, a core file does not say.
            said += f", until {word(node + t.context_deadline) / 1e9:.3f} s of CLOCK_MONOTONIC"
        return said


PRINTERS = gdb.printing.RegexpCollectionPrettyPrinter("rota")
PRINTERS.add_printer("chan", r"^rota::(chan|send_chan|recv_chan)<.*>$", ChanPrinter.of)
PRINTERS.add_printer("mutex", r"^rota::mutex$", MutexPrinter.of)
PRINTERS.add_printer("context", r"^rota::context$", ContextPrinter.of)
gdb.printing.register_pretty_printer(None, PRINTERS, replace=True)

InfoGoroutines()
GoroutineCommand()
''', "rota-gdb.py", "exec"), {"__name__": "rota_gdb"})
