//! The keys that a read with `only` asks for. An item that another program wrote may hold an
//! attribute in its keys only, and the answer reads it back from them: the projection names the key
//! attributes that give it back. Those of the table are always read.

use crate::schema::{Entity, Model, Pattern, PatternPlan, Table};
use crate::value::{gives_back, key_gives_back};

/// Adds the key attributes of indexes from which an attribute that is asked for can be read back.
pub(super) fn add_keys(model: &Model, pattern: &Pattern, plan: &mut PatternPlan) {
    for get in &mut plan.gets {
        add_keys(model, pattern, &mut get.plan);
    }
    for (_, beside) in &mut plan.beside {
        add_keys(model, pattern, beside);
    }
    if plan.only.is_empty() {
        return;
    }
    let mut columns = Vec::new();
    // Copies are in no index by a template. Several items by their keys lie in several tables.
    for returned in pattern.returned.iter().filter(|one| one.copy.is_none()) {
        let entity = model.entities.get(returned.entity);
        let table = entity.and_then(|entity| model.tables.get(entity.table));
        if let (Some(entity), Some(table)) = (entity, table)
            && (table.name == plan.table || !plan.gets.is_empty())
        {
            columns.extend(of_entity(table, entity, &plan.only));
        }
    }
    for (table, column) in columns {
        let index = plan.index.as_ref();
        let index = index.and_then(|name| table.indexes.iter().find(|one| one.name == *name));
        if index.is_some_and(|index| !index.holds(table, &column)) {
            // A global index cannot give it; a local one is asked only where it fetches anyway.
            if plan.fetched.is_empty() {
                continue;
            }
            add(&mut plan.fetched, &column);
        }
        add(&mut plan.only, &column);
    }
}

/// The key attributes of an entity's indexes that give some attributes back, where its own key does
/// not.
fn of_entity<'m>(table: &'m Table, entity: &Entity, only: &[String]) -> Vec<(&'m Table, String)> {
    let is_split = |name: &str| {
        entity
            .split
            .as_ref()
            .is_some_and(|(split, _)| split == name)
    };
    let mut columns = Vec::new();
    for name in only {
        if is_split(name) || key_gives_back(&entity.key, name) {
            continue;
        }
        for key in &entity.indexes {
            let Some(index) = table.indexes.get(key.index) else {
                continue;
            };
            let parts = key.key.templates().flat_map(|template| template.columns());
            let giving = index.columns().zip(parts).filter(|(column, parts)| {
                column.name != *name
                    && gives_back(parts, name)
                    && table.columns().all(|own| own.name != column.name)
            });
            columns.extend(giving.map(|(column, _)| (table, column.name.clone())));
        }
    }
    columns
}

fn add(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|one| one == name) {
        names.push(name.to_owned());
    }
}
