"""Other engines with DynamoDB's API, from their packages: each runs on a free port of this machine."""

import pathlib
import socket
import subprocess
import sys
import time

import boto3

HERE = pathlib.Path(__file__).resolve().parent
START_S = 60
MOTO = [str(pathlib.Path(sys.executable).with_name("moto_server")), "-H", "127.0.0.1", "-p", "{port}"]
DYNALITE = ["node", str(HERE / "node_modules" / ".bin" / "dynalite"), "--host", "127.0.0.1", "--port", "{port}"]


class Engine:
    """An engine on a free port of this machine."""

    def __init__(self, command):
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
        command = [word.format(port=port) for word in command]
        self.process = subprocess.Popen(command, cwd=HERE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.endpoint = f"http://127.0.0.1:{port}"
        try:
            self.wait(port)
        except BaseException:
            self.stop()
            raise
        keys = {"aws_access_key_id": "local", "aws_secret_access_key": "local"}
        self.client = boto3.client("dynamodb", endpoint_url=self.endpoint, region_name="us-east-1", **keys)

    def wait(self, port):
        until = time.monotonic() + START_S
        while True:
            try:
                return socket.create_connection(("127.0.0.1", port), timeout=1).close()
            except OSError:
                if time.monotonic() > until or self.process.poll() is not None:
                    raise
                time.sleep(0.1)

    def stop(self):
        # It has nothing to keep, and waits for clients when it is asked to end.
        self.process.kill()
        self.process.wait(timeout=20)
