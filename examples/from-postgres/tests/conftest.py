"""Fixtures: a shop that was migrated, with the answers of both sides."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import both
import pytest
from keyfold import testing

from from_postgres.commands import Keyfold
from from_postgres.legacy import Legacy, Sizes, fill
from from_postgres.postgres import NoPostgres, server
from from_postgres.steps import Migration, Story
from from_postgres.table import Table

# A server in memory takes any keys; those of the environment are not for tests.
for name in [name for name in os.environ if name.startswith("AWS_")]:
    del os.environ[name]


@dataclass
class Moved:
    """What a migration left."""

    story: Story
    answers: dict[str, tuple[both.Answers, both.Answers]]
    """What SQL and the table answered when the table led and rows had followed."""
    reports: Path


@pytest.fixture(scope="session")
def moved(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Moved]:
    """A shop that was migrated while its program wrote. Where PostgreSQL is missing, one sentence says so."""
    reports = tmp_path_factory.mktemp("report")
    try:
        with server() as database, testing.serve() as tables:
            book, rows = fill(database.text, Sizes(150, 60, 400))
            answers: dict[str, tuple[both.Answers, both.Answers]] = {}
            with closing(Legacy(database.text)) as legacy, closing(Table(tables.endpoint)) as table:

                def settled() -> None:
                    for name, ask in both.ALL.items():
                        answers[name] = ask(legacy, table)

                migration = Migration(
                    keyfold=Keyfold(database, tables.endpoint),
                    legacy=legacy,
                    table=table,
                    book=book,
                    story=Story(rows),
                    reports=reports,
                    say=print,
                    settled=settled,
                    pace=15,
                    seconds=4,
                    lasts=3,
                )
                story = migration.run()
            yield Moved(story, answers, reports)
    except NoPostgres as error:
        pytest.fail(str(error), pytrace=False)
