//! Replaces placeholders by names and values, with every check that needs no item.

use crate::ast::{RawCall, RawElement, RawOperand, RawPath};
use crate::error::{ExprError, ExprErrorKind, ExpressionKind};
use crate::path::{Clash, Path, PathPart, PathTree};
use crate::placeholder::{Literal, Placeholders};
use crate::reserved;

/// Binds one expression: the request member it came from, and the placeholders.
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

    pub(crate) fn unknown_function<T>(&self, call: &RawCall<'_>) -> Result<T, ExprError> {
        self.fail(ExprErrorKind::UnknownFunction {
            function: call.name.to_owned(),
        })
    }

    /// Refuses a function or operator that this kind of expression does not have.
    pub(crate) fn not_allowed<T>(&self, function: &str) -> Result<T, ExprError> {
        self.fail(ExprErrorKind::FunctionNotAllowed {
            function: function.to_owned(),
        })
    }

    /// Refuses a function whose kind of result does not fit its place.
    pub(crate) fn misused<T>(&self, call: &RawCall<'_>) -> Result<T, ExprError> {
        self.fail(ExprErrorKind::FunctionMisused {
            function: call.name.to_owned(),
        })
    }

    pub(crate) fn path_required<T>(&self, operator: &str) -> Result<T, ExprError> {
        self.fail(ExprErrorKind::PathRequired {
            operator: operator.to_owned(),
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

    /// The call's arguments; refuses any other number than `N`.
    pub(crate) fn arguments<'c, 't, const N: usize>(
        &self,
        call: &'c RawCall<'t>,
    ) -> Result<&'c [RawOperand<'t>; N], ExprError> {
        <&[RawOperand<'t>; N]>::try_from(call.arguments.as_slice()).or_else(|_| {
            let operator = call.name.to_owned();
            self.fail(ExprErrorKind::OperandCount {
                operator,
                count: call.arguments.len(),
            })
        })
    }

    /// Refuses paths of which one lies within another, or sees a map where another sees a list.
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
