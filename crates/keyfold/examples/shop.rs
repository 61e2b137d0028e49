//! The e-commerce design of the articles: entities in one table, each question one request.
#![allow(
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::expect_used,
    reason = "an example shows what it does"
)]

use keyfold::{Keyfold, values};

fn main() -> Result<(), keyfold::Error> {
    let db = Keyfold::memory()?;
    let shop = db.model(include_str!("../../../models/shop.keyfold"))?;
    shop.put(
        "User",
        values! { "userId": "u1", "email": "ada@example.com", "name": "Ada", "createdAt": "2024-01-02" },
    )?;
    for (order, day, total) in [("o1", "2024-02-01", 288.9), ("o2", "2024-03-15", 39.9)] {
        let order = values! { "orderId": order, "userId": "u1", "createdAt": day, "total": total, "status": "pending" };
        shop.put("Order", order)?;
    }
    let page = shop.query("orders_of_user").arg("userId", "u1").page()?;
    for order in &page.items {
        println!(
            "{} {}",
            order.text("orderId").unwrap_or_default(),
            order.to_json()
        );
    }
    println!(
        "{} orders by {} request, {} units",
        page.items.len(),
        page.requests,
        page.units
    );
    Ok(())
}
