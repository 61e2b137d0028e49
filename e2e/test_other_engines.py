"""Proofs at other engines with DynamoDB's API, from their packages: what differs is listed by its cause in
other_engines.toml, and the tables of a proof are gone when it has ended."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import tomllib
import unittest

from engines import DYNALITE, MOTO, Engine
from server import KEYFOLD, ROOT

HERE = pathlib.Path(__file__).resolve().parent
KNOWN = tomllib.loads((HERE / "other_engines.toml").read_text())
# A table of somebody else, whose name begins as those of proofs do.
NEIGHBOUR = "keyfold_prove_neighbour"
# The random rows and questions of a proof; each model takes some seconds at most.
BOUNDS = ("--seed", "1", "--items", "20", "--asks", "5")

VIEWED = """model shop 1
table Main (PK, SK)
  stream new and old images
table Rows (PK, SK)
entity Order in Main
  id: string, product: string, cost: number
  key "O#{id}" "O"
view Sold in Rows of Order
  key "S#{product}" "S"
  orders: count, spent: sum cost
pattern sold(product) -> Sold?
"""


def make_neighbour(engine):
    engine.client.create_table(
        TableName=NEIGHBOUR,
        AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
    )
    engine.client.get_waiter("table_exists").wait(TableName=NEIGHBOUR, WaiterConfig={"Delay": 1})
    engine.client.put_item(TableName=NEIGHBOUR, Item={"PK": {"S": "stays"}})


class OtherEngines(unittest.TestCase):
    def prove(self, name, command):
        """Proves the models of an engine's list there, and holds what differs against the list."""
        engine = Engine(command)
        known = KNOWN[name]
        occurred = set()
        try:
            make_neighbour(engine)
            for model in known["models"]:
                with self.subTest(f"{model} at {name}"):
                    occurred |= self.prove_model(engine, known, model)
            with self.subTest(f"{name}: differences that are listed and do not occur"):
                causes = {one["cause"] for one in known["differences"]}
                self.assertEqual(causes - occurred, set(), "take them out of other_engines.toml and docs/endpoints.md")
        finally:
            engine.stop()

    def prove_model(self, engine, known, model):
        """The causes of what differs in the proof of a model."""
        file = ROOT / "models" / f"{model}.keyfold"
        command = [KEYFOLD, "prove", file, "--endpoint", engine.endpoint, *BOUNDS, "--json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        report = json.loads(done.stdout)["result"]
        self.assertIsNotNone(report, done.stdout + done.stderr)
        self.assertGreater(report["writes"], 0)
        differences = report["failures"] + [one for pattern in report["patterns"] for one in pattern["failures"]]
        self.assertEqual(done.returncode, 1 if differences else 0, done.stdout)
        occurred, unknown = set(), []
        for difference in differences:
            causes = [one["cause"] for one in known["differences"] if re.fullmatch(one["found"], difference["found"])]
            occurred.update(causes)
            if not causes:
                unknown.append(difference)
        self.assertEqual(unknown, [], "differences that other_engines.toml does not list")
        if not differences:
            self.assertGreater(report["storedItems"], 0)
            silent = [pattern["name"] for pattern in report["patterns"] if pattern["answered"] == 0]
            self.assertEqual(silent, [], "patterns that never found an item")
        self.assert_clean(engine)
        return occurred

    def assert_clean(self, engine):
        """Only the table of somebody else is left, with its item."""
        self.assertEqual(self.tables_without_deleting(engine), [NEIGHBOUR])
        found = engine.client.get_item(TableName=NEIGHBOUR, Key={"PK": {"S": "stays"}})
        self.assertIn("Item", found)

    def tables_without_deleting(self, engine):
        """The tables, when those that are being deleted are gone."""
        until = time.monotonic() + 10
        while True:
            tables = engine.client.list_tables()["TableNames"]
            if len(tables) == 1 or time.monotonic() > until:
                return tables
            time.sleep(0.1)

    def prove_beyond(self, command, has_policies):
        """The script for whoever has an account: it proves, moves and switches, and leaves nothing behind."""
        engine = Engine(command)
        try:
            make_neighbour(engine)
            done = subprocess.run(
                ["bash", ROOT / "docs" / "prove-beyond.sh", engine.endpoint],
                env={**os.environ, "KEYFOLD": KEYFOLD, "ITEMS": "5", "AWS_REGION": "us-east-1"},
                capture_output=True,
                text=True,
                timeout=900,
            )
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(done.stdout.count("proved by execution"), 4, done.stdout)
            self.assertEqual(done.stdout.count("  equal"), 3 if has_policies else 2, done.stdout)
            self.assertEqual("both sides took writes in turn" in done.stdout, has_policies, done.stdout)
            # The move has a table of its rows, which is empty and stays.
            tables = set(engine.client.list_tables()["TableNames"])
            self.assertLessEqual(tables, {NEIGHBOUR, "keyfold_motion"})
        finally:
            engine.stop()

    def test_consumers_of_streams_at_moto(self):
        """Two workers keep a view from moto's stream; one is killed, and no record has an effect twice."""
        engine = Engine(MOTO)
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        self.addCleanup(engine.stop)
        model = folder / "shop.keyfold"
        model.write_text(VIEWED, encoding="utf-8")

        def keyfold(*words):
            command = [KEYFOLD, *words, "--endpoint", engine.endpoint, "--json"]
            env = {**os.environ, "AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}
            done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            return json.loads(done.stdout)["result"]

        def worker():
            command = [KEYFOLD, "views", "run", str(model), "--endpoint", engine.endpoint]
            env = {**os.environ, "AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}
            started = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.addCleanup(started.wait)
            self.addCleanup(started.kill)
            return started

        keyfold("tables", str(model))
        keyfold("put", str(model), "Order", "id=first", "product=p", "cost=1")
        workers = [worker(), worker()]
        for number in range(30):
            keyfold("put", str(model), "Order", f"id={number}", "product=p", "cost=2")
            if number == 15:
                workers[0].kill()
        until = time.monotonic() + 120
        while True:
            view = keyfold("views", "status", str(model))["views"][0]
            found = keyfold("run", str(model), "sold", "product=p")["items"]
            row = found[0]["attributes"] if found else None
            if view["behind"] == 0 and row == {"product": "p", "orders": 31, "spent": 61}:
                break
            self.assertLess(time.monotonic(), until, f"{view} {row}")
            time.sleep(0.2)
        self.assertEqual(keyfold("views", "failures", str(model))["failures"], [])
        keyfold("verify", str(model))

    def test_beyond_at_keyfold(self):
        self.prove_beyond([KEYFOLD, "serve", "--memory", "--port", "{port}"], True)

    def test_beyond_at_moto(self):
        self.prove_beyond(MOTO, False)

    def test_moto(self):
        self.prove("moto", MOTO)

    def test_dynalite(self):
        self.prove("dynalite", DYNALITE)


if __name__ == "__main__":
    unittest.main()
