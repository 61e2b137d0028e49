"""The guides of `docs/`: their commands run as they stand, in order, and print what they show."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from server import KEYFOLD, ROOT, Server

HERE = pathlib.Path(__file__).resolve().parent
FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Guides(unittest.TestCase):
    def follow(self, guide, file):
        """Runs the blocks of a guide: `sh` is run, `text` must be in what the run printed or in the file, `keyfold`
        becomes the file, and `toml` the `keyfold.toml` beside it."""
        server = Server(models=())
        folder = pathlib.Path(tempfile.mkdtemp())
        try:
            for data in (ROOT / "docs").glob(f"{pathlib.Path(guide).stem}.json"):
                shutil.copy(data, folder)
            environment = dict(os.environ)
            environment["PATH"] = os.pathsep.join(
                [str(pathlib.Path(KEYFOLD).parent), str(HERE / ".venv" / "bin"), environment["PATH"]]
            )
            printed, shell = "", ""
            for kind, text in FENCED.findall((ROOT / "docs" / guide).read_text()):
                if kind == "keyfold":
                    (folder / file).write_text(text)
                elif kind == "toml":
                    (folder / file).with_name("keyfold.toml").write_text(text)
                elif kind == "sh":
                    text = text.replace("http://127.0.0.1:8000", server.endpoint)
                    if text.startswith("export"):
                        shell += text
                        continue
                    command = ["bash", "-euc", shell + text]
                    done = subprocess.run(
                        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120
                    )
                    self.assertEqual(done.returncode, 0, f"{text}\n{done.stdout}{done.stderr}")
                    printed = done.stdout + done.stderr
                    if (folder / file).exists():
                        printed += (folder / file).read_text()
                else:
                    for line in text.splitlines():
                        self.assertIn(line, printed)
        finally:
            server.stop()
            shutil.rmtree(folder)

    def test_existing_table(self):
        self.follow("existing-table.md", "club.keyfold")

    def test_project(self):
        self.follow("project.md", "notes/notes.keyfold")


if __name__ == "__main__":
    unittest.main()
