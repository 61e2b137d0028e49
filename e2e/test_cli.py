"""The AWS CLI, as a shell uses it."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from server import Server

AWS = str(pathlib.Path(sys.executable).parent / "aws")


class Cli(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.folder = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()
        assert cls.server.stop() == 0

    def aws(self, *arguments, service="dynamodb", code=0):
        environment = {
            **os.environ,
            "AWS_ACCESS_KEY_ID": "AK",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_DEFAULT_REGION": "eu-west-1",
            "AWS_CONFIG_FILE": self.folder.name + "/config",
            "AWS_PAGER": "",
        }
        command = [AWS, service, *arguments, "--endpoint-url", self.server.endpoint, "--output", "json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
        self.assertEqual(done.returncode, code, f"{command}\n{done.stdout}{done.stderr}")
        if code:
            return done.stderr
        return json.loads(done.stdout) if done.stdout.strip() else None

    def test_a_table_from_beginning_to_end(self):
        table = self.aws(
            "create-table", "--table-name", "Music",
            "--attribute-definitions", "AttributeName=Artist,AttributeType=S", "AttributeName=Song,AttributeType=S",
            "--key-schema", "AttributeName=Artist,KeyType=HASH", "AttributeName=Song,KeyType=RANGE",
            "--billing-mode", "PAY_PER_REQUEST",
            "--stream-specification", "StreamEnabled=true,StreamViewType=NEW_IMAGE",
        )["TableDescription"]
        self.assertTrue(table["TableArn"].startswith("arn:aws:dynamodb:eu-west-1:"))
        self.aws("wait", "table-exists", "--table-name", "Music")
        item = '{"Artist": {"S": "Acme"}, "Song": {"S": "One"}, "Plays": {"N": "1"}}'
        self.aws("put-item", "--table-name", "Music", "--item", item)
        answer = self.aws(
            "update-item", "--table-name", "Music",
            "--key", '{"Artist": {"S": "Acme"}, "Song": {"S": "One"}}',
            "--update-expression", "ADD Plays :one", "--expression-attribute-values", '{":one": {"N": "1"}}',
            "--return-values", "ALL_NEW", "--return-consumed-capacity", "TOTAL",
        )
        self.assertEqual(answer["Attributes"]["Plays"], {"N": "2"})
        self.assertEqual(answer["ConsumedCapacity"]["CapacityUnits"], 1.0)
        answer = self.aws(
            "query", "--table-name", "Music", "--key-condition-expression", "Artist = :a",
            "--expression-attribute-values", '{":a": {"S": "Acme"}}',
        )
        self.assertEqual(answer["Count"], 1)
        answer = self.aws("execute-statement", "--statement", "SELECT Plays FROM Music WHERE Artist = 'Acme'")
        self.assertEqual(answer["Items"], [{"Plays": {"N": "2"}}])
        shown = self.aws("scan", "--table-name", "Music", "--select", "COUNT")
        self.assertEqual(shown["Count"], 1)
        arn = table["LatestStreamArn"]
        shard = self.aws("describe-stream", "--stream-arn", arn, service="dynamodbstreams")
        shard = shard["StreamDescription"]["Shards"][0]["ShardId"]
        place = self.aws(
            "get-shard-iterator", "--stream-arn", arn, "--shard-id", shard,
            "--shard-iterator-type", "TRIM_HORIZON", service="dynamodbstreams",
        )["ShardIterator"]
        records = self.aws("get-records", "--shard-iterator", place, service="dynamodbstreams")["Records"]
        self.assertEqual([record["eventName"] for record in records], ["INSERT", "MODIFY"])
        refused = self.aws("put-item", "--table-name", "Music", "--item", '{"Artist": {"S": "Acme"}}', code=255)
        self.assertIn("Missing the key Song in the item", refused)
        self.aws("delete-table", "--table-name", "Music")
        self.aws("wait", "table-not-exists", "--table-name", "Music")
