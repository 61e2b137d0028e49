//! Defaults of an entity's attributes: fixed values, the present moment, new identifiers.

use crate::arguments::Values;
use crate::lowering::Io;
use keyfold_model::schema::Attribute;
use keyfold_model::{DefaultValue, Entity, Type, value};
use keyfold_types::Value;

/// An attribute that the client made: the present moment or a new identifier.
#[derive(Debug, Clone, PartialEq)]
pub struct Made {
    /// The entity.
    pub entity: String,
    /// The attribute; behind the alias of an action that has one: `first.accountId`.
    pub attribute: String,
    /// Its value.
    pub value: Value,
}

/// Returns the values with defaults for absent attributes, and adds moments and identifiers to
/// `made`. Attributes that the model keeps start from their defaults, even where they are given.
pub(crate) fn complete(io: &Io, entity: &Entity, values: &Values, made: &mut Vec<Made>) -> Values {
    let mut all = values.clone();
    for attribute in &entity.attributes {
        if attribute.is_kept {
            all.remove(&attribute.name);
        }
        if all.contains_key(&attribute.name) {
            continue;
        }
        let new = match &attribute.default {
            None => None,
            Some(DefaultValue::Value(value)) => {
                all.insert(attribute.name.clone(), value.clone());
                None
            }
            Some(DefaultValue::Now | DefaultValue::Always) => {
                value::time_of_epoch_ms(&attribute.kind, io.now_epoch_ms())
            }
            Some(DefaultValue::New) if attribute.kind == Type::Uuid => {
                Some(Value::S(uuid(io.random())))
            }
            Some(DefaultValue::New) => Some(Value::S(ulid(io.now_epoch_ms(), io.random()))),
        };
        if let Some(value) = new {
            make(entity, attribute, value, &mut all, made);
        }
    }
    all
}

/// The value that an item of an entity gets for an attribute that it lacks, at a moment; `None` where the
/// model gives it none.
pub fn default_of(attribute: &Attribute, now_epoch_ms: i64, random: u128) -> Option<Value> {
    match attribute.default.as_ref()? {
        DefaultValue::Value(held) => Some(held.clone()),
        DefaultValue::Now | DefaultValue::Always => {
            value::time_of_epoch_ms(&attribute.kind, now_epoch_ms)
        }
        DefaultValue::New if attribute.kind == Type::Uuid => Some(Value::S(uuid(random))),
        DefaultValue::New => Some(Value::S(ulid(now_epoch_ms, random))),
    }
}

/// Adds a value that is made here, and notes it for the answer.
fn make(
    entity: &Entity,
    attribute: &Attribute,
    value: Value,
    all: &mut Values,
    made: &mut Vec<Made>,
) {
    all.insert(attribute.name.clone(), value.clone());
    made.push(Made {
        entity: entity.name.clone(),
        attribute: attribute.name.clone(),
        value,
    });
}

/// Adds the present moment for the attributes that each write sets and that the changes do not give.
pub(crate) fn touch(io: &Io, entity: &Entity, changes: &Values, made: &mut Vec<Made>) -> Values {
    let mut all = changes.clone();
    let touched = entity.attributes.iter().filter(|one| one.is_touched());
    for attribute in touched {
        let now = value::time_of_epoch_ms(&attribute.kind, io.now_epoch_ms());
        if let (false, Some(value)) = (all.contains_key(&attribute.name), now) {
            make(entity, attribute, value, &mut all, made);
        }
    }
    all
}

/// A ULID: 48 bits of time and 80 random bits, in Crockford's base 32.
fn ulid(now_epoch_ms: i64, random: u128) -> String {
    const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let time = u128::from(now_epoch_ms.unsigned_abs()) & 0xffff_ffff_ffff;
    let bits = (time << 80) | (random >> 48);
    (0..26)
        .rev()
        .map(|place| {
            let digit = usize::try_from((bits >> (5 * place)) & 31).unwrap_or(0);
            char::from(DIGITS.get(digit).copied().unwrap_or(b'0'))
        })
        .collect()
}

/// A UUID of version 4: 122 random bits.
fn uuid(random: u128) -> String {
    let bits = (random & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62);
    let text = format!("{bits:032x}");
    let piece = |from: usize, to: usize| text.get(from..to).unwrap_or_default().to_owned();
    [
        piece(0, 8),
        piece(8, 12),
        piece(12, 16),
        piece(16, 20),
        piece(20, 32),
    ]
    .join("-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lowering::Origin;

    #[test]
    fn new_identifiers_are_valid_and_differ() {
        let io = Io::new(Origin {
            now_epoch_ms: 1_700_000_000_000,
            seed: 7,
        });
        for _ in 0..100 {
            let made = || ulid(io.now_epoch_ms(), io.random());
            let (one, two) = (made(), made());
            assert_ne!(one, two);
            assert!(value::parse("u", &Type::Ulid, &one).is_ok(), "{one}");
            let uuid = uuid(io.random());
            assert!(
                value::parse("u", &Type::Uuid, &uuid).is_ok() && uuid.as_bytes()[14] == b'4',
                "{uuid}"
            );
        }
    }
}
