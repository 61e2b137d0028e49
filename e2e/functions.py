"""Functions with generated clients in TypeScript and Python, to which `keyfold serve --on-stream` sends
the changes of a table: each gets typed changes, and reads the same server.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest
import unittest.mock

from server import KEYFOLD, ROOT, Server

HANDLERS = ROOT / "e2e" / "handlers"
MODEL = HANDLERS / "typed.keyfold"
EXPECTED = ["welcome Ada", "Ada ordered 13.5 at 2024-01-15", "open became paid", "an order is gone"]


def generated(language, folder):
    subprocess.run([KEYFOLD, "generate", language, str(MODEL), "-o", str(folder)], check=True, capture_output=True)


def python(folder):
    """The command of the function in Python."""
    generated("python", folder)
    path = os.pathsep.join([str(folder), str(ROOT / "clients" / "python" / "src"), str(HANDLERS)])
    interpreter = ROOT / "clients" / "python" / ".venv" / "bin" / "python"
    return f'env "PYTHONPATH={path}" "{interpreter}" "{HANDLERS / "typed_function.py"}"'


def typescript(folder):
    """The command of the function in TypeScript, in one file as it would be deployed."""
    generated("typescript", folder)
    package = ROOT / "clients" / "typescript"
    packages = folder / "node_modules" / "@keyfold"
    packages.mkdir(parents=True)
    (packages / "client").symlink_to(package)
    for name in ("runtime.mjs", "typed_function.ts"):
        shutil.copy(HANDLERS / name, folder / name)
    bundle = folder / "function.mjs"
    command = [package / "node_modules" / ".bin" / "esbuild", folder / "typed_function.ts", f"--outfile={bundle}"]
    subprocess.run([*map(str, command), "--bundle", "--platform=node", "--format=esm"], check=True, capture_output=True)
    return f'node "{bundle}"'


class Functions(unittest.TestCase):
    def test_typed_functions_get_the_changes_of_a_table(self):
        for make in (python, typescript):
            with self.subTest(make.__name__), tempfile.TemporaryDirectory() as folder:
                self.play(make, pathlib.Path(folder))

    def play(self, make, folder):
        seen = folder / "seen"
        seen.touch()
        environment = {"SEEN": str(seen), "AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}
        with unittest.mock.patch.dict(os.environ, environment):
            server = Server("--on-stream", f"Typed={make(folder)}?report-failures&retries=0", models=[str(MODEL)])
        try:
            model, order = str(MODEL), "orderId=o1"
            server.keyfold("put", model, "User", "userId=u1", "name=Ada")
            values = ["userId=u1", "placedAt=2024-01-15T10:00:00Z", "total=12.5", "state=open"]
            server.keyfold("put", model, "Order", order, *values)
            server.keyfold("update", model, "Order", order, "state=paid")
            server.keyfold("delete", model, "Order", order)
            end = time.monotonic() + 30
            while len(seen.read_text().splitlines()) < len(EXPECTED) and time.monotonic() < end:
                time.sleep(0.05)
            self.assertEqual(seen.read_text().splitlines(), EXPECTED)
        finally:
            self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main()
