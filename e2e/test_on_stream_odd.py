"""`keyfold serve --on-stream` with functions that behave oddly: real processes, and real HTTP servers. The table in
docs/streams.md has each test."""

import contextlib
import http.server
import json
import pathlib
import socket
import sys
import tempfile
import threading
import time
import unittest

import boto3
from botocore.config import Config
from server import Server

ODD = pathlib.Path(__file__).resolve().parent / "handlers" / "odd.py"
MODEL = 'model notes 1\ntable Notes (PK, SK)\n  stream new and old images\nentity Note\n  id: string\n  key "NOTE#{id}" "N"\n'


class Odd(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.model = self.folder / "notes.keyfold"
        self.model.write_text(MODEL, encoding="utf-8")
        self.seen_file, self.failed_file = self.folder / "seen", self.folder / "failed"

    @contextlib.contextmanager
    def served(self, target, settings, *options):
        """A server whose table's changes go to a target, and a way to write notes."""
        mapping = f"Notes={target}?{settings}&on-failure={self.failed_file}"
        server = Server("--on-stream", mapping, *options, models=[str(self.model)])
        try:
            yield server
        finally:
            self.assertEqual(server.stop(), 0)

    def command(self, kind):
        return f'"{sys.executable}" "{ODD}" {kind} "{self.seen_file}"'

    def put(self, server, *notes):
        """Writes notes in one transaction: their records come one behind another, without a pause."""
        credentials = {"aws_access_key_id": "local", "aws_secret_access_key": "local"}
        config = Config(retries={"max_attempts": 1}, connect_timeout=20)
        client = boto3.client("dynamodb", "us-east-1", endpoint_url=server.endpoint, config=config, **credentials)
        items = [{"PK": {"S": f"NOTE#{note}"}, "SK": {"S": "N"}, "id": {"S": note}} for note in notes]
        client.transact_write_items(TransactItems=[{"Put": {"TableName": "Notes", "Item": item}} for item in items])
        client.close()

    def seen(self):
        return self.lines(self.seen_file)

    def failed(self):
        """Of each batch that was discarded: its size, how often the function was called with it, and the cause."""
        return [
            (
                record["DDBStreamBatchInfo"]["batchSize"],
                record["requestContext"]["approximateInvokeCount"],
                record["requestContext"]["condition"],
            )
            for record in self.lines(self.failed_file)
        ]

    def lines(self, file):
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True) if file.exists() else []
        return [json.loads(line) for line in lines if line.endswith("\n")]

    def until(self, is_so):
        end = time.monotonic() + 60
        while not is_so():
            self.assertLess(time.monotonic(), end, f"seen {self.seen()}, failed {self.failed()}")
            time.sleep(0.05)


class Processes(Odd):
    def answered(self):
        """The calls whose answers were taken."""
        return [note["of"] for note in self.seen() if isinstance(note, dict) and note["status"] == 202]

    def test_a_process_that_asks_twice_at_once_answers_each_call_once(self):
        # Four shards have calls at the same time, for one process.
        with self.served(self.command("twice"), "batch=1&retries=0", "--stream-shards", "4") as server:
            notes = [f"note {n}" for n in range(12)]
            self.put(server, *notes)
            self.until(lambda: len(self.answered()) >= len(notes))
        # The second request gets the same call, or the one behind it: none is lost, and one answer of each counts.
        self.assertEqual(sorted(self.answered()), sorted(f"NOTE#{note}" for note in notes))
        self.assertEqual(self.failed(), [])

    def test_a_process_that_asks_before_it_has_answered_gets_the_same_call_again(self):
        with self.served(self.command("again"), "batch=1&retries=0") as server:
            self.put(server, "a", "b")
            self.until(lambda: len(self.seen()) == 5)
        self.assertEqual(self.seen(), [["a"], ["a"], [True, 202, 400], ["b"], [400, 202]])
        self.assertEqual(self.failed(), [])

    def test_a_process_that_hangs_is_ended_and_its_batch_has_failed(self):
        with self.served(self.command("hang"), "batch=1&retries=1&timeout=1") as server:
            self.put(server, "a", "bad", "b")
            self.until(lambda: ["b"] in self.seen())
        self.assertEqual(self.seen(), [["a"], ["bad"], ["bad"], ["b"]])
        self.assertEqual(self.failed(), [(1, 2, "RetryAttemptsExhausted")])

    def test_an_answer_after_the_time_of_the_function_means_nothing(self):
        with self.served(self.command("late"), "batch=1&retries=1&timeout=1") as server:
            self.put(server, "a", "b")
            self.until(lambda: ["b"] in self.seen())
        self.assertEqual(self.seen(), [["a"], ["a"], ["b"]])
        self.assertEqual(self.failed(), [])

    def test_a_process_that_asks_for_no_next_call_is_ended(self):
        with self.served(self.command("silent"), "batch=1&retries=0&timeout=1") as server:
            self.put(server, "a", "b")
            self.until(lambda: ["b"] in self.seen())
        self.assertEqual(self.seen(), [["a"], ["b"]])
        self.assertEqual(self.failed(), [])

    def test_a_process_that_is_killed_has_failed_also_when_the_server_is_killed_meanwhile(self):
        with self.served(self.command("die"), "batch=1&retries=2") as server:
            self.put(server, "a", "b")
            self.until(lambda: ["b"] in self.seen())
            before = self.seen()
            server.kill_and_restart()
            self.put(server, "bad", "c")
            self.until(lambda: ["c"] in self.seen())
        self.assertEqual(before, [["a"], ["a"], ["b"]])
        # The server may have been killed before it stored that `b` is handled.
        after = [note for note in self.seen()[len(before) :] if note != ["b"]]
        self.assertEqual(after, [["bad"]] * 3 + [["c"]])
        self.assertEqual(self.failed(), [(1, 3, "RetryAttemptsExhausted")])

    def test_a_process_that_ends_at_its_start_uses_up_retries(self):
        with self.served(self.command("exit"), "batch=10&retries=1") as server:
            self.put(server, "a", "b")
            self.until(lambda: len(self.failed()) == 1)
        self.assertEqual(self.failed(), [(2, 2, "RetryAttemptsExhausted")])
        self.assertEqual(set(self.seen()), {"began"})

    def test_an_answer_that_is_garbage_is_a_failure_of_the_batch(self):
        with self.served(self.command("garbage"), "batch=1&retries=1&report-failures") as server:
            self.put(server, "a", "bad", "b")
            self.until(lambda: ["b"] in self.seen())
        self.assertEqual(self.seen(), [["a"], ["bad"], ["bad"], ["b"]])
        self.assertEqual(self.failed(), [(1, 2, "RetryAttemptsExhausted")])

    def test_a_batch_of_which_the_answer_names_a_record_goes_on_there(self):
        with self.served(self.command("known"), "batch=4&window=1&retries=1&report-failures") as server:
            self.put(server, "a", "bad", "b", "c")
            self.until(lambda: len(self.failed()) == 1)
            self.put(server, "d")
            self.until(lambda: ["d"] in self.seen())
        self.assertEqual(self.seen(), [["a", "bad", "b", "c"], ["bad", "b", "c"], ["d"]])
        self.assertEqual(self.failed(), [(3, 2, "RetryAttemptsExhausted")])

    def test_a_batch_is_divided_at_the_record_that_the_answer_names(self):
        with self.served(self.command("known"), "batch=4&window=1&retries=0&bisect&report-failures") as server:
            self.put(server, "a", "bad", "b", "c")
            self.until(lambda: ["b"] in self.seen() or ["b", "c"] in self.seen() or ["c"] in self.seen())
            self.until(lambda: len(self.failed()) == 1)
            self.put(server, "d")
            self.until(lambda: ["d"] in self.seen())
        self.assertEqual([size for size, _, _ in self.failed()], [1])
        handled = [note for batch in self.seen() if "bad" not in batch for note in batch]
        self.assertEqual(handled, ["b", "c", "d"])

    def test_an_answer_that_names_no_record_of_the_batch_is_a_failure_of_the_batch(self):
        for kind in ("unknown", "empty"):
            with self.subTest(kind=kind):
                self.seen_file.unlink(missing_ok=True)
                self.failed_file.unlink(missing_ok=True)
                settings = "batch=3&window=1&retries=1&report-failures"
                with self.served(self.command(kind), settings) as server:
                    self.put(server, "a", "bad", "b")
                    self.until(lambda: len(self.failed()) == 1)
                self.assertEqual(self.seen(), [["a", "bad", "b"]] * 2)
                self.assertEqual(self.failed(), [(3, 2, "RetryAttemptsExhausted")])


class Failing(http.server.BaseHTTPRequestHandler):
    """A function that always fails."""

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(500)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Urls(Odd):
    def setUp(self):
        super().setUp()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=16)
        self.addCleanup(self.listener.close)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}/f"

    def taken(self):
        """Takes one request; returns its connection. Its notes are seen."""
        self.listener.settimeout(60)
        text = b""
        while not text:
            # At its start a server connects once, and asks for nothing.
            connection, _ = self.listener.accept()
            self.addCleanup(connection.close)
            connection.settimeout(60)
            text = connection.recv(65536)
        while b"\r\n\r\n" not in text:
            text += connection.recv(65536)
        head, _, body = text.partition(b"\r\n\r\n")
        length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        while len(body) < length:
            body += connection.recv(65536)
        notes = [record["dynamodb"]["Keys"]["PK"]["S"].removeprefix("NOTE#") for record in json.loads(body)["Records"]]
        with open(self.seen_file, "a", encoding="utf-8") as seen:
            seen.write(json.dumps(notes) + "\n")
        return connection

    def answer(self, status="200 OK", body="null"):
        connection = self.taken()
        text = f"HTTP/1.1 {status}\r\ncontent-length: {len(body)}\r\n\r\n{body}"
        connection.sendall(text.encode())
        connection.close()

    def test_a_url_that_does_not_take_the_connection_uses_up_no_retry(self):
        # Its queue of connections is full: one more waits, and nobody says so.
        full = socket.socket()
        self.addCleanup(full.close)
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        address = full.getsockname()
        others = [socket.socket() for _ in range(4)]
        for other in others:
            self.addCleanup(other.close)
            other.setblocking(False)
            other.connect_ex(address)
        with self.served(f"http://127.0.0.1:{address[1]}/f", "batch=1&retries=0&timeout=1") as server:
            self.put(server, "a")
            # Long enough for several tries, each of which ends after the function's time.
            time.sleep(4)
            self.assertEqual(self.failed(), [])
            for other in others:
                other.close()
            self.listener = full
            while not self.seen():
                self.answer_or_skip()
        self.assertEqual(set(map(tuple, self.seen())), {("a",)})
        self.assertEqual(self.failed(), [])

    def answer_or_skip(self):
        """Takes a connection, and answers what it sends, if anything."""
        self.listener.settimeout(60)
        connection, _ = self.listener.accept()
        connection.settimeout(1)
        with connection, contextlib.suppress(TimeoutError, ConnectionError):
            text = connection.recv(65536)
            if text:
                with open(self.seen_file, "a", encoding="utf-8") as seen:
                    seen.write('["a"]\n')
                connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nnull")

    def test_a_url_that_answers_429_was_not_called_and_with_500_it_was(self):
        with self.served(self.url, "batch=1&retries=1") as server:
            self.put(server, "a", "b")
            for status in ("429 Too Many Requests", "500 x", "429 Too Many Requests", "500 x"):
                self.answer(status)
            self.answer()
        self.assertEqual(self.seen(), [["a"]] * 4 + [["b"]])
        self.assertEqual(self.failed(), [(1, 2, "RetryAttemptsExhausted")])

    def test_an_answer_without_an_end_is_an_error_of_the_function(self):
        with self.served(self.url, "batch=1&retries=1&timeout=4") as server:
            self.put(server, "a", "b")
            # The first one is long, the second one slow.
            connection = self.taken()
            connection.sendall(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
            sent = 0
            with contextlib.suppress(OSError):
                while True:
                    connection.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")
                    sent += 65536
            # What Lambda takes, and what waits in buffers.
            self.assertLess(sent, 32 * 1024 * 1024)
            connection = self.taken()
            connection.sendall(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
            with contextlib.suppress(OSError):
                for _ in range(300):
                    connection.sendall(b"1\r\nx\r\n")
                    time.sleep(0.2)
            self.answer()
        self.assertEqual(self.seen(), [["a"], ["a"], ["b"]])
        self.assertEqual(self.failed(), [(1, 2, "RetryAttemptsExhausted")])

    def test_mappings_with_one_destination_write_whole_lines(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Failing)
        self.addCleanup(server.server_close)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        url = f"http://127.0.0.1:{server.server_port}/f"
        settings = "batch=1&retries=0&parallel=4"
        others = [f"Notes={url}?{settings}&name=other{n}&on-failure={self.failed_file}" for n in range(3)]
        options = [word for other in others for word in ("--on-stream", other)]
        with self.served(url, settings, *options) as served:
            self.put(served, *(f"note {n}" for n in range(100)))
            self.until(lambda: len(self.failed_file.read_text(encoding="utf-8").splitlines()) >= 400)
        self.assertEqual(self.failed(), [(1, 1, "RetryAttemptsExhausted")] * 400)

    def test_an_answer_of_a_url_after_the_time_of_the_function_means_nothing(self):
        with self.served(self.url, "batch=1&retries=1&timeout=1") as server:
            self.put(server, "a", "b")
            late = self.taken()
            self.answer()
            with contextlib.suppress(OSError):
                late.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nnull")
            self.answer()
        self.assertEqual(self.seen(), [["a"], ["a"], ["b"]])
        self.assertEqual(self.failed(), [])


if __name__ == "__main__":
    unittest.main()
