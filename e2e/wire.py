"""Clients of all languages side by side, each on a server of its own behind a proxy that records.

The calls are those of docs/transcripts.md, drawn by `keyfold prove --record`. The programs that carry
them out are the tests' own of each language: `crates/keyfold-prove/examples/calls.rs`,
`clients/typescript/test/lockstep.ts` and `clients/python/tests/lockstep.py`, each with the transport
that programs have.
"""

import base64
import gzip
import http.client
import json
import pathlib
import subprocess
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from server import KEYFOLD, ROOT

CALLS = pathlib.Path(KEYFOLD).resolve().parent / "examples" / "calls"
TYPESCRIPT = ROOT / "clients" / "typescript" / "built" / "lockstep.mjs"
PYTHON = ROOT / "clients" / "python"
EVERYTHING = ROOT / "crates" / "keyfold-prove" / "tests" / "everything.keyfold"
# Operations that look at tables: when a client asks for them is its own matter.
CONTROL = ("DescribeTable", "DescribeTimeToLive", "DescribeContinuousBackups", "ListTables")


class Memory:
    """A server in memory with the tables of a model; it ends with this process at the latest."""

    def __init__(self, model):
        command = [KEYFOLD, "serve", "--json", "--memory", "--port", "0", "--until-stdin-closes", str(model)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.endpoint = json.loads(self.process.stdout.readline())["result"]["endpoint"]

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(timeout=20)


class Proxy:
    """Forwards requests to a server, and keeps their operations and bodies."""

    def __init__(self, endpoint):
        self.sent = []
        place = urlsplit(endpoint)
        kept = threading.local()
        recorded = self.sent

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name: text for name, text in self.headers.items() if name.lower() != "accept-encoding"}
                held = gzip.decompress(body) if headers.get("Content-Encoding") == "gzip" else body
                recorded.append((self.headers["X-Amz-Target"].partition(".")[2], json.loads(held)))
                if not hasattr(kept, "connection"):
                    kept.connection = http.client.HTTPConnection(place.hostname, place.port, timeout=60)
                kept.connection.request("POST", self.path, body, headers)
                answer = kept.connection.getresponse()
                content = answer.read()
                self.send_response(answer.status)
                for name, text in answer.getheaders():
                    if name.lower() not in ("content-length", "transfer-encoding", "connection", "date", "server"):
                        self.send_header(name, text)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def finish(self):
                if hasattr(kept, "connection"):
                    kept.connection.close()
                super().finish()

            def log_message(self, *_):
                pass

        class Listener(ThreadingHTTPServer):
            daemon_threads = True
            # A client may open as many connections at once as a pattern has shards.
            request_queue_size = 256

        self.server = Listener(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def taken(self):
        """The requests since the last time, in the form in which equal ones are equal. Those of a call
        that are asked at the same time arrive in any order."""
        found = [(name, body) for name, body in self.sent if name not in CONTROL]
        self.sent.clear()
        return sorted(json.dumps([name, canonical(body)], sort_keys=True) for name, body in found)

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def canonical(value, name=""):
    """A body without what differs from call to call: sets in order, compressed values expanded, and the
    token by which a transaction is repeated."""
    if isinstance(value, dict):
        return {key: canonical(one, key) for key, one in value.items()}
    if isinstance(value, list):
        all_of = [canonical(one) for one in value]
        return sorted(all_of, key=json.dumps) if name in ("SS", "NS", "BS") else all_of
    if name == "ClientRequestToken":
        return "token"
    if name == "B" and base64.b64decode(value)[:2] == b"\x1f\x8b":
        return {"expanded": gzip.decompress(base64.b64decode(value)).decode()}
    return value


class Program:
    """A program that carries calls out, line by line."""

    def __init__(self, command, plan=None):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if plan is not None:
            self.carry(plan)

    def carry(self, line):
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(timeout=60)


def program(language, model, plan, endpoint):
    """The program of a language on an endpoint."""
    if language == "rust":
        return Program([CALLS, str(model), endpoint])
    return Program(command_of(language, endpoint), plan)


def command_of(language, endpoint):
    if language == "typescript":
        return ["node", TYPESCRIPT, endpoint]
    python = [PYTHON / ".venv" / "bin" / "python", PYTHON / "tests" / "lockstep.py", "--endpoint", endpoint]
    return [*python, *(["--async"] if language == "python, awaited" else [])]


def generated(language, model, plan, endpoint):
    """The same program, which calls the methods of the file that is generated of the model."""
    program = Program([*command_of(language, endpoint), "--generated"])
    name = program.carry(plan)["generate"]
    command = [KEYFOLD, "generate", name, str(model), "--exact-numbers"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: {done.stderr}")
    program.carry({"generated": done.stdout})
    return program


LANGUAGES = ("rust", "typescript", "python", "python, awaited")


class Command:
    """Carries calls out by the command line. Those that it does not have are another program's."""

    def __init__(self, model, endpoint):
        self.model, self.endpoint = model, endpoint
        self.other = program("rust", model, None, endpoint)
        self.is_own = True

    def carry(self, line):
        words = words_of(line["call"], str(self.model))
        self.is_own = words is not None
        if words is None:
            return self.other.carry(line)
        done = subprocess.run(
            [KEYFOLD, *words, "--json", "--endpoint", self.endpoint], capture_output=True, text=True, timeout=60
        )
        answer = json.loads(done.stdout)
        # The command asks for a change before it sends anything; the clients accept none.
        if "nothing to change" in done.stdout and not answer["ok"]:
            self.is_own = False
            return self.other.carry(line)
        return answer

    def close(self):
        self.other.close()


def words_of(call, model):
    """A call as words of the command line; none where it has no such call."""
    kind = call["kind"]
    values = call.get("arguments") if kind in ("all", "write") else call.get("values")
    if kind in ("get_many", "put_many", "delete_many", "transact", "page") or call.get("backward") or call.get("strong"):
        return None
    given = [f'"{name}"={text_of(value)}' for name, value in values.items()]
    if any("\0" in one for one in given):
        return None
    if kind == "all":
        limit = ["--limit", str(call["limit"])] if call["limit"] else []
        return ["run", model, call["pattern"], *given, "--all", *limit]
    if kind == "write":
        return ["run", model, call["write"], *given]
    if kind == "update":
        removed = [word for name in call["remove"] for word in ("--remove", name)]
        return ["update", model, call["entity"], *given, *removed]
    command = {"create": ["put"], "put": ["put"], "delete": ["delete"]}[kind]
    return [*command, model, call["entity"], *given, *(["--new"] if kind == "create" else [])]


def text_of(value):
    """A value as the text of an argument."""
    ((kind, held),) = value.items()
    if kind in ("S", "N", "B"):
        return held
    return str(held).lower() if kind == "BOOL" else written(value)


def written(value):
    """A value as JSON, whose numbers keep all digits."""
    ((kind, held),) = value.items()
    if kind == "N":
        return held
    if kind in ("L", "SS", "NS", "BS"):
        of = {"SS": "S", "NS": "N", "BS": "B"}.get(kind)
        return "[" + ",".join(written({of: one} if of else one) for one in held) + "]"
    if kind == "M":
        return "{" + ",".join(f"{json.dumps(name)}:{written(one)}" for name, one in held.items()) + "}"
    return json.dumps(held)


def drawn(model, *options):
    """The calls of a proof of a model, and the line with its plan."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "calls.jsonl"
        command = [KEYFOLD, "prove", str(model), "--record", str(path), *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(command)}: {done.stdout}{done.stderr}")
        plan, *calls = (json.loads(line) for line in path.read_text().splitlines())
    members = ("call", "now", "random")
    return plan, [{name: one[name] for name in members} for one in calls]
