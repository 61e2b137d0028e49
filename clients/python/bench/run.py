"""Measures the client beside boto3, PynamoDB, Dyntastic and pydynox: milliseconds of CPU and
operations a second, in rounds that take turns, against one server in memory.

    python clients/python/bench/run.py [--seconds 1] [--rounds 7] [--only ours,raw]

KEYFOLD_BIN names the server's binary. The packages are installed into `.venv` beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
NAMES = ("ours", "raw", "pynamo", "dyntastics", "pydynoxes")
TITLES = dict(zip(NAMES, ("keyfold", "boto3", "PynamoDB", "Dyntastic", "pydynox")))
BINARY = os.environ.get("KEYFOLD_BIN", str(ROOT / "target" / "release" / "keyfold"))


def python() -> Path:
    """The Python with all packages, which are installed once."""
    made = HERE / ".venv" / "bin" / "python"
    if not made.exists():
        venv.create(HERE / ".venv", with_pip=True)
        requirements = str(HERE / "requirements.txt")
        subprocess.run([made, "-m", "pip", "install", "-q", "-r", requirements], check=True)
    return made


def worker(name: str, endpoint: str) -> Any:
    """A contender's process, which has stored its data."""
    path = f"{HERE}:{HERE.parent / 'src'}"
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    command = [str(python()), str(HERE / "worker.py"), name, endpoint]
    process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path}, **pipes)
    if process.stdout.readline() != "ready\n":
        sys.exit(f"{name} did not start")
    return process


def ask(process: Any, operation: str, seconds: float) -> list[float]:
    """Operations a second, and milliseconds of CPU for each."""
    print(json.dumps([operation, seconds]), file=process.stdin, flush=True)
    found: list[float] = json.loads(process.stdout.readline())
    return found


def measure(workers: dict[str, Any], operation: str, rounds: int, seconds: float) -> None:
    """Measures an operation, and prints a table."""
    found: dict[str, list[list[float]]] = {name: [] for name in workers}
    for at in range(rounds + 1):
        for name, process in workers.items():
            one = ask(process, operation, seconds)
            if at > 0:  # The first round warms up.
                found[name].append(one)
    print(f"\n{operation}: ms of CPU, times the first, operations a second")
    middle = {
        name: [statistics.median(column) for column in zip(*all_of)]
        for name, all_of in found.items()
    }
    first = next(iter(middle.values()))[1]
    for name, (rate, cpu) in middle.items():
        print(f"  {TITLES[name]:10} {cpu:7.3f} {cpu / first:6.2f}x {rate:7.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default=",".join(NAMES))
    options = parser.parse_args()
    model = ROOT / "clients" / "typescript" / "bench" / "bench.keyfold"
    subprocess.run([BINARY, "generate", "python", model, "-o", HERE / "made"], check=True)
    command = [BINARY, "serve", "--json", "--port", "0", "--memory"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            endpoint = json.loads(server.stdout.readline())["result"]["endpoint"]
            workers = {name: worker(name, endpoint) for name in options.only.split(",")}
            for operation in ("get", "query", "put"):
                measure(workers, operation, options.rounds, options.seconds)
            for process in workers.values():
                process.stdin.close()
                process.wait()
        finally:
            server.terminate()


main()
