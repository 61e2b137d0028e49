"""Holds the exported definitions of tables against the providers' own schemas: CloudFormation's, which
cfn-lint carries, and an extract of that of Terraform's AWS provider (terraform_schema.py)."""

import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import hcl2

from server import KEYFOLD, ROOT

CFN_LINT = str(pathlib.Path(sys.executable).parent / "cfn-lint")
SCHEMA = json.loads(pathlib.Path(__file__).with_name("terraform_schema.json").read_text())["resources"]

# Every setting that a table can have.
SETTINGS = """model settings 1
table Orders (PK, SK) ttl expires
  gsi GSI1 (A, B) capacity 7 read 3..9 write
  gsi GSI2 (C, D: number) project keys
  gsi GSI3 ((A, C), (B, id)) project (kind)
  lsi ByAt (at)
  capacity 5..100 read 4 write at 60 percent
  stream new and old images
  point in time recovery
  deletion protection
  class infrequent access
  tags team = "orders", "cost:center" = "x 1"
table Free (PK) type kind
  stream keys
entity Order in Orders
  id: string, a: string, at: time, kind: string, number: int, gone: time
  key "O#{id}" "X"
  GSI1 "A#{a}" "{id}"
  GSI2 "C#{kind}" {number}
  ttl gone
entity Thing in Free
  name: string
  key "T#{name}"
pattern order(id) -> Order?
"""


def models():
    found = [*(ROOT / "models").glob("*.keyfold"), *(ROOT / "models" / "existing").glob("*.keyfold")]
    return sorted(str(path) for path in [*found, ROOT / "models" / "shop-teams" / "shop.keyfold"])


def export(form, model):
    """The exported text; of tables per period, those of one."""
    for period in ([], ["--period", "2024-01"]):
        done = subprocess.run([KEYFOLD, "export", form, model, *period], capture_output=True, text=True, timeout=60)
        if done.returncode == 0:
            return done.stdout
    raise AssertionError(f"{model}: {done.stderr}")


def plain(value):
    """A parsed part of HCL without the quotes and marks of the parser."""
    if isinstance(value, dict):
        return {plain(key): plain(one) for key, one in value.items() if not key.startswith("__")}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return value.strip('"') if isinstance(value, str) else value


def faults(place, body, known):
    """What the provider does not know of a resource or block, and what it misses."""
    for name, value in body.items():
        if name == "lifecycle":
            continue
        if name not in known:
            yield f"{place}: there is no {name}"
        elif "block" in known[name]:
            for block in value if isinstance(value, list) else [value]:
                yield from faults(f"{place}.{name}", block, known[name]["block"])
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield f"{place}: {name} is no block"
    for name, about in known.items():
        if about["required"] and name not in body:
            yield f"{place}: {name} is missing"


class Exports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        settings = os.path.join(cls.folder.name, "settings.keyfold")
        pathlib.Path(settings).write_text(SETTINGS)
        cls.models = [*models(), settings]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def lint(self, *templates):
        return subprocess.run([CFN_LINT, *templates], capture_output=True, text=True, timeout=300)

    def test_cloudformation_accepts_every_template(self):
        self.assertGreater(len(self.models), 20)
        templates = []
        for at, model in enumerate(self.models):
            path = pathlib.Path(self.folder.name) / f"{at}-{pathlib.Path(model).stem}.json"
            path.write_text(export("cloudformation", model))
            templates.append(str(path))
        done = self.lint(*templates)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_cloudformation_refuses_a_wrong_template(self):
        template = json.loads(export("cloudformation", self.models[-1]))
        first = next(iter(template["Resources"].values()))
        first["Properties"]["BillingModus"] = "PAY_PER_REQUEST"
        path = pathlib.Path(self.folder.name) / "wrong.json"
        path.write_text(json.dumps(template))
        done = self.lint(str(path))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("BillingModus", done.stdout)

    def test_terraform_knows_every_attribute(self):
        seen = set()
        for model in self.models:
            parsed = plain(hcl2.load(io.StringIO(export("terraform", model))))
            for resource in parsed["resource"]:
                ((kind, named),) = resource.items()
                ((name, body),) = named.items()
                seen.add(kind)
                self.assertEqual(list(faults(f"{kind}.{name}", body, SCHEMA[kind])), [], model)
        self.assertEqual(seen, set(SCHEMA))

    def test_terraform_knows_no_other_attribute(self):
        known = SCHEMA["aws_dynamodb_table"]
        body = {"name": "a", "hash_kee": "b", "attribute": [{"name": "b", "kind": "S"}]}
        self.assertEqual(
            list(faults("t", body, known)),
            ["t: there is no hash_kee", "t.attribute: there is no kind", "t.attribute: type is missing"],
        )


if __name__ == "__main__":
    unittest.main()
