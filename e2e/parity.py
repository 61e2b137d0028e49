"""Request parity, recorded by a proxy: the command line and the clients in Rust, TypeScript and Python,
blocking and awaited, send equal requests for equal calls.

`PARITY_MODELS=200` takes that many random models, from the folder KEYFOLD_MODELS.
"""

import os
import pathlib
import unittest

import wire
from server import ROOT

MODELS = sorted((ROOT / "models").glob("*.keyfold"))
# A model of several files is opened by its first one.
MORE_MODELS = [
    *sorted((ROOT / "models" / "existing").glob("*.keyfold")),
    ROOT / "models" / "shop-teams" / "shop.keyfold",
]
# The most proofs that are drawn until each pattern and write was called.
SEEDS_MAX = 40
RANDOM_SEEDS_MAX = 4
RANDOM_COUNT = int(os.environ.get("PARITY_MODELS", "6"))


def random_models():
    folder = pathlib.Path(os.environ["KEYFOLD_MODELS"])
    return sorted(folder.glob("*.keyfold"))[:RANDOM_COUNT]


def drawn(model, seeds_max, items="3"):
    """Calls of a model, and the names of the patterns and writes that are not among them."""
    all_of, called = [], set()
    for seed in range(1, seeds_max + 1):
        plan, calls = wire.drawn(model, "--items", items, "--asks", "1", "--seed", str(seed))
        all_of += calls
        parts = [part for line in calls for part in (line["call"], *line["call"].get("writes", []))]
        called |= {part.get("pattern") or part.get("write") for part in parts}
        members = [*plan["plan"]["patterns"], *plan["plan"].get("writes", [])]
        absent = {one["name"] for one in members} - called
        if not absent:
            break
    return plan, all_of, absent


class Parity(unittest.TestCase):
    counts = {}

    def compare(self, model, seeds_max, items="3"):
        plan, calls, absent = drawn(model, seeds_max, items)
        self.compare_calls(model, plan, calls)
        return absent

    def compare_calls(self, model, plan, calls):
        sent = {}
        for name in ("command line", *wire.LANGUAGES):
            sent[name] = self.requests(name, model, plan, calls)
        for at, line in enumerate(calls):
            expected = sent["rust"][at]
            for name, requests in sent.items():
                if requests[at] is not None:
                    self.assertEqual(requests[at], expected, f"{model.name}: {name}: {line['call']}")
                    self.counts[name] = self.counts.get(name, 0) + len(expected)

    def requests(self, name, model, plan, calls):
        """The requests of each call; none for a call that the client has not."""
        server = wire.Memory(model)
        proxy = wire.Proxy(server.endpoint)
        is_command = name == "command line"
        client = (
            wire.Command(model, proxy.endpoint) if is_command else wire.program(name, model, plan, proxy.endpoint)
        )
        found = []
        try:
            for line in calls:
                client.carry(line)
                requests = proxy.taken()
                found.append(requests if not is_command or client.is_own else None)
        finally:
            client.close()
            proxy.close()
            server.close()
        return found

    def test_the_models(self):
        for model in [*MODELS, *MORE_MODELS]:
            with self.subTest(model.name):
                self.assertEqual(self.compare(model, SEEDS_MAX), set(), "patterns and writes that were not called")

    def test_an_update_takes_out_what_is_absent(self):
        """In one order, whether an attribute is given and only the key holds it, or it is to be removed."""
        model = ROOT / "clients" / "cases" / "absent.keyfold"
        plan, calls, _ = drawn(model, 1)
        line = next(line for line in calls if line["call"]["kind"] == "create")
        given = {"z": {"S": "one"}, "a": {"S": "two"}}
        create = {"kind": "create", "entity": "Note", "values": given}
        update = {"kind": "update", "entity": "Note", "values": {**given, "y": {"S": "new"}}, "remove": ["b"]}
        self.compare_calls(model, plan, [{**line, "call": create}, {**line, "call": update}])

    def test_random_models(self):
        models = random_models()
        self.assertEqual(len(models), RANDOM_COUNT)
        for model in models:
            with self.subTest(model.name):
                self.assertEqual(self.compare(model, RANDOM_SEEDS_MAX, "10"), set(), "not called")

    @classmethod
    def tearDownClass(cls):
        print({name: f"{count} requests" for name, count in cls.counts.items()})


if __name__ == "__main__":
    unittest.main()
