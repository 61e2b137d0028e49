"""The operations on the client that blocks."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import get_args

import pytest
from conftest import ADA, BOB, DAY, PEN, order_id
from keyfold import Code, Options, testing

from myapp.model import (
    MyappClient,
    NewOrderItem,
    NewProduct,
    Order,
    OrderItem,
    Sku,
    User,
    UserId,
)
from myapp.results import Problem, status_of
from myapp.service import OrderWithLines, Overview, Service


def test_m1_m2_users_are_found_by_id_and_by_email(service: Service) -> None:
    ada = service.user(ADA)
    assert isinstance(ada, User) and ada.name == "Ada"
    assert service.user_by_email("ada@example.com") == ada
    assert service.user(UserId(9)) == Problem(404, "not_found", "There is no user 9.")


def test_m2_an_email_of_another_user_is_refused(service: Service) -> None:
    taken = Problem(409, "taken", "The email is in use. Choose another one.", "email")
    assert service.register(UserId(3), "ada@example.com", "Eve") == taken
    assert service.change_email(BOB, "ada@example.com") == taken
    assert service.change_email(ADA, "countess@example.com") is None
    assert service.change_email(BOB, "ada@example.com") is None
    bob = service.user_by_email("ada@example.com")
    assert isinstance(bob, User) and bob.user_id == BOB
    again = service.register(ADA, "new@example.com", "Ada")
    assert isinstance(again, Problem) and again.code == "exists"
    absent = service.change_email(UserId(9), "nine@example.com")
    assert isinstance(absent, Problem) and absent.status == 404


def test_m7_an_order_takes_the_stock_or_is_not_placed(
    service: Service, client: MyappClient
) -> None:
    placed = service.place_order(order_id(1), ADA, PEN, 7, DAY)
    assert isinstance(placed, Order)
    assert (placed.total, placed.status) == (Decimal("7.70"), "pending")
    refused = service.place_order(order_id(2), ADA, PEN, 4, DAY)
    assert refused == Problem(409, "out_of_stock", "Too few are left. Order fewer.")
    assert client.order(order_id=order_id(2)) is None
    # The same number, by somebody else and for the rest.
    again = service.place_order(order_id(1), BOB, PEN, 3, DAY)
    assert again == Problem(
        409, "taken", "The order_id is in use. Choose another one.", "order_id"
    )
    product = client.product(sku=PEN)
    assert product is not None and product.stock == 3
    for problem, status in (
        (service.place_order(order_id(3), UserId(9), PEN, 1), 404),
        (service.place_order(order_id(3), ADA, Sku("ink"), 1), 404),
        (service.place_order(order_id(3), ADA, PEN, -1), 400),
    ):
        assert isinstance(problem, Problem) and problem.status == status


def test_m3_m5_orders_are_listed_newest_first_and_by_status(service: Service) -> None:
    for number in (1, 2, 3):
        service.place_order(order_id(number), ADA, PEN, 1, date(2024, 1, number))
    latest = service.latest_orders(ADA, 2)
    assert isinstance(latest, list)
    assert [one.order_id for one in latest] == [order_id(3), order_id(2)]
    assert service.set_status(order_id(2), "shipped") is None
    pending = service.pending_orders(10)
    assert isinstance(pending, list)
    assert {one.order_id for one in pending} == {order_id(1), order_id(3)}
    too_many = service.pending_orders(1)
    assert isinstance(too_many, Problem) and too_many.code == "too_many"
    assert service.set_status(order_id(9), "paid") == Problem(
        404, "not_found", "There is no order 1009."
    )


def test_m4_an_order_has_its_lines(service: Service) -> None:
    order = service.place_order(order_id(1), ADA, PEN, 1, DAY)
    service.put_line(NewOrderItem(order_id=order_id(1), line=1, sku=PEN, quantity=1))
    line = OrderItem(order_id=order_id(1), line=1, sku=PEN, quantity=1)
    assert isinstance(order, Order)
    assert service.order(order_id(1)) == OrderWithLines(order, [line])


def test_m6_one_query_has_everything_about_a_user(service: Service) -> None:
    service.put_address(ADA, "home", "12 St James's Square", "London")
    service.place_order(order_id(1), ADA, PEN, 1, DAY)
    found = service.overview(ADA)
    assert isinstance(found, Overview)
    assert found.user.user_id == ADA
    assert [one.order_id for one in found.orders] == [order_id(1)]
    assert [one.city for one in found.addresses] == ["London"]
    none = service.overview(UserId(9))
    assert isinstance(none, Problem) and none.status == 404


@pytest.mark.parametrize("code", get_args(Code))
def test_each_code_has_a_status(code: Code) -> None:
    assert 400 <= status_of(code) <= 504


def test_a_server_that_is_gone_is_a_problem() -> None:
    with testing.serve() as server:
        client = MyappClient(server.endpoint, Options(retries=0))
    with client:
        problem = Service(client).user(ADA)
    assert problem == Problem(
        503, "transport", "Something does not work at the moment. Try again later."
    )


def test_orders_are_shipped_together_or_not_at_all(
    service: Service, client: MyappClient
) -> None:
    products = [
        NewProduct(sku=Sku(f"p{n}"), name=f"P{n}", price=Decimal(n), stock=5)
        for n in range(30)
    ]
    assert service.put_products(products) is None
    numbers = [order_id(1), order_id(2)]
    for number in numbers:
        service.place_order(number, ADA, Sku("p29"), 1, DAY)

    def statuses() -> list[str | None]:
        orders = [client.order(order_id=number) for number in numbers]
        return [None if order is None else order.status for order in orders]

    none = service.ship([*numbers, order_id(9)])
    assert isinstance(none, Problem) and none.status == 404
    assert statuses() == ["pending", "pending"]
    assert service.ship(numbers) is None
    assert statuses() == ["shipped", "shipped"]
