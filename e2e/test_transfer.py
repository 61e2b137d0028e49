"""Exports read, and files to import written, by Amazon's own libraries: boto3's types and Amazon Ion."""

import base64
import decimal
import gzip
import hashlib
import json
import pathlib
import tempfile
import time
import unittest

import boto3
from amazon.ion import simpleion
from boto3.dynamodb.types import Binary, TypeDeserializer

from server import Server
from test_boto3 import session
from test_control import eventually

ITEMS = [
    {"p": "plain", "n": decimal.Decimal("-12345678901234567890.5"), "small": decimal.Decimal("1E-100")},
    {
        "p": 'quotes " and \n lines \U0001f600',
        "b": Binary(b"\x00\xffhi"),
        "no": None,
        "yes": True,
        "list": [decimal.Decimal(1), "two", {"three": decimal.Decimal(3)}, []],
        "map": {"x y": "", "deep": {"er": [None]}},
        "texts": {"a", "b"},
        "numbers": {decimal.Decimal(1), decimal.Decimal("2.5")},
        "bytes": {Binary(b"1"), Binary(b"22")},
    },
]
SETS = {"$dynamodb_SS": str, "$dynamodb_NS": decimal.Decimal, "$dynamodb_BS": lambda member: Binary(bytes(member))}


def of_ion(value):
    """What boto3 would give for a value that Amazon's Ion reader gave."""
    marks = [mark.text for mark in getattr(value, "ion_annotations", ())]
    if marks:
        return {SETS[marks[0]](member) for member in value}
    if value is None or type(value).__name__ == "IonPyNull":
        return None
    if type(value).__name__ == "IonPyBool" or isinstance(value, bool):
        return bool(value)
    if isinstance(value, (int, decimal.Decimal)):
        return decimal.Decimal(value)
    if isinstance(value, bytes):
        return Binary(bytes(value))
    if isinstance(value, str):
        return str(value)
    if hasattr(value, "items"):
        return {str(name): of_ion(member) for name, member in value.items()}
    return [of_ion(member) for member in value]


def by_key(items):
    return sorted(items, key=lambda item: item["p"])


class Transfer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.buckets = tempfile.TemporaryDirectory()
        cls.server = Server("--buckets", cls.buckets.name)
        cls.client = boto3.client("dynamodb", **session(cls.server))
        cls.resource = boto3.resource("dynamodb", **session(cls.server))
        cls.client.create_table(TableName="Out", BillingMode="PAY_PER_REQUEST", **cls.key())
        cls.client.update_continuous_backups(
            TableName="Out", PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
        )
        for item in ITEMS:
            cls.resource.Table("Out").put_item(Item=item)
        cls.arn = cls.client.describe_table(TableName="Out")["Table"]["TableArn"]

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.resource.meta.client.close()
        assert cls.server.stop() == 0
        cls.buckets.cleanup()

    @staticmethod
    def key():
        return {
            "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
        }

    def export(self, **extra):
        """Exports the table; gives the texts of its data files, checked against the manifests."""
        begun = self.client.export_table_to_point_in_time(TableArn=self.arn, S3Bucket="bucket", **extra)
        arn = begun["ExportDescription"]["ExportArn"]

        def done():
            told = self.client.describe_export(ExportArn=arn)["ExportDescription"]
            return told if told["ExportStatus"] != "IN_PROGRESS" else None

        told = eventually(done)
        self.assertEqual(told["ExportStatus"], "COMPLETED", told)
        bucket = pathlib.Path(self.buckets.name) / "bucket"
        summary = json.loads((bucket / told["ExportManifest"]).read_text())
        self.assertEqual(summary["itemCount"], told["ItemCount"])
        texts = []
        for line in (bucket / summary["manifestFilesS3Key"]).read_text().splitlines():
            file = json.loads(line)
            packed = (bucket / file["dataFileS3Key"]).read_bytes()
            self.assertEqual(file["md5Checksum"], base64.b64encode(hashlib.md5(packed).digest()).decode())
            texts.append(gzip.decompress(packed).decode())
        return texts

    def imported(self, table, **source):
        begun = self.client.import_table(
            TableCreationParameters={"TableName": table, "BillingMode": "PAY_PER_REQUEST", **self.key()}, **source
        )
        arn = begun["ImportTableDescription"]["ImportArn"]

        def done():
            told = self.client.describe_import(ImportArn=arn)["ImportTableDescription"]
            return told if told["ImportStatus"] != "IN_PROGRESS" else None

        told = eventually(done)
        self.assertEqual((told["ImportStatus"], told["ErrorCount"]), ("COMPLETED", 0), told)
        return by_key(self.resource.Table(table).scan()["Items"])

    def test_boto3_reads_exported_json(self):
        reader = TypeDeserializer()
        lines = [line for text in self.export() for line in text.splitlines()]
        items = [json.loads(line)["Item"] for line in lines]

        def binaries(value):  # what the transport of boto3 would have decoded
            (kind, inner), = value.items()
            if kind == "B":
                return {kind: base64.b64decode(inner)}
            if kind == "BS":
                return {kind: [base64.b64decode(one) for one in inner]}
            if kind == "L":
                return {kind: [binaries(one) for one in inner]}
            if kind == "M":
                return {kind: {name: binaries(one) for name, one in inner.items()}}
            return value

        read = [{name: reader.deserialize(binaries(value)) for name, value in item.items()} for item in items]
        self.assertEqual(by_key(read), by_key(ITEMS))

    def test_amazons_ion_reads_exported_ion(self):
        rows = [row for text in self.export(ExportFormat="ION") for row in simpleion.loads(text, single_value=False)]
        self.assertEqual(by_key([of_ion(row["Item"]) for row in rows]), by_key(ITEMS))

    def test_ion_that_amazons_library_wrote_is_imported(self):
        rows = [
            {"Item": {"p": "one", "n": decimal.Decimal("1.50"), "whole": 7, "list": ["x", None, True]}},
            {"Item": {"p": "two", "map": {"a": decimal.Decimal("1E-10")}, "blob": b"\x01\x02"}},
        ]
        folder = pathlib.Path(self.buckets.name) / "in"
        folder.mkdir()
        for name, binary in (("text", False), ("binary", True)):
            data = simpleion.dumps(rows, binary=binary, sequence_as_stream=True)
            data = data.encode() if isinstance(data, str) else data
            (folder / f"{name}.ion.gz").write_bytes(gzip.compress(data))
            items = self.imported(
                f"From-{name}",
                S3BucketSource={"S3Bucket": "in", "S3KeyPrefix": name},
                InputFormat="ION",
                InputCompressionType="GZIP",
            )
            self.assertEqual(
                items,
                [
                    {"p": "one", "n": decimal.Decimal("1.5"), "whole": decimal.Decimal(7), "list": ["x", None, True]},
                    {"p": "two", "map": {"a": decimal.Decimal("1E-10")}, "blob": Binary(b"\x01\x02")},
                ],
            )

    def test_incremental_exports_tell_what_changed(self):
        table = self.resource.Table("Out")
        time.sleep(1.1)
        started = int(time.time())
        self.addCleanup(table.delete_item, Key={"p": "passing"})
        table.put_item(Item={"p": "passing", "v": 1})
        time.sleep(1.1)
        window = {"ExportFromTime": started, "ExportToTime": int(time.time())}
        texts = self.export(
            ExportType="INCREMENTAL_EXPORT",
            IncrementalExportSpecification=window,
            FilterSpecification={
                "KeyConditionExpression": "p = :p",
                "ExpressionAttributeValues": {":p": {"S": "passing"}},
            },
        )
        changes = [json.loads(line) for text in texts for line in text.splitlines()]
        self.assertEqual([change["NewImage"] for change in changes], [{"p": {"S": "passing"}, "v": {"N": "1"}}])


if __name__ == "__main__":
    unittest.main()
