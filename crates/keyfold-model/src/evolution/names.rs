//! Names that one version has as attributes of an entity, and that a table of the other version uses itself: for the
//! kind of its items, for the moment of their expiry, or as key attributes.
//!
//! An item has one value under a name. Where both versions use it, one reads what the other wrote as something else:
//!
//! ```text
//! old  table Tab (PK, SK) type entity     kind: string?      kind = gold
//! new  table Tab (PK, SK) type kind       no `kind`          kind = User
//! ```
//!
//! So no programs of both run together, and each item is written again. What an attribute was made of such a name cannot
//! be read a second time, since the table's own value stands there by then: such a change is refused.

use super::change::{ALL_ITEMS, Change, Class, Place, Verdict, Verdicts, Work};
use super::collect::Collect;
use super::entity::of_entity;
use super::keys::{filled, value_in};
use super::pair::Pair;
use super::stored::is_stored;
use crate::schema::{Attribute, Column, Entity, Model, Table};
use crate::written::written;
use std::collections::BTreeSet;

/// What a version keeps under a name in the items of an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    Attribute,
    Kind,
    Expiry,
    Key,
    /// A key attribute of an index that the old version does not have, and that the entity is not in.
    Foreign,
}

impl Use {
    /// What stands under a name in the items of an entity.
    fn of((table, entity): (&Table, &Entity), name: &str) -> Option<Use> {
        let is = |one: &Option<String>| one.as_deref() == Some(name);
        let is_key = || {
            let mut columns = table.columns();
            columns.any(|one| one.name == name) || filled(table, entity).contains(&name)
        };
        match () {
            () if entity.attribute(name).is_some() => Some(Use::Attribute),
            () if is(&table.type_attribute) => Some(Use::Kind),
            () if is(&table.ttl_attribute) && entity.ttl.is_some() => Some(Use::Expiry),
            () if is_key() => Some(Use::Key),
            () => None,
        }
    }

    /// What the new version of a table makes of a name in whatever item has it, where the old one does not: an item
    /// with such a number expires, and one with all key attributes of an index is in it.
    fn begun((before, entity): (&Table, &Entity), after: &Table, name: &str) -> Option<Use> {
        let is_expiry = after.ttl_attribute.as_deref() == Some(name)
            && after.ttl_attribute != before.ttl_attribute;
        let is_known = |index: &str| before.indexes.iter().any(|one| one.name == index);
        let is_held = |column: &Column| Use::of((before, entity), &column.name).is_some();
        let mut indexes = after.indexes.iter().filter(|one| !is_known(&one.name));
        let is_foreign = indexes.any(|index| {
            index.columns().any(|one| one.name == name) && index.columns().all(is_held)
        });
        match (is_expiry, is_foreign) {
            (true, _) => Some(Use::Expiry),
            (false, true) => Some(Use::Foreign),
            (false, false) => None,
        }
    }

    fn said(self, table: &Table) -> String {
        match self {
            Use::Attribute => "an attribute".to_owned(),
            Use::Kind => format!("the kind of each item of {}", table.name),
            Use::Expiry => format!("the moment of expiry in {}", table.name),
            Use::Key => format!("a key attribute of {}", table.name),
            Use::Foreign => format!(
                "a key attribute of an index of other items of {}",
                table.name
            ),
        }
    }
}

/// A name that the versions use for different things.
struct Crossing<'n> {
    name: &'n str,
    before: Use,
    after: Use,
}

/// What the versions use a name for, where that differs.
fn crossing<'n>(pair: &Pair<'_>, name: &'n str) -> Option<Crossing<'n>> {
    let (old_table, new_table) = pair.tables()?;
    let before = Use::of((old_table, pair.old), name)?;
    let after = Use::of((new_table, pair.new), name);
    let after = after.or_else(|| Use::begun((old_table, pair.old), new_table, name))?;
    // A key attribute may be the attribute itself.
    let is_same = match (before, after) {
        (Use::Key, Use::Attribute) => {
            value_in(old_table, pair.old, name) == Some(pair.old_name(name))
        }
        (Use::Attribute, Use::Key) => {
            value_in(new_table, pair.new, name).is_some_and(|two| pair.old_name(two) == name)
        }
        (one, two) => one == two,
    };
    (!is_same).then_some(Crossing {
        name,
        before,
        after,
    })
}

/// Whether the new version uses the name of an attribute of the old one for something else.
pub(super) fn is_taken(pair: &Pair<'_>, one: &Attribute) -> bool {
    crossing(pair, &one.name).is_some()
}

/// Reports the names that the versions use for different things.
pub(super) fn names(pair: &Pair<'_>, all: &mut Collect<'_>) {
    let Some((old_table, _)) = pair.tables() else {
        return;
    };
    let own = pair.old.attributes.iter().map(|one| one.name.as_str());
    let indexes = old_table.indexes.iter().flat_map(|one| one.columns());
    let columns = old_table.columns().chain(indexes);
    let columns = columns.map(|one| one.name.as_str());
    let of_table = old_table
        .type_attribute
        .iter()
        .chain(&old_table.ttl_attribute);
    let of_table = of_table.map(String::as_str);
    let used: BTreeSet<&str> = own.chain(columns).chain(of_table).collect();
    for name in used {
        if let Some(found) = crossing(pair, name) {
            all.add(crossed(pair, &found));
        }
    }
}

/// The attribute of the new version that is made of what stands under a name, where an item may lack it: it does not
/// show whether it was made already.
fn unclear<'m>(pair: &Pair<'m>, name: &str) -> Option<&'m Attribute> {
    let is_made_of = |two: &Attribute| {
        let is_renamed = two.name != name && pair.old_name(&two.name) == name;
        let former = two.former.as_ref();
        is_renamed || former.is_some_and(|former| former.names().contains(&name))
    };
    let mut made = pair.new.attributes.iter().filter(|two| is_made_of(two));
    made.find(|two| two.optional || !is_stored(pair.new, &two.name))
}

fn crossed(pair: &Pair<'_>, found: &Crossing<'_>) -> Change {
    let Crossing {
        name,
        before,
        after,
    } = *found;
    let (old_said, new_said) = match pair.tables() {
        Some((old_table, new_table)) => (before.said(old_table), after.said(new_table)),
        None => (String::new(), String::new()),
    };
    let shown = written(name);
    let mut change = of_entity(pair, Place::New(pair.new.span), Class::Backfill);
    let because =
        format!("`{name}` is {old_said} in the old version, and {new_said} in the new one");
    change.verdicts = Verdicts::none(&Verdict::no(because));
    change.how = format!("{shown} was {old_said}, and is {new_said}");
    let refused = match (after, unclear(pair, name)) {
        (Use::Attribute, _) => Some((
            "which of both an item holds under this name is not seen".to_owned(),
            format!("give the attribute another name than {shown}"),
        )),
        (Use::Kind | Use::Expiry | Use::Key | Use::Foreign, Some(two)) => Some((
            format!(
                "`{}` is made of what an item holds as `{name}`, and an item that lacks `{}` does not show which of both that is",
                two.name, two.name
            ),
            format!(
                "give the table another name than {shown} for it, or bring the attribute to another name in a version of its own before"
            ),
        )),
        (Use::Kind | Use::Expiry | Use::Key | Use::Foreign, None) => None,
    };
    match refused {
        Some((reason, help)) => {
            (change.class, change.reason) = (Class::Impossible, reason);
            change.help = Some(help);
        }
        None => {
            change.reason =
                format!("each item is written again: what it holds as `{name}` is gone then");
            change.work = vec![Work::Rewrite {
                entity: pair.new.name.clone(),
            }];
        }
    }
    change
}

/// Why the items of an entity that the new version does not have are deleted before that version runs: it would let
/// them expire, or find them in its indexes.
pub(super) fn gone(old: &Model, new: &Model, entity: &Entity, change: &mut Change) {
    let Some(before) = old.tables.get(entity.table) else {
        return;
    };
    let mut tables = new.tables.iter();
    let Some(after) = tables.find(|one| one.name == before.name) else {
        return;
    };
    let mut attributes = entity.attributes.iter();
    let found =
        attributes.find_map(|one| Some((one, Use::begun((before, entity), after, &one.name)?)));
    let Some((one, begun)) = found else { return };
    let because = format!(
        "`{}` of the items of {} is {} in the new version",
        one.name,
        entity.name,
        begun.said(after)
    );
    change.class = Class::Backfill;
    change.reason = format!("its items are deleted before the new version reads: {because}");
    change.verdicts = Verdicts::none(&Verdict::no(because));
    change.work = vec![Work::Drop {
        entity: entity.name.clone(),
        what: ALL_ITEMS.to_owned(),
        is_in_the_way: true,
        is_of_items: false,
    }];
}
