//! Views as a program meets them: patterns read their rows, no call writes them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::Place;
use keyfold_client::arguments::Values;
use keyfold_client::{ClientError, write};
use keyfold_types::Value;

const MODEL: &str = r##"
model sales 1
table Sales (PK, SK) type kind
  stream new and old images
entity Order
  orderId: string, productId: string, total: int, createdAt: time
  key "ORDER#{orderId}" "META"
view DailySales of Order where total > 0
  key "SALES#{createdAt:day}" "PRODUCT#{productId}"
  orders: count, total: sum total, last: max createdAt
pattern sales_of(day of createdAt) -> DailySales[]
"##;

fn refused<T>(result: Result<T, ClientError>) {
    let Err(error) = result else {
        panic!("a view was written");
    };
    let text = error.to_string();
    let wanted = "DailySales is a view, and its rows follow from Order: write Order";
    assert!(text.contains(wanted), "{text}");
}

#[test]
fn no_call_writes_a_view() {
    let place = Place::new(MODEL);
    let (backend, model) = (&place.backend, &place.model);
    let view = model.entity("DailySales").unwrap();
    let values: Values = [
        ("createdAt", Value::from("2024-01-15T00:00:00.000Z")),
        ("productId", Value::from("p1")),
        ("total", Value::from(5)),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into();
    refused(write::create(backend, model, view, &values));
    refused(write::put(backend, model, view, &values));
    refused(write::update(backend, model, view, &values, &[]));
    refused(write::delete(backend, model, view, &values));
    refused(write::put_many(
        backend,
        model,
        view,
        std::slice::from_ref(&values),
    ));
    refused(write::delete_many(
        backend,
        model,
        view,
        std::slice::from_ref(&values),
    ));
    let put = write::Part::Put {
        entity: view,
        values: &values,
    };
    refused(write::transact(backend, model, &[put]));
}

#[test]
fn a_pattern_reads_rows_with_the_beginning_of_their_period() {
    let place = Place::new(MODEL);
    let row = [
        ("PK", Value::from("SALES#2024-01-15")),
        ("SK", Value::from("PRODUCT#p1")),
        ("kind", Value::from("DailySales")),
        ("createdAt", Value::from("2024-01-15T00:00:00.000Z")),
        ("productId", Value::from("p1")),
        ("orders", Value::from(2)),
        ("total", Value::from(7)),
        ("view:items", Value::from(2)),
    ];
    let row = row.map(|(name, value)| (name.to_owned(), value));
    place.put_item(row.into_iter().collect());
    let found = place.found("sales_of", &[("day", "2024-01-15")], "total");
    assert_eq!(found, ["7"]);
}
