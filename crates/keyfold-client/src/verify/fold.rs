//! The items that an aggregate counts, folded: what is kept of them is what the aggregate is
//! compared with. Folds of parts of a table are joined.

use keyfold_codec::RawValue;
use keyfold_codec::item::encode_value;
use keyfold_lower::order;
use keyfold_lower::sums::shown_sum;
use keyfold_model::schema::AggregateKind;
use keyfold_types::{Sum, Value};

/// The items that an aggregate counts.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Fold {
    pub(super) count: i64,
    sum: Option<Sum>,
    /// The greatest value; the least, where the fold is of least values.
    extreme: Option<Value>,
    is_least: bool,
    /// Whether one of the items has no good value, so that the aggregate cannot be compared.
    pub(super) is_unknown: bool,
    /// The sum of the items' digests: it differs whenever the items do.
    pub(super) digest: u128,
}

impl Fold {
    /// One item, with what it contributes.
    pub(super) fn of(kind: AggregateKind, held: Value, digest: u128) -> Fold {
        let (sum, extreme) = match (kind, held) {
            (AggregateKind::Sum, Value::N(number)) => (Some(Sum::from(number)), None),
            (AggregateKind::Max, held) => (None, Some(held)),
            (AggregateKind::Count | AggregateKind::Sum, _) => (None, None),
        };
        Fold {
            count: 1,
            sum,
            extreme,
            is_least: false,
            is_unknown: false,
            digest,
        }
    }

    /// One item, whose value may be the least.
    pub(super) fn least(held: Value, digest: u128) -> Fold {
        Fold {
            count: 1,
            extreme: Some(held),
            is_least: true,
            digest,
            ..Fold::default()
        }
    }

    /// One item, of which it is not known what it contributes.
    pub(super) fn unknown(digest: u128) -> Fold {
        Fold {
            count: 1,
            is_unknown: true,
            digest,
            ..Fold::default()
        }
    }

    /// Adds other items.
    pub(super) fn join(&mut self, other: Fold) {
        self.count += other.count;
        self.digest = self.digest.wrapping_add(other.digest);
        self.is_unknown |= other.is_unknown;
        if let Some(more) = other.sum {
            self.sum.get_or_insert_default().join(&more);
        }
        self.is_least |= other.is_least;
        if let Some(held) = other.extreme {
            let is_first = |known: &Value| {
                let order = order(&held, known);
                order.is_some_and(|order| match self.is_least {
                    true => order.is_lt(),
                    false => order.is_gt(),
                })
            };
            if self.extreme.as_ref().is_none_or(is_first) {
                self.extreme = Some(held);
            }
        }
    }

    /// The aggregate of the items. A sum that is no number is a text that says why, which no item has.
    pub(super) fn value(&self, kind: AggregateKind) -> Option<Value> {
        match kind {
            AggregateKind::Count => Some(Value::from(self.count)),
            AggregateKind::Sum => Some(shown_sum(&self.sum())),
            AggregateKind::Max => self.extreme.clone(),
        }
    }

    /// The sum of the items' numbers; 0 without any.
    pub(super) fn sum(&self) -> Sum {
        self.sum.clone().unwrap_or_default()
    }

    /// The greatest or least value of the items.
    pub(super) fn extreme(&self) -> Option<Value> {
        self.extreme.clone()
    }

    /// The fold without its digest: the count, whether it is unknown and of least values, the sum with
    /// its length, and the extreme value.
    pub(super) fn encoded(&self) -> Vec<u8> {
        let sum = self.sum.as_ref().map(|sum| match sum.number() {
            Ok(number) => encode_value(&Value::N(number)),
            // A text of all its digits.
            Err(_) => encode_value(&Value::S(sum.to_string())),
        });
        let sum = sum.unwrap_or_default();
        let mut out = self.count.to_be_bytes().to_vec();
        out.push(u8::from(self.is_unknown) | u8::from(self.is_least) << 1);
        out.extend(u16::try_from(sum.len()).unwrap_or(0).to_be_bytes());
        out.extend_from_slice(&sum);
        out.extend(self.extreme.iter().flat_map(encode_value));
        out
    }

    /// The fold that was encoded; `None` when its bytes are not whole.
    pub(super) fn decoded(bytes: &[u8], digest: u128) -> Option<Fold> {
        let (count, rest) = bytes.split_first_chunk()?;
        let (flags, rest) = rest.split_first()?;
        let (length, rest) = rest.split_first_chunk()?;
        let length = usize::from(u16::from_be_bytes(*length));
        let (sum, extreme) = rest.split_at_checked(length)?;
        let sum = match (!sum.is_empty()).then(|| RawValue::new(sum).to_value()) {
            Some(Value::N(number)) => Some(Sum::from(number)),
            Some(Value::S(text)) => Some(text.parse().ok()?),
            Some(_) => return None,
            None => None,
        };
        Some(Fold {
            count: i64::from_be_bytes(*count),
            sum,
            extreme: (!extreme.is_empty()).then(|| RawValue::new(extreme).to_value()),
            is_least: flags & 2 != 0,
            is_unknown: flags & 1 != 0,
            digest,
        })
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
            left.join(Fold::decoded(&right.encoded(), right.digest).unwrap());
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
    /// A sum leaves DynamoDB's numbers and comes back, whatever the order of its parts.
    #[test]
    fn sums_are_those_of_all_orders() {
        let texts = ["1e125", "1e-130", "-1e125", "3"];
        for from in 0..texts.len() {
            let turned = texts.iter().cycle().skip(from).take(texts.len());
            let mut fold = Fold::default();
            for text in turned {
                let held = Value::N(text.parse().unwrap());
                fold.join(Fold::of(AggregateKind::Sum, held, 0));
                fold = Fold::decoded(&fold.encoded(), 0).unwrap();
            }
            let least = format!("more than 38 significant digits: 3.{}1", "0".repeat(129));
            assert_eq!(
                fold.value(AggregateKind::Sum),
                Some(Value::S(least)),
                "{from}"
            );
            let back = Value::N("-1e-130".parse().unwrap());
            fold.join(Fold::of(AggregateKind::Sum, back, 0));
            assert_eq!(fold.value(AggregateKind::Sum), Some(Value::from(3_i64)));
            assert!(!fold.is_unknown);
        }
    }
}
