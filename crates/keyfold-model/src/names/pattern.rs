//! The names of patterns. A parameter for an equality has the name of its attribute, in every entity
//! of the result that has it: these attributes are linked.

use super::attribute::{mention_type, type_span};
use super::conditions::mention_conditions;
use super::entity::mention_expected;
use super::found::NameKind;
use super::scope::Scope;
use crate::diagnostic::Span;
use crate::syntax::ast::{LimitDecl, Name, ParameterDecl, PatternDecl, ReturnedDecl};

/// Collects the names of a pattern.
pub(super) fn collect(scope: &mut Scope, pattern: &PatternDecl) {
    let whole = Span {
        start: pattern.name.span.start,
        end: pattern.returned_end.max(pattern.name.span.end),
    };
    let at = scope.declare(NameKind::Pattern, &pattern.name, None, whole);
    let mut entities: Vec<usize> = Vec::new();
    for returned in &pattern.returned {
        entities.extend(mention_returned(scope, returned, at));
    }
    for parameter in &pattern.parameters {
        collect_parameter(scope, parameter, &entities, at);
    }
    for returned in &pattern.returned {
        bind(scope, returned, at);
    }
    let fixed = pattern.fixed.iter().map(|(name, _)| name);
    let ordered = pattern
        .order
        .iter()
        .filter_map(|one| one.attribute.as_ref());
    let names: Vec<&Name> = fixed.chain(ordered).chain(&pattern.only).collect();
    for name in names {
        mention_in_all(scope, &entities, name);
    }
    mention_conditions(scope, &pattern.filters, &entities, Some(at));
    for entity in entities {
        mention_expected(scope, Some(entity), &pattern.expects);
    }
}

/// Mentions an attribute of every entity that has it.
fn mention_in_all(scope: &mut Scope, entities: &[usize], name: &Name) {
    for entity in entities {
        scope.mention_attribute(Some(*entity), name);
    }
}

fn mention_returned(scope: &mut Scope, returned: &ReturnedDecl, pattern: usize) -> Option<usize> {
    let entity = scope.mention_entity(&returned.entity)?;
    if let Some(copy) = &returned.copy
        && let Some(found) = scope.find(&[NameKind::Copy], Some(entity), &copy.text)
    {
        scope.mention(copy.span, found);
    }
    if let Some(alias) = &returned.alias {
        scope.declare(NameKind::Alias, alias, Some(pattern), alias.span);
    }
    Some(entity)
}

/// `where attribute = parameter` of a result.
fn bind(scope: &mut Scope, returned: &ReturnedDecl, pattern: usize) {
    let entity = scope.entity(&returned.entity);
    for (attribute, parameter) in &returned.bound {
        scope.mention_attribute(entity, attribute);
        let kinds = [NameKind::Parameter];
        let known = scope.find(&kinds, Some(pattern), parameter.unquoted());
        match known {
            Some(known) => scope.mention(parameter.span, known),
            None => {
                scope.mention_attribute(entity, parameter);
            }
        }
    }
}

fn collect_parameter(
    scope: &mut Scope,
    parameter: &ParameterDecl,
    entities: &[usize],
    pattern: usize,
) {
    let name = &parameter.attribute;
    if let LimitDecl::Free(kind) = &parameter.limit {
        let at = scope.declare(NameKind::Parameter, name, Some(pattern), name.span);
        scope.of_type(at, type_span(kind));
        mention_type(scope, kind);
        return;
    }
    let has_it = entities
        .iter()
        .any(|entity| scope.attribute(*entity, name.unquoted()).is_some());
    match has_it {
        true => mention_in_all(scope, entities, name),
        // A parameter that `where` binds to attributes of other names.
        false => {
            scope.declare(NameKind::Parameter, name, Some(pattern), name.span);
        }
    }
    for end in ends(&parameter.limit) {
        scope.declare(NameKind::Parameter, end, Some(pattern), end.span);
    }
}

/// The parameters that limit an attribute under names of their own.
fn ends(limit: &LimitDecl) -> Vec<&Name> {
    match limit {
        LimitDecl::Equal | LimitDecl::Among | LimitDecl::Free(_) => Vec::new(),
        // Its word is the name.
        LimitDecl::Period(..) => Vec::new(),
        LimitDecl::AtLeast(name)
        | LimitDecl::AtMost(name)
        | LimitDecl::Above(name)
        | LimitDecl::Below(name)
        | LimitDecl::Starts(name) => own(name).collect(),
        LimitDecl::Within(low, high) => own(low).chain(own(high)).collect(),
        LimitDecl::Periods(_, _, inner) => ends(inner),
    }
}

/// A name that is not `now`, whose meaning is given.
fn own(name: &Name) -> impl Iterator<Item = &Name> {
    Some(name).filter(|name| name.text != "now").into_iter()
}
