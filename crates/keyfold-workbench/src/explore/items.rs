//! A page of a table, of an index or of one collection: items as the entities of a model, their keys
//! taken apart into fields. An item that the model does not know is shown as it is stored.

use super::exchange::send;
use super::fault::Fault;
use super::place::Place;
use super::tables::of_model;
use super::typed;
use keyfold_api::{ExpressionAttributes, QueryInput, Request, Response, ScanInput};
use keyfold_client::kinds::{Kind, Kinds, Role};
use keyfold_codec::RawItem;
use keyfold_lower::kind_name::says_another;
use keyfold_lower::{capacity, stored, unexpected};
use keyfold_model::schema::{Copy, GUARD_SORT, guard_parts};
use keyfold_model::{Entity, KeyTemplate, Model, Part, Table, value};
use keyfold_types::{Item, Value};
use serde::Deserialize;
use serde_json::{Value as Json, json};

/// The most items of a page.
const ITEMS_MAX: u32 = 1000;

/// What the page asks.
#[derive(Deserialize)]
pub(super) struct Asked {
    pub(super) file: Option<usize>,
    table: String,
    index: Option<String>,
    /// The partition key of the collection that is read; the whole table or index without one.
    partition: Option<Json>,
    /// Whether a collection is read from its end.
    #[serde(default, rename = "isBackward")]
    is_backward: bool,
    limit: u32,
    /// The `next` of the page before.
    after: Option<Json>,
}

/// Reads the page.
pub(super) fn page(place: &Place, model: Option<&Model>, asked: &Asked) -> Result<Json, Fault> {
    let mut notes = Vec::new();
    let read = match send(place, request(asked)?, &mut notes) {
        Ok(Response::Query(output) | Response::Scan(output)) => output,
        Ok(_) => return Err(unexpected().into()),
        Err(error) => return Err(Fault::from(error).after(notes)),
    };
    let units = capacity::total(read.consumed_capacity.clone()).units();
    let next = read.last_evaluated_key.as_ref().map(typed::item);
    Ok(json!({
        "items": rows(model, &asked.table, read.items.unwrap_or_default()),
        "units": units,
        "next": next,
        "exchanges": notes,
    }))
}

/// Items of a table as the model reads them, each with what is stored.
pub(super) fn rows(model: Option<&Model>, table: &str, items: Vec<RawItem>) -> Vec<Json> {
    let found = model.and_then(|model| Some((model, of_model(model, table)?)));
    let kinds = found.map(|(model, (at, table))| (model, Kinds::of(model, at, table)));
    let one = |raw: RawItem| {
        let item = raw.to_item();
        let mut row = match &kinds {
            Some((model, kinds)) => row(model, kinds, &item),
            None => json!({ "kind": null, "role": "unknown" }),
        };
        row["item"] = typed::item(&item);
        row["bytes"] = raw.size_bytes().into();
        row
    };
    items.into_iter().map(one).collect()
}

/// The query of a collection, or the scan of everything.
fn request(asked: &Asked) -> Result<Request, Fault> {
    let limit = Some(i64::from(asked.limit.clamp(1, ITEMS_MAX)));
    let exclusive_start_key = asked.after.as_ref().map(typed::read).transpose()?.map(Ok);
    let Some(partition) = &asked.partition else {
        let input = ScanInput {
            table_name: Some(asked.table.clone()),
            index_name: asked.index.clone(),
            limit,
            exclusive_start_key,
            returns: capacity::requested(),
            ..ScanInput::default()
        };
        return Ok(input.into());
    };
    let partition = typed::read(partition)?;
    let mut terms = Vec::new();
    let (mut names, mut values) = (ExpressionAttributes::default(), Vec::new());
    for (number, (name, held)) in partition.iter().enumerate() {
        terms.push(format!("#k{number} = :k{number}"));
        names = names.name(format!("#k{number}"), name);
        values.push((format!(":k{number}"), held.clone()));
    }
    let input = QueryInput {
        table_name: Some(asked.table.clone()),
        index_name: asked.index.clone(),
        limit,
        exclusive_start_key,
        scan_index_forward: asked.is_backward.then_some(false),
        key_condition_expression: Some(terms.join(" AND ")),
        expression_attributes: ExpressionAttributes {
            values: Some(Ok(values.into_iter().collect())),
            ..names
        },
        returns: capacity::requested(),
        ..QueryInput::default()
    };
    Ok(input.into())
}

/// An item as the model reads it.
fn row(model: &Model, kinds: &Kinds<'_>, item: &Item) -> Json {
    let kind = kinds.kind_of(item);
    let entity = kind.and_then(|kind| Some((kind, model.entities.get(kind.at)?)));
    let Some((kind, entity)) = entity else {
        return unknown("no entity of the model has such a key");
    };
    let name = kind.name_of(kinds.table, item);
    if says_another(kinds.table, name, item) {
        return unknown(&format!(
            "it has the key of {name}, and says that it is something else"
        ));
    }
    let (role, copy) = match kind.role {
        Role::Main
            if kind
                .part_of(kinds.table, item)
                .is_some_and(|(_, at)| at > 0) =>
        {
            ("part", None)
        }
        Role::Main => ("entity", None),
        Role::Copy(at) => ("copy", entity.copies.get(at)),
        Role::Guard(_) => ("guard", None),
    };
    let (values, unread) = match kind.role {
        Role::Main | Role::Copy(_) => attributes(kinds.table, entity, copy, item),
        Role::Guard(_) => (Vec::new(), Vec::new()),
    };
    json!({
        "kind": name,
        "entity": entity.name,
        "role": role,
        "keys": keys(kinds.table, entity, kind, item),
        "values": typed::pairs(values.iter().map(|(name, held)| (*name, held))),
        "unread": unread,
    })
}

fn unknown(why: &str) -> Json {
    json!({ "kind": null, "role": "unknown", "why": why })
}

/// The attributes that can be read, and a sentence for each that cannot.
fn attributes<'m>(
    table: &Table,
    entity: &'m Entity,
    copy: Option<&Copy>,
    item: &Item,
) -> (Vec<(&'m str, Value)>, Vec<String>) {
    let (mut values, mut unread) = (Vec::new(), Vec::new());
    let all = entity.attributes.iter();
    for one in all.filter(|one| copy.is_none_or(|copy| copy.attributes.contains(&one.name))) {
        match stored::value_of(table, entity, copy, &one.name, std::slice::from_ref(item)) {
            Ok(Some(held)) => {
                if let Err(wrong) = value::check(&one.name, &one.kind, &held) {
                    unread.push(wrong.to_string());
                }
                values.push((one.name.as_str(), held));
            }
            Ok(None) => {}
            Err(wrong) => unread.push(wrong.to_string()),
        }
    }
    (values, unread)
}

/// The attributes of the table's key and of the indexes' keys, each with its template and the fields
/// in it.
fn keys(table: &Table, entity: &Entity, kind: &Kind, item: &Item) -> Vec<Json> {
    let guarded = |at: usize| {
        let parts = guard_parts(entity, entity.uniques.get(at)?, &table.delimiters);
        let span = entity.span;
        Some([
            KeyTemplate { parts, span },
            KeyTemplate::of_text(GUARD_SORT, span),
        ])
    };
    let guard = match kind.role {
        Role::Guard(at) => guarded(at),
        Role::Main | Role::Copy(_) => None,
    };
    let own: Vec<&KeyTemplate> = match (kind.role, &guard) {
        (Role::Guard(_), guard) => guard.iter().flatten().collect(),
        (Role::Copy(at), _) => {
            let copy = entity.copies.get(at).into_iter();
            copy.flat_map(|copy| copy.key.templates()).collect()
        }
        (Role::Main, _) => entity.key.templates().collect(),
    };
    let names = table.columns().map(|column| column.name.as_str());
    let mut rows: Vec<Json> = shown(None, names, &own, item);
    let indexes = entity.indexes.iter().filter(|_| kind.role == Role::Main);
    for key in indexes {
        let Some(index) = table.indexes.get(key.index) else {
            continue;
        };
        let names = index.columns().map(|column| column.name.as_str());
        let templates: Vec<&KeyTemplate> = key.key.templates().collect();
        rows.extend(shown(Some(&index.name), names, &templates, item));
    }
    rows
}

/// The attributes of one key that an item has.
fn shown<'k>(
    index: Option<&str>,
    names: impl Iterator<Item = &'k str>,
    templates: &[&KeyTemplate],
    item: &Item,
) -> Vec<Json> {
    let columns = templates.iter().flat_map(|template| {
        let is_one = template.columns().count() == 1;
        let shown = is_one.then(|| template.to_string());
        template.columns().map(move |parts| (parts, shown.clone()))
    });
    let row = |(name, (parts, template)): (&str, (&[Part], Option<String>))| {
        let held = item.get(name)?;
        let fields = value::inverse(parts, held);
        let fields = fields.map(|all| {
            let all: Vec<_> = all
                .iter()
                .map(|(name, held)| (name.as_str(), held))
                .collect();
            typed::pairs(all)
        });
        Some(json!({
            "index": index,
            "name": name,
            "held": typed::value(held),
            "template": template,
            "fields": fields,
        }))
    };
    names.zip(columns).filter_map(row).collect()
}
