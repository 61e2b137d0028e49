"""MyApp over HTTP, by FastAPI on the client that awaits.

Answers are the classes of the generated client, so that the description in `/openapi.json` follows
from the model. A page of orders has a link to the next one. Its cursor stands in the address,
sealed by a secret: one that was changed is answered with 400.
"""

from __future__ import annotations

import html
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Annotated, Any, TypeVar
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import HTMLResponse, JSONResponse
from keyfold import KeyfoldError, NotFound, typed
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException as RoutingError
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from myapp.model import (
    Address,
    AsyncMyappClient,
    NewAddress,
    NewOrderItem,
    NewProduct,
    NewUser,
    Order,
    OrderId,
    OrderItem,
    OrderKey,
    OrderPatch,
    OrderStatus,
    PendingOrdersItem,
    Product,
    Sku,
    User,
    UserId,
)
from myapp.names import refused
from myapp.results import Problem, absent, invalid, problem_of
from myapp.said import (
    NO_OBJECT,
    Decimals,
    Digits,
    Once,
    Twice,
    Written,
    of_route,
    of_unread,
)

T = TypeVar("T")
LOG = logging.getLogger(__name__)
BODY_MAX = 64 * 1024
TOO_LARGE = f"The body is too large. Send at most {BODY_MAX} bytes."
PROBLEM_JSON = "application/problem+json"
"""The media type of problems (RFC 9457)."""
NUMBER_MAX = 10**8 - 1
"""The highest number: orders have eight digits in their key."""


class Given(BaseModel):
    """A body: its values have the types of JSON, and it has no other members."""

    model_config = ConfigDict(strict=True, extra="forbid")


Number = Annotated[int, Field(ge=0, le=NUMBER_MAX)]
Quantity = Annotated[int, Field(ge=1, le=NUMBER_MAX)]
Text = Annotated[str, Field(min_length=1), Written]


def _plain(number: Decimal) -> Decimal:
    """A number as the table has it: without an exponent, zeros at its end and a sign of zero."""
    return Decimal(format(number.normalize() + 0, "f"))


Price = Annotated[
    Decimal,
    Decimals,
    Field(strict=False, ge=0, max_digits=12, decimal_places=2),
    AfterValidator(_plain),
]


class GivenUser(Given):
    """A user who registers."""

    user_id: Number
    email: Text
    name: Text


class GivenAddress(Given):
    """An address, without its label."""

    street: Text
    city: Text


class GivenProduct(Given):
    """A product, without its number."""

    name: Text
    price: Price
    stock: int = Field(ge=0)


class GivenOrder(Given):
    """An order of one product."""

    user_id: Number
    sku: Text
    quantity: Quantity


class GivenStatus(Given):
    """The status that an order gets."""

    status: OrderStatus


@dataclass(slots=True)
class Overview:
    """Everything about a user."""

    user: User
    orders: list[Order]
    addresses: list[Address]


@dataclass(slots=True)
class OrderWithLines:
    """An order and what is in it."""

    order: Order
    lines: list[OrderItem]


@dataclass(slots=True)
class OrderPage:
    """A page of orders, newest first, and the address of the next one."""

    items: list[Order]
    next: str | None


@dataclass(slots=True)
class PendingPage:
    """A page of orders that wait, and the address of the next one."""

    items: list[PendingOrdersItem]
    next: str | None


class Wrong(Exception):
    """A request that is answered with a problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


def client_of(request: Request) -> AsyncMyappClient:
    """The client that the application was made with."""
    client = request.app.state.client
    assert isinstance(client, AsyncMyappClient)
    return client


Client = Annotated[AsyncMyappClient, Depends(client_of)]
UserNumber = Annotated[int, Digits, Path(ge=0, le=NUMBER_MAX)]
OrderNumber = Annotated[int, Digits, Path(ge=0, le=NUMBER_MAX)]
Limit = Annotated[int, Digits, Query(ge=1, le=99)]

MISSING: dict[int | str, dict[str, Any]] = {404: {"model": Problem}}
CONFLICT: dict[int | str, dict[str, Any]] = {409: {"model": Problem}}

router = APIRouter(route_class=Once)


@router.post("/users", status_code=201, responses=CONFLICT, summary="Creates a user")
async def register(given: GivenUser, client: Client) -> User:
    """The table guards that no two users have the same e-mail."""
    now = datetime.now(timezone.utc).replace(microsecond=0)
    user_id = UserId(given.user_id)
    await client.User.create(
        NewUser(user_id=user_id, email=given.email, name=given.name, created_at=now)
    )
    return User(user_id=user_id, email=given.email, name=given.name, created_at=now)


@router.get("/users", responses=MISSING, summary="M2: a user by e-mail")
async def user_by_email(email: str, client: Client) -> User:
    """One query of the index GSI1."""
    return found(await client.user_by_email(email=email), f"user with {email}")


@router.get("/users/{user_id}", responses=MISSING, summary="M1: a user by id")
async def user(user_id: UserNumber, client: Client) -> User:
    """One item."""
    return found(await client.user(user_id=UserId(user_id)), f"user {user_id}")


@router.get("/users/{user_id}/orders", summary="M3: a user's orders, newest first")
async def orders_of_user(
    user_id: UserNumber, client: Client, limit: Limit = 10, after: str | None = None
) -> OrderPage:
    """A page of them."""
    query = client.orders_of_user(user_id=UserId(user_id))
    return OrderPage(*await page(f"/users/{user_id}/orders", query, limit, after))


@router.get(
    "/users/{user_id}/overview",
    responses=MISSING,
    summary="M6: everything about a user",
)
async def overview(user_id: UserNumber, client: Client) -> Overview:
    """One query of the user's partition, divided by kind."""
    user: User | None = None
    orders: list[Order] = []
    addresses: list[Address] = []
    try:
        async for item in client.user_overview(user_id=UserId(user_id)):
            match item:
                case User():
                    user = item
                case Order():
                    orders.append(item)
                case Address():
                    addresses.append(item)
    except NotFound:
        # The pattern promises a user.
        raise Wrong(absent(f"user {user_id}")) from None
    return Overview(found(user, f"user {user_id}"), orders, addresses)


@router.put(
    "/users/{user_id}/addresses/{label}",
    responses=MISSING,
    summary="Writes the address that a user calls by a label",
)
async def put_address(
    user_id: UserNumber, label: str, given: GivenAddress, client: Client
) -> Address:
    """An address that was there is replaced."""
    owner = found(await client.user(user_id=UserId(user_id)), f"user {user_id}")
    made = NewAddress(
        user_id=owner.user_id, label=label, street=given.street, city=given.city
    )
    await client.Address.put(made)
    return Address(
        user_id=owner.user_id, label=label, street=given.street, city=given.city
    )


@router.put("/products/{sku}", summary="Writes a product")
async def put_product(sku: str, given: GivenProduct, client: Client) -> Product:
    """A product that was there is replaced."""
    made = NewProduct(
        sku=Sku(sku), name=given.name, price=given.price, stock=given.stock
    )
    await client.Product.put(made)
    return Product(sku=made.sku, name=given.name, price=given.price, stock=given.stock)


@router.get("/products/{sku}", responses=MISSING, summary="A product by its number")
async def product(sku: str, client: Client) -> Product:
    """One item."""
    return found(await client.product(sku=Sku(sku)), f"product {sku}")


@router.get("/orders/{order_id}", responses=MISSING, summary="M4: an order by id")
async def order(order_id: OrderNumber, client: Client) -> OrderWithLines:
    """With its lines."""
    number = OrderId(order_id)
    head = found(await client.order(order_id=number), f"order {order_id}")
    return OrderWithLines(head, await client.items_of_order(order_id=number).all())


@router.put(
    "/orders/{order_id}",
    status_code=201,
    responses={**MISSING, **CONFLICT},
    summary="M7: places an order, and takes the product's stock, both or nothing",
)
async def place_order(
    order_id: OrderNumber, given: GivenOrder, client: Client
) -> Order:
    """Only if the number is new, and enough is in stock. The price is the product's."""
    buyer = found(
        await client.user(user_id=UserId(given.user_id)), f"user {given.user_id}"
    )
    sold = found(await client.product(sku=Sku(given.sku)), f"product {given.sku}")
    made = Order(
        user_id=buyer.user_id,
        order_date=today(),
        order_id=OrderId(order_id),
        total=_plain(sold.price * given.quantity),
        status="pending",
    )
    line = NewOrderItem(
        order_id=made.order_id, line=1, sku=sold.sku, quantity=given.quantity
    )
    placed = client.part.place_order(
        order_id=made.order_id,
        user_id=made.user_id,
        order_date=made.order_date,
        total=made.total,
        status=made.status,
        sku=sold.sku,
        quantity=given.quantity,
    )
    await client.transact([placed, client.OrderItem.part.create(line)])
    return made


@router.put(
    "/orders/{order_id}/status",
    responses=MISSING,
    summary="Gives an order another status",
)
async def set_status(
    order_id: OrderNumber, given: GivenStatus, client: Client
) -> Order:
    """What is not pending leaves the administrator's index."""
    was = found(await client.order(order_id=OrderId(order_id)), f"order {order_id}")
    key = OrderKey(
        user_id=was.user_id, order_date=was.order_date, order_id=was.order_id
    )
    await client.Order.update(key, OrderPatch(status=given.status))
    return Order(
        user_id=was.user_id,
        order_date=was.order_date,
        order_id=was.order_id,
        total=was.total,
        status=given.status,
    )


@router.get("/pending", summary="M5: the orders that wait, for the administrator")
async def pending_orders(
    client: Client, limit: Limit = 10, after: str | None = None
) -> PendingPage:
    """A page of them, from an index that holds no others."""
    return PendingPage(*await page("/pending", client.pending_orders(), limit, after))


async def page(
    path: str, query: typed.AsyncQuery[Any], limit: int, after: str | None
) -> tuple[list[Any], str | None]:
    """The items of a page, and the address of the next one."""
    read = await query.page(limit=limit, after=after)
    following = urlencode({"limit": limit, "after": read.next})
    return read.items, f"{path}?{following}" if read.next else None


def found(item: T | None, what: str) -> T:
    """The item, which there must be."""
    if item is None:
        raise Wrong(absent(what))
    return item


def today() -> date:
    """The day of an order that is placed now."""
    return datetime.now(timezone.utc).date()


def application(client: AsyncMyappClient) -> FastAPI:
    """The application on an open client."""
    app = FastAPI(title="MyApp", version="1", redoc_url=None)
    app.state.client = client
    app.include_router(router)
    app.add_middleware(Bounded)
    app.add_exception_handler(Wrong, _wrong)
    app.add_exception_handler(KeyfoldError, _failed)
    app.add_exception_handler(RequestValidationError, _unread)
    app.add_exception_handler(RoutingError, _unrouted)
    description = _described(app)
    app.openapi = lambda: description  # type: ignore[method-assign]
    page = HTMLResponse(_page(description))
    app.add_api_route("/", lambda: page, include_in_schema=False)
    return app


def _page(description: dict[str, Any]) -> str:
    """The first page: what the API takes, from its description, for a screen of any width."""
    rows = "".join(
        f"<dt><code>{method.upper()} {html.escape(path)}</code></dt>"
        f"<dd>{html.escape(operation['summary'])}</dd>\n"
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    )
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>MyApp</title>
<link rel="icon" href="data:,">
<body>
<h1>MyApp</h1>
<p>An API without pages of its own. <a href="/docs">Try it</a> (with scripts from the internet), or read its
<a href="/openapi.json">description</a>.</p>
<dl>
{rows}</dl>
</body>
</html>
"""


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
            own = "An error of MyApp itself, or of its table"
            responses["default"] = {"description": own, "content": content}
            for status, response in responses.items():
                if status == "default" or int(status) >= 400:
                    response["content"] = content
    schemas = description["components"]["schemas"]
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    return description


def _answer(problem: Problem) -> JSONResponse:
    body: dict[str, Any] = {
        "status": problem.status,
        "code": problem.code,
        "detail": problem.detail,
    }
    if problem.field is not None:
        body["field"] = problem.field
    return JSONResponse(body, problem.status, media_type=PROBLEM_JSON)


async def _wrong(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, Wrong)
    return _answer(error.problem)


async def _failed(request: Request, error: Exception) -> JSONResponse:
    """An error of the client. One that is no fault of the caller's is also for the log."""
    assert isinstance(error, KeyfoldError)
    problem = problem_of(error)
    if problem.status >= 500:
        LOG.error("%s %r: %s", request.method, request.url.path, error)
    return _answer(problem)


async def _unread(request: Request, error: Exception) -> JSONResponse:
    """A request that is not as the description has it. The first fault is named."""
    assert isinstance(error, RequestValidationError)
    first: Mapping[str, Any] = error.errors()[0]
    return _answer(invalid(*of_unread(first)))


async def _unrouted(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RoutingError)
    codes = {404: "not_found", 405: "wrong_method", 413: "too_large"}
    if isinstance(error, Twice):
        return _answer(invalid(error.field, error.sentence))
    if error.status_code == 400:
        # Bytes that are no text: FastAPI does not come to their JSON.
        return _answer(invalid(None, NO_OBJECT))
    code = codes.get(error.status_code, "invalid")
    detail = TOO_LARGE if code == "too_large" else of_route(error.status_code)
    return _answer(Problem(error.status_code, code, detail))


class Bounded:
    """Refuses who may not call the application, and bodies that are too large, before all of them is
    read."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection, as ASGI has it."""
        if scope["type"] == "http" and (why := refused(scope)) is not None:
            await _answer(Problem(403, "forbidden", why))(scope, receive, send)
            return
        held = 0

        async def bounded() -> Message:
            nonlocal held
            message = await receive()
            held += len(message.get("body", b""))
            if held > BODY_MAX:
                raise HTTPException(413)
            return message

        await self._app(scope, bounded, send)
