//! Names and places that are looked up: whether one is among many is found without looking at each,
//! so that the work of a write grows with its size and not with the square of it.

use keyfold_types::{Item, Value};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// A set of names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Names<'n>(Vec<&'n str>);

impl<'n> Names<'n> {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.binary_search(&name).is_ok()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'n str> {
        self.0.iter().copied()
    }
}

impl<'n> FromIterator<&'n str> for Names<'n> {
    fn from_iter<I: IntoIterator<Item = &'n str>>(names: I) -> Names<'n> {
        let mut names: Vec<&str> = names.into_iter().collect();
        names.sort_unstable();
        names.dedup();
        Names(names)
    }
}

/// A table and a key in it, in an order of all places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spot<'s>(pub(crate) &'s str, pub(crate) &'s Item);

impl Ord for Spot<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let mut columns = self.1.iter().zip(other.1);
        let first = columns.find_map(|((name, value), (other_name, other_value))| {
            let order = name
                .cmp(other_name)
                .then_with(|| order_of(value, other_value));
            order.is_ne().then_some(order)
        });
        let order = first.unwrap_or_else(|| self.1.len().cmp(&other.1.len()));
        order.then_with(|| self.0.cmp(other.0))
    }
}

impl PartialOrd for Spot<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The order of two values of keys. Other values, of which no key is made, have that of their JSON.
fn order_of(one: &Value, other: &Value) -> Ordering {
    match (one, other) {
        (Value::S(one), Value::S(other)) => one.cmp(other),
        (Value::N(one), Value::N(other)) => one.cmp(other),
        (Value::B(one), Value::B(other)) => one.cmp(other),
        (one, other) => one.kind().cmp(&other.kind()).then_with(|| {
            let [mut json, mut other_json] = [Vec::new(), Vec::new()];
            keyfold_wire::encode::encode_value(&mut json, one);
            keyfold_wire::encode::encode_value(&mut other_json, other);
            json.cmp(&other_json)
        }),
    }
}

/// A place that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Placed(pub(crate) String, pub(crate) Item);

impl Placed {
    fn spot(&self) -> Spot<'_> {
        Spot(&self.0, &self.1)
    }
}

impl Ord for Placed {
    fn cmp(&self, other: &Self) -> Ordering {
        self.spot().cmp(&other.spot())
    }
}

impl PartialOrd for Placed {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The first position of each place.
pub(crate) fn first_positions<'s>(
    places: impl IntoIterator<Item = Spot<'s>>,
) -> BTreeMap<Spot<'s>, usize> {
    let mut first = BTreeMap::new();
    for (at, place) in places.into_iter().enumerate() {
        first.entry(place).or_insert(at);
    }
    first
}

/// Items that were read, each with its table, by their keys.
pub(crate) struct Found<'f> {
    items: &'f [(String, Item)],
    at: BTreeMap<Placed, usize>,
}

impl<'f> Found<'f> {
    /// `columns` are the names of the attributes of their keys.
    pub(crate) fn new(items: &'f [(String, Item)], columns: &[&str]) -> Found<'f> {
        let mut at = BTreeMap::new();
        for (position, (table, item)) in items.iter().enumerate() {
            let held = columns.iter().copied();
            let key = held.filter_map(|name| Some((name, item.get(name)?.clone())));
            at.entry(Placed(table.clone(), key.collect()))
                .or_insert(position);
        }
        Found { items, at }
    }

    /// The item with this key.
    pub(crate) fn at(&self, place: &Placed) -> Option<&'f Item> {
        let at = self.at.get(place)?;
        self.items.get(*at).map(|(_, item)| item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyfold_types::Number;

    #[test]
    fn places_are_equal_where_their_order_says_so() {
        let key = |values: &[(&str, Value)]| -> Item {
            values
                .iter()
                .map(|(name, value)| (*name, value.clone()))
                .collect()
        };
        let keys = [
            key(&[("a", Value::from("x"))]),
            key(&[("a", Value::from("x")), ("b", Value::from("y"))]),
            key(&[("a", Value::from("y"))]),
            key(&[("b", Value::from("x"))]),
            key(&[("a", Value::N(Number::from(10_i64)))]),
            key(&[("a", Value::N(Number::from(9_i64)))]),
            key(&[("a", Value::B(b"x".to_vec()))]),
            key(&[("a", Value::Null)]),
            key(&[("a", Value::L(vec![Value::from("x")]))]),
            key(&[("a", Value::L(Vec::new()))]),
        ];
        let spots: Vec<Spot<'_>> = ["s", "t"]
            .into_iter()
            .flat_map(|table| keys.iter().map(move |key| Spot(table, key)))
            .collect();
        for one in &spots {
            for other in &spots {
                assert_eq!(one == other, one.cmp(other).is_eq(), "{one:?} {other:?}");
                assert_eq!(
                    one.cmp(other),
                    other.cmp(one).reverse(),
                    "{one:?} {other:?}"
                );
            }
        }
    }
}
