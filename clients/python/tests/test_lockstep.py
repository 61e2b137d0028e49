"""Request parity and proof: every model is proved through both clients, in lockstep with Keyfold's,
by the methods of its generated file.

`tests/lockstep.py` is what is proved; the random models of the repository's own tests are proved
through it with `THROUGH="python .../lockstep.py --generated"` and
`cargo test -p keyfold-prove --test random_models`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import support

LOCKSTEP = Path(__file__).with_name("lockstep.py")
LEAST = ["--items", "8", "--asks", "1"]
FEW = ["--items", "3", "--asks", "1"]
SMALL = ["--items", "10", "--asks", "2"]
ALL = [*support.MODELS, support.EVERYTHING, support.PATHS, support.THINGS]


@pytest.mark.parametrize("flag", ["", " --async"], ids=["sync", "async"])
@pytest.mark.parametrize("model", ALL, ids=lambda model: model.stem)
def test_requests_and_results_are_those_of_the_embedded_client(model: Path, flag: str) -> None:
    through = f"{sys.executable} {LOCKSTEP}{flag} --generated"
    # Every word of the language once takes long enough with little data.
    size = LEAST if model == support.EVERYTHING else SMALL
    command = [support.KEYFOLD, "prove", str(model), *size, "--through", through]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "proved by execution" in done.stdout


@pytest.mark.parametrize("flag", ["", " --async"], ids=["sync", "async"])
def test_calls_by_name_are_those_of_the_embedded_client(flag: str) -> None:
    command = [support.KEYFOLD, "prove", str(support.EVERYTHING), *LEAST]
    command += ["--through", f"{sys.executable} {LOCKSTEP}{flag}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "mistake",
    [
        # Two arguments that are exchanged, a wrong pattern, and a type that is promised.
        '"status": status, "since": since=>"status": since, "since": status',
        '"recent_orders",=>"orders_of_user",',
        "    total: Decimal\n=>    total: int\n",
    ],
)
def test_a_mistake_of_a_generated_file_is_found(mistake: str) -> None:
    command = [support.KEYFOLD, "prove", str(support.ROOT / "models" / "shop.keyfold"), *FEW]
    command += ["--through", f"{sys.executable} {LOCKSTEP} --generated"]
    environment = {**os.environ, "KEYFOLD_MISTAKE": mistake}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=900, check=False, env=environment
    )
    assert "there is no" not in done.stderr
    assert done.returncode != 0, done.stdout + done.stderr


def test_a_difference_fails(tmp_path: Path) -> None:
    """A client that differs is found: here one that reads backward where it must not."""
    wrong = tmp_path / "wrong.py"
    source = LOCKSTEP.read_text(encoding="utf-8")
    right = '"backward": self.call["backward"]'
    assert right in source
    wrong.write_text(
        source.replace(right, '"backward": True').replace(
            "Path(__file__).resolve().parent.parent", f"Path({str(support.PACKAGE)!r})"
        ),
        encoding="utf-8",
    )
    command = [support.KEYFOLD, "prove", str(support.ROOT / "models" / "bookmarks.keyfold"), *SMALL]
    command += ["--through", f"{sys.executable} {wrong}"]
    environment = {**os.environ, "PYTHONPATH": str(LOCKSTEP.parent)}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=900, check=False, env=environment
    )
    assert done.returncode != 0 and "the client differs" in done.stdout + done.stderr
