//! Makes the middle form of a model.

use super::form::{Form, Settings, Spelling};
use super::names::{Names, pascal};
use super::shapes::Shapes;
use super::{entity, made, pattern, write};
use crate::chart::{Chart, PatternRow};
use crate::plan;
use keyfold_model::Model;
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// The middle form of a model, with the names that a language gives to its parts.
pub(super) fn form(model: &Model, spelling: &Spelling, settings: &Settings) -> Form {
    let document = plan::document(model);
    let hash = hash_of(&document);
    let chart = Chart::of(model);
    let mut types = Names::without(spelling.types).spelled(spelling.type_name);
    let mut methods = Names::without(spelling.methods);
    let client = types.take(format!("{}Client", pascal(&model.name)));
    let awaited_client = types.take(format!("Async{client}"));
    let event = types.take(format!("{}Event", pascal(&model.name)));
    let copies = model.entities.iter().flat_map(|one| &one.copies).next();
    let event_with_copies = copies.map(|_| types.take(format!("{event}WithCopies")));
    let taken = entity::take_names(model, &mut types);
    let mut shapes = Shapes::of(model, &mut types);
    let taken = taken.entities.into_iter().zip(taken.copies);
    let entities = model.entities.iter().zip(taken).map(|(one, taken)| {
        let member = methods.take(pascal(&one.name));
        entity::form(model, one, member, taken, &mut shapes, &mut types)
    });
    let mut entities: Vec<_> = entities.collect();
    let patterns = model.patterns.iter().map(|one| {
        let rows = chart.patterns.iter().filter(|row| row.name == one.name);
        let rows: Vec<&PatternRow> = rows.collect();
        let method = methods.take_method((spelling.method)(&one.name));
        pattern::form(
            model,
            one,
            (method, &rows),
            &entities,
            &mut shapes,
            &mut types,
        )
    });
    let patterns: Vec<_> = patterns.collect();
    let writes = model.writes.iter().map(|one| {
        let row = chart.writes.iter().find(|row| row.name == one.name);
        let method = methods.take_method((spelling.method)(&one.name));
        write::form(model, one, (method, row), &mut shapes, &mut types)
    });
    let mut writes: Vec<_> = writes.collect();
    for (entity, form) in model.entities.iter().zip(&mut entities) {
        let stored = &form.types.stored;
        form.made = made::of_new(entity, stored, &mut shapes, &mut types);
        form.touched = made::of_update(entity, stored, &mut shapes, &mut types);
    }
    for (write, form) in model.writes.iter().zip(&mut writes) {
        form.made = made::of_write(model, write, &mut shapes, &mut types);
    }
    let parts = types.take(format!("{}Parts", pascal(&model.name)));
    let fakes = types.take(format!("{}Fakes", pascal(&model.name)));
    Form {
        model: model.name.clone(),
        version: model.version,
        hash,
        plan: document,
        settings: settings.clone(),
        kind_member: kind_member(model),
        client,
        awaited_client,
        parts,
        fakes,
        event,
        event_with_copies,
        ids: shapes.ids,
        choices: shapes.choices,
        records: shapes.records,
        entities,
        patterns,
        writes,
    }
}

/// The hash in a plan document.
fn hash_of(document: &Json) -> String {
    let hash = document.pointer("/model/hash").and_then(Json::as_str);
    hash.unwrap_or_default().to_owned()
}

/// The member of items that holds their kind: `kind`, with as many `$` before it as no attribute has.
fn kind_member(model: &Model) -> String {
    let attributes = model.entities.iter().flat_map(|entity| &entity.attributes);
    let names: BTreeSet<&str> = attributes
        .map(|attribute| attribute.name.as_str())
        .collect();
    let mut member = "kind".to_owned();
    while names.contains(member.as_str()) {
        member.insert(0, '$');
    }
    member
}
