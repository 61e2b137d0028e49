//! Names to which the new version gives a meaning that they had not in the old one: the key attributes of a new
//! index, the attribute of expiry, a new attribute.

use crate::convert::is_of;
use keyfold_model::evolution::Pair;
use keyfold_model::{Attribute, Entity, Model, Table, Type};
use keyfold_types::{Item, Value};

/// A name to which the new version gives a meaning in one of its tables.
pub(crate) struct Arrival<'m> {
    /// The table, by its position in the new model.
    pub(crate) table: usize,
    pub(crate) name: &'m str,
    pub(crate) means: Means<'m>,
}

/// The meaning of a name.
#[derive(Clone, Copy)]
pub(crate) enum Means<'m> {
    /// The moment of expiry.
    Expiry,
    /// A key attribute of an index, by its position and its name.
    Index(usize, &'m str),
    /// An attribute of a pair's entity.
    Attribute(usize, &'m Type),
}

impl Arrival<'_> {
    /// Whether what an item holds under the name may have that meaning.
    pub(crate) fn is_held(&self, item: &Item) -> bool {
        match (self.means, item.get(self.name)) {
            (_, None) => false,
            // The service deletes nothing by another type.
            (Means::Expiry, Some(held)) => matches!(held, Value::N(_)),
            (Means::Index(..), Some(_)) => true,
            (Means::Attribute(_, kind), Some(held)) => !is_of(kind, held),
        }
    }

    /// Whether the new version writes something under the name of its own for an entity.
    pub(crate) fn is_written_by(&self, entity: &Entity) -> bool {
        match self.means {
            Means::Expiry => entity.ttl.is_some(),
            Means::Index(index, _) => {
                entity.attribute(self.name).is_some()
                    || entity.indexes.iter().any(|one| one.index == index)
            }
            Means::Attribute(..) => false,
        }
    }
}

/// An attribute that comes, and that no attribute of the old version is.
fn comes<'m>(pair: &Pair<'m>, two: &'m Attribute) -> bool {
    let is_new = pair.old_of(two).is_none() && pair.old.attribute(&two.name).is_none();
    // What is compressed does not show its type.
    let is_plain = !two.is_kept && !pair.new.compressed.contains(&two.name);
    is_new && is_plain && two.former.is_none()
}

/// The names that get a meaning by the change from one model to another. `expiring`: the tables whose expiry begins,
/// with its attribute.
pub(crate) fn arrivals<'m>(
    (old, new): (&'m Model, &'m Model),
    pairs: &[Pair<'m>],
    expiring: &[(&'m Table, &'m str)],
) -> Vec<Arrival<'m>> {
    let mut all = Vec::new();
    for (at, table) in new.tables.iter().enumerate() {
        let old = old.tables.iter().find(|one| one.name == table.name);
        let Some(old) = old else { continue };
        let mut expiring = expiring.iter();
        if let Some((_, name)) = expiring.find(|(one, _)| one.name == table.name) {
            all.push(Arrival {
                table: at,
                name,
                means: Means::Expiry,
            });
        }
        let is_known = |name: &str| {
            let mut known = old.indexes.iter().flat_map(|index| index.columns());
            known.any(|column| column.name == name)
        };
        for (place, index) in table.indexes.iter().enumerate() {
            // An item without one of its key attributes is not in an index: the first one tells.
            let first = index.partition.first().map(|one| one.name.as_str());
            let first = first.filter(|name| !is_known(name));
            all.extend(first.map(|name| Arrival {
                table: at,
                name,
                means: Means::Index(place, &index.name),
            }));
        }
    }
    for (at, pair) in pairs.iter().enumerate() {
        let is_stored = pair.new.view.is_none();
        for two in pair.new.attributes.iter().filter(|_| is_stored) {
            if comes(pair, two) {
                all.push(Arrival {
                    table: pair.new.table,
                    name: &two.name,
                    means: Means::Attribute(at, &two.kind),
                });
            }
        }
    }
    all
}
