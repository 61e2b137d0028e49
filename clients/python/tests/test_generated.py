"""Generated clients: printed as `ruff format` prints them, clean under `mypy --strict` and under
pyright's strict mode, wrong programs refused by both at the right line for the right reason, right
ones run against a server.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from keyfold.transport.process import Server

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
FOLDER = HERE / "generated"
MADE = FOLDER / "made"
PYDANTIC = FOLDER / "made_pydantic"
BINARY = os.environ.get("KEYFOLD_BIN", str(ROOT / "target" / "debug" / "keyfold"))
FOLDERS = ["models", "models/existing", "crates/keyfold-codegen/testscripts", "clients/cases"]
PROGRAMS = [
    "shop",
    "several",
    "answers",
    "made",
    "unknown",
    "foreign",
    "fakes",
    "records",
    "awaited",
    "events",
    "names",
]
WANTED = re.compile(r'\s*# error: ([a-z-]+) (".*"), ')
FOUND = re.compile(r"(.*\.py):(\d+): error: (.*)  \[([a-z-]+)\]$")


def models() -> list[tuple[Path, Path]]:
    """The models of the repository, and those of a folder with more, such as random ones, and where
    their clients are written."""
    own = [(path, MADE) for folder in FOLDERS for path in (ROOT / folder).glob("*.keyfold")]
    more = os.environ.get("KEYFOLD_MODELS")
    others = sorted(Path(more).glob("*.keyfold")) if more else []
    return own + [(path, MADE / f"{path.stem}.py") for path in others]


SOURCE = str(HERE.parent / "src")


def run(
    *arguments: str, folder: Path = FOLDER, path: tuple[str, ...] = (SOURCE, str(FOLDER))
) -> subprocess.CompletedProcess[str]:
    """Runs a command in a folder, whose modules come before those of `path`."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path),
        "MYPYPATH": SOURCE,
        # pyright looks for packages where `python` of the PATH has them.
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }
    return subprocess.run(
        arguments, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def wrong_lines() -> dict[int, tuple[str, str]]:
    """The lines of wrong programs, with the code of mypy's error and a name in every message."""
    wanted: dict[int, tuple[str, str]] = {}
    for at, line in enumerate((FOLDER / "wrong.py").read_text().splitlines(), 1):
        comment = WANTED.match(line)
        if comment is not None:
            wanted[at + 1] = (comment[1], comment[2])
    assert len(wanted) >= 60
    return wanted


def generate(model: Path, output: Path, *options: str) -> None:
    made = run(BINARY, "generate", "python", str(model), "-o", str(output), *options)
    if made.returncode != 0:
        raise AssertionError(f"{model}: {made.stderr}")


class Generated(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        for folder in (MADE, PYDANTIC):
            shutil.rmtree(folder, ignore_errors=True)
        for package in (MADE, PYDANTIC / "made"):
            package.mkdir(parents=True)
            (package / "__init__.py").touch()
        for model, output in models():
            generate(model, output)
            if output == MADE:
                generate(model, PYDANTIC / "made", "--pydantic")

    def test_they_are_printed_as_the_formatter_prints_them(self) -> None:
        for command in (["format", "--check"], ["check"]):
            ruff = [sys.executable, "-m", "ruff", *command, "--isolated", "--no-cache"]
            done = run(*ruff, "made", "made_pydantic")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_they_are_clean_and_wrong_programs_are_refused(self) -> None:
        cache = str(MADE / ".mypy_cache")
        options = ["--strict", "--python-version", "3.10", "--cache-dir", cache]
        mypy = [sys.executable, "-m", "mypy", "--config-file", os.devnull, *options]
        done = run(*mypy, "made", folder=PYDANTIC)
        self.assertEqual(done.returncode, 0, done.stdout)
        done = run(*mypy, "made", "run.py", "wrong.py")
        found: dict[int, list[str]] = {}
        wanted = wrong_lines()
        for line in done.stdout.splitlines():
            error = FOUND.match(line)
            if error is not None:
                self.assertEqual(error[1], "wrong.py", line)
                found.setdefault(int(error[2]), []).append(error[4])
                self.assertIn(wanted[int(error[2])][1], error[3], line)
        self.assertEqual(found, {at: [code] for at, (code, _) in wanted.items()}, done.stdout)

    def test_pyright_finds_them_clean_and_refuses_the_wrong_programs(self) -> None:
        """`pyproject.toml` above says how strict."""
        found = self.pyright("made", folder=PYDANTIC)
        self.assertEqual(found, {})
        found = self.pyright("made", "run.py", "wrong.py")
        self.assertEqual(set(found), {"wrong.py"})
        wanted = wrong_lines()
        self.assertEqual(set(found["wrong.py"]), set(wanted))
        for line, (_, name) in wanted.items():
            messages = found["wrong.py"][line]
            named = any(name.strip('"') in message for message in messages)
            self.assertTrue(named, f"{line}: {name} in {messages}")

    def pyright(self, *paths: str, folder: Path = FOLDER) -> dict[str, dict[int, list[str]]]:
        """The messages of each line, by the names of files. A line may have several."""
        command = [sys.executable, "-m", "pyright", "--outputjson", *paths]
        # Modules of the folder are sources; those of other places would need stubs.
        done = run(*command, folder=folder, path=(SOURCE,))
        report = json.loads(done.stdout)
        made = list((folder / "made").glob("*.py"))
        self.assertGreaterEqual(report["summary"]["filesAnalyzed"], len(made))
        found: dict[str, dict[int, list[str]]] = {}
        for one in report["generalDiagnostics"]:
            lines = found.setdefault(Path(one["file"]).name, {})
            lines.setdefault(one["range"]["start"]["line"] + 1, []).append(one["message"])
        return found

    def test_programs_run(self) -> None:
        server = Server(["--memory"])
        try:
            for name in PROGRAMS:
                with self.subTest(name):
                    self.run_program(FOLDER, name, server.endpoint)
        finally:
            server.stop()

    def test_programs_run_with_pydantic(self) -> None:
        server = Server(["--memory"])
        try:
            for name in PROGRAMS:
                with self.subTest(name):
                    self.run_program(PYDANTIC, name, server.endpoint)
        finally:
            server.stop()

    def test_pydantic_refuses_what_is_no_value_of_its_type(self) -> None:
        done = run(sys.executable, "-c", "import refused", folder=PYDANTIC)
        self.assertEqual(done.returncode, 0, done.stderr)

    def run_program(self, folder: Path, name: str, endpoint: str) -> None:
        code = "import run, sys; getattr(run, sys.argv[1])(sys.argv[2])"
        done = run(sys.executable, "-c", code, name, endpoint, folder=folder)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
