"""Entities written by a client in each language and read by all of them: equal values, and equal bytes in
the tables, keys included.

`ACROSS_ITEMS=230` draws so many items of each entity, 10,135 in all.
"""

import os
import unittest

import boto3
import wire
from parity import MODELS

ITEMS = os.environ.get("ACROSS_ITEMS", "4")


class Across(unittest.TestCase):
    def compare(self, model):
        plan, calls = wire.drawn(model, "--items", ITEMS, "--asks", "1")
        creates = [line for line in calls if line["call"]["kind"] in ("create", "put")]
        reads = [line for line in calls if line["call"]["kind"] in ("all", "get_many")]
        servers = {name: wire.Memory(model) for name in wire.LANGUAGES}
        try:
            written = self.results("rust", model, plan, servers["rust"], creates)
            stored = tables(servers["rust"])
            for name in wire.LANGUAGES[1:]:
                found = self.results(name, model, plan, servers[name], creates)
                self.same(found, written, creates, f"{model.name}: {name} writes")
                self.assertEqual(tables(servers[name]), stored, f"{model.name}: the tables of {name}")
            # The tables are equal, so that one answer is right for all of them.
            expected = self.results("rust", model, plan, servers["rust"], reads)
            for writer in wire.LANGUAGES:
                for reader in wire.LANGUAGES:
                    found = self.results(reader, model, plan, servers[writer], reads)
                    self.same(found, expected, reads, f"{model.name}: {reader} reads what {writer} wrote")
        finally:
            for server in servers.values():
                server.close()
        return sum("failed" not in one for one in written)

    def results(self, language, model, plan, server, calls):
        client = wire.program(language, model, plan, server.endpoint)
        try:
            return [shown(client.carry(line)) for line in calls]
        finally:
            client.close()

    def same(self, found, expected, calls, what):
        for one, other, line in zip(found, expected, calls, strict=True):
            self.assertEqual(one, other, f"{what}: {line['call']}")

    def test_entities_of_all_languages_are_equal(self):
        count = 0
        for model in (wire.EVERYTHING, *MODELS):
            with self.subTest(model.name):
                count += self.compare(model)
        print(f"{count} entities written by each of {len(wire.LANGUAGES)} clients, and read by all of them")


def shown(line):
    """A result in the form in which equal ones are equal. Messages may differ; requests are counted in
    `parity`."""
    if "failed" in line:
        return {"failed": line["failed"]["code"]}
    return wire.canonical({name: value for name, value in line["done"].items() if name != "requests"})


def tables(server):
    """All items of all tables, with the keys of tables and indexes."""
    client = boto3.client(
        "dynamodb",
        endpoint_url=server.endpoint,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )
    found = []
    for table in client.list_tables()["TableNames"]:
        for page in client.get_paginator("scan").paginate(TableName=table):
            found += [(table, plain(item)) for item in page["Items"]]
    return sorted(found, key=repr)


def plain(value, name=""):
    """An item of boto3 with compressed values expanded, and sets in order."""
    if isinstance(value, dict):
        return {key: plain(one, key) for key, one in sorted(value.items())}
    if isinstance(value, list):
        all_of = [plain(one) for one in value]
        return sorted(all_of, key=repr) if name in ("SS", "NS", "BS") else all_of
    return wire.gzip.decompress(value) if isinstance(value, bytes) and value[:2] == b"\x1f\x8b" else value


if __name__ == "__main__":
    unittest.main()
