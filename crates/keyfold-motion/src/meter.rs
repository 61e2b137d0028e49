//! Measures the units of a place: asks each request to report them, and reads them from its answer.
//!
//! A request that failed reports none, although it may have consumed some: a sum is what was consumed at
//! least.

use keyfold_api::{Request, Response, ReturnConsumedCapacity};
use std::ops::{Add, AddAssign};

/// The units that a place has consumed, in halves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Units {
    /// Read units.
    pub read_halves: u64,
    /// Write units.
    pub write_halves: u64,
}

impl Add for Units {
    type Output = Units;

    fn add(self, other: Units) -> Units {
        Units {
            read_halves: self.read_halves + other.read_halves,
            write_halves: self.write_halves + other.write_halves,
        }
    }
}

impl AddAssign for Units {
    fn add_assign(&mut self, other: Units) {
        *self = *self + other;
    }
}

/// What the units of a request are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum For {
    /// Reading items.
    Reading,
    /// Writing items.
    Writing,
}

/// Asks a request to report its units; `None` when it consumes none.
pub fn measured(request: &mut Request) -> Option<For> {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "only operations on items consume units"
    )]
    let (returns, kind) = match request {
        Request::GetItem(input) => (&mut input.returns, For::Reading),
        Request::BatchGetItem(input) => (&mut input.returns, For::Reading),
        Request::Query(input) => (&mut input.returns, For::Reading),
        Request::Scan(input) => (&mut input.returns, For::Reading),
        Request::PutItem(input) => (&mut input.returns, For::Writing),
        Request::UpdateItem(input) => (&mut input.returns, For::Writing),
        Request::DeleteItem(input) => (&mut input.returns, For::Writing),
        Request::BatchWriteItem(input) => (&mut input.returns, For::Writing),
        Request::TransactWriteItems(input) => (&mut input.returns, For::Writing),
        _ => return None,
    };
    let asked = &mut returns.consumed_capacity;
    asked.get_or_insert_with(|| ReturnConsumedCapacity::Total.into());
    Some(kind)
}

/// The units that an answer reports.
pub fn units(kind: For, response: &Response) -> Units {
    let halves = response.consumed().map_or(0, |consumed| consumed.0);
    match kind {
        For::Reading => Units {
            read_halves: halves,
            write_halves: 0,
        },
        For::Writing => Units {
            read_halves: 0,
            write_halves: halves,
        },
    }
}
