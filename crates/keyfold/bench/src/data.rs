//! The orders that all contenders write.

use serde::{Deserialize, Serialize};

/// Users, each with [`ORDERS_OF_USER`] orders.
pub const USERS: u64 = 50;
/// Orders of a user.
pub const ORDERS_OF_USER: u64 = 20;
/// Orders that are there before the measurement.
pub const ORDERS: u64 = USERS * ORDERS_OF_USER;

/// An order.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Order {
    pub order_id: String,
    pub user_id: String,
    pub reference: String,
    pub created_at: String,
    pub status: String,
    pub total: f64,
    pub quantity: u64,
    pub note: String,
}

/// The order of a number. Those from [`ORDERS`] on are new.
pub fn order(number: u64) -> Order {
    let seconds = number % 86_400;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    Order {
        order_id: format!("o{number:08}"),
        user_id: format!("u{}", number % USERS),
        reference: format!("R-{number}"),
        created_at: format!("2024-01-01T{hour:02}:{minute:02}:{second:02}.000Z"),
        status: ["pending", "paid", "shipped"][(number % 3) as usize].to_owned(),
        total: 10.5 + (number % 1000) as f64,
        quantity: number % 7,
        note: format!(
            "Leave it at the door, please; nobody is in before {} o'clock.",
            number % 24
        ),
    }
}
