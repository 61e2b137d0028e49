"""The report of a migration, in Markdown and as one HTML page that loads nothing."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path

from from_postgres.steps import Story

STYLE = """
:root { color-scheme: light dark; font-family: system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem; line-height: 1.5; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid #8886; padding: .3rem .8rem .3rem 0; text-align: left; }
"""


@dataclass(frozen=True, slots=True)
class Part:
    """A table of a report, with a sentence below it."""

    heading: str
    head: list[str]
    rows: list[list[str]]
    note: str = ""


def write(story: Story, folder: Path) -> list[Path]:
    """Writes both forms, and returns where."""
    parts = parts_of(story)
    verdict = verdict_of(story)
    forms = {"report.md": markdown(verdict, parts), "report.html": html(verdict, parts)}
    written = []
    for name, text in forms.items():
        path = folder / name
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written


def verdict_of(story: Story) -> str:
    """The sentence that matters most."""
    rows = sum(story.rows.values())
    writes = sum(one.all for one in story.written.values())
    return (
        f"{rows} rows became items in {story.seconds:.0f} seconds, while a program wrote {writes} times;"
        f" at {len(story.turns)} switches it paused for {longest(story):.1f} seconds at most."
    )


def longest(story: Story) -> float:
    """The longest pause of the writing program, in seconds."""
    return max((one.pause for one in story.turns), default=0.0)


def parts_of(story: Story) -> list[Part]:
    """What was read, written and verified, and how long it took."""
    steps = [[one.name, one.found, f"{one.seconds:.1f}"] for one in story.steps]
    rows = [[name, str(count)] for name, count in story.rows.items()]
    counted = [[name, str(count)] for name, count in story.counted.items()]
    written = [
        [side, *map(str, (one.orders, one.payments, one.shipped, one.moves)), f"{one.slowest:.2f}"]
        for side, one in story.written.items()
    ]
    patterns = [
        [str(one[name]) for name in ("name", "asked", "equal", "late", "different")]
        for one in story.patterns
    ]
    return [
        Part("The steps", ["step", "what was found", "seconds"], steps),
        Part("The rows at the beginning", ["table", "rows"], rows),
        Part(
            "What the runs did",
            ["", "number"],
            counted,
            "Rows were read, items put and deleted, and changes carried.",
        ),
        Part(
            "What the program wrote",
            ["by", "orders", "payments", "shipped", "new addresses", "slowest, seconds"],
            written,
            "The slowest write is one that waited for no switch.",
        ),
        Part(
            "When the program changed sides",
            ["to", "seconds without a write"],
            [[one.to, f"{one.pause:.1f}"] for one in story.turns],
            "In this time what was left was carried, and every row was compared with its item.",
        ),
        Part(
            "The patterns, asked of both sides while the program wrote",
            ["pattern", "asked", "equal", "late", "different"],
            patterns,
            "Late are answers that were equal when asked again, because a change was on its way.",
        ),
        Part(
            "The pages that were read",
            ["by", "pages"],
            [[side, str(count)] for side, count in story.read.items()],
        ),
    ]


def markdown(verdict: str, parts: list[Part]) -> str:
    """The report in Markdown."""
    out = [f"# From PostgreSQL to one table\n\n**{verdict}**\n"]
    for part in parts:
        lines = [part.head, ["---"] * len(part.head), *part.rows]
        table = "\n".join("| " + " | ".join(_plain(cell) for cell in line) + " |" for line in lines)
        note = f"\n{part.note}\n" if part.note else ""
        out.append(f"## {part.heading}\n\n{table}\n{note}")
    return "\n".join(out)


def _plain(cell: str) -> str:
    return cell.replace("\\", "\\\\").replace("|", "\\|").replace("_", "\\_")


def html(verdict: str, parts: list[Part]) -> str:
    """The report as a page."""
    body = ["<h1>From PostgreSQL to one table</h1>", f"<p><b>{escape(verdict)}</b></p>"]
    for part in parts:
        head = "".join(f"<th>{escape(cell)}</th>" for cell in part.head)
        rows = [
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
            for row in part.rows
        ]
        body.append(f"<h2>{escape(part.heading)}</h2>")
        body.append(f"<table><tr>{head}</tr>{''.join(rows)}</table>")
        body.append(f"<p>{escape(part.note)}</p>" if part.note else "")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>From PostgreSQL to one table</title><style>{STYLE}</style></head>\n"
        f"<body>\n{chr(10).join(body)}\n</body></html>\n"
    )
