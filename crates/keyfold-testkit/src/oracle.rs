//! A table as a list of items that is searched from end to end: slow and obviously right.

use keyfold_types::{Item, Value};
use std::cmp::Ordering;

/// A table with a partition key and a sort key.
#[derive(Debug, Clone)]
pub struct Oracle {
    /// The partition key attribute.
    pub partition: String,
    /// The sort key attribute.
    pub sort: String,
    items: Vec<Item>,
}

/// An index over an oracle's items: partition and sort attribute.
#[derive(Debug, Clone, Copy)]
pub struct OracleIndex<'i> {
    /// The partition key attribute.
    pub partition: &'i str,
    /// The sort key attribute.
    pub sort: &'i str,
}

/// Order of two key values of one type.
fn compare(one: &Value, two: &Value) -> Ordering {
    match (one, two) {
        (Value::S(one), Value::S(two)) => one.as_bytes().cmp(two.as_bytes()),
        (Value::N(one), Value::N(two)) => one.cmp(two),
        (Value::B(one), Value::B(two)) => one.cmp(two),
        (one, two) => unreachable!("{one:?} and {two:?} are no keys of one type"),
    }
}

impl Oracle {
    /// An empty table.
    pub fn new(partition: &str, sort: &str) -> Oracle {
        Oracle {
            partition: partition.to_owned(),
            sort: sort.to_owned(),
            items: Vec::new(),
        }
    }

    /// All items, in no order.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    fn has_same_key(&self, one: &Item, two: &Item) -> bool {
        one.get(&self.partition) == two.get(&self.partition)
            && one.get(&self.sort) == two.get(&self.sort)
    }

    /// The item with the key.
    pub fn get(&self, key: &Item) -> Option<&Item> {
        self.items.iter().find(|item| self.has_same_key(item, key))
    }

    /// Puts an item, which replaces the item with its key.
    pub fn put(&mut self, item: Item) {
        self.delete(&item);
        self.items.push(item);
    }

    /// Removes the item with the key.
    pub fn delete(&mut self, key: &Item) {
        let items = std::mem::take(&mut self.items);
        self.items = items
            .into_iter()
            .filter(|item| !self.has_same_key(item, key))
            .collect();
    }

    /// The items of one partition of the table or of an index, ascending. Equal index keys are
    /// ordered by the table's key.
    pub fn query(&self, index: Option<OracleIndex<'_>>, partition: &Value) -> Vec<Item> {
        let (partition_name, sort_name) = match index {
            None => (self.partition.as_str(), self.sort.as_str()),
            Some(index) => (index.partition, index.sort),
        };
        let mut found: Vec<Item> = self
            .items
            .iter()
            .filter(|item| {
                item.get(partition_name) == Some(partition) && item.get(sort_name).is_some()
            })
            .cloned()
            .collect();
        found.sort_by(|one, two| {
            [sort_name, &self.partition, &self.sort]
                .into_iter()
                .map(|name| match (one.get(name), two.get(name)) {
                    (Some(one), Some(two)) => compare(one, two),
                    (None, _) | (_, None) => Ordering::Equal,
                })
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal)
        });
        found
    }
}
