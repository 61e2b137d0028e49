//! Attributes of new items that have one possible value, such as the mark of a kind: `type: "mail"
//! = "mail"`. A write gives it itself, so that marks of several kinds share no parameter.

use super::needed::needed;
use crate::schema::{Attribute, DefaultValue, Entity, Source, Taken, Type, Verb, WriteParameter};
use crate::syntax::ast::ActionDecl;
use keyfold_types::Value;

/// Whether an action gives an attribute of a new item itself: its only value is its default, and no
/// declared parameter of its type has its name. `declared` are the parameters in parentheses.
pub(super) fn is_constant<'p>(
    action: &ActionDecl,
    attribute: &Attribute,
    entity: &Entity,
    mut declared: impl Iterator<Item = &'p WriteParameter>,
) -> bool {
    let is_key_of_stored = action.verb == Verb::Upsert && entity.identifies(&attribute.name);
    let is_declared = declared.any(|one| {
        one.name == attribute.name && one.kind == attribute.kind && action.alias.is_none()
    });
    only_value(attribute).is_some() && action.verb.may_create() && !is_key_of_stored && !is_declared
}

/// The only value that an attribute may have, where it is its default, too.
fn only_value(attribute: &Attribute) -> Option<&Value> {
    let (Type::Words(words), Some(DefaultValue::Value(value))) =
        (&attribute.kind, &attribute.default)
    else {
        return None;
    };
    (words.len() == 1 && !attribute.optional).then_some(value)
}

/// The constants of an action as attributes that it takes, so that no argument of their names is
/// stored in them.
pub(super) fn taken<'a>(
    action: &'a ActionDecl,
    entity: &'a Entity,
    is_constant: impl Fn(&Attribute) -> bool,
) -> impl Iterator<Item = Taken> {
    let constants = needed(action, entity).filter(move |one| is_constant(one));
    constants.filter_map(|attribute| {
        Some(Taken {
            attribute: attribute.name.clone(),
            source: Source::Literal(only_value(attribute)?.clone()),
            is_declared: false,
        })
    })
}
