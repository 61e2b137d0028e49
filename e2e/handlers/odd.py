"""Functions that behave oddly, each in its own way: the first argument says which. What they see is written to the
file that is the second one."""

import http.client
import json
import os
import pathlib
import signal
import sys
import threading
import time

KIND, SEEN = sys.argv[1], pathlib.Path(sys.argv[2])
VERSION = "/2018-06-01/runtime/invocation"
lock = threading.Lock()


def request(method, path, body=None):
    connection = http.client.HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])
    connection.request(method, VERSION + path, body)
    answer = connection.getresponse()
    return answer, answer.read()


def take():
    """The next call: its ID, and its records."""
    answer, body = request("GET", "/next")
    records = json.loads(body)["Records"]
    note([record["dynamodb"]["Keys"]["PK"]["S"].removeprefix("NOTE#") for record in records])
    return answer.headers["Lambda-Runtime-Aws-Request-Id"], records


def note(what):
    with lock, open(SEEN, "a", encoding="utf-8") as seen:
        seen.write(json.dumps(what) + "\n")


def reply(call, document):
    answer, _ = request("POST", f"/{call}/response", json.dumps(document))
    return answer.status


def is_first(name):
    """Whether it was not asked before, by any process of the function."""
    mark = SEEN.with_name(f"{SEEN.name}.{name}")
    is_new = not mark.exists()
    mark.touch()
    return is_new


def number(record):
    return record["dynamodb"]["SequenceNumber"]


def names(record, note):
    return record["dynamodb"]["Keys"]["PK"]["S"] == f"NOTE#{note}"


def twice():
    """Asks for two calls at once, on two connections, and then for the next two. Says what came of each answer."""

    def ask():
        call, records = take()
        time.sleep(0.1)
        note({"of": records[0]["dynamodb"]["Keys"]["PK"]["S"], "status": reply(call, None)})

    while True:
        threads = [threading.Thread(target=ask) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def again():
    """Asks again before it has answered, and answers again when it has the next call."""
    first, second = take()[0], take()[0]
    note([first == second, reply(first, None), reply(first, None)])
    following, _ = take()
    note([reply(first, None), reply(following, None)])
    time.sleep(600)


def hang():
    """Never answers a call with `bad`."""
    while True:
        call, records = take()
        if any(names(record, "bad") for record in records):
            time.sleep(600)
        reply(call, None)


def late():
    """Answers its first call after its time."""
    while True:
        call, _ = take()
        if is_first("late"):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(3)
        reply(call, None)


def die():
    """Is killed in the middle of its first call, and in that of each with `bad`."""
    while True:
        call, records = take()
        if is_first("die") or any(names(record, "bad") for record in records):
            os.kill(os.getpid(), signal.SIGKILL)
        reply(call, None)


def silent():
    """Answers its first call and asks for no other; the next process handles all."""
    while True:
        call, _ = take()
        reply(call, None)
        if is_first("silent"):
            time.sleep(600)


def garbage():
    """Prints garbage, and answers with it where `bad` is in the batch."""
    while True:
        sys.stdout.buffer.write(b"\xff\xfe\x00{\"Records\": " * 1000)
        sys.stdout.flush()
        call, records = take()
        is_bad = any(names(record, "bad") for record in records)
        request("POST", f"/{call}/response", b"\xff\xfe{not json" if is_bad else b"null")


def partial(identifier):
    """Names `bad` as failed, by what an identifier makes of its record."""
    while True:
        call, records = take()
        bad = [record for record in records if names(record, "bad")]
        reply(call, {"batchItemFailures": [{"itemIdentifier": identifier(record)} for record in bad]})


KINDS = {
    "twice": twice,
    "again": again,
    "hang": hang,
    "late": late,
    "die": die,
    "silent": silent,
    "garbage": garbage,
    "exit": lambda: note("began"),
    "known": lambda: partial(number),
    "unknown": lambda: partial(lambda record: "1"),
    "empty": lambda: partial(lambda record: ""),
}
KINDS[KIND]()
