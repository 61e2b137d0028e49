"""What several tests share: models, plan documents, and a proxy that loses answers."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

PACKAGE = Path(__file__).resolve().parent.parent
ROOT = PACKAGE.parent.parent
CASES = ROOT / "clients" / "cases"
sys.path.insert(0, str(PACKAGE / "src"))
os.environ.setdefault("KEYFOLD_BIN", str(ROOT / "target" / "debug" / "keyfold"))
KEYFOLD = os.environ["KEYFOLD_BIN"]
MODELS = sorted((ROOT / "models").glob("*.keyfold"))
PROVED = ROOT / "crates" / "keyfold-prove" / "tests"
EVERYTHING = PROVED / "everything.keyfold"
PATHS = PROVED / "paths.keyfold"
SHOP = ROOT / "models" / "shop.keyfold"
THINGS = PACKAGE / "tests" / "things.keyfold"
BOOKING = {"accountId": "a", "amount": 7}
"""An item."""
# No environment of the machine decides where requests go.
for name in ("AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL"):
    os.environ.pop(name, None)
os.environ["AWS_EC2_METADATA_DISABLED"] = "true"


def plan(model: Path) -> dict[str, Any]:
    """The plan document of a model."""
    done = subprocess.run(
        [KEYFOLD, "plan", str(model)], capture_output=True, text=True, timeout=60, check=True
    )
    document: dict[str, Any] = json.loads(done.stdout)
    return document


Json = dict[str, Any]
Send = Callable[[], "tuple[int, bytes]"]
"""Sends the request on, and returns the answer."""
Answered = tuple[int, bytes] | tuple[int, bytes, dict[str, str]]
Fault = Callable[[str, Json, Send], "Answered | None"]
"""The answer to an operation and its input, perhaps with headers; none for a connection that is
closed without one."""


def throttled(_operation: str, _input: Json, _send: Send) -> tuple[int, bytes]:
    """Refuses a request because of too many."""
    error = "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"
    return 400, json.dumps({"__type": error, "message": "Too many requests"}).encode()


def lost_before(_operation: str, _input: Json, _send: Send) -> None:
    """Loses a request."""


def lost_after(_operation: str, _input: Json, send: Send) -> None:
    """Carries a request out and loses its answer."""
    send()


def failed(_operation: str, _input: Json, _send: Send) -> tuple[int, bytes]:
    """Fails as a service does."""
    error = "com.amazonaws.dynamodb.v20120810#InternalServerError"
    return 500, json.dumps({"__type": error, "message": "Internal server error"}).encode()


def page(_operation: str, _input: Json, send: Send) -> tuple[int, bytes]:
    """Carries a request out, and answers as a portal does."""
    send()
    return 200, b"<html>Please sign in</html>"


def cut(_operation: str, _input: Json, send: Send) -> tuple[int, bytes]:
    """Carries a request out, and cuts its answer."""
    return 200, send()[1][:-3]


def altered(_operation: str, _input: Json, send: Send) -> tuple[int, bytes, dict[str, str]]:
    """Carries a request out, and answers with another text than its checksum says."""
    send()
    return 200, b"{}", {"x-amz-crc32": "1"}


def timed_out(_operation: str, _input: Json, send: Send) -> tuple[int, bytes]:
    """Carries a request out, and answers as a proxy does that does not wait."""
    send()
    return 408, b"<html>Request Timeout</html>"


def conflicting(_operation: str, _input: Json, _send: Send) -> tuple[int, bytes]:
    """Refuses a transaction because of another one."""
    error = "com.amazonaws.dynamodb.v20120810#TransactionCanceledException"
    reasons = [{"Code": "TransactionConflict"}, {"Code": "None"}]
    held = {"__type": error, "message": "cancelled", "CancellationReasons": reasons}
    return 400, json.dumps(held).encode()


class Proxy:
    """Stands before a server. `faults` are the next faults by operation."""

    def __init__(self, endpoint: str) -> None:
        self.faults: dict[str, list[Fault]] = {}
        self.seen: list[tuple[str, Json]] = []
        """The operations that were asked, with their inputs."""
        proxy, lock = self, threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                operation = self.headers["X-Amz-Target"].partition(".")[2]
                request: Json = json.loads(body)
                with lock:
                    proxy.seen.append((operation, request))
                    waiting = proxy.faults.get(operation)
                    fault = waiting.pop(0) if waiting else None
                headers = dict(self.headers.items())

                def send() -> tuple[int, bytes]:
                    target = http.client.HTTPConnection(urlsplit(endpoint).netloc, timeout=30)
                    target.request("POST", "/", body, headers)
                    answer = target.getresponse()
                    return answer.status, answer.read()

                answer: Answered | None = (
                    send() if fault is None else fault(operation, request, send)
                )
                if answer is None:
                    self.close_connection = True
                    return
                self.send_response(answer[0])
                self.send_header("Content-Type", "application/x-amz-json-1.0")
                self.send_header("Content-Length", str(len(answer[1])))
                for name, value in (answer[2] if len(answer) == 3 else {}).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer[1])

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def fail(self, operation: str, *faults: Fault) -> None:
        """Makes the next requests of an operation fail."""
        self.faults.setdefault(operation, []).extend(faults)

    def operations(self) -> list[str]:
        """The operations that were asked since the last call."""
        seen, self.seen = self.seen, []
        return [operation for operation, _ in seen]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
