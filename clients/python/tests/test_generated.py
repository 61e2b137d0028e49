"""Generated clients: printed as `ruff format` prints them, clean under `mypy --strict`, wrong
programs refused at the right line, right ones run against a server.
"""

from __future__ import annotations

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
BINARY = os.environ.get("KEYFOLD_BIN", str(ROOT / "target" / "debug" / "keyfold"))
FOLDERS = ["models", "models/existing", "crates/keyfold-codegen/testscripts"]
WANTED = re.compile(r"\s*# error: ([a-z-]+), ")
FOUND = re.compile(r"(.*\.py):(\d+): error: .*\[([a-z-]+)\]$")


def models() -> list[tuple[Path, Path]]:
    """The models of the repository, and those of a folder with more, such as random ones, and where
    their clients are written."""
    own = [(path, MADE) for folder in FOLDERS for path in (ROOT / folder).glob("*.keyfold")]
    more = os.environ.get("KEYFOLD_MODELS")
    others = sorted(Path(more).glob("*.keyfold")) if more else []
    return own + [(path, MADE / f"{path.stem}.py") for path in others]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    source = str(HERE.parent / "src")
    environment = {**os.environ, "PYTHONPATH": source, "MYPYPATH": source}
    return subprocess.run(
        arguments, cwd=FOLDER, env=environment, capture_output=True, text=True, check=False
    )


class Generated(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        shutil.rmtree(MADE, ignore_errors=True)
        MADE.mkdir()
        (MADE / "__init__.py").touch()
        for model, output in models():
            made = run(BINARY, "generate", "python", str(model), "-o", str(output))
            if made.returncode != 0:
                raise AssertionError(f"{model}: {made.stderr}")

    def test_they_are_printed_as_the_formatter_prints_them(self) -> None:
        for command in (["format", "--check"], ["check"]):
            done = run(sys.executable, "-m", "ruff", *command, "--isolated", "made")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_they_are_clean_and_wrong_programs_are_refused(self) -> None:
        cache = str(MADE / ".mypy_cache")
        options = ["--strict", "--python-version", "3.10", "--cache-dir", cache]
        done = run(sys.executable, "-m", "mypy", *options, "made", "run.py", "wrong.py")
        found: dict[int, list[str]] = {}
        for line in done.stdout.splitlines():
            error = FOUND.match(line)
            if error is not None:
                self.assertEqual(error[1], "wrong.py", line)
                found.setdefault(int(error[2]), []).append(error[3])
        wanted: dict[int, list[str]] = {}
        for at, line in enumerate((FOLDER / "wrong.py").read_text().splitlines(), 1):
            comment = WANTED.match(line)
            if comment is not None:
                wanted[at + 1] = [comment[1]]
        self.assertGreaterEqual(len(wanted), 60)
        self.assertEqual(found, wanted, done.stdout)

    def test_programs_run(self) -> None:
        server = Server(["--memory"])
        try:
            for name in ("shop", "answers", "awaited", "events"):
                with self.subTest(name):
                    code = "import run, sys; getattr(run, sys.argv[1])(sys.argv[2])"
                    done = run(sys.executable, "-c", code, name, server.endpoint)
                    self.assertEqual(done.returncode, 0, done.stderr)
        finally:
            server.stop()


if __name__ == "__main__":
    unittest.main()
