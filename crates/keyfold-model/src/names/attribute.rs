//! The names of attributes and fields, and of their types.

use super::found::NameKind;
use super::scope::Scope;
use crate::diagnostic::Span;
use crate::syntax::ast::{AttributeDecl, TypeDecl};

/// Declares an attribute or a field.
pub(super) fn declare_attribute(
    scope: &mut Scope,
    kind: NameKind,
    attribute: &AttributeDecl,
    owner: usize,
) -> usize {
    let at = scope.declare(kind, &attribute.name, Some(owner), end_of(attribute));
    scope.of_type(at, type_span(&attribute.kind));
    at
}

/// The last place of an attribute's declaration.
pub(super) fn end_of(attribute: &AttributeDecl) -> Span {
    let default = attribute.default.as_ref().map(|one| one.span);
    let last = default.or(attribute.mark);
    let kind = type_span(&attribute.kind).unwrap_or(attribute.name.span);
    last.map_or(kind, |last| kind.to(last))
}

/// The place of a type.
pub(super) fn type_span(kind: &TypeDecl) -> Option<Span> {
    match kind {
        TypeDecl::Named(name, None) => Some(name.span),
        TypeDecl::Named(name, Some(unit)) => Some(name.span.to(unit.span)),
        TypeDecl::Reference(entity, attribute) => Some(entity.span.to(attribute.span)),
        TypeDecl::Words(words) => {
            let (first, last) = (words.first()?, words.last()?);
            Some(first.span.to(last.span))
        }
        TypeDecl::Of(_, start, inner) => Some(type_span(inner).map_or(*start, |end| start.to(end))),
    }
}

/// Mentions what a type names. Returns the record that it is, or that a list of it is of.
pub(super) fn mention_type(scope: &mut Scope, kind: &TypeDecl) -> Option<usize> {
    match kind {
        TypeDecl::Named(name, _) => {
            let record = scope.find(&[NameKind::Record], None, &name.text)?;
            scope.mention(name.span, record);
            Some(record)
        }
        TypeDecl::Reference(entity, attribute) => {
            let entity = scope.mention_entity(entity);
            scope.mention_attribute(entity, attribute);
            None
        }
        TypeDecl::Words(_) => None,
        TypeDecl::Of(_, _, inner) => mention_type(scope, inner),
    }
}
