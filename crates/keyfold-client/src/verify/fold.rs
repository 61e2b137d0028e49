//! The items that an aggregate counts, folded: what is kept of them is what the aggregate is
//! compared with. Folds of parts of a table are joined.

use super::record::{item, json};
use keyfold_lower::order;
use keyfold_model::schema::AggregateKind;
use keyfold_types::{Item, Number, Value};

/// The members of a fold as an item.
const COUNT: &str = "c";
const SUM: &str = "s";
const MAX: &str = "m";

/// The items that an aggregate counts.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Fold {
    pub(super) count: i64,
    sum: Option<Number>,
    max: Option<Value>,
    /// The sum of the items' digests: it differs whenever the items do.
    pub(super) digest: u128,
}

impl Fold {
    /// One item, with what it contributes.
    pub(super) fn of(kind: AggregateKind, held: Value, digest: u128) -> Fold {
        let (sum, max) = match (kind, held) {
            (AggregateKind::Sum, Value::N(number)) => (Some(number), None),
            (AggregateKind::Max, held) => (None, Some(held)),
            (AggregateKind::Count | AggregateKind::Sum, _) => (None, None),
        };
        Fold {
            count: 1,
            sum,
            max,
            digest,
        }
    }

    /// Adds other items.
    pub(super) fn join(&mut self, other: Fold) {
        self.count += other.count;
        self.digest = self.digest.wrapping_add(other.digest);
        if let Some(number) = other.sum {
            let sum = self.sum.unwrap_or(Number::from(0_i64));
            self.sum = Some(sum.checked_add(&number).unwrap_or(sum));
        }
        if let Some(held) = other.max {
            let is_greater = |max: &Value| order(&held, max).is_some_and(std::cmp::Ordering::is_gt);
            if self.max.as_ref().is_none_or(is_greater) {
                self.max = Some(held);
            }
        }
    }

    /// The aggregate of the items.
    pub(super) fn value(&self, kind: AggregateKind) -> Option<Value> {
        match kind {
            AggregateKind::Count => Some(Value::from(self.count)),
            AggregateKind::Sum => Some(Value::N(self.sum.unwrap_or(Number::from(0_i64)))),
            AggregateKind::Max => self.max.clone(),
        }
    }

    /// The fold without its digest, as JSON of an item.
    pub(super) fn encoded(&self) -> Vec<u8> {
        let mut members = Item::new();
        members.insert(COUNT, self.count);
        if let Some(sum) = self.sum {
            members.insert(SUM, Value::N(sum));
        }
        if let Some(max) = &self.max {
            members.insert(MAX, max.clone());
        }
        json(&members)
    }

    /// The fold that was encoded.
    pub(super) fn decoded(bytes: &[u8], digest: u128) -> Fold {
        let mut members = item(bytes);
        let mut number = |name: &str| match members.remove(name) {
            Some(Value::N(number)) => Some(number),
            _ => None,
        };
        let (count, sum) = (number(COUNT), number(SUM));
        Fold {
            count: count.and_then(|count| count.to_i64()).unwrap_or(0),
            sum,
            max: members.remove(MAX),
            digest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_join_in_any_order_and_come_back_whole() {
        for kind in [AggregateKind::Count, AggregateKind::Sum, AggregateKind::Max] {
            let one =
                |number: i64| Fold::of(kind, Value::from(number), number.unsigned_abs().into());
            let (mut left, mut right) = (one(3), one(-7));
            right.join(one(5));
            left.join(Fold::decoded(&right.encoded(), right.digest));
            let mut other = one(5);
            other.join(one(3));
            other.join(one(-7));
            assert_eq!(left, other);
            let wanted = match kind {
                AggregateKind::Count => 3,
                AggregateKind::Sum => 1,
                AggregateKind::Max => 5,
            };
            assert_eq!(left.value(kind), Some(Value::from(wanted)));
        }
    }
}
