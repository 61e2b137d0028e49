"""Migrates the shop from start to end, and writes the report."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
from keyfold import KeyfoldError
from keyfold.transport.process import Server

from from_postgres.commands import CommandFailed, Keyfold
from from_postgres.legacy import Legacy, Sizes, fill
from from_postgres.postgres import NoPostgres, server
from from_postgres.report import verdict_of, write
from from_postgres.steps import Migration, Story
from from_postgres.table import Table

ENVIRONMENT = """\
environment:
  FROM_POSTGRES_CONNECTION
      a server with the API and with policies of tables, such as http://localhost:8000, where the table is made:
      it must have none yet.
      Without it a Keyfold server is started on the folder of --data
  KEYFOLD_BIN
      the command `keyfold`, where none is on the PATH
"""


class NotEmpty(Exception):
    """The folder for the table has something in it."""


def given(arguments: list[str] | None = None) -> argparse.Namespace:
    """The arguments. It ends the program for --help, and for arguments that it does not take."""
    parser = argparse.ArgumentParser(
        prog="python -m from_postgres",
        description="Moves a shop from PostgreSQL to one table while its programs write, from start to end.",
        epilog=ENVIRONMENT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    sizes = Sizes()
    parser.add_argument("--users", type=_above_zero, default=sizes.users)
    parser.add_argument("--products", type=_above_zero, default=sizes.products)
    parser.add_argument("--orders", type=_above_zero, default=sizes.orders)
    parser.add_argument(
        "--pace", type=_above_zero, default=40, help="writes a second, at most"
    )
    parser.add_argument(
        "--seconds",
        type=_above_zero,
        default=10,
        help="how long both sides are compared, and how long rows follow the table",
    )
    parser.add_argument(
        "--data", type=Path, default=Path("data"), help="the folder of table and report"
    )
    return parser.parse_args(arguments)


def _above_zero(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


@contextmanager
def place(data: Path) -> Iterator[str]:
    """The endpoint of the tables."""
    connection = os.environ.get("FROM_POSTGRES_CONNECTION", "")
    if connection:
        yield connection
        return
    folder = data / "table"
    if folder.exists():
        raise NotEmpty(f"{folder} is there already: a migration begins without tables")
    with Server(["--data", str(folder)]) as opened:
        yield opened.endpoint


def migrate(options: argparse.Namespace) -> Story:
    """The shop, moved."""
    reports = options.data / "report"
    reports.mkdir(parents=True, exist_ok=True)
    with server() as database, place(options.data) as endpoint:
        sizes = Sizes(options.users, options.products, options.orders)
        book, rows = fill(database.text, sizes)
        print(f"{sum(rows.values())} rows are in {len(rows)} tables of PostgreSQL", flush=True)
        with closing(Legacy(database.text)) as legacy, closing(Table(endpoint)) as table:
            migration = Migration(
                keyfold=Keyfold(database, endpoint),
                legacy=legacy,
                table=table,
                book=book,
                story=Story(rows),
                reports=reports,
                say=lambda text: print(text, flush=True),
                pace=options.pace,
                seconds=options.seconds,
                lasts=options.seconds,
            )
            story = migration.run()
    for path in write(story, reports):
        print(f"written {path}", flush=True)
    return story


def main(arguments: list[str] | None = None) -> int:
    """The program's exit code."""
    options = given(arguments)
    try:
        print(verdict_of(migrate(options)))
    except (CommandFailed, KeyfoldError, NoPostgres, NotEmpty, OSError, psycopg.Error) as error:
        print(f"The shop stays where it is: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
