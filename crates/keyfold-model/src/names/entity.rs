//! The names of entities and views.

use super::attribute::{declare_attribute, mention_type};
use super::conditions::mention_conditions;
use super::found::NameKind;
use super::scope::Scope;
use crate::diagnostic::Span;
use crate::syntax::ast::{
    AggregateDecl, EntityDecl, ExpectDecl, ExpectUnit, FromDecl, KeyDecl, Name, PartDecl, ViewDecl,
};

/// Declares an entity or view with its attributes and copies.
pub(super) fn declare(scope: &mut Scope, entity: &EntityDecl, first_table: Option<usize>) -> usize {
    let kind = match entity.view {
        Some(_) => NameKind::View,
        None => NameKind::Entity,
    };
    let end = Span {
        start: entity.end,
        end: entity.end,
    };
    let at = scope.declare(kind, &entity.name, None, entity.head.span.to(end));
    let named = entity.table.as_ref();
    let table = named.map_or(first_table, |name| {
        scope.find(&[NameKind::Table], None, &name.text)
    });
    if let Some(table) = table {
        scope.lies_in(at, table);
    }
    for attribute in &entity.attributes {
        declare_attribute(scope, NameKind::Attribute, attribute, at);
    }
    for column in entity.view.iter().flat_map(|view| &view.columns) {
        let place = scope.declare(NameKind::Attribute, &column.name, Some(at), column.span);
        scope.of_type(place, Some(column.span));
    }
    // The model keeps these beside the attributes that are declared.
    let kept = entity.aggregates.iter().map(|one| &one.attribute);
    for name in kept.chain(&entity.version) {
        match scope.find(&[NameKind::Attribute], Some(at), &name.text) {
            Some(known) => scope.mention(name.span, known),
            None => {
                scope.declare(NameKind::Attribute, name, Some(at), name.span);
            }
        }
    }
    for copy in &entity.copies {
        let end = copy.only.iter().flatten().last().map(|name| name.span);
        let whole = end.map_or(copy.key.span, |end| copy.key.span.to(end));
        scope.declare(NameKind::Copy, &copy.name, Some(at), whole);
    }
    // An attribute under the name of a key attribute of the table is that key attribute.
    for column in table.map_or(Vec::new(), |table| scope.columns_of(table)) {
        let text = scope.text(column).to_owned();
        if let Some(own) = scope.find(&[NameKind::Attribute], Some(at), &text) {
            scope.link(column, own);
        }
    }
    at
}

/// Mentions what an entity or view names.
pub(super) fn mention(scope: &mut Scope, entity: &EntityDecl, at: usize) {
    let own = Some(at);
    if let (Some(name), Some(table)) = (&entity.table, scope.table_of(at)) {
        scope.mention(name.span, table);
    }
    for attribute in &entity.attributes {
        mention_type(scope, &attribute.kind);
    }
    if let Some(key) = &entity.key {
        mention_key(scope, key, at);
        fields(key).for_each(|name| scope.finds(at, name));
    }
    for index in &entity.indexes {
        let table = scope.table_of(at);
        let found = scope.find(&[NameKind::Index], table, index.index.unquoted());
        if let Some(found) = found {
            scope.mention(index.index.span, found);
        }
        mention_key(scope, &index.key, at);
        if let Some(sparse) = &index.sparse {
            scope.mention_attribute(own, &sparse.attribute);
        }
    }
    for copy in &entity.copies {
        mention_key(scope, &copy.key, at);
        mention_all(scope, own, copy.only.iter().flatten());
        mention_conditions(scope, &copy.when, &[at], None);
    }
    mention_all(scope, own, entity.id.iter().flatten());
    let uniques = entity.uniques.iter().flatten();
    mention_all(scope, own, uniques.map(|one| &one.attribute));
    mention_all(scope, own, &entity.ttl);
    mention_all(scope, own, entity.splits.iter().map(|(name, _)| name));
    mention_all(scope, own, &entity.unstored);
    mention_all(scope, own, &entity.compressed);
    for aggregate in &entity.aggregates {
        mention_aggregate(scope, aggregate);
    }
    mention_expected(scope, own, &entity.expects);
    let set = entity.origin.iter().flat_map(|origin| &origin.set);
    mention_all(scope, own, set.map(|(name, _)| name));
    if let Some(view) = &entity.view {
        mention_view(scope, view);
    }
}

/// Mentions attributes of an entity.
pub(super) fn mention_all<'n>(
    scope: &mut Scope,
    entity: Option<usize>,
    names: impl IntoIterator<Item = &'n Name>,
) {
    for name in names {
        scope.mention_attribute(entity, name);
    }
}

fn mention_key(scope: &mut Scope, key: &KeyDecl, entity: usize) {
    mention_all(scope, Some(entity), fields(key));
    let of = key.bucket.iter().filter_map(|(_, of)| of.as_ref());
    mention_all(scope, Some(entity), of);
}

/// The fields of a key's templates.
fn fields(key: &KeyDecl) -> impl Iterator<Item = &Name> {
    let parts = key.templates.iter().flat_map(|template| &template.parts);
    parts.filter_map(|part| match part {
        PartDecl::Text(_) => None,
        PartDecl::Field { name, .. } => Some(name),
    })
}

fn mention_aggregate(scope: &mut Scope, aggregate: &AggregateDecl) {
    let counted = scope.mention_entity(&aggregate.entity);
    mention_all(scope, counted, &aggregate.of);
    mention_all(scope, counted, &aggregate.by);
    mention_all(
        scope,
        counted,
        aggregate.condition.iter().map(|(name, _)| name),
    );
}

/// Mentions the attributes of `expect`.
pub(super) fn mention_expected(scope: &mut Scope, entity: Option<usize>, all: &[ExpectDecl]) {
    for expected in all {
        match &expected.unit {
            ExpectUnit::Per(name) => {
                scope.mention_attribute(entity, name);
            }
            ExpectUnit::Items
            | ExpectUnit::Bytes
            | ExpectUnit::WritesASecond
            | ExpectUnit::ASecond => {}
        }
    }
}

fn mention_view(scope: &mut Scope, view: &ViewDecl) {
    let source = scope.mention_entity(&view.source);
    mention_conditions(scope, &view.when, &Vec::from_iter(source), None);
    for column in &view.columns {
        match &column.from {
            FromDecl::Count => {}
            FromDecl::Fold(_, name) | FromDecl::Attribute(name) => {
                scope.mention_attribute(source, name);
            }
            FromDecl::Top { by, only, .. } => {
                scope.mention_attribute(source, by);
                mention_all(scope, source, only);
            }
            FromDecl::Joined { entity, of, by } => {
                let joined = scope.mention_entity(entity);
                scope.mention_attribute(joined, of);
                mention_all(scope, source, by);
            }
        }
    }
}
