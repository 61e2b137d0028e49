"""The project: the generated client is that of the model, and all types fit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_the_client_is_that_of_the_model() -> None:
    # A relative path is of the folder that the tests were started in.
    binary = os.environ.get("KEYFOLD_BIN")
    keyfold = os.path.abspath(binary) if binary else "keyfold"
    done = run(keyfold, "generate", "--check")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_types_fit() -> None:
    done = run(sys.executable, "-m", "mypy")
    assert done.returncode == 0, done.stdout + done.stderr
