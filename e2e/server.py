"""Starts a Keyfold server on a free port with the example models, for one test run."""

import json
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEYFOLD = os.environ.get("KEYFOLD_BIN", str(ROOT / "target" / "debug" / "keyfold"))
MODELS = {name: str(ROOT / "models" / f"{name}.keyfold") for name in ("shop", "myapp")}


def keyfold(*arguments, code=0):
    """Runs a command, and returns its JSON."""
    command = [KEYFOLD, *arguments, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180)
    if done.returncode != code:
        raise AssertionError(f"{' '.join(command)}: exit {done.returncode}, not {code}\n{done.stdout}{done.stderr}")
    document = json.loads(done.stdout)
    return document["result"] if code == 0 else document


class Server:
    """A server over a fresh data folder, with the tables of some models; `stop` ends it gracefully."""

    def __init__(self, *arguments, models=tuple(MODELS.values())):
        self.folder = tempfile.TemporaryDirectory()
        command = [KEYFOLD, "serve", "--json", "--port", "0", "--data", self.folder.name + "/data", *arguments]
        self.command = command + list(models)
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        self.endpoint = json.loads(self.process.stdout.readline())["result"]["endpoint"]

    def kill_and_restart(self):
        self.process.kill()
        self.process.wait(timeout=20)
        self.process.stdout.close()
        self.start()

    def stop(self):
        self.process.terminate()
        code = self.process.wait(timeout=20)
        self.process.stdout.close()
        self.folder.cleanup()
        return code

    def keyfold(self, *arguments, code=0, online=True):
        """Runs a command, against this server unless it needs none, and returns its JSON."""
        return keyfold(*arguments, *(["--endpoint", self.endpoint] if online else []), code=code)

    def load(self, model, rows):
        for entity, attributes in rows:
            pairs = [f"{name}={value}" for name, value in attributes.items()]
            self.keyfold("put", MODELS[model], entity, *pairs)
