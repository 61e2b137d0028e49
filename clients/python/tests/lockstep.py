"""Carries calls out over lines of JSON, for `keyfold prove --through`. See docs/transcripts.md.

    keyfold prove FILE --through "python tests/lockstep.py [--async] [--generated]"
    python tests/lockstep.py [--async] --endpoint URL

The calls go through `Client` or `AsyncClient`, with values of Python and cursors as texts; with
`--generated` through the methods of the generated file, which it asks for. Only the
low-level client of boto3 is played: it writes requests as lines, and reads their answers. With
`--endpoint` nothing is played: the requests go there.
"""

from __future__ import annotations

import asyncio
import atexit
import base64
import json
import os
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from botocore.exceptions import ClientError  # type: ignore[import-untyped, unused-ignore]
from lockstep_generated import Generated, NotOffered

from keyfold import (
    BatchWritten,
    Client,
    Create,
    Delete,
    Item,
    KeyfoldError,
    Made,
    Model,
    Options,
    PageOptions,
    Put,
    Run,
    Transacted,
    TransactionWrite,
    Update,
    Written,
    cursors,
    load,
)
from keyfold.aio import AsyncClient
from keyfold.lower import arguments as given_arguments
from keyfold.lower.complete import ulid_of, uuid_of
from keyfold.lower.steps import Pause
from keyfold.plan.kind import Kind
from keyfold.transport.aioboto import AsyncDriver
from keyfold.transport.boto import METHODS, Driver
from keyfold.values.native import native
from keyfold.values.typed import typed
from keyfold.values.value import Value, decoded, decoded_item

Json = dict[str, Any]
OPERATIONS = {method: operation for operation, method in METHODS.items()}


class GivenOrigin:
    """The moment and the random bits of a call."""

    def __init__(self, line: Json) -> None:
        call = line["call"]
        self.now_epoch_ms: int = call["now"] if call.get("now") is not None else line["now"]
        self._random: Iterator[str] = iter(line["random"])
        self._parts: list[GivenOrigin] = [
            GivenOrigin({"call": {}, "now": self.now_epoch_ms, "random": one["random"]})
            for one in call.get("writes", [])
        ]

    def of_part(self, part: int) -> GivenOrigin:
        return self._parts[part]

    def identifier(self, kind: str) -> str:
        random = int(next(self._random), 16)
        return uuid_of(random) if kind == "uuid" else ulid_of(self.now_epoch_ms, random >> 48)


def say(line: Json) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def hear() -> Json:
    return cast(Json, json.loads(sys.stdin.readline()))


_SAYING = threading.Lock()
_asked = [0]
"""The number of requests so far."""


def ask(operation: str, request: Json) -> Json:
    """The answer of a request, as boto3 returns it."""
    # A transaction has a token for its retries.
    if operation == "TransactWriteItems":
        request.pop("ClientRequestToken")
    with _SAYING:
        _asked[0] += 1
        say({"ask": [{"operation": operation, "input": plain(request)}]})
        (answer,) = hear()["answers"]
    if "output" in answer:
        return cast(Json, with_bytes(answer["output"]))
    error = answer["error"]
    response: Any = {
        "Error": {"Code": error["exception"], "Message": error["message"]},
        "ResponseMetadata": {"HTTPStatusCode": 400},
        "CancellationReasons": error.get("reasons", []),
    }
    # Items that conditions failed on, which the lines leave out.
    for at in error.get("found", []):
        holder = response["CancellationReasons"][at] if error["reasons"] else response
        holder["Item"] = {}
    raise ClientError(response, operation)


class LineClient:
    """A low-level client of boto3 whose service is the program behind the lines."""

    meta = SimpleNamespace(
        events=SimpleNamespace(register=lambda *_, **__: None, unregister=lambda *_, **__: None)
    )

    def __getattr__(self, method: str) -> Callable[..., Json]:
        return lambda **request: ask(OPERATIONS[method], request)


class AsyncLineClient(LineClient):
    """The same of aioboto3."""

    def __getattr__(self, method: str) -> Callable[..., Coroutine[Any, Any, Json]]:  # type: ignore[override]
        async def send(**request: Any) -> Json:
            await asyncio.sleep(0)
            return ask(OPERATIONS[method], request)

        return send


def paused() -> None:
    with _SAYING:
        say({"pause": True})
        hear()


class LineDriver(Driver):
    """A driver that pauses by a line."""

    def _pause(self, step: Pause) -> None:
        paused()


class AsyncLineDriver(AsyncDriver):
    """The same that awaits."""

    async def _pause(self, step: Pause) -> None:
        paused()


def with_bytes(output: Any) -> Any:
    """An answer with bytes instead of base64, as boto3 returns it."""
    if isinstance(output, list):
        return [with_bytes(one) for one in output]
    if not isinstance(output, dict):
        return output
    if set(output) == {"B"} and isinstance(output["B"], str):
        return {"B": base64.b64decode(output["B"])}
    if set(output) == {"BS"} and isinstance(output["BS"], list):
        return {"BS": [base64.b64decode(one) for one in output["BS"]]}
    return {name: with_bytes(one) for name, one in output.items()}


def plain(value: Any) -> Any:
    """A value with base64 instead of bytes."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return {name: plain(one) for name, one in value.items()} if isinstance(value, dict) else value


def as_given(kinds: dict[str, Kind], values: Json) -> Json:
    """Values as a program gives them."""
    given: Json = {}
    for name, value in values.items():
        stored = decoded(value)
        given[name] = native(name, kinds[name], stored)
        again = typed(name, kinds[name], given[name])
        assert again == stored, f"{name}: {stored} became {again}"
    return given


class Talk:
    """One call: given by a line, carried out by a client, and its result as a line."""

    def __init__(self, model: Model, line: Json) -> None:
        self.model = model
        self.call: Json = line["call"]
        self.origin = GivenOrigin(line)

    def read(self) -> tuple[str, Json, PageOptions]:
        """The pattern of a page, its arguments and options."""
        pattern = self.model.patterns[self.call["pattern"]]
        kinds = {name: one.kind for name, one in pattern.parameters.items()}
        arguments = as_given(kinds, self.call["arguments"])
        options: PageOptions = {
            "limit": self.call["limit"],
            "backward": self.call["backward"],
            "strong": self.call.get("strong", False),
        }
        if self.call["after"]:
            # The position as the cursor that the client made of it.
            held = given_arguments.of_pattern(pattern, arguments)
            position = decoded_item(self.call["after"])
            options["after"] = cursors.seal(self.model, pattern, held, position, b"secret")
        return pattern.name, arguments, options

    def write(self, client: Any) -> Any:
        """Starts a write, or a read by keys."""
        call = self.call
        if call["kind"] == "transact":
            return client.transact([self.part(one) for one in call["writes"]])
        if call["kind"] in ("get_many", "put_many", "delete_many"):
            entity = self.model.entities[call["entity"]]
            kinds = {name: one.kind for name, one in entity.attributes.items()}
            all_of = call["items"] if call["kind"] == "put_many" else call["keys"]
            given = [as_given(kinds, one) for one in all_of]
            if call["kind"] == "get_many":
                return client.get_many(entity.name, given, strong=call["strong"])
            return getattr(client, call["kind"])(entity.name, given)
        if call["kind"] == "write":
            return client.write(call["write"], self.arguments_of(call))
        values = self.values_of(call)
        if call["kind"] == "update":
            return client.update(call["entity"], values, call["remove"])
        return getattr(client, call["kind"])(call["entity"], values)

    async def write_generated(self, generated: Generated) -> Any:
        """A write, or a read by keys, by the methods of a generated file."""
        call, kind = self.call, self.call["kind"]
        if kind == "transact":
            parts = [self.part_generated(generated, one) for one in call["writes"]]
            return await generated.transact(parts)
        if kind == "write":
            return await generated.write(call["write"], self.arguments_of(call))
        entity: str = call["entity"]
        if kind in ("get_many", "put_many", "delete_many"):
            kinds = {name: one.kind for name, one in self.model.entities[entity].attributes.items()}
            all_of = call["items"] if kind == "put_many" else call["keys"]
            given = [as_given(kinds, one) for one in all_of]
            if kind == "get_many":
                return await generated.get_many(entity, given, call["strong"])
            return await generated.batch(entity, kind, given)
        return await generated.change(entity, kind, self.values_of(call), call.get("remove", ()))

    def part_generated(self, generated: Generated, call: Json) -> tuple[Any, Any]:
        """One write of a transaction, by the methods of a generated file."""
        if call["kind"] == "write":
            return generated.part(call["write"], self.arguments_of(call))
        remove = call.get("remove", ())
        return generated.part_of(call["entity"], call["kind"], self.values_of(call), remove)

    def arguments_of(self, call: Json) -> Json:
        """The arguments of a named write."""
        parameters = self.model.writes[call["write"]].parameters
        return as_given({name: one.kind for name, one in parameters.items()}, call["arguments"])

    def values_of(self, call: Json) -> Json:
        """The values of a write of an entity."""
        attributes = self.model.entities[call["entity"]].attributes
        return as_given({name: one.kind for name, one in attributes.items()}, call["values"])

    def part(self, call: Json) -> TransactionWrite:
        """One write of a transaction."""
        if call["kind"] == "write":
            return Run(call["write"], self.arguments_of(call))
        entity, values = call["entity"], self.values_of(call)
        if call["kind"] == "create":
            return Create(entity, values)
        if call["kind"] == "put":
            return Put(entity, values)
        if call["kind"] == "update":
            return Update(entity, values, call["remove"])
        return Delete(entity, values)

    def of_result(self, result: Any, requests: int) -> Json:
        """The line of a write, or of a read by keys."""
        if isinstance(result, Written):
            return self.of_write(result)
        if isinstance(result, Transacted):
            writes = [
                {"changes": one.changes, "made": self.of_made(one.made)} for one in result.writes
            ]
            return {"done": {"operation": result.operation, "writes": writes}}
        if isinstance(result, BatchWritten):
            made = [self.of_made(one) for one in result.made]
            return {"done": {"requests": result.requests, "made": made}}
        attributes = self.model.entities[self.call["entity"]].attributes
        items = [
            item
            and {
                "kind": item.kind,
                "attributes": {
                    name: plain(typed(name, attributes[name].kind, value))
                    for name, value in item.items()
                },
            }
            for item in result
        ]
        return {"done": {"items": items, "requests": requests}}

    def of_page(self, items: list[Item], following: str | None, requests: int) -> Json:
        """The line of a page."""
        pattern = self.model.patterns[self.call["pattern"]]
        returned = {one.name: one.entity for one in pattern.returns}
        found = [
            {
                "kind": item.kind,
                "attributes": {
                    name: plain(typed(name, returned[item.kind].attributes[name].kind, value))
                    for name, value in item.items()
                },
            }
            for item in items
        ]
        position = None
        if following is not None:
            _, arguments, _ = self.read()
            held = given_arguments.of_pattern(pattern, arguments)
            position = plain(cursors.open_(self.model, pattern, held, following, b"secret"))
        return {"done": {"items": found, "next": position, "requests": requests}}

    def of_write(self, written: Written) -> Json:
        """The line of a write."""
        made, changes = self.of_made(written.made), written.changes
        return {"done": {"operation": written.operation, "changes": changes, "made": made}}

    def of_made(self, all_of: list[Made]) -> list[Json]:
        """Values that a write made."""
        made: list[Json] = []
        for one in all_of:
            attribute = one.attribute.rpartition(".")[2]
            kind = self.model.entities[one.entity].attributes[attribute].kind
            value: Value = typed(attribute, kind, one.value)
            made.append({"entity": one.entity, "attribute": one.attribute, "value": plain(value)})
        return made


def failed(error: KeyfoldError) -> Json:
    """The line of an error."""
    return {"failed": {"code": error.code, "message": error.message}}


def of_sync(client: Client, talk: Talk) -> Json:
    if talk.call["kind"] not in ("page", "all"):
        before = _asked[0]
        result = talk.write(client)
        return talk.of_result(result, _asked[0] - before)
    pattern, arguments, options = talk.read()
    if talk.call["kind"] == "page":
        page = client.page(pattern, arguments, **options)
        return talk.of_page(page.items, page.next, page.requests)
    pages = list(client.pages(pattern, arguments, **options))
    items = [item for page in pages for item in page.items]
    return talk.of_page(items, None, sum(page.requests for page in pages))


async def of_async(client: AsyncClient, talk: Talk) -> Json:
    if talk.call["kind"] not in ("page", "all"):
        before = _asked[0]
        result = await talk.write(client)
        return talk.of_result(result, _asked[0] - before)
    pattern, arguments, options = talk.read()
    if talk.call["kind"] == "page":
        page = await client.page(pattern, arguments, **options)
        return talk.of_page(page.items, page.next, page.requests)
    pages = [page async for page in client.pages(pattern, arguments, **options)]
    items = [item for page in pages for item in page.items]
    return talk.of_page(items, None, sum(page.requests for page in pages))


async def of_generated(generated: Generated, talk: Talk) -> Json:
    """Carries a call out by the methods of a generated file."""
    before = _asked[0]
    if talk.call["kind"] in ("page", "all"):
        pattern, arguments, options = talk.read()
        is_all = talk.call["kind"] == "all"
        items, following = await generated.read(pattern, arguments, options, is_all)
        return talk.of_page(items, following, _asked[0] - before)
    result = await talk.write_generated(generated)
    return talk.of_result(result, _asked[0] - before)


def at_once(running: Coroutine[Any, Any, Json]) -> Json:
    """The result of what awaits nothing."""
    try:
        running.send(None)
    except StopIteration as stopped:
        return cast(Json, stopped.value)
    raise AssertionError("a client that blocks has awaited")


def sync_carrier(model: Model, options: Options, url: str | None) -> Callable[[Talk], Json]:
    """Carries calls out with the client that blocks."""
    generated = generated_client(model, False, url or LineClient(), options)
    client: Any = (
        generated.client.client if generated else Client(model, url or LineClient(), options)
    )
    if url is None:
        client._driver = LineDriver(LineClient(), options)

    def carry(talk: Talk) -> Json:
        client._calls.new_origin = lambda: talk.origin
        if generated is not None:
            try:
                return at_once(of_generated(generated, talk))
            except NotOffered:
                pass
        return of_sync(client, talk)

    return carry


def async_carrier(model: Model, options: Options, url: str | None) -> Callable[[Talk], Json]:
    """Carries calls out with the client that awaits."""
    loop = asyncio.new_event_loop()
    generated = generated_client(model, True, url or AsyncLineClient(), options)
    client: Any = (
        generated.client.client
        if generated
        else AsyncClient(model, url or AsyncLineClient(), options)
    )
    if url is None:

        async def opened() -> None:
            client._driver = AsyncLineDriver(AsyncLineClient(), options)

        loop.run_until_complete(opened())
    else:
        loop.run_until_complete(client.__aenter__())
        atexit.register(lambda: loop.run_until_complete(client.__aexit__(None, None, None)))

    def carry(talk: Talk) -> Json:
        client._calls.new_origin = lambda: talk.origin
        if generated is not None:
            try:
                return loop.run_until_complete(of_generated(generated, talk))
            except NotOffered:
                pass
        return loop.run_until_complete(of_async(client, talk))

    return carry


def generated_client(model: Model, is_async: bool, *given: object) -> Generated | None:
    """The client of the generated file, where the command asks for it. `KEYFOLD_MISTAKE`, such as
    `user_id=>name`, makes a mistake in the file, for tests that it is found."""
    if "--generated" not in sys.argv:
        return None
    say({"generate": "python"})
    text: str = hear()["generated"]
    right, found, wrong = os.environ.get("KEYFOLD_MISTAKE", "").partition("=>")
    if found:
        assert right in text, f"there is no {right}"
        text = text.replace(right, wrong)
    return Generated(text, model, is_async, *given)


def main() -> None:
    """Answers lines until there are none."""
    model = load(hear()["plan"])
    carrier = async_carrier if "--async" in sys.argv else sync_carrier
    url = sys.argv[sys.argv.index("--endpoint") + 1] if "--endpoint" in sys.argv else None
    carry = carrier(model, Options(cursor_secret=b"secret"), url)
    say({"ready": True, "several": True})
    for text in sys.stdin:
        try:
            said = carry(Talk(model, json.loads(text)))
        except KeyfoldError as error:
            said = failed(error)
        say(said)


if __name__ == "__main__":
    main()
