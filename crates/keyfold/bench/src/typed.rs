//! What the generated client takes.

use crate::data::Order;
use crate::model::{NewOrder, OrderStatus};

/// An order as the client takes it.
pub fn new(order: Order) -> NewOrder {
    NewOrder {
        order_id: order.order_id.into(),
        user_id: order.user_id,
        reference: order.reference,
        created_at: order.created_at.parse().expect("it is a time"),
        status: match order.status.as_str() {
            "pending" => OrderStatus::Pending,
            "paid" => OrderStatus::Paid,
            _ => OrderStatus::Shipped,
        },
        total: order.total.to_string().parse().expect("it is a number"),
        quantity: order.quantity as i64,
        note: order.note,
    }
}
