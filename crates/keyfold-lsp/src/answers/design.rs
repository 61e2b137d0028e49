//! `keyfold/design`: the last version of a model without errors, as the workbench draws it beside the
//! text: its patterns with their requests, and the maps of its tables and indexes.
//!
//! ```text
//! -> { "textDocument": { "uri": ".." }, "width": 900 }
//! <- { "isCurrent": true, "chart": { .. }, "tables": [{ "name", "map", "indexes": [{ "name", "map" }] }],
//!      "entities": [{ "name", "table", "isView", "attributes": [{ "name", "kind", "isKey", "isOptional", "refers": ["User", "userId"] }] }] }
//! ```

use crate::context::Context;
use keyfold_codegen::chart::{Chart, IndexChart, TableChart};
use keyfold_codegen::map::{self, Hues};
use keyfold_model::schema::Attribute;
use keyfold_model::{Entity, Model};
use serde_json::{Value as Json, json};

/// The design of a document's model, with maps of a width in pixels; `None` while it never was without
/// errors.
pub(crate) fn design(context: &mut Context<'_>, path: &str, width: usize) -> Option<Json> {
    let model = context.workspace.model_of(path);
    let is_current = !model.has_errors();
    let entities: Vec<Json> = {
        let model = model.good()?;
        let one = |of: &Entity| entity(model, of);
        model.entities.iter().map(one).collect()
    };
    let chart = model.chart()?;
    Some(json!({
        "isCurrent": is_current,
        "chart": chart.json(),
        "tables": tables(chart, width),
        "entities": entities,
    }))
}

/// An entity with its attributes and what they refer to.
fn entity(model: &Model, entity: &Entity) -> Json {
    let identity = entity.identity();
    let attribute = |one: &Attribute| {
        json!({
            "name": one.name,
            "kind": one.kind.to_string(),
            "isKey": identity.contains(&one.name.as_str()),
            "isOptional": one.optional,
            "refers": one.refers,
        })
    };
    json!({
        "name": entity.name,
        "table": model.tables.get(entity.table).map(|table| &table.name),
        "isView": entity.view.is_some(),
        "attributes": entity.attributes.iter().map(attribute).collect::<Vec<_>>(),
    })
}

fn tables(chart: &Chart, width: usize) -> Vec<Json> {
    let hues = Hues::of(chart);
    let index = |index: &IndexChart| {
        json!({
            "name": index.name,
            "kind": index.kind,
            "key": index.key_text(),
            "patterns": index.patterns,
            "map": map::of_index(index, &hues, width).json(),
        })
    };
    let table = |table: &TableChart| {
        json!({
            "name": table.name,
            "key": table.key.join(", "),
            "map": map::of_table(table, &hues, width).json(),
            "indexes": table.indexes.iter().map(index).collect::<Vec<_>>(),
        })
    };
    chart.tables.iter().map(table).collect()
}
