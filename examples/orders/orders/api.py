"""Both answers side by side over HTTP, and a page that shows them."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path as File
from typing import Annotated, Any

import psycopg
from fastapi import APIRouter, Depends, FastAPI, Path, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles
from keyfold import Code, Invalid, KeyfoldError
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from orders.legacy import JOIN, Address, Legacy, Row
from orders.names import refused
from orders.said import (
    NO_OBJECT,
    Once,
    Twice,
    Written,
    of_invalid,
    of_route,
    of_unread,
)
from orders.shelf import Imported, Shelf

LOG = logging.getLogger(__name__)
PUBLIC = File(__file__).resolve().parent.parent / "public"
BODY_MAX = 16 * 1024
TOO_LARGE = f"The body is too large. Send at most {BODY_MAX} bytes."
PROBLEM_JSON = "application/problem+json"
"""The media type of problems (RFC 9457)."""


class GivenStreet(BaseModel):
    """The body that gives an address another street."""

    model_config = ConfigDict(strict=True, extra="forbid")

    street: Annotated[str, Field(min_length=1, max_length=100), Written]


@dataclass(slots=True)
class Addresses:
    """All addresses of the old system."""

    addresses: list[Address]


@dataclass(slots=True)
class Customers:
    """All customers of the old system."""

    customers: list[str]


@dataclass(slots=True)
class Side:
    """One of the two answers."""

    rows: list[Row]
    milliseconds: float
    how: str
    """The statement, or the request with its units."""


@dataclass(slots=True)
class Compared:
    """The two answers to one question."""

    sql: Side
    keyfold: Side
    same: bool
    other: list[str]
    """The orders that are not the same in both."""


@dataclass(slots=True)
class Problem:
    """Why something was not done."""

    status: int
    """The status of HTTP."""
    code: str
    """The word that programs compare."""
    detail: str
    """The sentence that people read."""
    field: str | None = None
    """What is wrong with the request, by its name in the API."""


class Absent(Exception):
    """What is asked for is not there. The sentence says where to look for it."""


async def legacy_of(request: Request) -> Legacy:
    """The old system."""
    legacy = request.app.state.legacy
    assert isinstance(legacy, Legacy)
    return legacy


async def shelf_of(request: Request) -> Shelf:
    """Keyfold's side."""
    shelf = request.app.state.shelf
    assert isinstance(shelf, Shelf)
    return shelf


Sql = Annotated[Legacy, Depends(legacy_of)]
Keyfold = Annotated[Shelf, Depends(shelf_of)]
Id = Annotated[str, Path(max_length=100)]
MISSING: dict[int | str, dict[str, Any]] = {404: {"model": Problem}}

router = APIRouter(prefix="/api", route_class=Once)


@router.get("/customers", summary="All customers of the old system")
async def customers(sql: Sql) -> Customers:
    """In the order of their ids."""
    return Customers(await sql.customers())


@router.get("/customers/{custid}/orders", summary="N2: both answers side by side")
async def orders(custid: Id, sql: Sql, keyfold: Keyfold) -> Compared:
    """The orders of a customer with their addresses: by a join, and by one query of one table."""
    start = time.perf_counter()
    joined = await sql.orders(custid)
    between = time.perf_counter()
    stored, units = await keyfold.orders(custid)
    end = time.perf_counter()
    one = {row.transaction_id: row for row in joined}
    other = {row.transaction_id: row for row in stored}
    different = [key for key in {**one, **other} if one.get(key) != other.get(key)]
    return Compared(
        sql=Side(joined, 1000 * (between - start), JOIN),
        keyfold=Side(
            stored, 1000 * (end - between), f"Query of CustomerOrders: {units:g} units"
        ),
        same=joined == stored,
        other=sorted(different),
    )


@router.get(
    "/customers/{custid}/orders/{transaction_id}",
    responses=MISSING,
    summary="N2: one order with its address, from the one table",
)
async def order(custid: Id, transaction_id: Id, keyfold: Keyfold) -> Row:
    """One item."""
    found = await keyfold.order(custid, transaction_id)
    if found is None:
        raise Absent("There is no such order. Look for it in those of the customer.")
    return found


@router.get("/addresses", summary="All addresses of the old system")
async def addresses(sql: Sql) -> Addresses:
    """In the order of their zip codes."""
    return Addresses(await sql.addresses())


@router.post(
    "/addresses/{zip_code}",
    responses=MISSING,
    summary="Gives an address of the old system another street",
)
async def rename(zip_code: Id, given: GivenStreet, sql: Sql) -> Address:
    """One row of SQL. The orders of the address have the street in Keyfold from the next import on."""
    found = await sql.rename(zip_code, given.street)
    if found is None:
        raise Absent(
            "There is no such address. /api/addresses has those that there are."
        )
    return found


@router.post("/import", summary="Imports the join: what is new, other or gone")
async def take(sql: Sql, keyfold: Keyfold) -> Imported:
    """It can be done again at any time."""
    return await keyfold.take(sql)


def application(legacy: Legacy, shelf: Shelf) -> FastAPI:
    """The application on both sides."""
    app = FastAPI(title="Orders", version="1", redoc_url=None, docs_url=None)
    app.state.legacy = legacy
    app.state.shelf = shelf
    app.include_router(router)
    app.mount("/", StaticFiles(directory=PUBLIC, html=True))
    app.add_middleware(Guarded)
    for kind in (Absent, KeyfoldError, psycopg.Error):
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
            if responses.pop("422", None) is not None:
                responses["400"] = {"description": "Bad Request", "content": content}
            own = "An error of the application itself, or of its table"
            responses["default"] = {"description": own, "content": content}
            for status, response in responses.items():
                if status == "default" or int(status) >= 400:
                    response["content"] = content
    for unused in ("HTTPValidationError", "ValidationError"):
        del description["components"]["schemas"][unused]
    return description


def _answer(
    status: int, code: str, detail: str, field: str | None = None
) -> JSONResponse:
    body: dict[str, Any] = {"status": status, "code": code, "detail": detail}
    if field:
        body["field"] = field
    return JSONResponse(body, status, media_type=PROBLEM_JSON)


def _nul(request: Request) -> str | None:
    """The member of a request that has a NUL, which no text of PostgreSQL has: one of the path, or else the street of
    an address."""
    for name, text in request.path_params.items():
        if "\0" in text:
            return str(name)
    return "street" if "zip_code" in request.path_params else None


async def _failed(request: Request, error: Exception) -> JSONResponse:
    match error:
        case Absent():
            return _answer(404, "not_found", str(error))
        case Invalid(attribute=attribute):
            field, detail = of_invalid(error.message, attribute)
            return _answer(400, "invalid", detail, field)
        case KeyfoldError(code=code):
            LOG.error("%s %r: %s", request.method, request.url.path, error)
            return _answer(
                status_of(code),
                code,
                "Something does not work at the moment. Try again later.",
            )
        case psycopg.DataError() if (field := _nul(request)) is not None:
            detail = f"The member {field} has a character that the old system has not. Take it out."
            return _answer(400, "invalid", detail, field)
        case psycopg.Error():
            LOG.error("%s %r: %s", request.method, request.url.path, error)
            return _answer(
                503, "sql", "The old system does not answer. Try again later."
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
    return _answer(400, "invalid", detail, field)


async def _unrouted(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    if isinstance(error, Twice):
        return _answer(400, "invalid", error.sentence, error.field)
    if error.status_code == 400:
        # Bytes that are no text: FastAPI does not come to their JSON.
        return _answer(400, "invalid", NO_OBJECT)
    code = {404: "not_found", 413: "too_large"}.get(error.status_code, "invalid")
    detail = TOO_LARGE if code == "too_large" else of_route(error.status_code)
    return _answer(error.status_code, code, detail)


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
            await _answer(403, "forbidden", why)(scope, receive, guarded)
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
