//! Changes of where items lie: their key and table, the characters that values exclude, and their keys
//! in indexes.

use super::change::{Change, Class, Place, Verdict, Verdicts, Work};
use super::collect::{Collect, Way, reads_by};
use super::entity::of_entity;
use super::pair::Pair;
use super::text::{example, example_of, is_same, is_same_key, key_text, moved};
use super::values::misfit;
use crate::schema::{Entity, Excluded, Index, IndexKey, IndexKind, Sparse, Table};
use crate::template::{Format, Part, print};

/// Whether its items get other keys, or another table.
pub fn moves(pair: &Pair<'_>) -> bool {
    let is_elsewhere = pair.tables().is_some_and(|(old, new)| old.name != new.name);
    is_elsewhere || !is_same_key(pair, &pair.old.key, &pair.new.key)
}

/// Reports another table or another key.
pub(super) fn place(pair: &Pair<'_>, all: &mut Collect<'_>) {
    let Some((old_table, new_table)) = pair.tables() else {
        return;
    };
    let is_moved = old_table.name != new_table.name;
    if !moves(pair) {
        return;
    }
    let class = if is_moved {
        Class::NewTable
    } else {
        Class::Rekey
    };
    let mut change = of_entity(pair, Place::New(pair.new.key.span), class);
    let example = moved(&pair.old.key, &pair.new.key);
    if is_moved {
        change.how = format!("lies in {}, not in {}", new_table.name, old_table.name);
        change.reason = "each item is put into the other table".to_owned();
        change.tables.push(old_table.name.clone());
        let because = format!(
            "the old version keeps {} in {}, the new one in {}",
            pair.new.name, old_table.name, new_table.name
        );
        change.verdicts = Verdicts::none(&Verdict::no(because));
    } else {
        let (before, after) = (key_text(&pair.old.key), key_text(&pair.new.key));
        change.how = match before == after {
            true => format!("key {before} has other texts, by the types of its attributes"),
            false => format!("key {before} becomes {after}"),
        };
        change.reason = "each item is put under its new key and deleted under its old one, in one transaction, with its copies and guards".to_owned();
        let because = "each version looks for an item under its own key, so that both together would have it twice";
        change.verdicts = Verdicts::none(&Verdict::no_as(because, example));
    }
    change.work = vec![Work::Rekey {
        entity: pair.new.name.clone(),
        is_elsewhere: is_moved,
    }];
    all.add(change);
}

/// Reports characters that one version excludes from a value and the other does not.
pub(super) fn excluded(pair: &Pair<'_>, all: &mut Collect<'_>) {
    let is_of = |entity: &Entity, name: &str, character: char| {
        let mut found = entity.excluded.iter();
        found.any(|one| one.attribute == name && one.character == character)
    };
    let only_new = pair.new.excluded.iter().filter(|one| {
        let name = pair.old_name(&one.attribute);
        let is_there = pair.old.attribute(name).is_some_and(|one| !one.is_kept);
        is_there && !is_of(pair.old, name, one.character)
    });
    for one in only_new {
        newly_excluded(pair, one, all);
    }
    for one in &pair.old.excluded {
        let Some(two) = pair
            .old
            .attribute(&one.attribute)
            .and_then(|own| pair.new_of(own))
        else {
            continue;
        };
        if !is_of(pair.new, &two.name, one.character) {
            no_more_excluded(pair, one, &two.name, all);
        }
    }
}

fn newly_excluded(pair: &Pair<'_>, one: &Excluded, all: &mut Collect<'_>) {
    let Excluded {
        attribute,
        character,
        template,
    } = one;
    let class = match pair.new.key.fields().any(|field| field == attribute) {
        true => Class::Rekey,
        false => Class::Backfill,
    };
    let mut change = of_entity(pair, Place::New(pair.new.span), class);
    change.how = format!("`{attribute}` excludes `{character}`");
    change.reason = format!(
        "items whose {attribute} holds `{character}` are given another one first: the new version cannot read them, because of {template}"
    );
    change.help = Some(format!(
        "`keyfold verify NEW` finds such items, and where there are none nothing is to be done; or write another sign than `{character}` in the model"
    ));
    change.work = vec![Work::Settle {
        entity: pair.new.name.clone(),
        which: format!("items whose {attribute} holds `{character}`"),
    }];
    let because = format!(
        "an item with `{character}` in `{attribute}` is no {} for the new version",
        pair.new.name
    );
    let verdict = Verdict::no_as(because, format!("`{attribute}` = \"a{character}b\""));
    change.verdicts = Verdicts {
        old_reader: Verdict::Yes,
        new_reader: verdict.clone(),
        writers: verdict,
    };
    all.add(change);
}

fn no_more_excluded(pair: &Pair<'_>, one: &Excluded, name: &str, all: &mut Collect<'_>) {
    let Excluded {
        attribute,
        character,
        template,
    } = one;
    let mut change = of_entity(pair, Place::New(pair.new.span), Class::NewWritersOnly);
    change.how = format!("`{name}` does not exclude `{character}` any more");
    change.reason = format!("no item that is there holds it: the old version had {template}");
    let because = format!(
        "an item with `{character}` in `{attribute}` is no {} for the old version",
        pair.old.name
    );
    let verdict = Verdict::no_as(because, format!("`{attribute}` = \"a{character}b\""));
    change.verdicts = Verdicts {
        old_reader: verdict.clone(),
        new_reader: Verdict::Yes,
        writers: verdict,
    };
    all.add(change);
}

/// A key attribute of an index, as an entity makes it: its name, its parts, and the condition under
/// which there is one.
struct Made<'m> {
    name: &'m str,
    parts: &'m [Part],
    sparse: Option<&'m Sparse>,
}

/// The key attributes that an entity makes for an index; none for those of the table's own key and
/// for attributes of the entity, which are stored without an index, too.
fn made<'m>(table: &'m Table, entity: &'m Entity, key: &'m IndexKey) -> Vec<Made<'m>> {
    let Some(index) = table.indexes.get(key.index) else {
        return Vec::new();
    };
    let parts = key.key.templates().flat_map(|one| one.columns());
    let is_own = |name: &str| {
        table.columns().any(|column| column.name == name) || entity.attribute(name).is_some()
    };
    index
        .columns()
        .zip(parts)
        .filter(|(column, _)| !is_own(&column.name))
        .map(|(column, parts)| Made {
            name: &column.name,
            parts,
            sparse: key.sparse.as_ref(),
        })
        .collect()
}

/// All key attributes of indexes that an entity makes.
fn made_of<'m>(table: &'m Table, entity: &'m Entity) -> Vec<Made<'m>> {
    let keys = entity.indexes.iter();
    keys.flat_map(|key| made(table, entity, key)).collect()
}

/// The names of the key attributes of indexes that an entity makes.
pub(super) fn filled<'m>(table: &'m Table, entity: &'m Entity) -> Vec<&'m str> {
    let all = made_of(table, entity).into_iter();
    all.map(|one| one.name).collect()
}

/// The attribute of an entity whose value, as it is, stands in a key attribute.
pub(super) fn value_in<'m>(table: &'m Table, entity: &'m Entity, column: &str) -> Option<&'m str> {
    let own = entity.key.templates().flat_map(|one| one.columns());
    let own = table.columns().map(|one| one.name.as_str()).zip(own);
    let made = made_of(table, entity).into_iter();
    let mut all = own.chain(made.map(|one| (one.name, one.parts)));
    let (_, parts) = all.find(|(name, _)| *name == column)?;
    match parts {
        [Part::Field { name, format, .. }] => {
            matches!(format, Format::Bare | Format::Plain).then_some(name.as_str())
        }
        _ => None,
    }
}

/// Whether items have a key under the same condition.
fn is_same_condition(pair: &Pair<'_>, one: Option<&Sparse>, two: Option<&Sparse>) -> bool {
    match (one, two) {
        (None, None) => true,
        (Some(one), Some(two)) => {
            one.attribute == pair.old_name(&two.attribute) && one.value == two.value
        }
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// Whether both versions write a key attribute of an index alike, be it of an index of another name.
fn is_written_alike(pair: &Pair<'_>, one: &Made<'_>, two: &Made<'_>) -> bool {
    one.name == two.name
        && is_same(pair, one.parts, two.parts)
        && is_same_condition(pair, one.sparse, two.sparse)
}

/// Whether the key attributes of both versions are the same texts of the same items.
fn are_alike(pair: &Pair<'_>, before: &[Made<'_>], after: &[Made<'_>]) -> bool {
    let mut both = before.iter().zip(after);
    before.len() == after.len()
        && both.all(|(one, two)| one.name == two.name && is_same(pair, one.parts, two.parts))
}

/// The entries that an item has in the global indexes of the table as it is, while it is written again: their number,
/// and how many of them get another key, so that one goes and one comes.
pub(super) fn entries(pair: &Pair<'_>) -> (usize, usize) {
    let Some((old_table, new_table)) = pair.tables() else {
        return (0, 0);
    };
    let key_of = |table, entity, index: &Index| key_in(table, entity, &index.name);
    let (mut all, mut moved) = (0, 0);
    for index in &old_table.indexes {
        let (one, two) = (
            key_of(old_table, pair.old, index),
            key_of(new_table, pair.new, index),
        );
        if index.kind != IndexKind::Global || (one.is_none() && two.is_none()) {
            continue;
        }
        all += 1;
        if let (Some(one), Some(two)) = (one, two) {
            let before = made(old_table, pair.old, one);
            let after = made(new_table, pair.new, two);
            let is_same = are_alike(pair, &before, &after);
            let mut fields = two.key.fields();
            moved += usize::from(!is_same || fields.any(|name| gets_another_value(pair, name)));
        }
    }
    (all, moved)
}

/// Whether items that are there get another value of an attribute that they have.
fn gets_another_value(pair: &Pair<'_>, name: &str) -> bool {
    let two = pair.new.attribute(name);
    let one = two.and_then(|two| pair.old_of(two));
    let (Some(one), Some(two)) = (one, two) else {
        return false;
    };
    two.former.is_some() || (one.kind != two.kind && misfit(&one.kind, &two.kind).is_some())
}

/// The key of an entity in the index of a name.
fn key_in<'m>(table: &Table, entity: &'m Entity, index: &str) -> Option<&'m IndexKey> {
    let mut keys = entity.indexes.iter();
    keys.find(|key| {
        table
            .indexes
            .get(key.index)
            .is_some_and(|one| one.name == index)
    })
}

/// Reports changes of the keys in indexes.
pub(super) fn indexes(pair: &Pair<'_>, all: &mut Collect<'_>) {
    let Some((old_table, new_table)) = pair.tables() else {
        return;
    };
    for two in &pair.new.indexes {
        let Some(index) = new_table.indexes.get(two.index) else {
            continue;
        };
        match key_in(old_table, pair.old, &index.name) {
            None => index_added(pair, (new_table, two), &index.name, all),
            Some(one) => index_changed(pair, (old_table, one), (new_table, two), &index.name, all),
        }
    }
    for one in &pair.old.indexes {
        let Some(index) = old_table.indexes.get(one.index) else {
            continue;
        };
        if key_in(new_table, pair.new, &index.name).is_none() {
            index_removed(pair, (old_table, one), &index.name, all);
        }
    }
}

/// The key of an item in an index, in words.
fn shown(made: &[Made<'_>]) -> String {
    let one = |one: &Made<'_>| {
        let condition = one.sparse.map_or(String::new(), |sparse| {
            let value = sparse.value.as_ref();
            let value = value.map_or(String::new(), |value| format!(" = {value}"));
            format!(" when {}{value}", sparse.attribute)
        });
        format!("{} = {}{condition}", one.name, print(one.parts))
    };
    made.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn index_added(
    pair: &Pair<'_>,
    (table, key): (&Table, &IndexKey),
    index: &str,
    all: &mut Collect<'_>,
) {
    let mut made = made(table, pair.new, key);
    // Another index of the old version may have the same key attributes.
    let before = pair.tables();
    let before = before.map_or_else(Vec::new, |(old, _)| made_of(old, pair.old));
    made.retain(|two| !before.iter().any(|one| is_written_alike(pair, one, two)));
    let is_stored = made.is_empty();
    let reader = reads_by(pair.new_model, pair.new, Way::Index(index));
    let class = if is_stored {
        Class::Nothing
    } else {
        Class::Backfill
    };
    let mut change = of_entity(pair, Place::New(key.key.span), class);
    if is_stored {
        change.how = format!("is in {index}");
        change.reason = "items have the key attributes of the index already".to_owned();
    } else {
        change.how = format!("is in {index}: {}", shown(&made));
        change.reason = "the key attributes of the index are written into each item".to_owned();
        if let Some(reader) = reader {
            let because = format!("{reader} reads {index}, where items of the old version are not");
            let example = format!(
                "an item without {}",
                made.first().map_or("", |one| one.name)
            );
            change.verdicts.new_reader = Verdict::no_as(because, example);
            change.verdicts.writers = no_follower(&made, index);
        }
        change.work = vec![Work::Rewrite {
            entity: pair.new.name.clone(),
        }];
    }
    all.add(change);
}

/// A writer of the old version does not make a key in an index.
fn no_follower(made: &[Made<'_>], index: &str) -> Verdict {
    let names: Vec<&str> = made.iter().map(|one| one.name).collect();
    let because = format!(
        "a writer of the old version does not write {}: what it writes is missing in {index}, or found there under former values",
        names.join(", ")
    );
    let example = made.first().map_or(String::new(), |one| {
        format!("{} = {}", one.name, example_of(one.parts))
    });
    Verdict::no_as(because, example)
}

fn index_removed(
    pair: &Pair<'_>,
    (table, key): (&Table, &IndexKey),
    index: &str,
    all: &mut Collect<'_>,
) {
    let mut made = made(table, pair.old, key);
    // Another index of the new version may have the same key attributes.
    let after = pair.tables();
    let after = after.map_or_else(Vec::new, |(_, new)| made_of(new, pair.new));
    made.retain(|one| !after.iter().any(|two| is_written_alike(pair, one, two)));
    let mut change = of_entity(pair, Place::New(pair.new.span), Class::NewWritersOnly);
    change.how = format!("is in {index} no more");
    let is_index_there = pair
        .tables()
        .is_some_and(|(_, table)| table.indexes.iter().any(|one| one.name == index));
    if made.is_empty() {
        change.class = Class::Nothing;
        change.reason = "the attributes of its key stay in the items".to_owned();
    } else {
        change.reason = "items that are there keep the key attributes".to_owned();
        if let Some(reader) = reads_by(pair.old_model, pair.old, Way::Index(index)) {
            let because = format!("{reader} reads {index}, where items of the new version are not");
            change.verdicts.old_reader = Verdict::no_as(because, example(&key.key));
            let because =
                format!("a writer of the new version leaves the items of {index} as they were");
            change.verdicts.writers = Verdict::no_as(because, example(&key.key));
        }
        if is_index_there {
            let names: Vec<&str> = made.iter().map(|one| one.name).collect();
            change.work = vec![Work::Drop {
                entity: pair.old.name.clone(),
                what: format!(
                    "{} of its items, which keep them in {index}",
                    names.join(", ")
                ),
                is_in_the_way: false,
                is_of_items: true,
            }];
        }
    }
    all.add(change);
}

fn index_changed(
    pair: &Pair<'_>,
    (old_table, one): (&Table, &IndexKey),
    (new_table, two): (&Table, &IndexKey),
    index: &str,
    all: &mut Collect<'_>,
) {
    let (before, after) = (
        made(old_table, pair.old, one),
        made(new_table, pair.new, two),
    );
    let is_alike = are_alike(pair, &before, &after);
    if is_alike && is_same_condition(pair, one.sparse.as_ref(), two.sparse.as_ref()) {
        return;
    }
    let mut change = of_entity(pair, Place::New(two.key.span), Class::Backfill);
    change.how = format!("in {index}, {} becomes {}", shown(&before), shown(&after));
    change.reason = "the key attributes of the index are written again into each item".to_owned();
    let example = match is_alike {
        true => "an item in the index of one version, and not of the other".to_owned(),
        false => moved(&one.key, &two.key),
    };
    let because = |reader: &str, version: &str| {
        let because =
            format!("{reader} reads {index}, where items of the {version} version have other keys");
        Verdict::no_as(because, example.clone())
    };
    if let Some(reader) = reads_by(pair.old_model, pair.old, Way::Index(index)) {
        change.verdicts.old_reader = because(&reader, "new");
    }
    if let Some(reader) = reads_by(pair.new_model, pair.new, Way::Index(index)) {
        change.verdicts.new_reader = because(&reader, "old");
    }
    change.verdicts.writers = change
        .verdicts
        .old_reader
        .clone()
        .and(change.verdicts.new_reader.clone());
    change.work = vec![Work::Rewrite {
        entity: pair.new.name.clone(),
    }];
    all.add(change);
}

/// A change of items that the entity has no more.
pub(super) fn dropped(pair: &Pair<'_>, what: &str) -> Change {
    let mut change = of_entity(pair, Place::New(pair.new.span), Class::NewWritersOnly);
    change.work = vec![Work::Drop {
        entity: pair.old.name.clone(),
        what: what.to_owned(),
        is_in_the_way: false,
        is_of_items: false,
    }];
    change
}
