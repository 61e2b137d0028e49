"""One request after another to an engine that does not keep requests beside each other apart: moto answers
transactions with 500 then, and may have made a part of them."""

import collections
import contextlib
import http.client
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

ENGINE_S = 120
OWN = ("content-length", "transfer-encoding", "connection", "date", "server")


class Turns:
    """Turns in the order in which they were asked for: who asks often does not keep others from theirs."""

    def __init__(self):
        self.guard = threading.Lock()
        self.waiting = collections.deque()

    @contextlib.contextmanager
    def turn(self):
        mine = threading.Event()
        with self.guard:
            self.waiting.append(mine)
            if self.waiting[0] is mine:
                mine.set()
        mine.wait()
        try:
            yield
        finally:
            with self.guard:
                self.waiting.popleft()
                if self.waiting:
                    self.waiting[0].set()


class InTurn:
    """Forwards requests to an engine, also those whose client has ended, one at a time."""

    def __init__(self, endpoint):
        place = urlsplit(endpoint)
        turns = Turns()

        def forwarded(handler, body):
            with turns.turn():
                connection = http.client.HTTPConnection(place.hostname, place.port, timeout=ENGINE_S)
                try:
                    connection.request(handler.command, handler.path, body, dict(handler.headers.items()))
                    answer = connection.getresponse()
                    return answer, answer.read()
                finally:
                    connection.close()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                try:
                    answer, content = forwarded(self, body)
                except (OSError, http.client.HTTPException):
                    # The engine is gone: so is the connection.
                    self.close_connection = True
                    return
                self.send_response(answer.status)
                for name, text in answer.getheaders():
                    if name.lower() not in OWN:
                        self.send_header(name, text)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def handle(self):
                try:
                    super().handle()
                except ConnectionError:
                    # The client has ended.
                    self.close_connection = True

            def finish(self):
                try:
                    super().finish()
                except ConnectionError:
                    self.close_connection = True

            def log_message(self, *_):
                pass

        class Listener(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 256

        self.server = Listener(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
