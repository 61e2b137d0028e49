//! Whether the items of an answer have an order.

/// The items come in no order that can be turned round.
#[derive(Debug, Clone, Copy)]
pub enum Unordered {}

/// The items come in an order of their keys.
#[derive(Debug, Clone, Copy)]
pub enum Ordered {}
