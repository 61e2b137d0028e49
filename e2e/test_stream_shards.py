"""boto3 reads streams of several shards, which close, have children, and are trimmed."""

import collections
import threading
import time
import unittest

import boto3
from botocore.config import Config

from server import Server
from test_boto3 import session

ITEMS = 20


class Reader:
    """Reads a stream as a program must: every shard from its beginning, a parent to its end before its
    children."""

    def __init__(self, streams, arn):
        self.streams, self.arn = streams, arn
        self.iterators, self.ended = {}, set()
        self.changes = collections.defaultdict(list)
        self.numbers = []

    def shards(self):
        found, after = [], {}
        while True:
            page = self.streams.describe_stream(StreamArn=self.arn, Limit=2, **after)["StreamDescription"]
            found += page["Shards"]
            if "LastEvaluatedShardId" not in page:
                return found
            after = {"ExclusiveStartShardId": page["LastEvaluatedShardId"]}

    def look(self):
        listed = self.shards()
        names = {shard["ShardId"] for shard in listed}
        for shard in listed:
            name, parent = shard["ShardId"], shard.get("ParentShardId")
            is_ready = parent is None or parent in self.ended or parent not in names
            if is_ready and name not in self.iterators and name not in self.ended:
                asked = {"StreamArn": self.arn, "ShardId": name, "ShardIteratorType": "TRIM_HORIZON"}
                self.iterators[name] = self.streams.get_shard_iterator(**asked)["ShardIterator"]
        for name, iterator in list(self.iterators.items()):
            page = self.streams.get_records(ShardIterator=iterator, Limit=7)
            for record in page["Records"]:
                self.numbers.append(record["dynamodb"]["SequenceNumber"])
                self.changes[record["dynamodb"]["Keys"]["p"]["S"]].append(int(record["dynamodb"]["NewImage"]["n"]["N"]))
            if page.get("NextShardIterator"):
                self.iterators[name] = page["NextShardIterator"]
            else:
                del self.iterators[name]
                self.ended.add(name)
        return listed


class StreamShards(unittest.TestCase):
    def started(self, *arguments):
        self.server = Server(*arguments, models=())
        self.addCleanup(lambda: self.assertEqual(self.server.stop(), 0))
        self.connect()

    def connect(self):
        options = {**session(self.server), "config": Config(retries={"total_max_attempts": 1})}
        self.client = boto3.client("dynamodb", **options)
        self.streams = boto3.client("dynamodbstreams", **options)
        self.addCleanup(self.client.close)
        self.addCleanup(self.streams.close)

    def table(self):
        made = self.client.create_table(
            TableName="Tab",
            AttributeDefinitions=[{"AttributeName": "p", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "p", "KeyType": "HASH"}],
            BillingMode="PAY_PER_REQUEST",
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
        )
        return made["TableDescription"]["LatestStreamArn"]

    def put(self, name, n):
        self.client.put_item(TableName="Tab", Item={"p": {"S": name}, "n": {"N": str(n)}})

    def read_until(self, reader, changes):
        until = time.monotonic() + 60
        while sum(map(len, reader.changes.values())) < changes:
            self.assertLess(time.monotonic(), until, dict(reader.changes))
            reader.look()

    def test_changes_of_an_item_are_in_order_over_shards_that_split(self):
        self.started("--stream-shards", "2..6", "--shard-lifetime", "300ms")
        reader = Reader(self.streams, self.table())
        rounds, is_over = 0, threading.Event()

        def write():
            nonlocal rounds
            while not is_over.is_set():
                for item in range(ITEMS):
                    self.put(f"item {item}", rounds)
                rounds += 1

        writer = threading.Thread(target=write)
        writer.start()
        try:
            until = time.monotonic() + 60
            # Shards have closed, and their children have closed, too.
            while len(reader.ended) < 8 or rounds < 10:
                self.assertLess(time.monotonic(), until)
                reader.look()
        finally:
            is_over.set()
            writer.join()
        self.read_until(reader, rounds * ITEMS)
        self.assertEqual(len(set(reader.numbers)), len(reader.numbers))
        self.assertEqual(len(reader.changes), ITEMS)
        for name, changes in reader.changes.items():
            self.assertEqual(changes, list(range(rounds)), name)
        # A shard may close between its listing and the reading of its last record.
        listed = reader.shards()
        with_parent = [shard for shard in listed if "ParentShardId" in shard]
        self.assertGreaterEqual(len(with_parent), 4)
        for shard in listed:
            if shard["ShardId"] in reader.ended:
                self.assertIn("EndingSequenceNumber", shard["SequenceNumberRange"])

    def test_shards_and_their_order_outlast_a_killed_server(self):
        self.started("--stream-shards", "3", "--shard-lifetime", "200ms")
        reader = Reader(self.streams, self.table())
        for n in range(5):
            for item in range(ITEMS):
                self.put(f"item {item}", n)
            if n % 2 == 1:
                reader.look()
                self.server.kill_and_restart()
                self.connect()
                reader.streams = self.streams
                # An iterator is a position: what was begun before the kill goes on.
                reader.look()
        self.read_until(reader, 5 * ITEMS)
        for name, changes in reader.changes.items():
            self.assertEqual(changes, list(range(5)), name)

    def test_a_trimmed_position_is_refused_and_its_shard_is_forgotten(self):
        self.started("--shard-lifetime", "200ms", "--stream-retention", "1s")
        arn = self.table()
        reader = Reader(self.streams, arn)
        self.put("first", 1)
        first = reader.shards()[0]
        shard = {"StreamArn": arn, "ShardId": first["ShardId"]}
        old = self.streams.get_shard_iterator(**shard, ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
        number = first["SequenceNumberRange"]["StartingSequenceNumber"]
        asked = {**shard, "ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": number}
        trimmed, gone = self.streams.exceptions.TrimmedDataAccessException, self.streams.exceptions.ResourceNotFoundException
        until = time.monotonic() + 60
        while first["ShardId"] in {shard["ShardId"] for shard in reader.shards()}:
            self.assertLess(time.monotonic(), until)
            time.sleep(0.1)
        with self.assertRaises((trimmed, gone)):
            self.streams.get_shard_iterator(**asked)
        with self.assertRaises((trimmed, gone)):
            self.streams.get_records(ShardIterator=old)
        # Whoever begins now has the changes since, and nothing of before.
        self.put("second", 2)
        self.read_until(reader, 1)
        self.assertEqual(dict(reader.changes), {"second": [2]})


if __name__ == "__main__":
    unittest.main()
