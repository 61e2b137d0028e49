"""A real PostgreSQL: the shop's database, in a folder of its own on a free port, whose log tells rows.

It is never run as root, which initdb refuses: root runs it as the user `postgres` of Debian's
package. It ends with the program, however that ends.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

START_WITHIN = 30
PREFIX = "from-postgres-"
USER = "shop"
LEFT_AFTER = 600
MISSING = "PostgreSQL is needed: install Debian's package postgresql, or put `initdb` on the PATH"


class NoPostgres(Exception):
    """PostgreSQL is not there, or does not start."""


def programs() -> Path:
    """The folder of PostgreSQL's programs, those of the highest version."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent
    installed = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    versions = sorted(installed, key=lambda one: float(one.parent.parent.name))
    if not versions:
        raise NoPostgres(MISSING)
    return versions[-1].parent


def as_own_user(*command: str) -> list[str]:
    """The command as a user who is not root, which ends when this program does."""
    own = ["--reuid=postgres", "--regid=postgres", "--clear-groups"]
    who = own if os.geteuid() == 0 else []
    return ["setpriv", *who, "--pdeathsig", "INT", "--", *command]


@dataclass(frozen=True, slots=True)
class Database:
    """Where the database is."""

    port: int
    password: str

    @property
    def text(self) -> str:
        """The connection text for psycopg."""
        return f"host=127.0.0.1 port={self.port} user={USER} password={self.password} dbname=postgres"

    @property
    def url(self) -> str:
        """The name for `keyfold migrate`, which takes the password from PGPASSWORD."""
        return f"postgres://{USER}@127.0.0.1:{self.port}/postgres"


@contextmanager
def server() -> Iterator[Database]:
    """A server with an empty database."""
    binaries = programs()
    _sweep()
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    try:
        password = secrets.token_hex()
        secret = folder / "password"
        secret.write_text(password)
        if os.geteuid() == 0:
            for path in (folder, secret):
                shutil.chown(path, "postgres", "postgres")
        data = str(folder / "data")
        rights = ["--auth=scram-sha-256", f"--pwfile={secret}", f"--username={USER}"]
        form = ["--encoding=UTF8", "--locale=C", "--no-sync"]
        _run(folder, str(binaries / "initdb"), "-D", data, *rights, *form)
        port = _free_port()
        settings = [
            f"port={port}",
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
        ]
        # What it holds is made at each start, so that nothing is lost with the machine. The log tells which
        # rows change.
        settings += ["fsync=off", "log_min_messages=fatal", "wal_level=logical"]
        options = [part for one in settings for part in ("-c", one)]
        command = as_own_user(str(binaries / "postgres"), "-D", data, *options)
        running = subprocess.Popen(
            command,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # Ctrl-C is for the program, which ends the server at its own end.
            start_new_session=True,
        )
        try:
            database = Database(port, password)
            _await(running, database.text)
            yield database
        finally:
            running.send_signal(signal.SIGINT)
            running.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _sweep() -> None:
    """Removes the folders of programs that were killed: no server runs in them."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        try:
            age = time.time() - folder.stat().st_mtime
        except OSError:
            # Its own program has removed it.
            continue
        if age > LEFT_AFTER and not (folder / "data" / "postmaster.pid").exists():
            shutil.rmtree(folder, ignore_errors=True)


def _run(folder: Path, *command: str) -> None:
    done = subprocess.run(
        as_own_user(*command), cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise NoPostgres(f"{command[0]} fails: {done.stderr.strip()}")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert isinstance(port, int)
    return port


def _await(running: subprocess.Popen[bytes], text: str) -> None:
    """Waits until the server answers."""
    until = time.monotonic() + START_WITHIN
    while True:
        try:
            psycopg.connect(text).close()
            return
        except psycopg.OperationalError as error:
            if running.poll() is not None or time.monotonic() > until:
                raise NoPostgres(f"PostgreSQL does not answer: {error}") from error
            time.sleep(0.05)
