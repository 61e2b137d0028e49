//! Named writes of the middle form.

use super::form::{Field, Shape, WriteForm};
use super::names::{Method, Names, pascal};
use super::shapes::{Place, Shapes, root};
use crate::chart::WriteRow;
use keyfold_model::schema::{Source, WriteParameter};
use keyfold_model::{Action, Entity, Model, Operand, Write};

/// A named write as a method. `row` is that of the chart.
pub(super) fn form(
    model: &Model,
    write: &Write,
    (method, row): (Method, Option<&WriteRow>),
    shapes: &mut Shapes<'_>,
    names: &mut Names,
) -> WriteForm {
    let parameters = write.parameters.iter().map(|one| Field {
        name: one.name.clone(),
        shape: parameter_shape(model, write, one, shapes, names),
        optional: one.optional || one.is_now,
        note: None,
    });
    let parameters: Vec<Field> = parameters.collect();
    let arguments_type = if parameters.is_empty() {
        String::new()
    } else {
        names.take(format!("{}Arguments", pascal(&write.name)))
    };
    let mut about: Vec<String> = vec![format!("The write `{}`:", write.name)];
    if let Some(row) = row {
        about.extend(row.actions.iter().map(|action| format!("- {action}")));
        about.push(format!("Requests: {}.", row.requests));
    }
    about.extend(method.renamed);
    WriteForm {
        name: write.name.clone(),
        method: method.name,
        arguments_type,
        parameters,
        made: None,
        about,
    }
}

/// The type of a parameter: that of the attributes that it gives, where they agree.
fn parameter_shape(
    model: &Model,
    write: &Write,
    parameter: &WriteParameter,
    shapes: &mut Shapes<'_>,
    names: &mut Names,
) -> Shape {
    let mut places: Vec<Place> = Vec::new();
    for action in &write.actions {
        let Some(entity) = model.entities.get(action.entity) else {
            continue;
        };
        for name in given(entity, action, &parameter.name) {
            let fits = entity
                .attribute(name)
                .is_some_and(|one| one.kind == parameter.kind);
            let place = root(model, (&entity.name, name));
            if fits && !places.contains(&place) {
                places.push(place);
            }
        }
    }
    let place = match places.as_slice() {
        [one] => one.clone(),
        [one, ..] if shapes.is_choice(one) => one.clone(),
        _ => (write.name.clone(), parameter.name.clone()),
    };
    shapes.of_type(&parameter.kind, &place, names)
}

/// The attributes of an action's entity that a parameter gives.
fn given<'m>(entity: &'m Entity, action: &'m Action, parameter: &'m str) -> Vec<&'m str> {
    let mut names: Vec<&str> = Vec::new();
    let is_taken = action
        .taken
        .iter()
        .any(|taken| taken.attribute == parameter);
    if !is_taken && entity.attribute(parameter).is_some() {
        names.push(parameter);
    }
    for taken in &action.taken {
        if taken.source == Source::Parameter(parameter.to_owned()) {
            names.push(&taken.attribute);
        }
    }
    for assignment in action.assignments.iter().chain(&action.otherwise) {
        let is_whole = assignment.fields.is_empty() && assignment.right.is_none();
        if is_whole && assignment.left == Operand::Parameter(parameter.to_owned()) {
            names.push(&assignment.attribute);
        }
    }
    names
}
