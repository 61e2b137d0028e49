//! The table that views keep beside those of the program, and the keys of its items.
//!
//! | partition (`view:partition`) | sort (`view:sort`) | item |
//! |---|---|---|
//! | `model.View` | `state` | the view's generations, and how far the next one is |
//! | `model.View 3 items a` | digest of a source item's key | what the item gives, while the generation is built |
//! | `model.View 3 aside a` | digest of a source item's key | what the item gives to its row: its last record was set aside |
//! | `model.View 3 broken a` | digest of an item's key | the item, which the model cannot read, and why |
//! | `model.View 3 sums a` | digest of a row's key | the row, whose sums are no numbers, and why |
//! | `model.View 3 rows a` | digest of a row's key | the row, while the generation is built |
//! | `model.View 3 values a` | digest of the row's key, column, value (and identity) | how many items have the value; the record of a top list |
//! | `model.View 3 links a` | digests of the key of the item that is referred to, and of the row's key | the row's key |
//!
//! The last character of a partition is the first of the sort key: so writes spread.

use keyfold_codec::RawItem;
use keyfold_types::{Item, Value};

/// The key attributes. Attributes of a model have no colon.
pub(crate) const PARTITION: &str = "view:partition";
pub(crate) const SORT: &str = "view:sort";
/// The name of the table.
pub(crate) const TABLE: &str = "keyfold_views";
/// The last characters of the partitions of a kind.
pub(crate) const SPREAD: &str = "0123456789abcdef";

/// What an item of the table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Items,
    Aside,
    Broken,
    Sums,
    Rows,
    Values,
    Links,
}

impl Kind {
    pub(crate) const ALL: [Kind; 7] = [
        Kind::Items,
        Kind::Aside,
        Kind::Broken,
        Kind::Sums,
        Kind::Rows,
        Kind::Values,
        Kind::Links,
    ];

    fn word(self) -> &'static str {
        match self {
            Kind::Items => "items",
            Kind::Aside => "aside",
            Kind::Broken => "broken",
            Kind::Sums => "sums",
            Kind::Rows => "rows",
            Kind::Values => "values",
            Kind::Links => "links",
        }
    }
}

/// A generation of a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Space {
    /// `model.View`.
    pub(crate) view: String,
    pub(crate) generation: u64,
}

impl Space {
    /// The partition of items of a kind whose sort keys begin with a character.
    pub(crate) fn partition(&self, kind: Kind, first: char) -> String {
        format!("{} {} {}{first}", self.view, self.generation, kind.word())
    }

    /// The partition of a sort key.
    pub(crate) fn partition_of(&self, kind: Kind, sort: &str) -> String {
        self.partition(kind, sort.chars().next().unwrap_or('0'))
    }

    pub(crate) fn key(&self, kind: Kind, sort: &str) -> Item {
        key(&self.partition_of(kind, sort), sort)
    }

    /// The partitions of a kind.
    pub(crate) fn partitions(&self, kind: Kind) -> impl Iterator<Item = String> {
        SPREAD.chars().map(move |first| self.partition(kind, first))
    }

    /// What rows of the generation have as `view:generation`.
    pub(crate) fn mark(&self) -> String {
        format!("{} {}", self.view, self.generation)
    }

    /// Whether a mark is one of a generation of the view before this one.
    pub(crate) fn is_behind(&self, mark: &Value) -> bool {
        Space::number_of(&self.view, mark).is_some_and(|number| number < self.generation)
    }

    /// The number of the generation of a view whose rows have a mark; `None` where it is another view's.
    pub(crate) fn number_of(view: &str, mark: &Value) -> Option<u64> {
        let Value::S(mark) = mark else { return None };
        let number = mark.strip_prefix(view)?.strip_prefix(' ')?;
        number.parse::<u64>().ok()
    }
}

pub(crate) fn key(partition: &str, sort: &str) -> Item {
    Item::from_iter([(PARTITION, partition), (SORT, sort)])
}

/// The sort key of an item.
pub(crate) fn sort_of(item: &Item) -> Option<&str> {
    match item.get(SORT) {
        Some(Value::S(text)) => Some(text),
        Some(_) | None => None,
    }
}

/// The digest of a key: 32 hexadecimal digits.
pub(crate) fn digest(key: &Item) -> String {
    let mut json = Vec::new();
    keyfold_wire::encode::encode_item(&mut json, key);
    keyfold_model::value::digest(&String::from_utf8_lossy(&json))
}

/// A key in a message.
pub(crate) fn shown(key: &Item) -> String {
    let each = key
        .iter()
        .map(|(name, held)| format!("{name}={}", keyfold_model::value::shown(held)));
    each.collect::<Vec<_>>().join(" ")
}

/// The bytes of a key, by which items are found again.
pub(crate) fn bytes(key: &Item) -> Vec<u8> {
    RawItem::encode(key).bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::TABLE;
    use crate::Options;

    /// A model with a table of one of these names would change what consumers and views keep.
    #[test]
    fn the_compiler_refuses_the_names_of_own_tables() {
        let Options {
            leases, failures, ..
        } = Options::new("a", "Shop");
        for name in [leases.as_str(), &failures, TABLE] {
            let text = format!("model m 1\ntable {name} (PK, SK)\n");
            let found = keyfold_model::compile(&text).diagnostics;
            let is_refused = found.iter().any(|one| one.message.contains(name));
            assert!(is_refused, "{name}: {found:?}");
        }
    }
}
