//! The tables of a place.

use super::exchange::send;
use super::fault::Fault;
use super::place::Place;
use keyfold_api::DescribeTableInput;
use keyfold_client::tables;
use keyfold_model::{Model, Table};
use serde::Deserialize;
use serde_json::{Value as Json, json};

/// What the page asks about one table.
#[derive(Deserialize)]
pub(super) struct Asked {
    table: String,
}

/// The table of a model that a stored table is, or is a period of.
pub(super) fn of_model<'m>(model: &'m Model, name: &str) -> Option<(usize, &'m Table)> {
    let mut all = model.tables.iter().enumerate();
    all.find(|(_, table)| table.name == name || table.period_of(name).is_some())
}

/// The names of the tables, and those that the model has and the place has not.
pub(super) fn names(place: &Place, model: Option<&Model>) -> Result<Json, Fault> {
    let names = tables::names(&place.backend)?;
    let own = |name: &String| {
        let table = model.and_then(|model| of_model(model, name));
        json!({ "name": name, "model": table.map(|(_, table)| &table.name) })
    };
    let is_there = |table: &&Table| {
        let mut names = names.iter();
        names.any(|name| *name == table.name || table.period_of(name).is_some())
    };
    let all = model.iter().flat_map(|model| &model.tables);
    let missing: Vec<&String> = all
        .filter(|table| !is_there(table))
        .map(|table| &table.name)
        .collect();
    Ok(json!({ "tables": names.iter().map(own).collect::<Vec<_>>(), "missing": missing }))
}

/// The description of a table.
pub(super) fn described(place: &Place, asked: &Asked) -> Result<Json, Fault> {
    let input = DescribeTableInput {
        table_name: Some(asked.table.clone()),
    };
    let mut notes = Vec::new();
    send(place, input.into(), &mut notes)?;
    Ok(notes.pop().unwrap_or_default())
}
