//! Changes of tables: their keys, indexes and settings.

use super::change::{Change, Class, Place, Verdict, Verdicts, Work};
use super::collect::{Collect, Way, reads_by};
use crate::schema::{Column, Index, IndexKind, Model, Projection, Table};
use crate::written::written;

/// Reports changes of tables, which are the same ones by their names.
pub(super) fn tables(old_model: &Model, new_model: &Model, all: &mut Collect<'_>) {
    let named = |model: &'_ Model, name: &str| model.tables.iter().position(|one| one.name == name);
    for two in &new_model.tables {
        let one = named(old_model, &two.name).and_then(|at| old_model.tables.get(at));
        match one {
            Some(one) => table((old_model, one), (new_model, two), all),
            None => {
                let mut change = of_table(two, Place::New(two.span), Class::NewWritersOnly);
                change.how = "added".to_owned();
                change.reason = "it is made before anything writes to it".to_owned();
                change.work = vec![Work::AddTable(two.name.clone())];
                all.add(change);
            }
        }
    }
    for one in &old_model.tables {
        if named(new_model, &one.name).is_none() {
            let mut change = of_table(one, Place::Old(one.span), Class::NewWritersOnly);
            change.how = "removed".to_owned();
            change.reason = "it is deleted when nothing reads it any more".to_owned();
            change.work = vec![Work::RemoveTable(one.name.clone())];
            all.add(change);
        }
    }
}

fn of_table(table: &Table, place: Place, class: Class) -> Change {
    Change {
        what: format!("table {}", table.name),
        how: String::new(),
        place,
        class,
        reason: String::new(),
        help: None,
        entities: Vec::new(),
        tables: vec![table.name.clone()],
        verdicts: Verdicts::all(),
        work: Vec::new(),
    }
}

/// The names and types of key attributes, in words.
fn columns<'c>(all: impl Iterator<Item = &'c Column>) -> String {
    let one = |one: &Column| format!("{}: {}", one.name, one.word());
    all.map(one).collect::<Vec<_>>().join(", ")
}

fn table(
    (old_model, one): (&Model, &Table),
    (new_model, two): (&Model, &Table),
    all: &mut Collect<'_>,
) {
    let (before, after) = (columns(one.columns()), columns(two.columns()));
    if before != after || one.period != two.period {
        new_table(two, format!("key ({before}) becomes ({after})"), one, all);
    }
    let is_set_alike =
        one.capacity == two.capacity && one.cooled == two.cooled && one.settings == two.settings;
    if !is_set_alike {
        let mut change = of_table(two, Place::New(two.span), Class::Nothing);
        change.how = "other settings".to_owned();
        change.reason =
            "the table is updated in place, by UpdateTable and its neighbours".to_owned();
        change.work = vec![Work::UpdateTable(two.name.clone())];
        all.add(change);
    }
    expiry(one, two, all);
    let index =
        |table: &'_ Table, name: &str| table.indexes.iter().position(|one| one.name == name);
    for added in &two.indexes {
        let before = index(one, &added.name).and_then(|at| one.indexes.get(at));
        match before {
            None => index_added((new_model, two), added, all),
            Some(before) => {
                index_changed((old_model, one, before), (new_model, two, added), all);
            }
        }
    }
    for removed in &one.indexes {
        if index(two, &removed.name).is_none() {
            index_removed((old_model, one), removed, two, all);
        }
    }
}

/// Reports another attribute of expiry. The former one is switched off before anything of the new version runs, which
/// may store something else there. The new one is switched on at the end: an item that holds something else there
/// until then would be deleted.
fn expiry(one: &Table, two: &Table, all: &mut Collect<'_>) {
    let (before, after) = (&one.ttl_attribute, &two.ttl_attribute);
    if before == after {
        return;
    }
    let mut change = of_table(two, Place::New(two.span), Class::Nothing);
    let work = |attribute: &String, is_on: bool| Work::Expiry {
        table: two.name.clone(),
        attribute: attribute.clone(),
        is_on,
    };
    let off = before.iter().map(|attribute| work(attribute, false));
    change.work = off
        .chain(after.iter().map(|attribute| work(attribute, true)))
        .collect();
    change.how = match (before, after) {
        (None, Some(after)) => format!("items expire by {}", written(after)),
        (Some(before), Some(after)) => {
            let (before, after) = (written(before), written(after));
            format!("items expire by {after}, and not by {before} any more")
        }
        (Some(before), None) => format!("items do not expire by {} any more", written(before)),
        (None, None) => return,
    };
    change.reason = match after {
        Some(_) => "it is switched on at the end, when no item holds anything else there",
        None => "it is switched off first, before the new version writes",
    }
    .to_owned();
    all.add(change);
}

/// Reports another key or other periods of a table, which only another table has.
fn new_table(two: &Table, how: String, one: &Table, all: &mut Collect<'_>) {
    let how = match one.period == two.period {
        true => how,
        false => "its periods change".to_owned(),
    };
    unchangeable(two, how, "it cannot change in a table that is there", all);
}

/// Reports what a table has from its beginning to its end.
fn unchangeable(table: &Table, how: String, reason: &str, all: &mut Collect<'_>) {
    let mut change = of_table(table, Place::New(table.span), Class::Impossible);
    change.how = how;
    change.reason = reason.to_owned();
    change.help = Some(format!(
        "declare a table of another name, such as {0}_v2, beside {0}, and say of its entities that they lie `in {0}_v2`: their items go there, and {0} goes in a later version",
        table.name
    ));
    let because = format!("{} of one version is not that of the other", table.name);
    change.verdicts = Verdicts::none(&Verdict::no(because));
    all.add(change);
}

/// The first pattern that reads an index, of the entities that are in it.
fn reader(model: &Model, table: &Table, index: &Index) -> Option<String> {
    let mut entities = model.entities.iter().filter(|one| {
        let place = model.tables.get(one.table);
        place.is_some_and(|place| place.name == table.name)
    });
    entities
        .find_map(|entity| reads_by(model, entity, Way::Index(&index.name)))
        .or_else(|| {
            let mut patterns = model.patterns.iter();
            let found = patterns.find(|pattern| {
                let mut plans = pattern.plans().map(|(_, plan)| plan);
                plans.any(|plan| {
                    plan.index.as_ref() == Some(&index.name) && plan.table == table.name
                })
            });
            found.map(|pattern| format!("pattern {}", pattern.name))
        })
}

fn title(index: &Index) -> String {
    let columns = columns(index.columns());
    let word = match index.kind {
        IndexKind::Local => "lsi",
        IndexKind::Global => "gsi",
    };
    format!("{word} {} ({columns})", index.name)
}

fn index_added((model, table): (&Model, &Table), index: &Index, all: &mut Collect<'_>) {
    if index.kind == IndexKind::Local {
        return local(table, format!("{} added", title(index)), all);
    }
    let mut change = of_table(table, Place::New(index.span), Class::Backfill);
    change.how = format!("{} added", title(index));
    change.reason = "it is made in place, of the items that have its key attributes".to_owned();
    if let Some(reader) = reader(model, table, index) {
        let because = format!("{reader} reads {}, which is not there yet", index.name);
        change.verdicts.new_reader = Verdict::no(because);
    }
    change.work = vec![Work::AddIndex {
        table: table.name.clone(),
        index: index.name.clone(),
    }];
    all.add(change);
}

fn index_removed(
    (model, table): (&Model, &Table),
    index: &Index,
    new: &Table,
    all: &mut Collect<'_>,
) {
    if index.kind == IndexKind::Local {
        return local(new, format!("{} removed", title(index)), all);
    }
    let mut change = of_table(table, Place::Old(index.span), Class::Nothing);
    change.how = format!("{} removed", title(index));
    change.reason = "it is deleted in place when nothing reads it any more".to_owned();
    if let Some(reader) = reader(model, table, index) {
        // It is deleted last, when no old reader is left.
        change.reason =
            format!("it is deleted in place when no {reader} of the old version is left");
    }
    change.work = vec![Work::RemoveIndex {
        table: table.name.clone(),
        index: index.name.clone(),
    }];
    all.add(change);
}

/// Reports a change of a local index, which only another table has.
fn local(table: &Table, how: String, all: &mut Collect<'_>) {
    let reason =
        "a table has its local indexes from its beginning; a global one can be made in place";
    unchangeable(table, how, reason, all);
}

fn index_changed(
    (old_model, old_table, one): (&Model, &Table, &Index),
    (new_model, table, two): (&Model, &Table, &Index),
    all: &mut Collect<'_>,
) {
    let projected = |projection: &Projection| match projection {
        Projection::All => vec!["all".to_owned()],
        Projection::Keys => Vec::new(),
        Projection::Only(names) => {
            let mut names = names.clone();
            names.sort();
            names
        }
    };
    let form = |index: &Index| {
        let key = (columns(index.partition.iter()), columns(index.sort.iter()));
        (index.kind, key, projected(&index.projection))
    };
    if form(one) == form(two) {
        if one.capacity != two.capacity {
            let mut change = of_table(table, Place::New(two.span), Class::Nothing);
            change.how = format!("the capacity of {} changes", two.name);
            change.reason = "the table is updated in place".to_owned();
            change.work = vec![Work::UpdateTable(table.name.clone())];
            all.add(change);
        }
        return;
    }
    if one.kind == IndexKind::Local || two.kind == IndexKind::Local {
        let how = format!("{} becomes {}", title(one), title(two));
        return local(table, how, all);
    }
    let readers = (
        reader(old_model, old_table, one),
        reader(new_model, table, two),
    );
    let mut change = of_table(table, Place::New(two.span), Class::Impossible);
    change.how = match columns(one.columns()) == columns(two.columns()) {
        true => format!("{} projects other attributes", two.name),
        false => format!("{} becomes {}", title(one), title(two)),
    };
    change.reason =
        "an index cannot change, and two of one name cannot be beside each other".to_owned();
    change.help = Some(format!(
        "declare the new one under another name, such as {}_v2, beside {}, and remove this in a later version",
        two.name, one.name
    ));
    let no = |reader: Option<String>| match reader {
        None => Verdict::Yes,
        Some(reader) => Verdict::no(format!(
            "{reader} reads {}, which is another one in the other version",
            two.name
        )),
    };
    change.verdicts.old_reader = no(readers.0);
    change.verdicts.new_reader = no(readers.1);
    all.add(change);
}
