//! The clauses of an UPDATE: SET with its terms, and REMOVE.

use super::error::PartiqlError;
use super::lexer::Token;
use super::parser::{DEPTH_MAX, Parsed, Parser, too_deep};
use crate::ast::Sign;
use crate::error::ExprErrorKind;
use crate::path::{Clash, Path, PathTree};
use crate::placeholder::Literal;
use crate::update::{Term, Update};

/// The clauses of an UPDATE as far as they are parsed.
#[derive(Default)]
pub(super) struct UpdateClauses {
    set: Vec<(Path, Term)>,
    remove: Vec<Path>,
    add: Vec<(Path, Literal)>,
    delete: Vec<(Path, Literal)>,
}

impl UpdateClauses {
    fn is_empty(&self) -> bool {
        self.set.is_empty()
            && self.remove.is_empty()
            && self.add.is_empty()
            && self.delete.is_empty()
    }

    /// The update, unless two of its targets clash.
    pub(super) fn finish(self) -> Parsed<Update> {
        let update = Update::of_parts(self.set, self.remove, self.add, self.delete);
        match PathTree::clash(update.targets().iter()) {
            Some((one, two, Clash::Overlap | Clash::Conflict)) => {
                Err(PartiqlError::Expression(ExprErrorKind::Overlap {
                    one,
                    two,
                }))
            }
            None => Ok(update),
        }
    }
}

impl Parser<'_> {
    /// Takes one or more SET and REMOVE clauses.
    pub(super) fn update_clauses(&mut self) -> Parsed<UpdateClauses> {
        let mut clauses = UpdateClauses::default();
        loop {
            if self.take_word("SET") {
                self.assignment(&mut clauses)?;
                while self.take_sign(",") {
                    self.assignment(&mut clauses)?;
                }
            } else if self.take_word("REMOVE") {
                clauses.remove.push(self.path()?);
                while self.take_sign(",") {
                    clauses.remove.push(self.path()?);
                }
            } else {
                break;
            }
        }
        if clauses.is_empty() {
            return Err(self.unexpected());
        }
        Ok(clauses)
    }

    fn assignment(&mut self, clauses: &mut UpdateClauses) -> Parsed<()> {
        let path = self.path()?;
        self.expect_sign("=")?;
        if let Some(members) = self.set_call("set_add", &path)? {
            clauses.add.push((path, members));
        } else if let Some(members) = self.set_call("set_delete", &path)? {
            clauses.delete.push((path, members));
        } else {
            let term = self.term()?;
            clauses.set.push((path, term));
        }
        Ok(())
    }

    /// Takes `function(target, <<members>>)`, if it is next; returns the members.
    fn set_call(&mut self, function: &str, target: &Path) -> Parsed<Option<Literal>> {
        if !self.take_call(function) {
            return Ok(None);
        }
        if self.path()? != *target {
            return Err(PartiqlError::Unsupported(format!(
                "The first argument of {function} must be the attribute that is set."
            )));
        }
        self.expect_sign(",")?;
        let members = self.value()?;
        if !members.kind().is_set() {
            return Err(PartiqlError::Syntax(format!(
                "the second argument of {function} must be a set"
            )));
        }
        self.expect_sign(")")?;
        Ok(Some(Literal::new(members)))
    }

    fn term(&mut self) -> Parsed<Term> {
        let mut left = self.single_term()?;
        let mut sums = 0;
        while let Some(sign) = self.take_arithmetic() {
            // Each sum is one level of the tree.
            sums += 1;
            if sums > DEPTH_MAX {
                return Err(too_deep());
            }
            let right = self.single_term()?;
            left = Term::Sum(Box::new(left), sign, Box::new(right));
        }
        Ok(left)
    }

    fn take_arithmetic(&mut self) -> Option<Sign> {
        let Token::Sign(text) = *self.peek() else {
            return None;
        };
        let sign = Sign::from_text(text)?;
        self.advance();
        Some(sign)
    }

    fn single_term(&mut self) -> Parsed<Term> {
        if self.take_call("list_append") {
            return self.deeper(|parser| {
                let first = parser.term()?;
                parser.expect_sign(",")?;
                let second = parser.term()?;
                parser.expect_sign(")")?;
                Ok(Term::ListAppend(Box::new(first), Box::new(second)))
            });
        }
        if self.take_call("if_not_exists") {
            return self.deeper(|parser| {
                let path = parser.path()?;
                parser.expect_sign(",")?;
                let otherwise = parser.term()?;
                parser.expect_sign(")")?;
                Ok(Term::IfNotExists(path, Box::new(otherwise)))
            });
        }
        if self.is_path() {
            self.path().map(Term::Path)
        } else {
            self.value().map(|value| Term::Literal(Literal::new(value)))
        }
    }
}
