"""The tables of the source designs as their articles' programs write them: ids only inside keys, attributes with
names of their own. boto3 makes each table and its items; the model of `models/existing` must verify every item,
answer every pattern with what boto3 wrote, and leave what it writes itself in the same form."""

import tempfile
import unittest
from decimal import Decimal

import boto3

from existing import DESIGNS
from server import ROOT, Server


def plain(value):
    """A value with numbers as text, the same whatever client read it."""
    if isinstance(value, dict):
        return {name: plain(field) for name, field in value.items()}
    if isinstance(value, list):
        return [plain(element) for element in value]
    if isinstance(value, (Decimal, int, float)) and not isinstance(value, bool):
        return format(Decimal(str(value)).normalize(), "f")
    return value


class Existing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(models=())
        cls.boto3 = boto3.resource(
            "dynamodb",
            endpoint_url=cls.server.endpoint,
            region_name="us-east-1",
            aws_access_key_id="local",
            aws_secret_access_key="local",
        )
        for design in DESIGNS.values():
            for definition in design.tables:
                cls.boto3.create_table(**definition)
            for table, items in design.items.items():
                for item in items:
                    cls.boto3.Table(table).put_item(Item=item)

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0

    def file(self, name):
        return str(ROOT / "models" / "existing" / f"{name}.keyfold")

    def verify(self, name, code=0):
        return self.server.keyfold("verify", self.file(name), code=code)

    def check_inferred(self, name):
        """The model that `infer` writes for the tables holds for every item."""
        design = DESIGNS[name]
        with tempfile.TemporaryDirectory() as folder:
            file = f"{folder}/{name}.keyfold"
            tables = [definition["TableName"] for definition in design.tables]
            self.server.keyfold("infer", *tables, "-o", file)
            self.server.keyfold("check", file, online=False)
            self.assertEqual(self.server.keyfold("verify", file)["findings"], [])

    def check(self, name):
        design = DESIGNS[name]
        self.check_inferred(name)
        verified = self.verify(name)
        self.assertEqual(verified["items"], sum(len(items) for items in design.items.values()))
        self.assertEqual(verified["kinds"], design.kinds)
        for ask in design.asks:
            ran = self.server.keyfold("run", self.file(name), *ask.words)
            found = [(item["kind"], plain(item["attributes"])) for item in ran["items"]]
            with self.subTest(ask.words):
                self.assertEqual(ran["requests"], 1)
                self.assertEqual(len(found), len(ask.expected), found)
                for (kind, attributes), (expected_kind, expected) in zip(found, ask.expected):
                    self.assertEqual(kind, expected_kind)
                    shown = {attribute: attributes.get(attribute) for attribute in expected}
                    self.assertEqual(shown, plain(expected))
        for write in design.writes:
            with self.subTest(write.words):
                self.server.keyfold("run", self.file(name), *write.words)
                for table, item in write.stored:
                    keys = {key["AttributeName"]: item[key["AttributeName"]] for key in self.boto3.Table(table).key_schema}
                    self.assertEqual(plain(self.boto3.Table(table).get_item(Key=keys)["Item"]), plain(item))
        self.verify(name)
        for broken in design.broken:
            with self.subTest(broken.item):
                table = self.boto3.Table(broken.table)
                keys = {key["AttributeName"]: broken.item[key["AttributeName"]] for key in table.key_schema}
                before = table.get_item(Key=keys).get("Item")
                table.put_item(Item=broken.item)
                report = self.verify(name, code=1)["result"]
                if before:
                    table.put_item(Item=before)
                else:
                    table.delete_item(Key=keys)
                kinds = [finding["kind"] for finding in report["findings"]]
                self.assertEqual(kinds, [broken.finding], report)
        self.verify(name)


def test_of(name):
    return lambda self: self.check(name)


for one in DESIGNS:
    setattr(Existing, f"test_{DESIGNS[one].ids}_{one}", test_of(one))


if __name__ == "__main__":
    unittest.main()
