"""One contender in a process of its own: it does what its parent asks, a line each."""

from __future__ import annotations

import importlib
import json
import sys
import time
from typing import Any

from data import ORDERS, USERS, order


class Worker:
    """A contender, and how far it has come."""

    def __init__(self, name: str, endpoint: str) -> None:
        self.contender: Any = importlib.import_module(f"contenders.{name}").Contender(endpoint)
        self.count = 0
        self.created = ORDERS
        for number in range(ORDERS):
            self.contender.put(order(number))

    def get(self) -> None:
        self.count = (self.count + 7) % ORDERS
        quantity = self.contender.get(order(self.count)["orderId"])
        assert quantity == self.count % 7, f"read another order: {quantity}"

    def query(self) -> None:
        self.count += 7
        totals = self.contender.query(f"u{self.count % USERS}")
        assert len(totals) == 20, f"read {len(totals)} orders"

    def put(self) -> None:
        self.created += 1
        self.contender.put(order(self.created))


def main() -> None:
    name, endpoint = sys.argv[1:]
    worker = Worker(name, endpoint)
    print("ready", flush=True)
    for line in sys.stdin:
        operation, seconds = json.loads(line)
        call = getattr(worker, operation)
        cpu, start, done = time.process_time(), time.monotonic(), 0
        while time.monotonic() - start < seconds:
            call()
            done += 1
        used = time.process_time() - cpu
        print(json.dumps([done / (time.monotonic() - start), used * 1000 / done]), flush=True)


main()
