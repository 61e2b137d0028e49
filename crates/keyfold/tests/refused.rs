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

/// The parts of an error that is about an item.
fn parts_of<T: std::fmt::Debug>(result: Result<T, Error>) -> [String; 6] {
    parts(result.unwrap_err().refused().unwrap())
}

#[test]
fn an_item_that_exists_is_named() {
    let again = || shop().create("Product", values! { "product": "pen", "stock": 1 });
    assert!(matches!(again(), Err(Error::Exists(_))));
    let expected = ["", "put Product", "Product", "product=pen", "Shop", "P"];
    assert_eq!(parts_of(again()), expected);
}

#[test]
fn an_item_that_is_absent_is_named() {
    let shop = shop();
    let of_product = |action| ["", action, "Product", "product=cup", "Shop", "P"];
    let updated = shop.update("Product", values! { "product": "cup", "stock": 1 });
    assert!(matches!(updated, Err(Error::NotFound(_))), "{updated:?}");
    assert_eq!(parts_of(updated), of_product("update Product"));
    let deleted = shop.delete("Product", values! { "product": "cup" });
    assert_eq!(parts_of(deleted), of_product("delete Product"));
    let arguments = values! { "from.product": "pen", "to.product": "cup", "amount": 1 };
    let moved = shop.run("move").args(arguments).send();
    assert!(matches!(moved, Err(Error::NotFound(_))), "{moved:?}");
    assert_eq!(parts_of(moved), of_product("update Product as to"));
    let both = Transaction::new()
        .run("take", values! { "product": "pen", "amount": 1 })
        .delete("Product", values! { "product": "cup" });
    let refused = shop.transact(both).unwrap_err();
    assert!(matches!(refused, Error::NotFound(_)), "{refused:?}");
    assert_eq!(refused.refused().unwrap().write, Some(1));

    let book = values! { "shelf": "none", "book": "1", "title": "t" };
    let orphan = shop.put("Book", book);
    let [_, action, entity, id, ..] = parts_of(orphan);
    assert_eq!(
        [action.as_str(), &entity, &id],
        ["count Shelf.books", "Shelf", "shelf=none"]
    );
}

#[test]
fn the_item_that_was_to_have_a_unique_value_is_named() {
    let shop = shop();
    shop.put("Shelf", values! { "shelf": "a" }).unwrap();
    let book = |number| values! { "shelf": "a", "book": number, "title": "t" };
    shop.put("Book", book("1")).unwrap();
    let taken = shop.put("Book", book("2"));
    assert!(matches!(&taken, Err(Error::Taken { attributes, .. }) if attributes == &["title"]));
    let error = taken.unwrap_err();
    let refused = error.refused().unwrap();
    assert_eq!(refused.entity.as_deref(), Some("Book"));
    assert_eq!(refused.id.get("book"), Some(&Value::S("2".to_owned())));
    assert_eq!(refused.action.as_deref(), Some("put the guard of title"));
    assert_eq!(refused.to_string(), error.to_string());
}

#[test]
fn an_item_of_another_version_is_named() {
    let model = "model n 1\ntable Notes (PK, SK)\nentity Note\n  id: string, text: string\n  key \"N#{id}\" \"N\"\n  version v\npattern note(id) -> Note?\n";
    let notes = Keyfold::memory().unwrap().model(model).unwrap();
    notes
        .put("Note", values! { "id": "a", "text": "x" })
        .unwrap();
    let of_note = |action, id| ["", action, "Note", id, "Notes", "N"];
    let given = values! { "id": "a", "text": "y", "v": 7 };
    let updated = notes.update("Note", &given);
    assert!(matches!(updated, Err(Error::StaleVersion(_))));
    assert_eq!(parts_of(updated), of_note("update Note", "id=a"));
    assert_eq!(
        parts_of(notes.put("Note", &given)),
        of_note("put Note", "id=a")
    );
    let gone = values! { "id": "b", "text": "y", "v": 7 };
    assert_eq!(
        parts_of(notes.put("Note", gone)),
        of_note("put Note", "id=b")
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
