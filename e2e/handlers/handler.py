"""A function that speaks the Lambda Runtime API: writes the notes of each event to the file in SEEN."""

import json
import os
import urllib.request

RUNTIME = f"http://{os.environ['AWS_LAMBDA_RUNTIME_API']}/2018-06-01/runtime/invocation"


def handle(event):
    notes = [record["dynamodb"]["Keys"]["PK"]["S"] for record in event["Records"]]
    with open(os.environ["SEEN"], "a", encoding="utf-8") as seen:
        seen.write(json.dumps(notes) + "\n")
    if "NOTE#exit" in notes:
        os._exit(3)
    if "NOTE#bad" in notes:
        raise ValueError("a bad note")
    return {"batchItemFailures": []}


def answer(request, kind, document):
    body = json.dumps(document).encode()
    urllib.request.urlopen(urllib.request.Request(f"{RUNTIME}/{request}/{kind}", data=body)).close()


while True:
    with urllib.request.urlopen(f"{RUNTIME}/next") as call:
        request = call.headers["Lambda-Runtime-Aws-Request-Id"]
        assert int(call.headers["Lambda-Runtime-Deadline-Ms"]) > 0
        assert call.headers["Lambda-Runtime-Invoked-Function-Arn"].startswith("arn:aws:lambda:")
        event = json.load(call)
    try:
        answer(request, "response", handle(event))
    except ValueError as error:
        answer(request, "error", {"errorType": "ValueError", "errorMessage": str(error)})
