//! A refusal names the conditions that do not hold, the action, the write of a transaction and the
//! item, so that a program need not read its sentence.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold::types::Value;
use keyfold::{Database, Error, Keyfold, Refused, Transaction, values};

const MODEL: &str = r#"
model shop 1
table Shop (PK, SK)
entity Product
  product: string, stock: int
  key "P#{product}" "P"
entity Shelf
  shelf: string, books: int
  key "S#{shelf}" "S"
  count books of Book
entity Book
  shelf: Shelf.shelf, book: string, title: string
  key "S#{shelf}" "B#{book}"
  unique title
pattern product(product) -> Product
pattern books(shelf) -> Book[]
write take(product, amount: int)
  update Product set stock = stock - amount when stock >= amount
write drop(product)
  delete Product when stock = 0
write move(amount: int)
  update Product as from set stock = stock - amount when stock >= amount
  update Product as to set stock = stock + amount
"#;

fn shop() -> Database {
    let shop = Keyfold::memory().unwrap().model(MODEL).unwrap();
    for product in ["pen", "ink"] {
        shop.put("Product", values! { "product": product, "stock": 1 })
            .unwrap();
    }
    shop
}

fn refused<T: std::fmt::Debug>(result: Result<T, Error>) -> Refused {
    match result {
        Err(Error::Refused(refused)) => *refused,
        other => panic!("{other:?}"),
    }
}

/// What a program switches on: conditions, action, entity, identity, table and sort key.
fn parts(refused: &Refused) -> [String; 6] {
    let text = |one: &Option<String>| one.clone().unwrap_or_default();
    let id = refused.id.iter().map(|(name, held)| {
        let Value::S(text) = held else {
            panic!("{held:?}");
        };
        format!("{name}={text}")
    });
    let Some(Value::S(key)) = refused.key.get("SK") else {
        panic!("{:?}", refused.key);
    };
    [
        text(&refused.conditions),
        text(&refused.action),
        text(&refused.entity),
        id.collect::<Vec<_>>().join(","),
        text(&refused.table),
        key.clone(),
    ]
}

#[test]
fn a_condition_that_the_engine_judges_is_named() {
    let refused = refused(
        shop()
            .run("take")
            .args(values! { "product": "pen", "amount": 2 })
            .send(),
    );
    assert_eq!(
        parts(&refused),
        [
            "stock >= amount (amount = 2)",
            "update Product",
            "Product",
            "product=pen",
            "Shop",
            "P"
        ]
    );
    assert_eq!(refused.write, None);
    assert!(refused.to_string().starts_with("update Product: "));
}

#[test]
fn a_condition_that_is_judged_on_what_was_read_is_named() {
    let refused = refused(shop().run("drop").arg("product", "ink").send());
    let expected = [
        "stock = 0",
        "delete Product",
        "Product",
        "product=ink",
        "Shop",
        "P",
    ];
    assert_eq!(parts(&refused), expected);
}

#[test]
fn one_action_of_several_is_named() {
    let arguments = values! { "from.product": "ink", "to.product": "pen", "amount": 3 };
    let refused = refused(shop().run("move").args(arguments).send());
    let [conditions, action, _, id, ..] = parts(&refused);
    assert_eq!(
        [conditions.as_str(), &action, &id],
        [
            "stock >= amount (amount = 3)",
            "update Product as from",
            "product=ink"
        ]
    );
}

#[test]
fn a_write_of_a_transaction_is_named() {
    let both = Transaction::new()
        .run("take", values! { "product": "pen", "amount": 1 })
        .run("take", values! { "product": "ink", "amount": 5 });
    let refused = refused(shop().transact(both));
    assert_eq!(refused.write, Some(1));
    let [conditions, action, _, id, ..] = parts(&refused);
    assert_eq!(
        [conditions.as_str(), &action, &id],
        [
            "stock >= amount (amount = 5)",
            "update Product",
            "product=ink"
        ]
    );
}

#[test]
fn an_entity_that_still_counts_items_is_named() {
    let shop = shop();
    shop.put("Shelf", values! { "shelf": "a" }).unwrap();
    shop.put("Book", values! { "shelf": "a", "book": "1", "title": "t" })
        .unwrap();
    let refused = refused(shop.delete("Shelf", values! { "shelf": "a" }));
    let expected = ["", "delete Shelf", "Shelf", "shelf=a", "Shop", "S"];
    assert_eq!(parts(&refused), expected);
}
