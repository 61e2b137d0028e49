//! Several writes in one transaction: together as one after the other, or not at all.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Place, Text, given};
use keyfold_client::write::{self, Part, Transacted};
use keyfold_client::{ClientError, arguments};
use keyfold_model::Entity;

const MODEL: &str = r#"
model market 1
table Market (PK, SK)
  lsi ByTotal (total: number)
entity Customer
  customer: string, name: string, email: string
  key "C#{customer}" "C"
  unique email
  count orders of Order
  sum   spent  of Order.total
  max   best   of Order.total
entity Order
  order: string, customer: Customer.customer, total: int, placedAt: time = now, code: ulid = new
  key "C#{customer}" "O#{order}"
  copy by_order "O#{order}" "O#{customer}" only total
entity Product
  product: string, stock: int
  key "P#{product}" "P"
entity Shelf
  product: string, at: string
  key "P#{product}" "S#{at}"
pattern customer(customer) -> Customer?
pattern product(product)   -> Product?
pattern orders(customer)   -> Order[]
pattern shelf(product, at) -> Shelf?
write take(product, amount: int)
  update Product set stock = stock - amount when stock >= amount
write rename(customer, name)
  update Customer set name = name when orders < 5
write in_stock(product)
  check Product when stock > 0
write place(customer, order, total: int)
  create Order
"#;

/// A write of a transaction in texts: the verb, the entity or the named write, the values.
type Line<'l> = (&'l str, &'l str, Text<'l>);

fn transact(place: &Place, lines: &[Line<'_>]) -> Result<Transacted, ClientError> {
    let values: Vec<arguments::Values> = lines
        .iter()
        .map(|(verb, name, text)| match *verb {
            "run" => arguments::of_write(place.model.write(name).unwrap(), &given(text)).unwrap(),
            "create" | "put" => place.values(name, text),
            _ => arguments::some_of_entity(place.entity(name), &given(text)).unwrap(),
        })
        .collect();
    let entity = |name: &str| -> &Entity { place.entity(name) };
    let parts: Vec<Part<'_>> = lines
        .iter()
        .zip(&values)
        .map(|((verb, name, _), values)| match *verb {
            "create" => Part::Create {
                entity: entity(name),
                values,
            },
            "put" => Part::Put {
                entity: entity(name),
                values,
            },
            "update" => Part::Update {
                entity: entity(name),
                changes: values,
                removed: &[],
            },
            "delete" => Part::Delete {
                entity: entity(name),
                key: values,
            },
            _ => Part::Run {
                write: place.model.write(name).unwrap(),
                arguments: values,
            },
        })
        .collect();
    write::transact(&place.backend, &place.model, &parts)
}

fn market() -> Place {
    let place = Place::new(MODEL);
    place.put(
        "Customer",
        &[("customer", "ada"), ("name", "Ada"), ("email", "ada@x")],
    );
    place.put("Product", &[("product", "pen"), ("stock", "3")]);
    place
}

const ORDER: Text<'_> = &[("order", "1"), ("customer", "ada"), ("total", "30")];
const SECOND: Text<'_> = &[("order", "2"), ("customer", "ada"), ("total", "12")];

fn refused(place: &Place, lines: &[Line<'_>]) -> String {
    let before = place.stored();
    let error = transact(place, lines).unwrap_err();
    assert_eq!(place.stored(), before, "nothing is written: {error}");
    error.to_string()
}

#[test]
fn writes_of_different_items_are_one_request_with_all_that_follows() {
    let place = market();
    let done = transact(
        &place,
        &[
            ("run", "take", &[("product", "pen"), ("amount", "2")]),
            ("create", "Order", ORDER),
            (
                "create",
                "Customer",
                &[("customer", "bob"), ("name", "Bob"), ("email", "bob@x")],
            ),
        ],
    )
    .unwrap();
    assert_eq!(done.operation, "TransactWriteItems");
    let changes: Vec<usize> = done.writes.iter().map(|one| one.changes.len()).collect();
    assert_eq!(changes, [1, 3, 2]);
    assert_eq!(
        done.writes[1].changes,
        ["put Order", "put Order.by_order", "count Customer.orders"]
    );
    let made: Vec<&str> = done.writes[1]
        .made
        .iter()
        .map(|one| &*one.attribute)
        .collect();
    assert_eq!(made, ["placedAt", "code"]);
    assert_eq!(
        place.found("product", &[("product", "pen")], "stock"),
        ["1"]
    );
    assert_eq!(
        place.found("customer", &[("customer", "ada")], "spent"),
        ["30"]
    );
}

#[test]
fn increments_of_one_parent_are_added_together() {
    let place = market();
    let done = transact(
        &place,
        &[("create", "Order", ORDER), ("run", "place", SECOND)],
    )
    .unwrap();
    // The parent is one action, of the first write.
    assert_eq!(done.writes[1].changes, ["put Order", "put Order.by_order"]);
    let of = |name: &str| place.found("customer", &[("customer", "ada")], name);
    assert_eq!(
        [of("orders"), of("spent"), of("best")],
        [["2"], ["42"], ["30"]]
    );
    transact(
        &place,
        &[
            ("delete", "Order", &[("customer", "ada"), ("order", "1")]),
            ("delete", "Order", &[("customer", "ada"), ("order", "2")]),
            ("delete", "Customer", &[("customer", "ada")]),
        ],
    )
    .unwrap();
    assert_eq!(place.stored().len(), 1, "the product is left");
}

#[test]
fn a_parent_is_created_before_its_items_and_deleted_behind_them() {
    let place = market();
    let eve: Text<'_> = &[("customer", "eve"), ("name", "Eve"), ("email", "eve@x")];
    let order: Text<'_> = &[("order", "1"), ("customer", "eve"), ("total", "5")];
    let wrong = [("create", "Order", order), ("create", "Customer", eve)];
    let text = refused(&place, &wrong);
    assert!(
        text.starts_with("write 0 (create Order): there is no Customer with customer = eve"),
        "{text}"
    );
    transact(
        &place,
        &[("create", "Customer", eve), ("create", "Order", order)],
    )
    .unwrap();
    assert_eq!(
        place.found("customer", &[("customer", "eve")], "best"),
        ["5"]
    );
    let key: Text<'_> = &[("customer", "eve"), ("order", "1")];
    let wrong = [("delete", "Customer", &key[..1]), ("delete", "Order", key)];
    let text = refused(&place, &wrong);
    assert!(
        text.contains("write 0 (delete Customer)") && text.contains("still has Order items"),
        "{text}"
    );
}

#[test]
fn two_writes_of_one_item_are_refused_before_they_are_sent() {
    let place = market();
    let text = refused(
        &place,
        &[
            ("run", "take", &[("product", "pen"), ("amount", "1")]),
            ("update", "Product", &[("product", "pen"), ("stock", "9")]),
        ],
    );
    assert_eq!(
        text,
        "write 1 (update Product): write 0 (take) uses the same item, the Product with product = \
         pen: first `update Product`, then `update Product`; a transaction takes one action for an \
         item: put both into one write, or into transactions of their own"
    );
    // Both need the guard of one e-mail address.
    let text = refused(
        &place,
        &[
            (
                "create",
                "Customer",
                &[("customer", "b"), ("name", "B"), ("email", "same")],
            ),
            (
                "create",
                "Customer",
                &[("customer", "c"), ("name", "C"), ("email", "same")],
            ),
        ],
    );
    assert!(
        text.contains("write 1 (create Customer): email `same` is taken"),
        "{text}"
    );
    // The condition is judged on the count that the first write changes.
    let text = refused(
        &place,
        &[
            ("create", "Order", ORDER),
            (
                "run",
                "rename",
                &[("customer", "ada"), ("name", "Lady Ada")],
            ),
        ],
    );
    assert!(
        text.contains("write 0 (create Order) uses the same item, Market (PK = C#ada"),
        "{text}"
    );
}

#[test]
fn a_write_that_reads_nothing_of_the_other_shares_its_item() {
    let place = market();
    transact(
        &place,
        &[
            ("create", "Order", ORDER),
            (
                "update",
                "Customer",
                &[("customer", "ada"), ("name", "Lady Ada")],
            ),
            ("create", "Order", SECOND),
        ],
    )
    .unwrap();
    let of = |name: &str| place.found("customer", &[("customer", "ada")], name);
    assert_eq!(
        [of("name"), of("orders"), of("best")],
        [["Lady Ada"], ["2"], ["30"]]
    );
    // A check comes before the change.
    transact(
        &place,
        &[
            ("run", "in_stock", &[("product", "pen")]),
            ("run", "take", &[("product", "pen"), ("amount", "3")]),
        ],
    )
    .unwrap();
    assert_eq!(
        place.found("product", &[("product", "pen")], "stock"),
        ["0"]
    );
}

#[test]
fn a_refusal_names_the_write_its_action_and_the_item() {
    let place = market();
    let text = refused(
        &place,
        &[
            ("create", "Order", ORDER),
            ("run", "take", &[("product", "pen"), ("amount", "4")]),
        ],
    );
    assert_eq!(
        text,
        "write 1 (take): update Product: the Product with product = pen does not meet the condition stock >= amount \
         (amount = 4)"
    );
    let text = refused(
        &place,
        &[
            ("create", "Order", ORDER),
            ("run", "take", &[("product", "nib"), ("amount", "4")]),
        ],
    );
    assert_eq!(
        text,
        "write 1 (take): there is no Product with product = nib"
    );
    place.put("Order", ORDER);
    let text = refused(
        &place,
        &[("create", "Order", SECOND), ("create", "Order", ORDER)],
    );
    assert_eq!(
        text,
        "write 1 (create Order): Order exists already (customer = ada, order = 1)"
    );
    assert!(matches!(
        transact(&place, &[]),
        Err(ClientError::Invalid(_))
    ));
}

#[test]
fn more_than_a_transaction_takes_is_refused_before_it_is_sent() {
    let place = market();
    let names: Vec<String> = (0..101).map(|number| format!("p{number}")).collect();
    let texts: Vec<[(&str, &str); 2]> = names
        .iter()
        .map(|name| [("product", &**name), ("stock", "1")])
        .collect();
    let lines: Vec<Line<'_>> = texts
        .iter()
        .map(|text| ("create", "Product", &text[..]))
        .collect();
    let text = refused(&place, &lines);
    assert!(
        text.contains("101 items") && text.contains("at most 100"),
        "{text}"
    );
    let long = "x".repeat(390_000);
    let texts: Vec<[(&str, &str); 3]> = names
        .iter()
        .take(11)
        .map(|name| [("customer", &**name), ("name", &*long), ("email", &**name)])
        .collect();
    let lines: Vec<Line<'_>> = texts
        .iter()
        .map(|text| ("create", "Customer", &text[..]))
        .collect();
    let text = refused(&place, &lines);
    assert!(text.contains("a transaction has at most 4194304"), "{text}");
}
