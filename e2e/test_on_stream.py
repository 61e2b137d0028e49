"""`keyfold serve --on-stream` with functions in Python and Node, which speak the Lambda Runtime API."""

import json
import os
import pathlib
import re
import sys
import tempfile
import time
import unittest

from server import ROOT, Server

HANDLERS = pathlib.Path(__file__).resolve().parent / "handlers"
# The command of AWS's own runtime interface client in the documentation, with its settings.
DOCUMENTED = re.compile(r"--on-stream 'Orders=python (-m awslambdaric handler\.handle)\?(\S+)'")
COMMANDS = {
    "python": f'"{sys.executable}" "{HANDLERS / "handler.py"}"',
    "node": f'node "{HANDLERS / "handler.mjs"}"',
}
MODEL = 'model notes 1\ntable Notes (PK, SK)\n  stream new and old images\nentity Note\n  id: string\n  key "NOTE#{id}" "N"\n'

SLOW = """
import os, time, urllib.request
api = os.environ["AWS_LAMBDA_RUNTIME_API"]
urllib.request.urlopen(f"http://{api}/2018-06-01/runtime/invocation/next")
time.sleep(60)
"""

# What it handles, and which server it would ask.
MENDED = """
import json, os, urllib.request
invocation = f"http://{os.environ['AWS_LAMBDA_RUNTIME_API']}/2018-06-01/runtime/invocation"
while True:
    with urllib.request.urlopen(f"{invocation}/next") as call:
        event, id = json.load(call), call.headers["Lambda-Runtime-Aws-Request-Id"]
    with open(os.environ["SEEN"], "a") as seen:
        seen.write(json.dumps([record["dynamodb"]["Keys"]["PK"]["S"] for record in event["Records"]]) + "\\n")
        seen.write(json.dumps([os.environ["AWS_ENDPOINT_URL_DYNAMODB"]]) + "\\n")
    urllib.request.urlopen(f"{invocation}/{id}/response", data=b"null").read()
"""


class OnStream(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.model = self.folder / "notes.keyfold"
        self.model.write_text(MODEL, encoding="utf-8")
        self.addCleanup(os.environ.pop, "SEEN", None)

    def test_functions_handle_fail_end_and_begin_again(self):
        for language, command in COMMANDS.items():
            with self.subTest(language=language):
                self.play(language, command)

    def play(self, language, command):
        seen, failed = self.folder / f"{language}.seen", self.folder / f"{language}.failed"
        os.environ["SEEN"] = str(seen)
        mapping = f"Notes={command}?batch=1&retries=1&report-failures&on-failure={failed}"
        server = Server("--on-stream", mapping, models=[str(self.model)])
        try:
            for note in ("a", "bad", "exit", "b"):
                server.keyfold("put", str(self.model), "Note", f"id={note}")
            wanted = ["a", "bad", "bad", "exit", "exit", "b"]
            self.assertEqual(self.notes(seen, len(wanted)), wanted)
            # The positions are stored: what was handled does not come again.
            self.until(lambda: len(failed.read_text().splitlines()) == 2)
            time.sleep(0.3)
            server.kill_and_restart()
            server.keyfold("put", str(self.model), "Note", "id=c")
            self.assertEqual(self.notes(seen, len(wanted) + 1), [*wanted, "c"])
        finally:
            self.assertEqual(server.stop(), 0)
        records = [json.loads(line) for line in failed.read_text().splitlines()]
        self.assertEqual([record["requestContext"]["condition"] for record in records], ["RetryAttemptsExhausted"] * 2)

    def test_a_function_that_takes_too_long_is_ended(self):
        failed = self.folder / "slow.failed"
        script = self.folder / "slow.py"
        script.write_text(SLOW, encoding="utf-8")
        mapping = f'Notes="{sys.executable}" "{script}"?retries=0&timeout=1&on-failure={failed}'
        server = Server("--on-stream", mapping, models=[str(self.model)])
        try:
            server.keyfold("put", str(self.model), "Note", "id=a")
            self.until(lambda: failed.read_text() != "")
        finally:
            self.assertEqual(server.stop(), 0)

    def test_a_discarded_batch_is_replayed_to_a_command(self):
        failed, script, seen = (self.folder / name for name in ("failed", "mended.py", "seen"))
        script.write_text(MENDED, encoding="utf-8")
        os.environ["SEEN"] = str(seen)
        mapping = f"Notes={COMMANDS['python']}?batch=1&retries=0&report-failures&on-failure={failed}"
        server = Server("--on-stream", mapping, models=[str(self.model)])
        try:
            for note in ("a", "bad", "b"):
                server.keyfold("put", str(self.model), "Note", f"id={note}")
            self.assertEqual(self.notes(seen, 3), ["a", "bad", "b"])
            self.until(lambda: failed.read_text() != "")
            seen.unlink()
            mended = f'Notes="{sys.executable}" "{script}"'
            sent = server.keyfold("events", "replay", str(failed), "--to", mended)
            self.assertEqual([batch["handled"] for batch in sent["batches"]], [True])
            self.assertEqual(self.notes(seen, 2), ["bad", server.endpoint])
            left = server.keyfold("events", "failures", str(failed))
            self.assertEqual(left, {"batches": [], "replayed": 1})
        finally:
            self.assertEqual(server.stop(), 0)

    def test_the_documented_client_of_aws_calls_a_handler_as_it_is_deployed(self):
        words, settings = DOCUMENTED.search((ROOT / "docs" / "streams.md").read_text(encoding="utf-8")).groups()
        seen, failed = self.folder / "seen", self.folder / "failed"
        os.environ["SEEN"] = str(seen)
        words = words.replace("handler.", "plain.")
        command = f'env "PYTHONPATH={HANDLERS}" "{sys.executable}" {words}'
        server = Server("--on-stream", f"Notes={command}?{settings}&on-failure={failed}", models=[str(self.model)])
        try:
            for note in ("a", "bad", "b", "partly", "exit", "c"):
                server.keyfold("put", str(self.model), "Note", f"id={note}")
                # Each is a batch of its own, and comes as often as the settings say: once, and three times again.
                times = 4 if note in ("bad", "partly", "exit") else 1
                self.until(lambda: [notes for notes, _ in self.called(seen)].count([note]) == times)
            self.until(lambda: len(failed.read_text().splitlines()) == 3)
        finally:
            self.assertEqual(server.stop(), 0)
        calls = self.called(seen)
        self.assertEqual([notes for notes, _ in calls if notes in (["a"], ["b"], ["c"])], [["a"], ["b"], ["c"]])
        self.assertTrue(all(said["id"] and said["arn"] and said["left"] > 0 for _, said in calls), calls)
        records = [json.loads(line) for line in failed.read_text().splitlines()]
        self.assertEqual([record["requestContext"]["condition"] for record in records], ["RetryAttemptsExhausted"] * 3)

    def test_a_handler_that_the_client_of_aws_does_not_find_is_a_failure(self):
        os.environ["SEEN"] = str(self.folder / "seen")
        command = f'env "PYTHONPATH={HANDLERS}" "{sys.executable}" -m awslambdaric plain.nothing'
        failed = self.folder / "failed"
        mapping = f"Notes={command}?retries=0&on-failure={failed}"
        server = Server("--on-stream", mapping, models=[str(self.model)])
        try:
            server.keyfold("put", str(self.model), "Note", "id=a")
            self.until(lambda: failed.read_text() != "")
        finally:
            self.assertEqual(server.stop(), 0)

    def called(self, seen):
        """The calls of the handler: the notes of each, and what its context says."""
        return [json.loads(line) for line in seen.read_text().splitlines()] if seen.exists() else []

    def notes(self, seen, count):
        def read():
            lines = seen.read_text().splitlines() if seen.exists() else []
            return [json.loads(line)[0].removeprefix("NOTE#") for line in lines]

        self.until(lambda: len(read()) >= count)
        return read()

    def until(self, is_so):
        end = time.monotonic() + 30
        while not is_so():
            self.assertLess(time.monotonic(), end, "nothing came in 30 seconds")
            time.sleep(0.05)


if __name__ == "__main__":
    unittest.main()
