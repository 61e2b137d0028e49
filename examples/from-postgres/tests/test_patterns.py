"""E1 to E7: what SQL answered at the end of the migration, the table answered."""

from __future__ import annotations

from conftest import Moved


def check(moved: Moved, pattern: str) -> None:
    sql, own = moved.answers[pattern]
    assert len(sql) > 50
    assert own == sql


def test_e1_a_user_has_the_address_and_the_number_of_orders(moved: Moved) -> None:
    check(moved, "E1")


def test_e2_the_orders_of_a_user_are_the_same_in_the_same_order(moved: Moved) -> None:
    check(moved, "E2")


def test_e3_an_order_has_its_items_and_what_was_received(moved: Moved) -> None:
    check(moved, "E3")


def test_e4_the_items_of_an_order_are_the_same(moved: Moved) -> None:
    check(moved, "E4")


def test_e5_a_product_is_the_same(moved: Moved) -> None:
    check(moved, "E5")


def test_e6_the_orders_of_a_status_are_the_same_in_the_same_order(moved: Moved) -> None:
    check(moved, "E6")


def test_e7_the_recent_orders_of_a_status_are_the_same(moved: Moved) -> None:
    check(moved, "E7")
