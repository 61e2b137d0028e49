"""The loop of a function that speaks the Lambda Runtime API."""

import json
import os
import urllib.request

RUNTIME = f"http://{os.environ['AWS_LAMBDA_RUNTIME_API']}/2018-06-01/runtime/invocation"


def answer(request, kind, document):
    body = json.dumps(document).encode()
    urllib.request.urlopen(urllib.request.Request(f"{RUNTIME}/{request}/{kind}", data=body)).close()


def run(handle):
    """Calls the function for each event, until the process is ended."""
    while True:
        with urllib.request.urlopen(f"{RUNTIME}/next") as call:
            request = call.headers["Lambda-Runtime-Aws-Request-Id"]
            assert int(call.headers["Lambda-Runtime-Deadline-Ms"]) > 0
            assert call.headers["Lambda-Runtime-Invoked-Function-Arn"].startswith("arn:aws:lambda:")
            event = json.load(call)
        try:
            answer(request, "response", handle(event))
        except Exception as error:
            answer(request, "error", {"errorType": type(error).__name__, "errorMessage": str(error)})
