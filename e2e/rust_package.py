"""The crate as a program gets it: projects outside the repository that depend on it by its path, built without
network, which run the programs of the documents as they stand there."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from server import MODELS, ROOT, Server

FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# The lines that a program prints are the comments behind them.
PRINTED = re.compile(r"println!\(.*\).*; *// (.*)$|println!\(.*\), // (.*)$", re.MULTILINE)
# The repository, as a project beside it names it.
BESIDE = "../keyfold/"
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).absolute()
MAIN = "fn main() -> Result<(), Box<dyn std::error::Error>> {\n%s    Ok(())\n}\n"
SHOP_ROWS = [
    ("User", {"userId": "u1", "email": "u1@example.com", "name": "U", "createdAt": "2024-01-15"}),
    (
        "Order",
        {"orderId": "o1", "userId": "u1", "createdAt": "2024-01-15", "total": "5", "status": "paid"},
    ),
]


def blocks(document, language):
    """The blocks of a language in a document."""
    found = [text for one, text in FENCED.findall((ROOT / document).read_text()) if one == language]
    if not found:
        raise AssertionError(f"{document} has no block of {language}")
    return found


class RustPackage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.project = pathlib.Path(folder.name)

    def run_project(self, files):
        """Builds a project of some files, with the dependencies that the crate's README says, and runs it."""
        (dependencies,) = blocks("crates/keyfold/README.md", "toml")
        self.assertEqual(dependencies.count(f'"{BESIDE}crates/'), 2)
        manifest = '[package]\nname = "notes"\nversion = "0.1.0"\nedition = "2024"\n\n' + dependencies
        files = {"Cargo.toml": manifest.replace(BESIDE, f"{ROOT}/"), **files}
        for name, text in files.items():
            (self.project / name).parent.mkdir(parents=True, exist_ok=True)
            (self.project / name).write_text(text)
        # The versions of the repository, which are on this machine.
        shutil.copy(ROOT / "Cargo.lock", self.project)
        # With the folder and the profile of the repository, Cargo uses the crates that were built there.
        environment = {"CARGO_PROFILE_DEV_DEBUG": "line-tables-only", **os.environ, "CARGO_TARGET_DIR": str(TARGET)}
        command = [os.environ.get("CARGO", "cargo"), "run", "--quiet", "--offline"]
        done = subprocess.run(
            command, cwd=self.project, env=environment, capture_output=True, text=True, timeout=1200
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_the_quick_start_of_the_crate(self):
        (model,) = blocks("crates/keyfold/README.md", "keyfold")
        build, program = blocks("crates/keyfold/README.md", "rust")
        expected = [one or other for one, other in PRINTED.findall(program)]
        printed = self.run_project({"notes.keyfold": model, "build.rs": build, "src/main.rs": program})
        self.assertEqual(printed.splitlines(), expected)
        self.assertEqual(len(expected), 3)

    def test_the_program_of_the_readme(self):
        (program,) = blocks("README.md", "rust")
        shop = pathlib.Path(MODELS["shop"]).read_text()
        program = MAIN % (program + 'println!("{:?}", user.unwrap().text("name"));\n')
        self.assertEqual(self.run_project({"src/main.rs": program, "src/shop.keyfold": shop}), 'Some("Ada")\n')
        self.assertTrue((self.project / "data").is_dir())

    def test_the_generated_client_of_the_guide(self):
        use, _, project = blocks("docs/generate.md", "rust")
        _, build, module = re.split(r"^// build\.rs.*$|^// src/main\.rs$", project, flags=re.MULTILINE)
        server = Server(models=[MODELS["shop"]])
        try:
            server.load("shop", SHOP_ROWS)
            self.assertEqual(use.count("http://localhost:8000"), 1)
            use = use.replace("http://localhost:8000", server.endpoint)
            shop = pathlib.Path(MODELS["shop"]).read_text()
            files = {"shop.keyfold": shop, "build.rs": build, "src/main.rs": module + MAIN % use}
            self.assertEqual(self.run_project(files), "5\n")
            (shipped,) = server.keyfold("run", MODELS["shop"], "orders_by_status", "status=shipped")["items"]
            self.assertEqual(shipped["attributes"]["orderId"], "o1")
        finally:
            server.stop()


if __name__ == "__main__":
    unittest.main()
