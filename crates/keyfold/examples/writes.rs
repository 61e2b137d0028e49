//! A named write: actions that happen together or not at all, and the ways in which it does not.
#![allow(
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::expect_used,
    reason = "an example shows what it does"
)]

use keyfold::{Error, Keyfold, values};

const MODEL: &str = r#"
model stock 1
table Stock (PK, SK)
entity Product
  productId: string, left: int
  key    "PRODUCT#{productId}"  "PRODUCT"
  count  orders of Order
entity Order
  orderId: ulid = new, productId: Product.productId, many: int
  key  "ORDER#{orderId}"  "ORDER"
pattern product(productId)  -> Product?
write order(many: int)
  create Order
  update Product set left = left - many when left >= many
"#;

fn main() -> Result<(), Error> {
    let stock = Keyfold::memory()?.model(MODEL)?;
    stock.put("Product", values! { "productId": "lamp", "left": 3 })?;
    let order = |product: &str, many: i64| {
        stock
            .run("order")
            .arg("productId", product)
            .arg("many", many)
            .send()
    };
    let written = order("lamp", 2)?;
    println!(
        "{} as {}: {}",
        written.operation,
        written.made["orderId"],
        written.changes.join(", ")
    );
    match order("lamp", 2) {
        Err(Error::Refused(why)) => println!("refused: {why}"),
        other => panic!("one lamp is left: {other:?}"),
    }
    assert!(order("desk", 1).is_err());
    let lamp = stock
        .query("product")
        .arg("productId", "lamp")
        .one()?
        .expect("it is there");
    assert_eq!((lamp.int("left"), lamp.int("orders")), (Some(1), Some(1)));
    Ok(())
}
