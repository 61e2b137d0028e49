//! The names of named writes. An action takes the attributes that it needs from parameters of their
//! names, whether these are declared or not: attributes of several actions under one name are one
//! parameter, and linked.

use super::attribute::{mention_type, type_span};
use super::conditions::{mention_conditions, mention_operand};
use super::found::NameKind;
use super::scope::Scope;
use crate::syntax::ast::{ActionDecl, AssignmentDecl, Name, PathDecl, WriteDecl};
use std::collections::BTreeMap;

/// Collects the names of a write.
pub(super) fn collect(scope: &mut Scope, write: &WriteDecl) {
    let last = write.actions.last().map(|action| action.entity.span);
    let whole = last.map_or(write.name.span, |last| write.name.span.to(last));
    let at = scope.declare(NameKind::Write, &write.name, None, whole);
    let mut records: BTreeMap<&str, usize> = BTreeMap::new();
    for parameter in &write.parameters {
        let name = &parameter.name;
        let place = scope.declare(NameKind::Parameter, name, Some(at), name.span);
        if let Some(kind) = &parameter.kind {
            scope.of_type(place, type_span(kind));
            let record = mention_type(scope, kind);
            records.extend(record.map(|record| (name.text.as_str(), record)));
        }
    }
    for alias in write
        .actions
        .iter()
        .filter_map(|action| action.alias.as_ref())
    {
        scope.declare(NameKind::Alias, alias, Some(at), alias.span);
    }
    // The first attribute of each name that an action takes from a parameter.
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    for action in &write.actions {
        let Some(entity) = scope.mention_entity(&action.entity) else {
            continue;
        };
        mention_action(scope, action, (entity, at), write);
        let record = action
            .each
            .as_ref()
            .and_then(|each| records.get(each.text.as_str()));
        for name in needed(scope, action, entity) {
            let text = scope.text(name).to_owned();
            let kinds = [NameKind::Field];
            let field = record.and_then(|record| scope.find(&kinds, Some(*record), &text));
            let declared = scope.find(&[NameKind::Parameter], Some(at), &text);
            match (field, declared) {
                (Some(field), _) => scope.link(name, field),
                (None, Some(parameter)) => scope.link(name, parameter),
                // Those of an alias have its name before them.
                (None, None) if action.alias.is_some() => {}
                (None, None) => {
                    let first = *taken.entry(text).or_insert(name);
                    scope.link(name, first);
                }
            }
        }
    }
}

/// The attributes that an action takes from parameters of their names.
fn needed(scope: &Scope, action: &ActionDecl, entity: usize) -> Vec<usize> {
    let is_elsewhere = |name: &str| {
        let mut keys = action.keys.iter();
        keys.any(|key| key.attribute.text == name) || action.assigns(name)
    };
    let mut names = scope.members(NameKind::Attribute, entity);
    names.retain(|name| !is_elsewhere(scope.text(*name)));
    if !action.verb.may_create() {
        names.retain(|name| scope.is_found_by(entity, *name));
    }
    names
}

fn mention_action(
    scope: &mut Scope,
    action: &ActionDecl,
    (entity, at): (usize, usize),
    write: &WriteDecl,
) {
    if let Some(each) = &action.each
        && let Some(known) = scope.find(&[NameKind::Parameter], Some(at), &each.text)
    {
        scope.mention(each.span, known);
    }
    for key in &action.keys {
        scope.mention_attribute(Some(entity), &key.attribute);
        match &key.of {
            Some(of) => mention_other(scope, (&key.operand, of), at, write),
            None => mention_source(scope, &path(&key.operand), (entity, at), write),
        }
    }
    let assigned = action.assignments.iter().chain(&action.otherwise);
    for AssignmentDecl {
        attribute,
        left,
        right,
        ..
    } in assigned
    {
        scope.mention_attribute(Some(entity), attribute);
        let right = right.iter().map(|(_, operand)| operand);
        for operand in std::iter::once(left).chain(right) {
            mention_source(scope, operand, (entity, at), write);
        }
    }
    for removed in &action.removed {
        scope.mention_attribute(Some(entity), &removed.name);
    }
    mention_conditions(scope, &action.conditions, &[entity], Some(at));
}

fn path(name: &Name) -> PathDecl {
    PathDecl {
        name: name.clone(),
        fields: Vec::new(),
    }
}

/// Mentions what an assignment takes: a parameter, an attribute of the item, or one of another action.
fn mention_source(
    scope: &mut Scope,
    operand: &PathDecl,
    (entity, at): (usize, usize),
    write: &WriteDecl,
) {
    let braced = operand.name.in_braces();
    let name = braced.as_ref().unwrap_or(&operand.name);
    match operand.fields.first() {
        Some(of) if scope.attribute(entity, &name.text).is_none() => {
            mention_other(scope, (name, of), at, write);
        }
        Some(_) | None => mention_operand(scope, operand, &[entity], Some(at)),
    }
}

/// Mentions `Entity.attribute` or `alias.attribute` of another action.
fn mention_other(scope: &mut Scope, (name, of): (&Name, &Name), at: usize, write: &WriteDecl) {
    let alias = scope.find(&[NameKind::Alias], Some(at), &name.text);
    let entity = match alias {
        Some(alias) => {
            scope.mention(name.span, alias);
            let mut actions = write.actions.iter();
            let action = actions.find(|action| {
                let alias = action.alias.as_ref();
                alias.is_some_and(|alias| alias.text == name.text)
            });
            action.and_then(|action| scope.entity(&action.entity))
        }
        None => scope.mention_entity(name),
    };
    scope.mention_attribute(entity, of);
}
