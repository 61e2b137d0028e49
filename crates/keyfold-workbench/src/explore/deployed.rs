//! The tables of the place beside those of the model as it is edited, and what each difference means for
//! the data that is there.

use super::fault::Fault;
use super::place::Place;
use keyfold_client::{drive, origin, tables};
use keyfold_lower::difference::{Declared, Difference};
use keyfold_lower::tables::compare;
use keyfold_model::{Model, Table};
use serde::Deserialize;
use serde_json::{Value as Json, json};

/// What the page asks.
#[derive(Deserialize)]
pub(super) struct Asked {
    pub(super) file: usize,
    /// The text as it is edited.
    pub(super) text: String,
}

const KEY: &str = "The key of a table stays for ever: the data moves to another table (keyfold move, keyfold evolve).";
const NEW_INDEX: &str = "UpdateTable makes it (keyfold evolve), and it is filled from the items that are there: a write for each. Its patterns wait for that.";
const NEW_LOCAL: &str =
    "A local index is made with its table only: the data moves to another table (keyfold move).";
const OTHER_INDEX: &str = "An index is not changed in its place: another one is made and filled beside it, and this one is dropped behind it (keyfold evolve).";
const EXPIRY: &str =
    "Items whose time in this attribute is over are deleted, also those that are there already.";
const SETTING: &str = "A setting of the table: stored items stay as they are.";
const MORE_INDEX: &str =
    "No pattern of the model reads it: it costs writes and storage until it is dropped.";
const MISSING: &str = "Nothing is there yet: the table is made empty.";

/// Each table of the model with its differences, and the tables that the model has not.
pub(super) fn difference(place: &Place, model: &Model) -> Result<Json, Fault> {
    let names = tables::names(&place.backend)?;
    let mut all = Vec::new();
    for table in &model.tables {
        let is_own = |name: &&String| **name == table.name || table.period_of(name).is_some();
        // The last period is the present one, or will be.
        all.push(match names.iter().filter(is_own).max() {
            Some(name) => of_table(place, table, name)?,
            None => json!({ "name": table.name, "isThere": false, "rows": [row("missing", "the model has this table, the place has not", MISSING)] }),
        });
    }
    let is_known = |name: &&String| {
        let mut tables = model.tables.iter();
        tables.any(|table| **name == table.name || table.period_of(name).is_some())
    };
    let others: Vec<&String> = names.iter().filter(|name| !is_known(name)).collect();
    Ok(json!({ "tables": all, "others": others }))
}

fn row(kind: &str, text: &str, means: &str) -> Json {
    json!({ "kind": kind, "text": text, "means": means })
}

fn of_table(place: &Place, table: &Table, name: &str) -> Result<Json, Fault> {
    let found = drive(&place.backend, compare(origin(), table, name))?;
    let mut rows: Vec<Json> = found.iter().map(shown).collect();
    let about = tables::describe(&place.backend, name)?.unwrap_or_default();
    let global = about.global_secondary_indexes.into_iter().flatten();
    let there = global
        .chain(about.local_secondary_indexes.into_iter().flatten())
        .filter_map(|one| one.index_name);
    for index in there {
        if table.indexes.iter().all(|own| own.name != index) {
            let text = format!("index {index}: the table has it, the model has not");
            rows.push(row("more", &text, MORE_INDEX));
        }
    }
    let (items, bytes) = (about.item_count, about.table_size_bytes);
    Ok(json!({ "name": name, "isThere": true, "items": items, "bytes": bytes, "rows": rows }))
}

fn shown(one: &Difference) -> Json {
    let Difference { declared, text } = one;
    let is_absent = text.ends_with("the table has not");
    let (kind, means) = match declared {
        Declared::Table if text.starts_with("ttl") => ("setting", EXPIRY),
        Declared::Table => ("key", KEY),
        Declared::Index(_) if is_absent && text.starts_with("lsi") => ("key", NEW_LOCAL),
        Declared::Index(_) if is_absent => ("index", NEW_INDEX),
        Declared::Index(_) => ("index", OTHER_INDEX),
        Declared::Setting(..) => ("setting", SETTING),
    };
    row(kind, text, means)
}
