"""Generated clients of both versions of a model, in all languages, while `keyfold evolve run` changes the data.

A client understands the form of its own version only, so the phases say which programs may run. Between the requests
of the run, each client that may run reads, and gets the rows as its version has them. Where a version may not read, it
is shown that its client gets something else: the phases forbid nothing without a reason.
"""

import json
import pathlib
import subprocess
import tempfile
import threading
import unittest

import wire
from server import KEYFOLD

OLD = """model shop 1
table Shop (PK, SK)
entity User
  userId: string, name: string, age: string, status: active | closed
  key "USER#{userId}" "PROFILE"
entity Order
  userId: User.userId, orderId: string, total: number
  key "USER#{userId}" "ORDER#{orderId}"
entity Gift
  userId: User.userId, giftId: string, worth: number
  key "USER#{userId}" "GIFT#{giftId}"
pattern user(userId) -> User?
pattern orders_of(userId) -> Order[]
pattern gifts_of(userId) -> Gift[]
"""
USERS = 4
# The run sends some dozens of requests: the clients read before each of these.
EVERY = 7
# The exit code of a run that waits for people.
GATE = 7
NOW = 1_700_000_000_000


def user(number):
    status = ("active", "closed")[number % 2]
    return {"userId": f"u{number}", "name": f"Ada {number}", "age": f"{30 + number}", "status": status}


def order(number):
    return {"userId": f"u{number}", "orderId": "o1", "total": 1.5}


def gift(number):
    return {"userId": f"u{number}", "giftId": "g1", "worth": 7}


ALL = range(USERS)
USERS_READ = [("user", {"userId": f"u{number}"}, [user(number)]) for number in ALL]
ORDERS_READ = [("orders_of", {"userId": f"u{number}"}, [order(number)]) for number in ALL]
GIFTS_READ = [("gifts_of", {"userId": f"u{number}"}, [gift(number)]) for number in ALL]
OLD_READS = USERS_READ + ORDERS_READ + GIFTS_READ


def changed(*replaced):
    """The new version: the old one with some lines of it replaced."""
    text = OLD.replace("model shop 1", "model shop 2")
    for one, other in replaced:
        if one not in text:
            raise AssertionError(f"{one} is not in the model")
        text = text.replace(one, other)
    return text


def users_with(change):
    """What the new version reads where its users are other ones."""
    users = [("user", {"userId": f"u{number}"}, [change(user(number))]) for number in ALL]
    return users + ORDERS_READ + GIFTS_READ


def renamed(row):
    return {("fullName" if name == "name" else name): held for name, held in row.items()}


def of_status(status):
    return [user(number) for number in ALL if user(number)["status"] == status]


def one_of(status, pattern):
    """What the new version reads where users of a status are another entity."""
    return [
        (pattern, {"userId": f"u{number}"}, [user(number)] if user(number)["status"] == status else [])
        for number in ALL
    ]


def entry(row, name):
    return {"userId": row["userId"], "entryId": row[name], "amount": row.get("total", row.get("worth"))}


SPLIT = (
    "entity Closed was User where status = closed\n"
    "  userId: string, name: string, age: string, status: active | closed\n"
    '  key "CLOSED#{userId}" "PROFILE"\nentity Order'
)
MERGED = (
    "entity Entry was Order or Gift\n  userId: User.userId, entryId: string was orderId or giftId\n"
    '  amount: number was total or worth\n  key "USER#{userId}" "ENTRY#{entryId}"\npattern user'
)
ENTRIES_READ = [
    ("entries_of", {"userId": f"u{number}"}, [entry(gift(number), "giftId"), entry(order(number), "orderId")])
    for number in ALL
]
# The new version, what it reads, and whether it may read what the old one wrote, and the old one what it writes.
CHANGES = {
    "an attribute is renamed": (
        changed(("name: string", "fullName: string was name")),
        users_with(renamed),
        (False, False),
    ),
    "a key has another template": (
        changed(('"USER#{userId}" "ORDER#{orderId}"', '"ORDERS#{userId}" "{orderId}"')),
        OLD_READS,
        (False, False),
    ),
    "a text becomes a number": (
        changed(("age: string", 'age: int was "{age}"')),
        users_with(lambda row: {**row, "age": int(row["age"])}),
        (False, False),
    ),
    "an entity is split": (
        changed(("entity Order", SPLIT), ("pattern orders_of", "pattern closed(userId) -> Closed?\npattern orders_of")),
        one_of("active", "user") + one_of("closed", "closed") + ORDERS_READ,
        (False, False),
    ),
    "entities are merged": (
        changed(
            (OLD[OLD.index("entity Order") : OLD.index("pattern user") + len("pattern user")], MERGED),
            (
                "pattern orders_of(userId) -> Order[]\npattern gifts_of(userId) -> Gift[]",
                "pattern entries_of(userId) -> Entry[]",
            ),
        ),
        USERS_READ + ENTRIES_READ,
        (False, False),
    ),
    "users are found by their status": (
        changed(
            ("(PK, SK)", "(PK, SK)\n  gsi ByStatus (GPK, GSK)"),
            ('"PROFILE"', '"PROFILE"\n  ByStatus "STATUS#{status}" "{userId}"'),
            ("pattern orders_of", "pattern users_by(status) -> User[]\npattern orders_of"),
        ),
        OLD_READS + [("users_by", {"status": status}, of_status(status)) for status in ("active", "closed")],
        (False, True),
    ),
    "an attribute is written beside another": (
        changed(("name: string", 'name: string, fullName: string was "{name}"')),
        users_with(lambda row: {**row, "fullName": row["name"]}),
        (False, True),
    ),
    "an attribute is added": (
        changed(("name: string", "name: string, note: string?")),
        OLD_READS,
        (True, True),
    ),
}


def value(held):
    return {"S": held} if isinstance(held, str) else {"N": str(held)}


class Watched:
    """Forwards the requests of a run; before each of some of them, others have their turn."""

    def __init__(self, endpoint, turn):
        self.proxy = wire.Proxy(endpoint)
        self.endpoint = self.proxy.endpoint
        handler, lock = self.proxy.server.RequestHandlerClass, threading.Lock()
        forwarded, asked = handler.do_POST, []

        def watched(request):
            with lock:
                asked.append(None)
                if len(asked) % EVERY == 0:
                    turn()
            forwarded(request)

        handler.do_POST = watched

    def close(self):
        self.proxy.close()


class Reader:
    """A client of a version in one language, by the methods of its generated file where that is text."""

    def __init__(self, language, model, plan, endpoint):
        self.name = f"{language}, {model.stem}"
        started = wire.program if language == "rust" else wire.generated
        self.program = started(language, model, plan, endpoint)

    def read(self, pattern, given):
        arguments = {name: value(held) for name, held in given.items()}
        call = {"kind": "all", "pattern": pattern, "arguments": arguments, "limit": None, "after": None}
        call |= {"backward": False, "strong": False, "now": NOW}
        return self.program.carry({"call": call, "now": NOW, "random": []})

    def differs(self, reads):
        """The first read that does not have the rows that it should have; none where all do."""
        for pattern, given, rows in reads:
            found = self.read(pattern, given)
            wanted = [{name: value(held) for name, held in row.items()} for row in rows]
            items = [one["attributes"] for one in found["done"]["items"]] if "done" in found else None
            if items != wanted:
                return f"{self.name}: {pattern} {given}: {found}, not {wanted}"
        return None


class Versions(unittest.TestCase):
    reads = 0

    def keyfold(self, codes, *arguments):
        """The result of a command that ends with one of some exit codes."""
        done = subprocess.run([KEYFOLD, *arguments, "--json"], capture_output=True, text=True, timeout=300)
        self.assertIn(done.returncode, codes, f"{arguments}: {done.stdout}{done.stderr}")
        return json.loads(done.stdout.splitlines()[-1])["result"]

    def place(self, text):
        """Both models in a folder, and a server with the rows of the old one."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        models = [pathlib.Path(folder.name) / f"{name}.keyfold" for name in ("old", "new")]
        for path, content in zip(models, (OLD, text), strict=True):
            path.write_text(content)
        server = wire.Memory(models[0])
        self.addCleanup(server.close)
        writer = wire.program("rust", models[0], None, server.endpoint)
        for number in ALL:
            for entity, row in (("User", user(number)), ("Order", order(number)), ("Gift", gift(number))):
                values = {name: value(held) for name, held in row.items()}
                call = {"kind": "create", "entity": entity, "values": values}
                done = writer.carry({"call": call, "now": NOW, "random": []})
                self.assertIn("done", done)
        writer.close()
        return models, server

    def readers(self, models, server):
        """The clients of each version."""
        all_of = []
        for model in models:
            plan, _ = wire.drawn(model, "--items", "1", "--asks", "1")
            own = [Reader(language, model, plan, server.endpoint) for language in wire.LANGUAGES]
            for reader in own:
                self.addCleanup(reader.program.close)
            all_of.append(own)
        return all_of

    def right(self, readers, reads, when):
        for reader in readers:
            self.assertIsNone(reader.differs(reads), when)
            Versions.reads += len(reads)

    def wrong(self, readers, reads, when):
        for reader in readers:
            self.assertIsNotNone(reader.differs(reads), f"{reader.name} reads {when}: why may it not run?")

    def evolve(self, text, new_reads, verdicts):
        models, server = self.place(text)
        plan = self.keyfold((0,), "evolve", "plan", *map(str, models))
        found = tuple(plan["verdicts"][name]["may"] for name in ("newReaders", "oldReaders"))
        self.assertEqual(found, verdicts)
        old, new = self.readers(models, server)
        self.right(old, OLD_READS, "at the beginning")
        (self.right if verdicts[0] else self.wrong)(new, new_reads, "at the beginning")
        phases, present, faults = plan["phases"], {"step": "the beginning", "runs": {"oldReaders": True}}, []

        def turn():
            """Who may run reads. What is wrong is kept: this is the thread of a request."""
            for may, readers, reads in (("oldReaders", old, OLD_READS), ("newReaders", new, new_reads)):
                for reader in readers if present["runs"].get(may) else ():
                    fault = reader.differs(reads)
                    faults.extend([f"in {present['step']}: {fault}"] if fault else [])
                    Versions.reads += len(reads)

        watched = Watched(server.endpoint, turn)
        self.addCleanup(watched.close)
        words, gates = [], []
        while True:
            run = ("evolve", "run", *map(str, models), "--at", watched.endpoint, *words)
            state = self.keyfold((0, GATE), *run)
            self.assertEqual(faults, [])
            if state["state"] != "gate":
                break
            step = state["gate"]["step"]
            gates.append(step)
            words = ["--done", step]
            behind = [one["step"] for one in phases].index(step) + 1
            present = phases[behind] if behind < len(phases) else {"step": "the end", "runs": {"newReaders": True}}
            turn()
            self.assertEqual(faults, [])
        self.assertIn(state["state"], ("ready", "no_difference"), state)
        if state["state"] == "ready":
            self.keyfold((0,), "evolve", "complete", *map(str, models), "--at", watched.endpoint, "--yes")
        self.right(new, new_reads, "at the end")
        if not verdicts[1]:
            self.wrong(old, OLD_READS, "at the end")
        return gates

    def test_who_may_read_gets_the_rows_of_its_version(self):
        for name, (text, reads, verdicts) in CHANGES.items():
            with self.subTest(name):
                print(name, self.evolve(text, reads, verdicts))
        print(f"{Versions.reads} reads by {len(wire.LANGUAGES)} clients of each version")


if __name__ == "__main__":
    unittest.main()
