"""The annotations over HTTP, and the page for two devices."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path as File
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, FastAPI, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles
from keyfold import Code, Invalid, KeyfoldError
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bookmarks.library import Busy, Copy, Full, Library, OtherDevice
from bookmarks.model import (
    Annotation,
    AnnotationFormat,
    AsyncBookmarksClient,
    BookId,
    CustomerId,
    Position,
)
from bookmarks.names import refused
from bookmarks.said import (
    NO_OBJECT,
    Digits,
    Once,
    Twice,
    Written,
    of_invalid,
    of_route,
    of_unread,
)

LOG = logging.getLogger(__name__)
PUBLIC = File(__file__).resolve().parent.parent / "public"
BODY_MAX = 16 * 1024
TOO_LARGE = f"The body is too large. Send at most {BODY_MAX} bytes."
PROBLEM_JSON = "application/problem+json"
"""The media type of problems (RFC 9457)."""
PAGE_MAX = 100_000


class Given(BaseModel):
    """A body: its values have the types of JSON, and it has no other members."""

    model_config = ConfigDict(strict=True, extra="forbid")


Device = Annotated[str, Field(min_length=1, max_length=60), Written]


class GivenPosition(Given):
    """A position in a book."""

    page: int = Field(ge=1, le=PAGE_MAX)
    offset: int | None = Field(default=None, ge=0)
    text: str | None = Field(default=None, max_length=400)

    def made(self) -> Position:
        """As the model has it."""
        return Position(page=self.page, offset=self.offset, text=self.text)


class GivenTurn(Given):
    """Where a device goes on. It has seen the last position of this edition; 0 is none."""

    device: Device
    position: GivenPosition
    edition: int = Field(ge=0)
    stay: bool = False
    """Whether to go on here although another device is elsewhere."""


class GivenMark(Given):
    """A position that a device highlights or marks."""

    device: Device
    position: GivenPosition


@dataclass(slots=True)
class Problem:
    """Why something was not done, and where another device is."""

    status: int
    """The status of HTTP."""
    code: str
    """The word that programs compare."""
    detail: str
    """The sentence that people read."""
    field: str | None = None
    """What is wrong with the request, by its name in the API."""
    now: Annotation | None = None
    """The last position, where another device went on."""


PROBLEMS = TypeAdapter(Problem)


@dataclass(slots=True)
class Annotations:
    """All annotations of a copy."""

    annotations: list[Annotation]


@dataclass(slots=True)
class Done:
    """What was asked for is done."""

    done: bool = True


class Absent(Exception):
    """There is no such position. Look at the annotations as they are now."""


async def library_of(request: Request) -> Library:
    """The library that the application was made with."""
    library = request.app.state.library
    assert isinstance(library, Library)
    return library


async def copy_of(
    customer_id: Annotated[str, Path(max_length=100)],
    book_id: Annotated[str, Path(max_length=100)],
    format: AnnotationFormat,
) -> Copy:
    """The copy of the address."""
    return Copy(CustomerId(customer_id), BookId(book_id), format)


Books = Annotated[Library, Depends(library_of)]
OfCopy = Annotated[Copy, Depends(copy_of)]
Markable = Literal["highlight", "mark"]
CONFLICT: dict[int | str, dict[str, Any]] = {409: {"model": Problem}}
MISSING: dict[int | str, dict[str, Any]] = {404: {"model": Problem}}

router = APIRouter(
    prefix="/api/copies/{customer_id}/{book_id}/{format}", route_class=Once
)


@router.get("", summary="N1: all annotations of a copy")
async def all_of(copy: OfCopy, books: Books, response: Response) -> Annotations:
    """One query. The header `x-table-units` has the units that it took."""
    found, units = await books.annotations(copy)
    response.headers["x-table-units"] = str(units)
    return Annotations(list(found))


@router.put("/lastread", responses=CONFLICT, summary="N1: a device goes on")
async def turn(
    copy: OfCopy, given: GivenTurn, books: Books, response: Response
) -> Done:
    """One small write. A device that has not seen where another one went on hears it: 409."""
    position = given.position.made()
    if given.stay:
        units = await books.stay(copy, given.device, position)
    else:
        units = await books.turn(copy, given.device, position, given.edition)
    response.headers["x-table-units"] = str(units)
    return Done()


@router.post(
    "/{kind}", responses=CONFLICT, summary="N1: highlights or marks a position"
)
async def add(copy: OfCopy, kind: Markable, given: GivenMark, books: Books) -> Done:
    """Devices that do so at once all succeed."""
    await books.add(copy, kind, given.device, given.position.made())
    return Done()


@router.delete(
    "/{kind}", responses=MISSING, summary="N1: takes a highlight or a mark away"
)
async def remove(
    copy: OfCopy,
    kind: Markable,
    books: Books,
    device: Annotated[str, Query(min_length=1, max_length=60)],
    page: Annotated[int, Digits, Query(ge=1, le=PAGE_MAX)],
    offset: Annotated[Annotated[int, Digits, Field(ge=0)] | None, Query()] = None,
) -> Done:
    """That of a page, or of a place in it."""
    if not await books.remove(copy, kind, device, Position(page=page, offset=offset)):
        raise Absent
    return Done()


def application(client: AsyncBookmarksClient) -> FastAPI:
    """The application on an open client."""
    app = FastAPI(title="Bookmarks", version="1", redoc_url=None, docs_url=None)
    app.state.library = Library(client)
    app.include_router(router)
    app.mount("/", StaticFiles(directory=PUBLIC, html=True))
    app.add_middleware(Guarded)
    for kind in (Absent, Busy, Full, OtherDevice, KeyfoldError):
        app.add_exception_handler(kind, _failed)
    app.add_exception_handler(RequestValidationError, _unread)
    app.add_exception_handler(HTTPException, _unrouted)
    description = _described(app)
    app.openapi = lambda: description  # type: ignore[method-assign]
    return app


def _described(app: FastAPI) -> dict[str, Any]:
    """The description, in which what cannot be read is answered as all problems are."""
    description = get_openapi(title=app.title, version=app.version, routes=app.routes)
    schema = {"$ref": "#/components/schemas/Problem"}
    content = {PROBLEM_JSON: {"schema": schema}}
    for methods in description["paths"].values():
        for operation in methods.values():
            responses = operation["responses"]
            del responses["422"]
            responses["400"] = {"description": "Bad Request", "content": content}
            own = "An error of the application itself, or of its table"
            responses["default"] = {"description": own, "content": content}
            for status, response in responses.items():
                if status == "default" or int(status) >= 400:
                    response["content"] = content
    for unused in ("HTTPValidationError", "ValidationError"):
        del description["components"]["schemas"][unused]
    return description


def _answer(problem: Problem) -> JSONResponse:
    body = PROBLEMS.dump_python(problem, mode="json")
    # A member that says nothing is left out.
    body = {name: value for name, value in body.items() if value is not None}
    return JSONResponse(body, problem.status, media_type=PROBLEM_JSON)


async def _failed(request: Request, error: Exception) -> JSONResponse:
    match error:
        case OtherDevice(now=now):
            return _answer(
                Problem(
                    409,
                    "other_device",
                    "Another device went on. Go there, or stay here.",
                    now=now,
                )
            )
        case Full():
            return _answer(
                Problem(409, "full", "The copy has too many of them. Take one away.")
            )
        case Absent():
            return _answer(
                Problem(
                    404,
                    "not_found",
                    "There is no such position. Look at the annotations as they are now.",
                )
            )
        case Busy():
            return _answer(
                Problem(503, "busy", "Other devices were faster. Try again.")
            )
        case Invalid(attribute=attribute):
            field, detail = of_invalid(error.message, attribute)
            return _answer(Problem(400, "invalid", detail, field))
        case KeyfoldError(code=code):
            LOG.error("%s %r: %s", request.method, request.url.path, error)
            return _answer(
                Problem(
                    status_of(code),
                    code,
                    "Something does not work at the moment. Try again later.",
                )
            )
    raise error


def status_of(code: Code) -> int:
    """The status of HTTP. A new code is an error of the type checker here."""
    match code:
        case "invalid":
            return 400
        case "not_found":
            return 404
        case "exists" | "refused" | "stale_version" | "taken":
            return 409
        case "service" | "table_differs" | "too_many" | "unknown_item":
            return 500
        case "overtaken" | "throttled" | "transport":
            return 503
        case "aborted" | "incomplete" | "outcome_unknown":
            return 504


async def _unread(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first: Mapping[str, Any] = error.errors()[0]
    field, detail = of_unread(first)
    return _answer(Problem(400, "invalid", detail, field))


async def _unrouted(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    if isinstance(error, Twice):
        return _answer(Problem(400, "invalid", error.sentence, error.field))
    if error.status_code == 400:
        # Bytes that are no text: FastAPI does not come to their JSON.
        return _answer(Problem(400, "invalid", NO_OBJECT))
    codes = {404: "not_found", 413: "too_large"}
    code = codes.get(error.status_code, "invalid")
    detail = TOO_LARGE if code == "too_large" else of_route(error.status_code)
    return _answer(Problem(error.status_code, code, detail))


class Guarded:
    """Bounds bodies, and has the browser load nothing of elsewhere."""

    HEADERS = (
        (
            b"content-security-policy",
            b"default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
            b"connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
        ),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"same-origin"),
    )

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection, as ASGI has it."""

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [*message.get("headers", []), *self.HEADERS]
                message = {**message, "headers": own}
            await send(message)

        if scope["type"] == "http" and (why := refused(scope)) is not None:
            await _answer(Problem(403, "forbidden", why))(scope, receive, guarded)
            return
        held = 0

        async def bounded() -> Message:
            nonlocal held
            message = await receive()
            held += len(message.get("body", b""))
            if held > BODY_MAX:
                raise HTTPException(413)
            return message

        await self._app(scope, bounded, guarded)
