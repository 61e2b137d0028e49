"""A function as it is deployed to AWS Lambda: it only has a handler, and a runtime interface client calls it. It writes
the notes of each event to the file in SEEN, with what its context says."""

import json
import os


def handle(event, context):
    records = event["Records"]
    notes = [record["dynamodb"]["Keys"]["PK"]["S"].removeprefix("NOTE#") for record in records]
    said = {"id": context.aws_request_id, "arn": context.invoked_function_arn}
    said["left"] = context.get_remaining_time_in_millis()
    with open(os.environ["SEEN"], "a", encoding="utf-8") as seen:
        seen.write(json.dumps([notes, said]) + "\n")
    if "exit" in notes:
        os._exit(3)
    if "bad" in notes:
        raise ValueError("a bad note")
    partly = [record["dynamodb"]["SequenceNumber"] for record, note in zip(records, notes) if note == "partly"]
    return {"batchItemFailures": [{"itemIdentifier": number} for number in partly]}
