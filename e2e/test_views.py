"""Views: boto3 writes their sources, processes that are killed keep their rows, and these are those that
Python computes."""

import contextlib
import decimal
import json
import pathlib
import random
import signal
import subprocess
import tempfile
import threading
import time
import unittest

import boto3
from boto3.dynamodb.types import TypeDeserializer
from botocore.config import Config

import wire
from engines import MOTO, Engine
from in_turn import InTurn
from server import KEYFOLD, Server, keyfold
from test_boto3 import session
from versions import Reader

MODEL = """\
model sales 1
table Orders (PK, SK)
  stream new and old images
table Products (PK, SK)
  stream new and old images
table Sales (PK, SK)
entity Product in Products
  product: string, name: string?
  key "P#{product}" "P"
entity Order in Orders
  id: string, product: Product.product, customer: string, total: int, status: open | paid
  key "O#{id}" "O"
view Sold in Sales of Order where status = paid
  key "S#{product}" "S"
  orders: count, total: sum total
view Detail in Sales of Order where status = paid
  key "D#{product}" "D"
  orders: count, most: max total, mean: average total, buyers: distinct customer
  best: top 3 total only id, name: Product.name
view Line in Sales of Order
  key "L#{product}" "L#{id}"
  total: total, name: Product.name
pattern order(id) -> Order?
pattern product(product) -> Product?
pattern sold(product) -> Sold?
pattern detail(product) -> Detail?
pattern lines(product) -> Line[] page 100
"""
from_json = TypeDeserializer().deserialize
VIEWS = ("Sold", "Detail", "Line")
WITHOUT_STREAM = MODEL.replace("table Orders (PK, SK)\n  stream new and old images", "table Orders (PK, SK)")
# Averages have up to 38 digits.
DIGITS = decimal.Context(prec=38, rounding=decimal.ROUND_HALF_UP)


class Writer:
    """Writes orders and products, by chance but the same ones each time, and remembers them."""

    def __init__(self, server, **extra):
        self.client = boto3.resource("dynamodb", **session(server, **extra))
        self.orders, self.products = {}, {}
        self.chance = random.Random(7)
        self.written = 0

    def write(self):
        chance = self.chance
        self.written += 1
        product = f"p{chance.randrange(6)}"
        if chance.random() < 0.1:
            name = f"name {self.written}"
            self.products[product] = name
            item = {"PK": f"P#{product}", "SK": "P", "product": product, "name": name}
            table = self.client.Table("Products")
            # A row that is made at this moment holds the product: DynamoDB answers so, and SDKs do not retry.
            while True:
                try:
                    return table.put_item(Item=item)
                except table.meta.client.exceptions.TransactionConflictException:
                    time.sleep(0.01)
        order = f"{chance.randrange(60):03}"
        table = self.client.Table("Orders")
        if chance.random() < 0.2:
            self.orders.pop(order, None)
            table.delete_item(Key={"PK": f"O#{order}", "SK": "O"})
            return
        values = {
            "id": order,
            "product": product,
            "customer": f"c{chance.randrange(5)}",
            "total": chance.randrange(-5, 100),
            "status": chance.choice(("paid", "paid", "open")),
        }
        self.orders[order] = values
        table.put_item(Item={"PK": f"O#{order}", "SK": "O", **values})

    @contextlib.contextmanager
    def going_on(self):
        """Writes until the block ends."""
        ends, failed = threading.Event(), []

        def run():
            try:
                while not ends.wait(0.015):
                    self.write()
            except Exception as error:
                failed.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        try:
            yield
        finally:
            ends.set()
            thread.join()
        if failed:
            raise failed[0]

    def wanted(self):
        """The rows that follow from what was written."""
        rows = {}

        def named(product, row):
            return {**row, "name": self.products[product]} if product in self.products else row

        for order in self.orders.values():
            line = {"product": order["product"], "id": order["id"], "total": order["total"]}
            rows[f"L#{order['product']} L#{order['id']}"] = named(order["product"], line)
        for product in {order["product"] for order in self.orders.values()}:
            orders = [one for one in self.orders.values() if one["product"] == product and one["status"] == "paid"]
            if not orders:
                continue
            totals = [order["total"] for order in orders]
            row = {"product": product, "orders": len(orders)}
            rows[f"S#{product} S"] = {**row, "total": sum(totals)}
            best = sorted(orders, key=lambda one: (-one["total"], one["id"]))[:3]
            detail = {
                **row,
                "most": max(totals),
                "mean": DIGITS.divide(decimal.Decimal(sum(totals)), decimal.Decimal(len(totals))),
                "buyers": len({order["customer"] for order in orders}),
                "best": [{"total": one["total"], "id": one["id"]} for one in best],
            }
            rows[f"D#{product} D"] = named(product, detail)
        return rows

    def rows(self):
        """The rows that there are, without hidden attributes."""
        rows, after = {}, {}
        while True:
            page = self.client.Table("Sales").scan(ConsistentRead=True, **after)
            for item in page["Items"]:
                key = f"{item.pop('PK')} {item.pop('SK')}"
                rows[key] = {name: held for name, held in item.items() if ":" not in name}
            if "LastEvaluatedKey" not in page:
                return rows
            after = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


class Elsewhere(Engine):
    """An engine of others with the tables of a model, which gets one request after another."""

    def __init__(self, command, model):
        super().__init__(command)
        self.turn = InTurn(self.endpoint)
        self.endpoint = self.turn.endpoint
        self.keyfold("tables", model)

    def stop(self):
        if hasattr(self, "turn"):
            self.turn.close()
        super().stop()

    def keyfold(self, *arguments, code=0):
        return keyfold(*arguments, "--endpoint", self.endpoint, code=code)


class Views(unittest.TestCase):
    maxDiff = 4_000

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.model = self.store("sales", MODEL)
        self.workers = []

    def store(self, name, text):
        path = self.folder / f"{name}.keyfold"
        path.write_text(text, encoding="utf-8")
        return str(path)

    def serve(self, *arguments):
        self.server = Server(*arguments, models=[self.model])
        self.addCleanup(self.server.stop)
        self.writer = Writer(self.server)

    def work(self):
        """Starts a process that keeps the views."""
        command = [KEYFOLD, "views", "run", self.model, "--endpoint", self.server.endpoint, "--json"]
        with (self.folder / "reports").open("a") as reports:
            worker = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=reports, text=True)
        self.addCleanup(self.end, worker)
        document = json.loads(worker.stdout.readline())
        self.assertEqual([one["view"] for one in document["result"]["views"]], list(VIEWS))
        return worker

    def end(self, worker, number=signal.SIGKILL):
        if worker.poll() is None:
            worker.send_signal(number)
        code = worker.wait(timeout=30)
        if worker.stdout:
            worker.stdout.close()
        return code

    def status(self):
        return self.server.keyfold("views", "status", self.model)["views"]

    def until(self, what, is_so, seconds=180):
        end = time.monotonic() + seconds
        while not is_so():
            self.assertLess(time.monotonic(), end, f"{what}: {self.status()}\n{self.reports()}")
            time.sleep(0.2)

    def reports(self):
        """What the workers have said."""
        path = self.folder / "reports"
        return path.read_text() if path.exists() else ""

    def rest(self):
        """Waits until no view lags, and compares the rows."""

        def is_done(view):
            return view["live"] and view["isCurrent"] and view["next"] is None and view["behind"] == 0

        self.until("the views have all records", lambda: all(map(is_done, self.status())))
        self.assertEqual([view["setAside"] for view in self.status()], [0] * len(VIEWS))
        wanted = self.writer.wanted()
        self.assertGreater(len(wanted), 30)
        self.assertEqual(self.writer.rows(), wanted)

    def are_read_by_generated_clients(self):
        """A row with each kind of aggregate, by the clients of all languages."""
        model = pathlib.Path(self.model)
        plan, _ = wire.drawn(model, "--items", "1", "--asks", "1")
        wanted = {key: row for key, row in self.writer.wanted().items() if key.startswith("D#")}
        self.assertGreater(len(wanted), 3)
        for language in wire.LANGUAGES:
            reader = Reader(language, model, plan, self.server.endpoint)
            self.addCleanup(reader.program.close)
            for row in wanted.values():
                found = reader.read("detail", {"product": row["product"]})
                self.assertIn("done", found, reader.name)
                [item] = found["done"]["items"]
                attributes = {name: from_json(held) for name, held in item["attributes"].items()}
                self.assertEqual(attributes, row, reader.name)

    def test_killed_processes_lose_and_repeat_nothing(self):
        self.serve()
        for _ in range(300):
            self.writer.write()
        with self.writer.going_on():
            # Some are killed while the first rows are built.
            for pause in (0.05, 0.3, 0.8):
                worker = self.work()
                time.sleep(pause)
                self.assertEqual(self.end(worker), -signal.SIGKILL)
            workers = [self.work(), self.work()]
            self.until("the first rows", lambda: all(view["live"] for view in self.status()))
            for pause in (0.5, 3, 12, 1, 6):
                time.sleep(pause)
                self.end(workers.pop(0))
                workers.append(self.work())
            # No worker is left for a while.
            for worker in workers:
                self.end(worker)
            time.sleep(1)
            worker = self.work()
        self.rest()
        self.assertEqual(self.end(worker, signal.SIGTERM), 0)

    def test_views_are_rebuilt_while_they_are_written(self):
        self.serve("--views")
        for _ in range(200):
            self.writer.write()
        with self.writer.going_on():
            self.until("the first rows", lambda: all(view["live"] == 1 for view in self.status()))
            rebuilt = self.server.keyfold("views", "rebuild", self.model, "Detail")["views"]
            self.assertEqual(rebuilt, [{"view": "Detail", "live": 2, "leftOut": 0}])
            rebuilt = self.server.keyfold("views", "rebuild", self.model)["views"]
            self.assertEqual([one["live"] for one in rebuilt], [2, 3, 2])
        self.rest()
        self.assertEqual([view["live"] for view in self.status()], [2, 3, 2])
        self.are_read_by_generated_clients()
        # The server has the rows of the time before it was killed, and goes on.
        self.server.kill_and_restart()
        self.writer.client = boto3.resource("dynamodb", **session(self.server))
        for _ in range(200):
            self.writer.write()
        self.rest()

    def test_views_are_kept_at_moto(self):
        self.server = Elsewhere(MOTO, self.model)
        self.addCleanup(self.server.stop)
        # One request at a time, of a worker as well, on a machine that may be busy.
        patient = Config(read_timeout=300, retries={"total_max_attempts": 1})
        self.writer = Writer(self.server, config=patient)
        for _ in range(60):
            self.writer.write()
        worker = self.work()
        self.until("the first rows", lambda: all(view["live"] == 1 for view in self.status()))
        # Each change is handled from here on, the last ones by another process.
        for _ in range(30):
            self.writer.write()
        self.assertEqual(self.end(worker), -signal.SIGKILL)
        for _ in range(30):
            self.writer.write()
        worker = self.work()
        self.rest()
        self.assertEqual(self.end(worker, signal.SIGTERM), 0)

    def test_views_are_rebuilt_at_moto(self):
        """Rows that somebody spoiled are made anew, by a worker that is killed and one that follows it."""
        self.server = Elsewhere(MOTO, self.model)
        self.addCleanup(self.server.stop)
        patient = Config(read_timeout=300, retries={"total_max_attempts": 1})
        self.writer = Writer(self.server, config=patient)
        for _ in range(50):
            self.writer.write()
        worker = self.work()
        self.until("the first rows", lambda: all(view["live"] == 1 for view in self.status()))
        self.rest()
        rows = self.spoil()
        # One view alone, by a process of its own that waits for it.
        rebuilt = self.made_anew(self.rebuild("Sold"))
        self.assertEqual(rebuilt, [{"view": "Sold", "live": 2, "leftOut": 0}])
        found = self.writer.rows()
        self.assertEqual({key: row for key, row in found.items() if key[0] == "S"}, rows["S"])
        self.assertNotEqual({key: row for key, row in found.items() if key[0] == "L"}, rows["L"])
        rebuild = self.rebuild()
        self.until("a build begins", lambda: any(view["next"] for view in self.status()))
        self.assertEqual(self.end(worker), -signal.SIGKILL)
        worker = self.work()
        # The sources change while rows are made, and moved.
        for _ in range(20):
            self.writer.write()
        rebuilt = self.made_anew(rebuild)
        self.assertEqual([(one["view"], one["live"]) for one in rebuilt], list(zip(VIEWS, (3, 2, 2), strict=True)))
        self.rest()
        self.assertEqual([view["live"] for view in self.status()], [3, 2, 2])
        self.assertEqual(self.end(worker, signal.SIGTERM), 0)

    def rebuild(self, *views):
        """Starts a process that rebuilds views, and ends when they are made."""
        command = [KEYFOLD, "views", "rebuild", self.model, *views, "--endpoint", self.server.endpoint, "--json"]
        rebuild = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end, rebuild)
        return rebuild

    def made_anew(self, rebuild):
        """What such a process says."""
        document, _ = rebuild.communicate(timeout=600)
        self.assertEqual(rebuild.returncode, 0, document)
        return json.loads(document)["result"]["views"]

    def spoil(self):
        """Deletes a line, and writes a wrong row of each view. Returns the right rows, by the letter of their view."""
        table = self.writer.client.Table("Sales")
        right = self.writer.wanted()
        rows = {}
        for key, row in right.items():
            rows.setdefault(key[0], {})[key] = row
        self.assertEqual(set(rows), {"S", "D", "L"})
        for of_view in rows.values():
            partition, sort = next(iter(of_view)).split()
            spoilt = {"Key": {"PK": partition, "SK": sort}, "UpdateExpression": "SET product = :wrong"}
            table.update_item(**spoilt, ExpressionAttributeValues={":wrong": "spoilt"})
        partition, sort = list(rows["L"])[-1].split()
        table.delete_item(Key={"PK": partition, "SK": sort})
        self.assertNotEqual(self.writer.rows(), right)
        return rows

    def test_a_changed_definition_is_refused_until_it_is_rebuilt(self):
        self.serve()
        worker = self.work()
        for _ in range(200):
            self.writer.write()
        self.rest()
        self.assertEqual(self.end(worker, signal.SIGTERM), 0)
        before = self.writer.rows()
        self.store("sales", MODEL.replace("where status = paid", "where status = open", 1))
        run = ["views", "run", self.model]
        refused = self.server.keyfold(*run, code=1)
        self.assertIn("--rebuild", json.dumps(refused))
        self.assertEqual(self.writer.rows(), before)
        self.assertEqual([view["isCurrent"] for view in self.status()], [False, True, True])
        command = [KEYFOLD, *run, "--rebuild", "--endpoint", self.server.endpoint]
        worker = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self.end, worker)
        self.until("the new rows", lambda: all(view["isCurrent"] for view in self.status()))
        orders = [one for one in self.writer.orders.values() if one["status"] == "open"]
        rows = {key: row for key, row in self.writer.rows().items() if key.startswith("S#")}
        self.assertEqual(sum(row["orders"] for row in rows.values()), len(orders))
        self.assertEqual(sum(row["total"] for row in rows.values()), sum(one["total"] for one in orders))

    def test_a_table_without_a_stream_is_refused(self):
        self.serve()
        model = self.store("without", WITHOUT_STREAM)
        refused = self.server.keyfold("views", "run", model, code=3)
        self.assertIn("stream", json.dumps(refused))
        # The model says that there is a stream, and the table has none.
        client = boto3.client("dynamodb", **session(self.server))
        client.update_table(TableName="Orders", StreamSpecification={"StreamEnabled": False})
        refused = self.server.keyfold("views", "run", self.model, code=1)
        self.assertIn("Orders has no stream with new and old images", json.dumps(refused))


if __name__ == "__main__":
    unittest.main()
