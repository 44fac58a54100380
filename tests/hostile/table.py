"""Figures against promises: a line for each."""
import dataclasses


@dataclasses.dataclass
class Figure:
    promise: str
    bar: str
    seen: str
    is_ok: bool


def wrong(figures):
    """What is wrong with them, or an empty text."""
    return "\n".join(f"{f.promise.strip()}: {f.seen}; promised: {f.bar}"
                     for f in figures if not f.is_ok)


def lines(figures):
    rows = [("promise", "bar", "seen", ""),
            *((f.promise, f.bar, f.seen, "ok" if f.is_ok else "BROKEN") for f in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return ["  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[3]]).rstrip()
            for row in rows]
