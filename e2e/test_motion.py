"""Tables that move between Keyfold and other engines, and a design that changes at one."""

import json
import pathlib
import subprocess
import tempfile
import unittest

from engines import DYNALITE, MOTO, Engine
from server import KEYFOLD

TABLE = "Shop"
OLD = """model shop 1
table Shop (PK, SK)
entity User
  userId: string, email: string, name: string, status: active | closed
  key "USER#{userId}" "PROFILE"
  unique email
entity Order
  userId: User.userId, orderId: string, total: number, placedAt: time(s)
  key "USER#{userId}" "ORDER#{orderId}"
pattern user(userId) -> User
pattern orders_of(userId) -> Order[]
"""
NEW = """model shop 2
table Shop (PK, SK)
  gsi GSI1 (GSI1PK, GSI1SK)
entity User
  userId: string, email: string, fullName: string was name, status: active | closed
  key "USER#{userId}" "PROFILE"
  GSI1 "STATUS#{status}" "{userId}"
  unique email
entity Order
  userId: User.userId, orderId: string, total: number, placedAt: time(s)
  key "USER#{userId}" "PLACED#{placedAt}#{orderId}"
pattern user(userId) -> User
pattern orders_of(userId) -> Order[]
pattern users_by_status(status) -> User[]
"""
# The gates of the change from OLD to NEW, in their order, and no other.
GATES = ["stop", "start"]
ITEMS = 40


def item(number):
    """An item with a value of each type."""
    return {
        "PK": {"S": f"p{number % 7}"},
        "SK": {"N": f"{number}e{number % 5}"},
        "G": {"B": bytes([number])},
        "n": {"N": "-1.5E-130"},
        "set": {"NS": ["1", "2.50"]},
        "texts": {"SS": ["a", "\U0001f511"]},
        "map": {"M": {"list": {"L": [{"NULL": True}, {"BOOL": False}, {"S": ""}]}}},
    }


def fill(client):
    """A table of every kind of key, and its items."""
    client.create_table(
        TableName=TABLE,
        AttributeDefinitions=[
            {"AttributeName": name, "AttributeType": kind} for name, kind in (("PK", "S"), ("SK", "N"), ("G", "B"))
        ],
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
        GlobalSecondaryIndexes=[
            {
                "IndexName": "GSI",
                "KeySchema": [{"AttributeName": "G", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
        BillingMode="PAY_PER_REQUEST",
    )
    client.get_waiter("table_exists").wait(TableName=TABLE, WaiterConfig={"Delay": 1})
    for number in range(ITEMS):
        client.put_item(TableName=TABLE, Item=item(number))


class Motion(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "old.keyfold").write_text(OLD)
        (self.folder / "new.keyfold").write_text(NEW)

    def engine(self, command):
        engine = Engine(command)
        self.addCleanup(engine.stop)
        return engine

    def keyfold(self, code, *arguments):
        """Runs a command in the folder, and returns what its document says."""
        command = [KEYFOLD, *arguments, "--json"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stdout}{done.stderr}")
        document = json.loads(done.stdout.splitlines()[-1])
        return document["result"] if code in (0, 7) else document["error"]["message"]

    def comes_and_goes(self, command):
        """Items come from an engine into a folder, are equal, and the move ends."""
        engine = self.engine(command)
        fill(engine.client)
        places = (engine.endpoint, "keyfold:./here")
        self.keyfold(0, "move", *places, "--writers-stopped", "--stop-when-even", "--yes")
        verified = self.keyfold(0, "move", "verify", *places)
        self.keyfold(0, "move", "complete", *places, "--yes")
        self.assertIn(f'"{TABLE}"', json.dumps(verified))
        return engine

    def test_moto_is_source_and_target(self):
        engine = self.comes_and_goes(MOTO)
        engine.client.delete_table(TableName=TABLE)
        back = ("keyfold:./here", engine.endpoint)
        self.keyfold(0, "move", *back, "--stop-when-even", "--yes")
        self.keyfold(0, "move", "verify", *back)
        found = engine.client.scan(TableName=TABLE)["Items"]
        self.assertEqual(len(found), ITEMS)

    def test_moto_is_followed_while_it_is_written(self):
        engine = self.engine(MOTO)
        fill(engine.client)
        places = (engine.endpoint, "keyfold:./here")
        self.keyfold(0, "move", *places, "--stop-when-even", "--yes")
        engine.client.put_item(TableName=TABLE, Item={**item(1), "n": {"N": "2"}})
        engine.client.delete_item(TableName=TABLE, Key={name: item(2)[name] for name in ("PK", "SK")})
        self.keyfold(0, "move", *places, "--stop-when-even", "--yes")
        self.keyfold(0, "move", "verify", *places)

    def test_dynalite_is_a_source_without_streams_and_no_target(self):
        engine = self.comes_and_goes(DYNALITE)
        refused = self.keyfold(1, "move", engine.endpoint, "keyfold:./other", "--yes", "--stop-when-even")
        self.assertIn("--writers-stopped", refused)
        engine.client.delete_table(TableName=TABLE)
        engine.client.get_waiter("table_not_exists").wait(TableName=TABLE, WaiterConfig={"Delay": 1})
        refused = self.keyfold(1, "move", "keyfold:./here", engine.endpoint, "--stop-when-even", "--yes")
        self.assertIn("TransactWriteItems", refused)
        self.assertEqual(engine.client.list_tables()["TableNames"], [])

    def test_a_design_changes_at_moto(self):
        engine = self.engine(MOTO)
        at = ("--endpoint", engine.endpoint)
        self.keyfold(0, "tables", "old.keyfold", *at)
        for number in range(5):
            user = f"userId=u{number}"
            self.keyfold(0, "put", "old.keyfold", "User", user, f"email={number}@x.org", "name=Ada", "status=active", *at)
            order = ("orderId=o", "total=1.50", f"placedAt=2026-01-0{number + 1}T10:00:00Z")
            self.keyfold(0, "put", "old.keyfold", "Order", user, *order, *at)
        evolve = ("evolve", "run", "old.keyfold", "new.keyfold", "--at", engine.endpoint, "--yes")
        gates, done = [], ()
        # It stands at each phase of people.
        while (said := self.keyfold(7 if len(gates) < len(GATES) else 0, *evolve, *done))["state"] == "gate":
            gates.append(said["gate"]["step"])
            done = ("--done", gates[-1])
        self.assertEqual(gates, GATES)
        self.keyfold(0, "evolve", "complete", "old.keyfold", "new.keyfold", "--at", engine.endpoint, "--yes")
        self.keyfold(0, "verify", "new.keyfold", *at, "--yes")
        found = self.keyfold(0, "run", "new.keyfold", "users_by_status", "status=active", *at)["items"]
        self.assertEqual([one["attributes"]["fullName"] for one in found], ["Ada"] * 5)
        orders = self.keyfold(0, "run", "new.keyfold", "orders_of", "userId=u3", *at)["items"]
        self.assertEqual([one["attributes"]["orderId"] for one in orders], ["o"])


if __name__ == "__main__":
    unittest.main()
