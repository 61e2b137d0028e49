//! An entity gives a unique value up for a moment, so that another one may take it: it goes without the attribute, or has a
//! value that nobody else has. Only where neither can be, it is deleted until it is written again.

use crate::mapping::Mapped;
use crate::wish::Wish;
use crate::world;
use keyfold_lower::arguments::Values;
use keyfold_model::schema::{Attribute, Unique};
use keyfold_model::{Type, value};
use keyfold_types::Value;

/// How an entity may give a unique value up.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Way {
    /// Without an attribute.
    Without(String),
    /// With another value.
    With(String, Value),
    /// By going away.
    Gone,
}

/// The ways in which an entity may give up a value of a unique line, the best first. `others` are those that are
/// written with it.
pub(super) fn ways(mapped: &Mapped<'_>, unique: &Unique, others: &[Wish]) -> Vec<Way> {
    let identity = mapped.entity.identity();
    let own = unique.attributes().filter(|name| !identity.contains(name));
    let own = own.filter_map(|name| mapped.entity.attribute(name));
    let own: Vec<&Attribute> = own.filter(|one| !one.is_kept).collect();
    // What refers to another item is counted there.
    let (bound, free): (Vec<&Attribute>, Vec<&Attribute>) =
        own.into_iter().partition(|one| one.refers.is_some());
    let without = |all: &[&Attribute]| -> Vec<Way> {
        let all = all.iter().filter(|one| one.optional);
        all.map(|one| Way::Without(one.name.clone())).collect()
    };
    let mut ways = without(&free);
    for one in &free {
        let others = others.iter().flat_map(|wish| [&wish.stored, &wish.values]);
        let known = others.flatten().filter_map(|values| values.get(&one.name));
        let texts = texts(&one.kind, known).into_iter();
        let values = texts.filter_map(|text| value::parse(&one.name, &one.kind, &text).ok());
        ways.extend(values.map(|value| Way::With(one.name.clone(), value)));
    }
    ways.extend(without(&bound));
    ways.push(Way::Gone);
    ways
}

/// Values of a type that nobody has, as far as one can know, in text.
fn texts<'v>(kind: &Type, known: impl Iterator<Item = &'v Value>) -> Vec<String> {
    let below = |most: u64| world::random() % most;
    match kind {
        Type::String => vec![format!("keyfold-{}", world::name())],
        Type::Int | Type::Number => {
            // The next number fits where others do: a key may have a place for some digits only.
            let known = known.map(value::display);
            let greatest = known.filter_map(|text| text.parse::<i64>().ok()).max();
            let next = greatest.unwrap_or(0).max(0).saturating_add(1);
            let far = below(1 << 53);
            vec![next.to_string(), far.to_string()]
        }
        Type::Uuid => {
            let name = world::name();
            let part = |from: usize, to: usize| name.get(from..to).unwrap_or_default();
            let (first, second, third) = (part(0, 8), part(8, 12), part(13, 16));
            let (fourth, last) = (part(17, 20), part(20, 32));
            vec![format!("{first}-{second}-4{third}-8{fourth}-{last}")]
        }
        Type::Ulid => vec![format!("{:0>26}", below(1 << 53))],
        Type::Time(_) => vec![format!(
            "9{:03}-{:02}-{:02}T{:02}:{:02}:{:02}Z",
            below(1_000),
            1 + below(12),
            1 + below(28),
            below(24),
            below(60),
            below(60)
        )],
        Type::Date => vec![format!(
            "9{:03}-{:02}-{:02}",
            below(1_000),
            1 + below(12),
            1 + below(28)
        )],
        Type::Binary => vec![world::name()],
        Type::Bool
        | Type::Period(_)
        | Type::Words(_)
        | Type::List(_)
        | Type::Map(_)
        | Type::Set(_)
        | Type::Record(_) => Vec::new(),
    }
}

impl Way {
    /// What an update of the entity with a key changes, and what it takes away; `None` where it goes.
    pub(super) fn update(&self, key: &Values) -> Option<(Values, Vec<String>)> {
        let mut changes = key.clone();
        match self {
            Way::Without(name) => Some((changes, vec![name.clone()])),
            Way::With(name, value) => {
                changes.insert(name.clone(), value.clone());
                Some((changes, Vec::new()))
            }
            Way::Gone => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::texts;
    use keyfold_model::schema::Precision;
    use keyfold_model::{Type, value};

    #[test]
    fn each_type_has_values_of_its_own() {
        let kinds = [
            Type::String,
            Type::Int,
            Type::Number,
            Type::Uuid,
            Type::Ulid,
            Type::Time(Precision::Seconds),
            Type::Time(Precision::Millis),
            Type::Date,
            Type::Binary,
        ];
        for kind in kinds {
            let made = texts(&kind, std::iter::empty());
            assert!(!made.is_empty(), "{kind:?}");
            for text in made {
                let parsed = value::parse("a", &kind, &text);
                assert!(parsed.is_ok(), "{kind:?} {text}: {parsed:?}");
            }
        }
    }
}
