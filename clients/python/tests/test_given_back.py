"""Items that were read, given back: changed and put, as the key of themselves, in batches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import support

from keyfold import Client, Delete, Invalid, StaleVersion, Update, load, testing
from keyfold.item import Item

MODEL = """
model back 1
table Main (PK, SK)
entity Customer
  customerId: string, name: string, note: string?
  key "C#{customerId}" "C"
  count accounts of Account
  sum worth of Account.balance
entity Account
  accountId: string, customerId: Customer.customerId, balance: int
  key "A#{accountId}" "A"
  copy card "C#{customerId}" "A#{accountId}" only balance
  version edition
entity Mark
  markId: string, text: string
  key "M#{markId}" "M"
pattern customer(customerId) -> Customer?
pattern account(accountId) -> Account?
pattern cards(customerId) -> Account.card[]
pattern marks(markId) -> Mark?
pattern pair(one, two) -> (Account as payer where accountId = one,
  Account as payee where accountId = two)
"""


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[Client]:
    """A client with a customer and two accounts."""
    path = tmp_path / "back.keyfold"
    path.write_text(MODEL)
    with testing.serve() as server, Client(load(support.plan(path)), server.endpoint) as client:
        client.ensure_tables()
        client.create("Customer", {"customerId": "ada", "name": "Ada", "note": "n"})
        for account, balance in (("a1", 5), ("a2", 7)):
            held = {"accountId": account, "customerId": "ada", "balance": balance}
            client.create("Account", held)
        yield client


def customer(bank: Client) -> Item:
    found = bank.one("customer", {"customerId": "ada"})
    assert found is not None
    return found


def account(bank: Client, name: str) -> Item:
    found = bank.one("account", {"accountId": name})
    assert found is not None
    return found


def test_an_item_that_was_read_is_changed_and_put_back(bank: Client) -> None:
    read = customer(bank)
    bank.put("Customer", read)
    assert customer(bank) == read
    changed = read | {"name": "Eve", "note": None}
    assert (changed.kind, read["name"]) == ("Customer", "Ada")
    bank.put("Customer", changed)
    stored = {"customerId": "ada", "name": "Eve", "accounts": 2, "worth": 12}
    assert dict(customer(bank)) == stored
    with pytest.raises(Invalid, match="Customer: an item of the kind `Account` is none"):
        bank.put("Customer", account(bank, "a1"))
    # A copy is no whole item.
    [card, _] = bank.all("cards", {"customerId": "ada"})
    with pytest.raises(Invalid, match=r"Account: an item of the kind `Account\.card` is none"):
        bank.put("Account", card)
    with pytest.raises(Invalid, match=r"^accounts of Customer is kept by the model.*`item \| "):
        bank.put("Customer", {**read, "name": "Eve"})


def test_an_item_is_of_its_entity_whatever_name_a_pattern_gives_it(bank: Client) -> None:
    found = bank.together("pair", {"one": "a1", "two": "a2"})["payer"]
    assert found is not None and found.kind == "payer"
    bank.put("Account", found | {"balance": 6})
    assert account(bank, "a1")["balance"] == 6


def test_an_item_that_was_read_is_a_key_and_an_update_of_itself(bank: Client) -> None:
    bank.update("Customer", customer(bank) | {"name": "Eve", "note": None})
    bank.update("Customer", {"name": "Eve!"}, key=customer(bank))
    bank.transact([Update("Customer", {"name": "Eve?"}, key=customer(bank))])
    stored = {"customerId": "ada", "name": "Eve?", "accounts": 2, "worth": 12}
    assert dict(customer(bank)) == stored
    absent = customer(bank) | {"customerId": "none"}
    assert bank.get_many("Customer", [customer(bank), absent]) == [customer(bank), None]
    with pytest.raises(Invalid, match="customerId is part of the key of Customer"):
        bank.update("Customer", customer(bank), key={"customerId": "ada"})
    with pytest.raises(Invalid, match="an item of the kind `Customer` is none"):
        bank.delete("Account", customer(bank))
    with pytest.raises(Invalid, match="name is no part of the key of Customer"):
        bank.delete("Customer", {"customerId": "ada", "name": "Eve?"})
    [card, _] = bank.all("cards", {"customerId": "ada"})
    with pytest.raises(Invalid, match="the key of Account needs accountId"):
        bank.delete("Account", card)
    bank.delete("Account", card | {"accountId": "a1"})
    bank.delete("Account", account(bank, "a2"))
    bank.transact([Delete("Customer", customer(bank))])
    assert bank.one("customer", {"customerId": "ada"}) is None


def test_the_version_of_an_item_that_was_read_is_compared(bank: Client) -> None:
    seen = account(bank, "a1")
    bank.update("Account", {"accountId": "a1", "balance": 6})
    with pytest.raises(StaleVersion):
        bank.put("Account", seen | {"balance": 1})
    with pytest.raises(StaleVersion):
        bank.delete("Account", seen)
    with pytest.raises(StaleVersion):
        bank.update("Account", {"balance": 1}, key=seen)
    # A read compares nothing.
    assert bank.get_many("Account", [seen]) == [account(bank, "a1")]
    bank.put("Account", account(bank, "a1") | {"balance": 1})
    assert account(bank, "a1")["balance"] == 1
    assert customer(bank)["worth"] == 8


def test_batches_take_items_that_were_read(bank: Client) -> None:
    bank.put_many("Mark", [{"markId": "m", "text": "t"}])
    read = bank.one("marks", {"markId": "m"})
    assert read is not None
    bank.put_many("Mark", [read | {"text": "u"}])
    assert bank.get_many("Mark", [read]) == [read | {"text": "u"}]
    bank.delete_many("Mark", [read])
    assert bank.one("marks", {"markId": "m"}) is None
