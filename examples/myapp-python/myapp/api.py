"""MyApp over HTTP: an application of ASGI, without a framework, on the client that awaits.

A page of orders has a link to the next one. Its cursor stands in the address, sealed by a secret:
one that was changed is answered with 400.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, is_dataclass
from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, urlencode

from keyfold import KeyfoldError, Options, typed

from myapp.model import (
    AsyncMyappClient,
    NewUser,
    Order,
    OrderId,
    Sku,
    UserId,
)
from myapp.results import Problem, absent, invalid, problem_of

Scope: TypeAlias = Mapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Mapping[str, Any]]]
Send: TypeAlias = Callable[[dict[str, Any]], Awaitable[None]]

LOG = logging.getLogger(__name__)
BODY_MAX = 64 * 1024
LIMITS = re.compile("[1-9][0-9]?")


@dataclass(frozen=True, slots=True)
class Request:
    """A request, read."""

    path: str
    parts: tuple[str, ...]
    """The variable parts of the path."""
    query: Mapping[str, str]
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer with a status of its own."""

    status: int
    content: object


class Wrong(Exception):
    """A request that is answered with a problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


Route: TypeAlias = tuple[str, "re.Pattern[str]", Callable[[Request], Awaitable[object]]]


class Api:
    """The application. Its client opens when the server starts, and closes when it ends."""

    def __init__(self, connection: str, cursor_secret: bytes) -> None:
        options = Options(cursor_secret=cursor_secret, timeout=10)
        self._client = AsyncMyappClient(connection, options)
        self._routes: list[Route] = [
            ("POST", re.compile("/users"), self.register),
            ("GET", re.compile("/users/([0-9]{1,18})"), self.user),
            ("GET", re.compile("/users/([0-9]{1,18})/orders"), self.orders_of_user),
            ("PUT", re.compile("/orders/([0-9]{1,18})"), self.place_order),
            ("GET", re.compile("/orders/([0-9]{1,18})"), self.order),
            ("GET", re.compile("/pending"), self.pending_orders),
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection, as ASGI has it."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._answer(await self._reply(scope, receive), send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            await self._client.__aenter__()
            await self._client.ensure_tables()
        except KeyfoldError as error:
            await self._client.__aexit__(None, None, None)
            await send({"type": "lifespan.startup.failed", "message": error.message})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self._client.__aexit__(None, None, None)
        await send({"type": "lifespan.shutdown.complete"})

    async def _reply(self, scope: Scope, receive: Receive) -> Reply:
        path: str = scope["path"]
        try:
            body = await body_of(receive)
            query = dict(parse_qsl(scope["query_string"].decode("latin-1")))
            for method, pattern, operation in self._routes:
                found = pattern.fullmatch(path)
                if found is not None and method == scope["method"]:
                    request = Request(path, found.groups(), query, body)
                    made = await operation(request)
                    return made if isinstance(made, Reply) else Reply(200, made)
            problem = absent(f"{scope['method']} {path}")
        except Wrong as wrong:
            problem = wrong.problem
        except KeyfoldError as error:
            problem = problem_of(error)
            if problem.status >= 500:
                LOG.error("%s %s: %s", scope["method"], path, error)
        return Reply(problem.status, problem)

    async def _answer(self, reply: Reply, send: Send) -> None:
        body = json.dumps(reply.content, default=self._plain).encode()
        headers = [(b"content-type", b"application/json")]
        start = {"type": "http.response.start", "headers": headers}
        await send({**start, "status": reply.status})
        await send({"type": "http.response.body", "body": body})

    def _plain(self, value: object) -> object:
        """A value for JSON. Attributes have their names in the model; amounts are texts, since a
        number would lose digits.
        """
        if is_dataclass(value):
            return self._client.shapes.given(value)
        if isinstance(value, (date, datetime)):
            return value.isoformat()
        if isinstance(value, Decimal):
            return str(value)
        raise TypeError(f"{type(value).__name__} is nothing of the model")

    async def register(self, request: Request) -> object:
        """Creates a user."""
        now = datetime.now(timezone.utc).replace(microsecond=0)
        # Values of a wrong type are refused by the client, before anything is sent.
        user = NewUser(
            user_id=given(request, "userId"),
            email=given(request, "email"),
            name=given(request, "name"),
            created_at=now,
        )
        await self._client.User.create(user)
        return Reply(201, user)

    async def user(self, request: Request) -> object:
        """M6: a user with all orders and addresses."""
        user_id = UserId(int(request.parts[0]))
        items = await self._client.user_overview(user_id=user_id).all(most=1000)
        kinds: dict[str, list[object]] = {"User": [], "Order": [], "Address": []}
        for item in items:
            kinds[type(item).__name__].append(item)
        if not kinds["User"]:
            raise Wrong(absent(f"user {user_id}"))
        orders, addresses = kinds["Order"], kinds["Address"]
        return {"user": kinds["User"][0], "orders": orders, "addresses": addresses}

    async def orders_of_user(self, request: Request) -> object:
        """M3: a page of a user's orders, newest first."""
        user_id = UserId(int(request.parts[0]))
        return await page(request, self._client.orders_of_user(user_id=user_id))

    async def pending_orders(self, request: Request) -> object:
        """M5: a page of the orders that wait."""
        return await page(request, self._client.pending_orders())

    async def order(self, request: Request) -> object:
        """M4: an order by id."""
        order_id = OrderId(int(request.parts[0]))
        order = await self._client.order(order_id=order_id)
        if order is None:
            raise Wrong(absent(f"order {order_id}"))
        return order

    async def place_order(self, request: Request) -> object:
        """M7: places an order, if enough is in stock."""
        sku: Sku = given(request, "sku")
        quantity = given(request, "quantity")
        if type(quantity) is not int or quantity < 1:
            raise Wrong(invalid("quantity", "an order has one piece at least"))
        user_id: UserId = given(request, "userId")
        if await self._client.user(user_id=user_id) is None:
            raise Wrong(absent(f"user {user_id}"))
        product = await self._client.product(sku=sku)
        if product is None:
            raise Wrong(absent(f"product {sku}"))
        order = Order(
            user_id=user_id,
            order_date=datetime.now(timezone.utc).date(),
            order_id=OrderId(int(request.parts[0])),
            total=product.price * quantity,
            status="pending",
        )
        await self._client.place_order(
            order_id=order.order_id,
            user_id=order.user_id,
            order_date=order.order_date,
            total=order.total,
            status=order.status,
            sku=sku,
            quantity=quantity,
        )
        return Reply(201, order)


async def page(request: Request, query: typed.AsyncQuery[Any]) -> object:
    """A page with the address of the next one."""
    limit = request.query.get("limit", "10")
    if LIMITS.fullmatch(limit) is None:
        raise Wrong(invalid("limit", "a page has 1 to 99 items"))
    found = await query.page(limit=int(limit), after=request.query.get("after"))
    following = {"limit": limit, "after": found.next}
    link = f"{request.path}?{urlencode(following)}" if found.next else None
    return {"items": found.items, "next": link}


def given(request: Request, name: str) -> Any:
    """A member of the body."""
    if name not in request.body:
        raise Wrong(invalid(name, f"`{name}` is missing"))
    return request.body[name]


async def body_of(receive: Receive) -> Mapping[str, Any]:
    """The JSON object of a body; an empty one has no members."""
    held = b""
    more = True
    while more:
        message = await receive()
        held += message.get("body", b"")
        more = message.get("more_body", False)
        if len(held) > BODY_MAX:
            raise Wrong(Problem(413, "too_large", f"a body has {BODY_MAX} bytes"))
    try:
        body = json.loads(held, parse_float=Decimal) if held else {}
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise Wrong(invalid(None, "the body is no object in JSON"))
    return body


def application() -> Api:
    """The application of the environment, for `uvicorn --factory myapp.api:application`."""
    connection = os.environ.get("MYAPP_CONNECTION", "http://127.0.0.1:8000")
    return Api(connection, os.environ["MYAPP_CURSOR_SECRET"].encode())
