"""Opens the book as the environment describes it, and closes it at Ctrl-C."""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from keyfold import KeyfoldError, Options

from bookmarks.api import application
from bookmarks.model import AsyncBookmarksClient
from bookmarks.names import WrongName, check_name

ENVIRONMENT = """\
environment:
  BOOKMARKS_CONNECTION
      the database: keyfold:./data if it is not set
  BOOKMARKS_HOST, PORT
      where it listens: a free port of 127.0.0.1 if they are not set
  ALLOW_HOST
      a name that it answers to, beside addresses, localhost and names without a dot
"""


def given() -> argparse.Namespace:
    """The arguments. It ends the program for --help, and for arguments that it does not take."""
    parser = argparse.ArgumentParser(
        prog="python -m bookmarks",
        description="Opens the book of two devices as a page and an API, until Ctrl-C.",
        epilog=ENVIRONMENT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    return parser.parse_args()


class WrongPort(Exception):
    """PORT is no port."""


def given_port() -> int:
    """The port to listen on: a free one where PORT is not set."""
    text = os.environ.get("PORT", "0")
    if not re.fullmatch("[0-9]{1,5}", text) or int(text) > 65535:
        raise WrongPort(
            f"PORT is {text!r}. Set it to a whole number from 0 to 65535; 0 is a free port"
        )
    return int(text)


class Server(uvicorn.Server):
    """A server that says where it is open, and ends without an error at a signal."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Starts to answer."""
        await super().startup(sockets)
        for one in sockets or []:
            host, port = one.getsockname()[:2]
            host = f"[{host}]" if ":" in host else host
            print(
                f"The book is open at http://{host}:{port} (Ctrl-C closes it)",
                flush=True,
            )

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Ends by either signal."""
        loop = asyncio.get_running_loop()
        for one in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(one, self._end)
        yield

    def _end(self) -> None:
        self.should_exit = True


async def serve(port: int) -> None:
    """Serves until a signal."""
    environment = os.environ
    options = Options(timeout=5)
    connection = environment.get("BOOKMARKS_CONNECTION", "keyfold:./data")
    async with AsyncBookmarksClient(connection, options) as client:
        await client.ensure_tables()
        place = (
            environment.get("BOOKMARKS_HOST", "127.0.0.1"),
            port,
        )
        config = uvicorn.Config(
            application(client), log_level="warning", lifespan="off"
        )
        family = socket.AF_INET6 if ":" in place[0] else socket.AF_INET
        with socket.create_server(place, family=family) as listening:
            await Server(config).serve([listening])


def main() -> int:
    """The program's exit code."""
    given()
    try:
        check_name()
        asyncio.run(serve(given_port()))
    except (KeyfoldError, OSError, WrongName, WrongPort) as error:
        print(f"The book stays closed: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
