//! Key conditions: tests on key attributes, joined by AND. Which attributes are keys, the engine
//! knows.

use crate::ast::{Comparator, RawCondition, RawOperand, RawPath};
use crate::bind::Binder;
use crate::error::{ExprError, ExprErrorKind, ExpressionKind};
use crate::parser::Parser;
use crate::placeholder::{Literal, Placeholders};
use std::collections::BTreeSet;

/// A bound key condition: one test for each attribute it names.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyCondition {
    terms: Vec<KeyTerm>,
}

/// A test on one attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyTerm {
    /// The attribute.
    pub attribute: String,
    /// What its value must satisfy.
    pub test: KeyTest,
}

/// What a key attribute's value must satisfy.
#[derive(Debug, Clone, PartialEq)]
pub enum KeyTest {
    /// Equal.
    Eq(Literal),
    /// Below.
    Lt(Literal),
    /// Below or equal.
    Le(Literal),
    /// Above.
    Gt(Literal),
    /// Above or equal.
    Ge(Literal),
    /// From the first to the second, both included.
    Between(Literal, Literal),
    /// Starting with.
    BeginsWith(Literal),
}

impl KeyTest {
    /// The literals of the test.
    pub fn literals(&self) -> Vec<&Literal> {
        match self {
            KeyTest::Eq(one) | KeyTest::Lt(one) | KeyTest::Le(one) => vec![one],
            KeyTest::Gt(one) | KeyTest::Ge(one) | KeyTest::BeginsWith(one) => vec![one],
            KeyTest::Between(low, high) => vec![low, high],
        }
    }
}

impl KeyCondition {
    /// Parses and binds a key condition.
    ///
    /// # Errors
    /// As [`ExprErrorKind`] lists; `KeyOperator` for operators that keys do not have.
    pub fn parse(text: &str, placeholders: &Placeholders<'_>) -> Result<KeyCondition, ExprError> {
        let expression = ExpressionKind::KeyCondition;
        let raw = Parser::new(expression, text)?.condition()?;
        let binder = Binder {
            expression,
            placeholders,
        };
        let mut terms: Vec<KeyTerm> = Vec::new();
        binder.collect(&raw, &mut terms)?;
        let mut seen = BTreeSet::new();
        if !terms
            .iter()
            .all(|term| seen.insert(term.attribute.as_str()))
        {
            return binder.fail(ExprErrorKind::KeyConditionRepeated);
        }
        Ok(KeyCondition { terms })
    }

    /// A key condition of the given tests.
    pub fn new(terms: Vec<KeyTerm>) -> KeyCondition {
        KeyCondition { terms }
    }

    /// The tests, as written from left to right.
    pub fn terms(&self) -> &[KeyTerm] {
        &self.terms
    }
}

impl Binder<'_, '_> {
    fn collect(&self, raw: &RawCondition<'_>, terms: &mut Vec<KeyTerm>) -> Result<(), ExprError> {
        let operator = |operator: &str| {
            self.fail(ExprErrorKind::KeyOperator {
                operator: operator.to_owned(),
            })
        };
        match raw {
            RawCondition::And(members) => members
                .iter()
                .try_for_each(|member| self.collect(member, terms)),
            RawCondition::Or(_) => operator("OR"),
            RawCondition::Not(_) => operator("NOT"),
            RawCondition::In { .. } => operator("IN"),
            RawCondition::Compare {
                comparator: Comparator::Ne,
                ..
            } => operator("<>"),
            RawCondition::Compare {
                comparator,
                left,
                right,
            } => {
                let (path, value, comparator) = match (left, right) {
                    (RawOperand::Path(path), RawOperand::Value(value)) => {
                        (path, value, *comparator)
                    }
                    (RawOperand::Value(value), RawOperand::Path(path)) => {
                        (path, value, comparator.mirrored())
                    }
                    (RawOperand::Call(call), _) | (_, RawOperand::Call(call)) => {
                        return operator(call.function);
                    }
                    _ => {
                        return self.fail(ExprErrorKind::PathRequired {
                            operator: comparator.text().to_owned(),
                        });
                    }
                };
                let attribute = self.key_attribute(path)?;
                let literal = self.literal(value)?;
                self.check_key_literal(comparator.text(), &literal)?;
                let test = match comparator {
                    Comparator::Eq | Comparator::Ne => KeyTest::Eq(literal),
                    Comparator::Lt => KeyTest::Lt(literal),
                    Comparator::Le => KeyTest::Le(literal),
                    Comparator::Gt => KeyTest::Gt(literal),
                    Comparator::Ge => KeyTest::Ge(literal),
                };
                terms.push(KeyTerm { attribute, test });
                Ok(())
            }
            RawCondition::Between {
                value: RawOperand::Path(path),
                low,
                high,
            } => {
                let (RawOperand::Value(low), RawOperand::Value(high)) = (low, high) else {
                    return operator("BETWEEN");
                };
                let attribute = self.key_attribute(path)?;
                let (low, high) = (self.literal(low)?, self.literal(high)?);
                self.check_key_literal("BETWEEN", &low)?;
                self.check_key_literal("BETWEEN", &high)?;
                self.check_order(&low, &high)?;
                terms.push(KeyTerm {
                    attribute,
                    test: KeyTest::Between(low, high),
                });
                Ok(())
            }
            RawCondition::Between { .. } => self.fail(ExprErrorKind::PathRequired {
                operator: "BETWEEN".into(),
            }),
            RawCondition::Call(call) if call.function == "begins_with" => {
                let [value, prefix] = self.arguments(call)?;
                let (RawOperand::Path(path), RawOperand::Value(prefix)) = (value, prefix) else {
                    return self.fail(ExprErrorKind::PathRequired {
                        operator: call.function.to_owned(),
                    });
                };
                let attribute = self.key_attribute(path)?;
                let prefix = self.literal(prefix)?;
                let kind = prefix.value().kind();
                if !matches!(
                    kind,
                    keyfold_types::ValueKind::S | keyfold_types::ValueKind::B
                ) {
                    let operator = call.function.to_owned();
                    return self.fail(ExprErrorKind::OperandType {
                        operator,
                        found: kind,
                    });
                }
                terms.push(KeyTerm {
                    attribute,
                    test: KeyTest::BeginsWith(prefix),
                });
                Ok(())
            }
            RawCondition::Call(call) => match call.function {
                "attribute_exists"
                | "attribute_not_exists"
                | "attribute_type"
                | "contains"
                | "size" => operator(call.function),
                unknown => self.fail(ExprErrorKind::UnknownFunction {
                    function: unknown.to_owned(),
                }),
            },
        }
    }

    fn key_attribute(&self, raw: &RawPath<'_>) -> Result<String, ExprError> {
        match self.path(raw)?.as_attribute() {
            Some(name) => Ok(name.to_owned()),
            None => self.fail(ExprErrorKind::KeyNested),
        }
    }

    fn check_key_literal(&self, operator: &str, literal: &Literal) -> Result<(), ExprError> {
        let found = literal.value().kind();
        if found.is_ordered() || operator == "=" {
            return Ok(());
        }
        self.fail(ExprErrorKind::OperandType {
            operator: operator.to_owned(),
            found,
        })
    }
}
