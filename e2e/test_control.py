"""boto3 on everything that is not an item: tables that change, streams, expiry, backups, statements."""

import json
import time
import unittest

import boto3
from botocore.exceptions import ClientError

from server import Server
from test_boto3 import session


def eventually(ask, seconds=15):
    """The first true answer; what happens in the background is waited for."""
    deadline = time.monotonic() + seconds
    while True:
        answer = ask()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise AssertionError("it did not happen in time")
        time.sleep(0.05)


class Control(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.client = boto3.client("dynamodb", **session(cls.server))
        cls.streams = boto3.client("dynamodbstreams", **session(cls.server))

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.streams.close()
        assert cls.server.stop() == 0

    def table(self, name, **extra):
        self.client.create_table(
            TableName=name,
            AttributeDefinitions=[{"AttributeName": "p", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "p", "KeyType": "HASH"}],
            BillingMode="PAY_PER_REQUEST",
            **extra,
        )
        self.client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
        return self.client.describe_table(TableName=name)["Table"]

    def put(self, table, p, **attributes):
        self.client.put_item(TableName=table, Item={"p": {"S": p}, **attributes})

    def code(self, call, **arguments):
        with self.assertRaises(ClientError) as caught:
            call(**arguments)
        return caught.exception.response["Error"]["Code"]

    def test_an_index_comes_and_goes_while_the_table_is_used(self):
        self.table("Growing")
        for n in range(1200):
            self.put("Growing", str(n), g={"S": "even" if n % 2 == 0 else "odd"})
        create = {
            "IndexName": "ByG",
            "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "KEYS_ONLY"},
        }
        answer = self.client.update_table(
            TableName="Growing",
            AttributeDefinitions=[{"AttributeName": "g", "AttributeType": "S"}],
            GlobalSecondaryIndexUpdates=[{"Create": create}],
        )["TableDescription"]
        self.assertEqual(answer["TableStatus"], "UPDATING")
        self.assertEqual(answer["GlobalSecondaryIndexes"][0]["IndexStatus"], "CREATING")
        self.client.delete_item(TableName="Growing", Key={"p": {"S": "0"}})

        def active():
            index = self.client.describe_table(TableName="Growing")["Table"]["GlobalSecondaryIndexes"][0]
            return index["IndexStatus"] == "ACTIVE" and "Backfilling" not in index

        eventually(active)
        query = {
            "TableName": "Growing",
            "IndexName": "ByG",
            "KeyConditionExpression": "g = :g",
            "ExpressionAttributeValues": {":g": {"S": "even"}},
        }
        self.assertEqual(self.client.query(**query)["Count"], 599)
        self.client.update_table(
            TableName="Growing", GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "ByG"}}]
        )
        self.assertEqual(self.code(self.client.query, **query), "ValidationException")

    def test_a_stream_tells_every_change_and_who_deleted(self):
        view = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
        arn = self.table("Told", StreamSpecification=view)["LatestStreamArn"]
        self.client.update_time_to_live(
            TableName="Told", TimeToLiveSpecification={"Enabled": True, "AttributeName": "e"}
        )
        self.put("Told", "a")
        self.put("Told", "a")
        self.put("Told", "a", e={"N": str(int(time.time()) - 10)})
        self.assertEqual(self.streams.list_streams(TableName="Told")["Streams"][0]["StreamArn"], arn)
        shard = self.streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"][0]["ShardId"]
        self.place = self.streams.get_shard_iterator(
            StreamArn=arn, ShardId=shard, ShardIteratorType="TRIM_HORIZON"
        )["ShardIterator"]
        seen = []

        def deleted():
            answer = self.streams.get_records(ShardIterator=self.place)
            self.place = answer["NextShardIterator"]
            seen.extend(answer["Records"])
            return seen and seen[-1]["eventName"] == "REMOVE"

        eventually(deleted)
        self.assertEqual([record["eventName"] for record in seen], ["INSERT", "MODIFY", "REMOVE"])
        self.assertEqual(seen[-1]["userIdentity"], {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"})
        self.assertEqual(seen[1]["dynamodb"]["OldImage"], {"p": {"S": "a"}})
        self.assertEqual(seen[0]["awsRegion"], "us-east-1")
        self.assertNotIn("Item", self.client.get_item(TableName="Told", Key={"p": {"S": "a"}}))

    def test_a_table_is_restored_from_a_backup_and_to_a_moment(self):
        arn = self.table("Kept")["TableArn"]
        recovery = {"PointInTimeRecoveryEnabled": True}
        self.client.update_continuous_backups(TableName=arn, PointInTimeRecoverySpecification=recovery)
        self.put("Kept", "a", n={"N": "1"})
        backup = self.client.create_backup(TableName="Kept", BackupName="first")["BackupDetails"]["BackupArn"]
        describe = lambda: self.client.describe_backup(BackupArn=backup)["BackupDescription"]["BackupDetails"]
        eventually(lambda: describe()["BackupStatus"] == "AVAILABLE")
        time.sleep(0.01)
        self.put("Kept", "a", n={"N": "2"})
        self.client.restore_table_from_backup(TargetTableName="FromBackup", BackupArn=backup)
        self.client.restore_table_to_point_in_time(
            SourceTableName="Kept", TargetTableName="Latest", UseLatestRestorableTime=True
        )
        for name, expected in [("FromBackup", "1"), ("Latest", "2")]:
            self.client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
            item = self.client.get_item(TableName=name, Key={"p": {"S": "a"}})["Item"]
            self.assertEqual(item["n"]["N"], expected)
        self.client.delete_backup(BackupArn=backup)
        self.assertEqual(self.code(self.client.describe_backup, BackupArn=backup), "BackupNotFoundException")

    def test_settings_are_kept(self):
        arn = self.table("Set", Tags=[{"Key": "team", "Value": "a"}])["TableArn"]
        self.client.tag_resource(ResourceArn=arn, Tags=[{"Key": "cost", "Value": "1"}])
        self.client.untag_resource(ResourceArn=arn, TagKeys=["team"])
        self.assertEqual(self.client.list_tags_of_resource(ResourceArn=arn)["Tags"], [{"Key": "cost", "Value": "1"}])
        self.client.update_table(TableName="Set", DeletionProtectionEnabled=True)
        self.assertEqual(self.code(self.client.delete_table, TableName="Set"), "ValidationException")
        self.assertEqual(self.client.describe_limits()["TableMaxReadCapacityUnits"], 40000)
        address = self.client.describe_endpoints()["Endpoints"][0]["Address"]
        self.assertIn(address, self.server.endpoint)
        statement = {"Effect": "Allow", "Principal": "*", "Action": "dynamodb:GetItem", "Resource": arn}
        policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        revision = self.client.put_resource_policy(ResourceArn=arn, Policy=policy)["RevisionId"]
        answer = self.client.get_resource_policy(ResourceArn=arn)
        self.assertEqual((answer["Policy"], answer["RevisionId"]), (policy, revision))

    def test_statements(self):
        self.table("Said")
        run = lambda text, **extra: self.client.execute_statement(Statement=text, **extra)["Items"]
        run("INSERT INTO Said VALUE {'p': ?, 'n': 1}", Parameters=[{"S": "a"}])
        self.assertEqual(
            self.code(self.client.execute_statement, Statement="INSERT INTO Said VALUE {'p': 'a'}"),
            "DuplicateItemException",
        )
        run("UPDATE Said SET n = n + 1 WHERE p = 'a'")
        self.assertEqual(run("SELECT n FROM Said WHERE p = 'a'"), [{"n": {"N": "2"}}])
        answers = self.client.batch_execute_statement(
            Statements=[{"Statement": "SELECT * FROM Said WHERE p = 'a'"}, {"Statement": "nonsense"}]
        )["Responses"]
        self.assertEqual(answers[1]["Error"]["Code"], "ValidationError")
        with self.assertRaises(self.client.exceptions.TransactionCanceledException) as caught:
            self.client.execute_transaction(
                TransactStatements=[
                    {"Statement": "DELETE FROM Said WHERE p = 'a'"},
                    {"Statement": "UPDATE Said SET n = 1 WHERE p = 'none'"},
                ]
            )
        codes = [reason["Code"] for reason in caught.exception.response["CancellationReasons"]]
        self.assertEqual(codes, ["None", "ConditionalCheckFailed"])

    def test_what_is_not_there_is_refused_in_words(self):
        with self.assertRaises(ClientError) as caught:
            self.client.list_global_tables()
        self.assertIn("Keyfold does not support the operation ListGlobalTables", str(caught.exception))


class Restarted(unittest.TestCase):
    """What is set and begun is there after the server was killed."""

    def test_settings_streams_and_backups_survive(self):
        server = Server()
        client = boto3.client("dynamodb", **session(server))
        client.create_table(
            TableName="Tab",
            AttributeDefinitions=[{"AttributeName": "p", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "p", "KeyType": "HASH"}],
            BillingMode="PAY_PER_REQUEST",
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
            Tags=[{"Key": "a", "Value": "b"}],
        )
        client.put_item(TableName="Tab", Item={"p": {"S": "x"}})
        backup = client.create_backup(TableName="Tab", BackupName="one-1")["BackupDetails"]["BackupArn"]
        describe = lambda: client.describe_backup(BackupArn=backup)["BackupDescription"]["BackupDetails"]
        eventually(lambda: describe()["BackupStatus"] == "AVAILABLE")
        client.close()
        server.kill_and_restart()
        client = boto3.client("dynamodb", **session(server))
        streams = boto3.client("dynamodbstreams", **session(server))
        table = client.describe_table(TableName="Tab")["Table"]
        self.assertEqual(client.list_tags_of_resource(ResourceArn=table["TableArn"])["Tags"], [{"Key": "a", "Value": "b"}])
        arn = table["LatestStreamArn"]
        shard = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"][0]["ShardId"]
        client.put_item(TableName="Tab", Item={"p": {"S": "y"}})
        place = streams.get_shard_iterator(StreamArn=arn, ShardId=shard, ShardIteratorType="TRIM_HORIZON")
        records = streams.get_records(ShardIterator=place["ShardIterator"])["Records"]
        self.assertEqual([record["dynamodb"]["Keys"]["p"]["S"] for record in records], ["x", "y"])
        self.assertEqual(len(client.list_backups(TableName="Tab")["BackupSummaries"]), 1)
        client.close()
        streams.close()
        self.assertEqual(server.stop(), 0)
