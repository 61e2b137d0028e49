//! The WHERE clause: predicates joined by AND, OR and NOT.

use super::error::PartiqlError;
use super::lexer::Token;
use super::parser::{Parsed, Parser};
use crate::ast::Comparator;
use crate::condition::{Condition, Operand};
use crate::error::ExprErrorKind;
use crate::placeholder::Literal;
use keyfold_types::limits::IN_OPERANDS_MAX;
use keyfold_types::{Value, ValueKind};

impl Parser<'_> {
    pub(super) fn condition(&mut self) -> Parsed<Condition> {
        self.deeper(|parser| {
            let mut members = vec![parser.conjunction()?];
            while parser.take_word("OR") {
                members.push(parser.conjunction()?);
            }
            Ok(joined(members, Condition::Or))
        })
    }

    fn conjunction(&mut self) -> Parsed<Condition> {
        let mut members = vec![self.negation()?];
        while self.take_word("AND") {
            members.push(self.negation()?);
        }
        Ok(joined(members, Condition::And))
    }

    fn negation(&mut self) -> Parsed<Condition> {
        if self.take_word("NOT") {
            return self.deeper(|parser| Ok(Condition::Not(Box::new(parser.negation()?))));
        }
        self.predicate()
    }

    fn predicate(&mut self) -> Parsed<Condition> {
        // A parenthesis opens a condition here; lists in parentheses exist behind IN only.
        if self.take_sign("(") {
            let inner = self.condition()?;
            self.expect_sign(")")?;
            return Ok(inner);
        }
        if let Some(call) = self.predicate_call()? {
            return Ok(call);
        }
        let left = self.operand()?;
        if let Some(comparator) = self.comparator() {
            let right = self.operand()?;
            if !matches!(comparator, Comparator::Eq | Comparator::Ne) {
                check_ordered(comparator.text(), &[&left, &right])?;
            }
            return Ok(Condition::Compare(comparator, left, right));
        }
        let negated = self.take_word("NOT");
        let found = if self.take_word("BETWEEN") {
            let low = self.operand()?;
            self.expect_word("AND")?;
            let high = self.operand()?;
            check_ordered("BETWEEN", &[&left, &low, &high])?;
            Condition::Between(left, low, high)
        } else if self.take_word("IN") {
            Condition::In(left, self.in_list()?)
        } else if !negated && self.take_word("IS") {
            return self.is_test(left);
        } else if self.is_word("LIKE") {
            return Err(PartiqlError::Unsupported(
                "LIKE is not supported.".to_owned(),
            ));
        } else {
            return Err(self.unexpected());
        };
        Ok(negated_if(negated, found))
    }

    fn comparator(&mut self) -> Option<Comparator> {
        let comparator = match self.peek() {
            Token::Sign("!=") => Comparator::Ne,
            Token::Sign(sign) => Comparator::from_text(sign)?,
            Token::Word(_)
            | Token::Name(_)
            | Token::Text(_)
            | Token::Number(_)
            | Token::Parameter
            | Token::End => return None,
        };
        self.advance();
        Some(comparator)
    }

    fn in_list(&mut self) -> Parsed<Vec<Operand>> {
        let close = if self.take_sign("[") {
            "]"
        } else if self.take_sign("(") {
            ")"
        } else if *self.peek() == Token::Parameter {
            // A parameter that holds a list is one operand.
            return Ok(vec![self.operand()?]);
        } else {
            return Err(self.unexpected());
        };
        let mut list = vec![self.operand()?];
        while self.take_sign(",") {
            list.push(self.operand()?);
        }
        self.expect_sign(close)?;
        if list.len() > IN_OPERANDS_MAX {
            let reason = ExprErrorKind::TooManyInOperands { count: list.len() };
            return Err(PartiqlError::Unsupported(reason.to_string()));
        }
        Ok(list)
    }

    fn is_test(&mut self, left: Operand) -> Parsed<Condition> {
        let negated = self.take_word("NOT");
        let Operand::Path(path) = left else {
            return Err(self.unexpected());
        };
        let Token::Word(word) = self.advance() else {
            return Err(self.unexpected());
        };
        let found = if word.eq_ignore_ascii_case("MISSING") {
            Condition::NotExists(path)
        } else {
            let kind = match word.to_ascii_uppercase().as_str() {
                "NULL" => ValueKind::Null,
                "STRING" | "S" => ValueKind::S,
                "NUMBER" | "N" | "INT" | "INTEGER" | "DECIMAL" => ValueKind::N,
                "BINARY" | "BLOB" | "B" => ValueKind::B,
                "BOOLEAN" | "BOOL" => ValueKind::Bool,
                "LIST" | "L" => ValueKind::L,
                "MAP" | "STRUCT" | "TUPLE" | "M" => ValueKind::M,
                "STRINGSET" | "SS" => ValueKind::Ss,
                "NUMBERSET" | "NS" => ValueKind::Ns,
                "BINARYSET" | "BS" => ValueKind::Bs,
                _ => return Err(PartiqlError::Syntax(format!("Unexpected type {word}"))),
            };
            Condition::IsType(Operand::Path(path), kind)
        };
        Ok(negated_if(negated, found))
    }

    /// Takes a call that is a condition, if one is next.
    fn predicate_call(&mut self) -> Parsed<Option<Condition>> {
        let Token::Word(function) = self.peek() else {
            return Ok(None);
        };
        let function = function.to_ascii_lowercase();
        // `size(path)` is an operand.
        if function == "size" || !self.take_call(&function) {
            return Ok(None);
        }
        let found = match function.as_str() {
            "missing" | "attribute_not_exists" => Condition::NotExists(self.path()?),
            "exists" | "attribute_exists" => Condition::Exists(self.path()?),
            "attribute_type" => {
                let path = self.path()?;
                self.expect_sign(",")?;
                Condition::IsType(Operand::Path(path), self.type_descriptor()?)
            }
            "contains" => {
                let (value, part) = self.two_operands()?;
                Condition::Contains(value, part)
            }
            "begins_with" => {
                let (value, prefix) = self.two_operands()?;
                Condition::BeginsWith(value, prefix)
            }
            _ => {
                return Err(PartiqlError::Unsupported(format!(
                    "The function {function} is not supported."
                )));
            }
        };
        self.expect_sign(")")?;
        Ok(Some(found))
    }

    /// Takes the text or parameter that names a type: `S`, `N`, ...
    fn type_descriptor(&mut self) -> Parsed<ValueKind> {
        let unknown = || PartiqlError::Syntax("Unexpected attribute type".to_owned());
        let Value::S(name) = self.value()? else {
            return Err(unknown());
        };
        ValueKind::from_descriptor(&name).ok_or_else(unknown)
    }

    fn two_operands(&mut self) -> Parsed<(Operand, Operand)> {
        let first = self.operand()?;
        self.expect_sign(",")?;
        Ok((first, self.operand()?))
    }

    fn operand(&mut self) -> Parsed<Operand> {
        if self.take_call("size") {
            let path = self.path()?;
            self.expect_sign(")")?;
            return Ok(Operand::Size(path));
        }
        if self.is_path() {
            return self.path().map(Operand::Path);
        }
        self.value()
            .map(|value| Operand::Literal(Literal::new(value)))
    }
}

fn negated_if(negated: bool, condition: Condition) -> Condition {
    if negated {
        Condition::Not(Box::new(condition))
    } else {
        condition
    }
}

/// A single member as it is; several wrapped.
fn joined(mut members: Vec<Condition>, wrap: fn(Vec<Condition>) -> Condition) -> Condition {
    if members.len() == 1 {
        members.remove(0)
    } else {
        wrap(members)
    }
}

/// Refuses literals of types without an order.
fn check_ordered(operator: &str, operands: &[&Operand]) -> Parsed<()> {
    let kind = |operand: &&Operand| match operand {
        Operand::Literal(literal) => Some(literal.value().kind()),
        Operand::Path(_) | Operand::Size(_) => None,
    };
    match operands
        .iter()
        .filter_map(kind)
        .find(|kind| !kind.is_ordered())
    {
        Some(found) => Err(PartiqlError::Expression(ExprErrorKind::OperandType {
            operator: operator.to_owned(),
            found,
        })),
        None => Ok(()),
    }
}
