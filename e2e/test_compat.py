"""COMPAT.md says of every operation and member what a server does."""

import unittest
import urllib.error
import urllib.request

import compat
from server import Server


class Compat(unittest.TestCase):
    def test_the_document_is_current(self):
        self.assertEqual(
            (compat.ROOT / "COMPAT.md").read_text(),
            compat.document(),
            "COMPAT.md is not what compat.toml says; run `e2e/.venv/bin/python e2e/compat.py`",
        )

    def test_the_exceptions_are_of_the_model(self):
        known, model = compat.exceptions(), compat.models()
        for operation in [*known["differs"], *known["absent"]]:
            self.assertIn(operation, model)
        for name in known["members"]:
            operation, member = name.split(".")
            self.assertIn(member, model[operation], name)

    def test_every_operation_does_what_is_said(self):
        server = Server("--allow-unsigned")
        absent = compat.exceptions()["absent"]
        streams = ("ListStreams", "DescribeStream", "GetShardIterator", "GetRecords")
        try:
            for operation in compat.models():
                prefix = "DynamoDBStreams_20120810" if operation in streams else "DynamoDB_20120810"
                headers = {"X-Amz-Target": f"{prefix}.{operation}", "Content-Type": "application/x-amz-json-1.0"}
                request = urllib.request.Request(server.endpoint, b"{}", headers)
                try:
                    answer = urllib.request.urlopen(request).read().decode()
                except urllib.error.HTTPError as error:
                    answer = error.read().decode()
                refused = "Keyfold does not support the operation" in answer
                self.assertEqual(refused, operation in absent, f"{operation}: {answer}")
                self.assertNotIn("UnknownOperation", answer)
        finally:
            self.assertEqual(server.stop(), 0)
