//! The names of conditions: attributes of an item, and what they are compared with.

use super::found::NameKind;
use super::scope::Scope;
use crate::syntax::ast::{ConditionDecl, PathDecl};

/// Mentions the names of conditions on items of these entities. `local` is the pattern or write
/// whose parameters are operands.
pub(super) fn mention_conditions(
    scope: &mut Scope,
    conditions: &[ConditionDecl],
    entities: &[usize],
    local: Option<usize>,
) {
    for comparison in conditions.iter().flat_map(ConditionDecl::comparisons) {
        for entity in entities {
            scope.mention_attribute(Some(*entity), &comparison.attribute);
        }
        for operand in &comparison.operands {
            mention_operand(scope, operand, entities, local);
        }
    }
}

/// Mentions a parameter, or else an attribute of the item.
pub(super) fn mention_operand(
    scope: &mut Scope,
    operand: &PathDecl,
    entities: &[usize],
    local: Option<usize>,
) {
    // A text in quotes is a value.
    if operand.name.is_quoted() {
        return;
    }
    let braced = operand.name.in_braces();
    let text = braced
        .as_ref()
        .unwrap_or(&operand.name)
        .unquoted()
        .to_owned();
    let parameter = local.and_then(|local| {
        let kinds = [NameKind::Parameter, NameKind::Alias];
        scope.find(&kinds, Some(local), &text)
    });
    if let Some(parameter) = parameter {
        scope.mention(operand.name.span, parameter);
        return;
    }
    for entity in entities {
        scope.mention_attribute(Some(*entity), &operand.name);
    }
}
