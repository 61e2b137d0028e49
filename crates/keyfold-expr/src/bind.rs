//! Placeholders to names and values, and every check that needs no item.

use crate::ast::{RawCall, RawElement, RawOperand, RawPath};
use crate::error::{ExprError, ExprErrorKind, ExpressionKind};
use crate::path::{Clash, Path, PathPart, PathTree};
use crate::placeholder::{Literal, Placeholders};
use crate::reserved;

/// What binding needs: where the expression came from and the placeholders.
pub(crate) struct Binder<'p, 'a> {
    pub(crate) expression: ExpressionKind,
    pub(crate) placeholders: &'p Placeholders<'a>,
}

impl Binder<'_, '_> {
    pub(crate) fn fail<T>(&self, kind: ExprErrorKind) -> Result<T, ExprError> {
        Err(ExprError {
            expression: self.expression,
            kind,
        })
    }

    pub(crate) fn path(&self, raw: &RawPath<'_>) -> Result<Path, ExprError> {
        let mut parts = Vec::with_capacity(raw.elements.len());
        for element in &raw.elements {
            parts.push(match element {
                RawElement::Word(word) if reserved::is_reserved(word) => {
                    return self.fail(ExprErrorKind::ReservedWord {
                        word: (*word).to_owned(),
                    });
                }
                RawElement::Word(word) => PathPart::Name((*word).into()),
                RawElement::Placeholder(placeholder) => match self.placeholders.name(placeholder) {
                    Some(name) => PathPart::Name(name),
                    None => {
                        let placeholder = (*placeholder).to_owned();
                        return self.fail(ExprErrorKind::UndefinedName { placeholder });
                    }
                },
                RawElement::Index(index) => PathPart::Index(*index),
            });
        }
        Ok(Path::new(parts))
    }

    pub(crate) fn literal(&self, placeholder: &str) -> Result<Literal, ExprError> {
        match self.placeholders.value(placeholder) {
            Some(literal) => Ok(literal),
            None => self.fail(ExprErrorKind::UndefinedValue {
                placeholder: placeholder.to_owned(),
            }),
        }
    }

    /// The call's arguments, if there are exactly `N`.
    pub(crate) fn arguments<'c, 't, const N: usize>(
        &self,
        call: &'c RawCall<'t>,
    ) -> Result<&'c [RawOperand<'t>; N], ExprError> {
        <&[RawOperand<'t>; N]>::try_from(call.arguments.as_slice()).or_else(|_| {
            let operator = call.function.to_owned();
            self.fail(ExprErrorKind::OperandCount {
                operator,
                count: call.arguments.len(),
            })
        })
    }

    /// Refuses a path that clashes with an earlier one.
    pub(crate) fn check_disjoint<'p>(
        &self,
        paths: impl Iterator<Item = &'p Path> + Clone,
    ) -> Result<(), ExprError> {
        match PathTree::clash(paths) {
            None => Ok(()),
            Some((one, two, Clash::Overlap)) => self.fail(ExprErrorKind::Overlap { one, two }),
            Some((one, two, Clash::Conflict)) => self.fail(ExprErrorKind::Conflict { one, two }),
        }
    }
}
