//! The parser of statements: one token of lookahead beyond the next, a bounded depth, and the names
//! and paths that all clauses have in common.

use super::error::PartiqlError;
use super::lexer::{self, Token};
use crate::error::ExprErrorKind;
use crate::path::{Path, PathPart};
use keyfold_types::Value;
use keyfold_types::limits::{LIST_INDEX_MAX, PATH_DEPTH_MAX};

/// The deepest nesting of groups, values and sums; the parser recurses for each level.
pub(super) const DEPTH_MAX: usize = 64;

/// Words that are names only between double quotes.
const KEYWORDS: &[&str] = &[
    "ALL",
    "AND",
    "AS",
    "ASC",
    "BETWEEN",
    "BY",
    "DELETE",
    "DESC",
    "DISTINCT",
    "EXISTS",
    "FALSE",
    "FROM",
    "GROUP",
    "HAVING",
    "IN",
    "INSERT",
    "INTO",
    "IS",
    "JOIN",
    "LIKE",
    "LIMIT",
    "MISSING",
    "NOT",
    "NULL",
    "OFFSET",
    "OR",
    "ORDER",
    "REMOVE",
    "RETURNING",
    "SELECT",
    "SET",
    "SIZE",
    "TRUE",
    "UNION",
    "UPDATE",
    "VALUE",
    "VALUES",
    "WHERE",
];

pub(super) type Parsed<T> = Result<T, PartiqlError>;

pub(super) struct Parser<'p> {
    tokens: Vec<Token>,
    /// The place of the next token.
    at: usize,
    /// The values of the `?` that are not read yet.
    parameters: std::slice::Iter<'p, Value>,
    depth: usize,
}

impl<'p> Parser<'p> {
    /// Cuts the text into tokens.
    ///
    /// # Errors
    /// `Parameters` if the number of `?` differs from the number of parameters.
    pub(super) fn new(text: &str, parameters: &'p [Value]) -> Parsed<Parser<'p>> {
        let tokens = lexer::tokens(text)?;
        let is_parameter = |token: &&Token| **token == Token::Parameter;
        if tokens.iter().filter(is_parameter).count() != parameters.len() {
            return Err(PartiqlError::Parameters);
        }
        Ok(Parser {
            tokens,
            at: 0,
            parameters: parameters.iter(),
            depth: 0,
        })
    }

    pub(super) fn peek(&self) -> &Token {
        self.tokens.get(self.at).unwrap_or(&Token::End)
    }

    pub(super) fn peek_second(&self) -> &Token {
        self.tokens.get(self.at + 1).unwrap_or(&Token::End)
    }

    pub(super) fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    /// The value of the `?` that was taken last.
    pub(super) fn parameter(&mut self) -> Parsed<Value> {
        let value = self.parameters.next().cloned();
        value.ok_or(PartiqlError::Parameters)
    }

    /// The error that the next token is not expected.
    pub(super) fn unexpected(&self) -> PartiqlError {
        let reason = match self.peek() {
            Token::Word(word) if is_keyword(word) => "Unexpected keyword".to_owned(),
            Token::Word(text) | Token::Name(text) => format!("Unexpected term '{text}'"),
            Token::Text(text) => format!("Unexpected literal '{text}'"),
            Token::Number(text) => format!("Unexpected literal {text}"),
            Token::Sign(sign) => format!("Unexpected token '{sign}'"),
            Token::Parameter => "Unexpected parameter".to_owned(),
            Token::End => "Unexpected end of statement".to_owned(),
        };
        PartiqlError::Syntax(reason)
    }

    /// The error that the token taken last is not expected.
    pub(super) fn last_unexpected(&mut self) -> PartiqlError {
        self.at = self.at.saturating_sub(1);
        self.unexpected()
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(found) if found.eq_ignore_ascii_case(word))
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    /// Takes a function's name and its parenthesis, if both are next.
    pub(super) fn take_call(&mut self, function: &str) -> bool {
        let found = self.is_word(function) && *self.peek_second() == Token::Sign("(");
        self.at += 2 * usize::from(found);
        found
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.take_word(word) {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    pub(super) fn take_sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Token::Sign(found) if *found == sign);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect_sign(&mut self, sign: &str) -> Parsed<()> {
        if self.take_sign(sign) {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    /// Runs `read` one level deeper; refuses a level below [`DEPTH_MAX`].
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == DEPTH_MAX {
            return Err(too_deep());
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Takes a name: any between double quotes, or a bare word that is not a keyword.
    pub(super) fn name(&mut self) -> Parsed<String> {
        let name = match self.peek() {
            Token::Name(name) => name.clone(),
            Token::Word(word) if !is_keyword(word) => word.clone(),
            Token::Word(_)
            | Token::Text(_)
            | Token::Number(_)
            | Token::Sign(_)
            | Token::Parameter
            | Token::End => return Err(self.unexpected()),
        };
        self.advance();
        Ok(name)
    }

    /// Whether a path is next, and not a literal.
    pub(super) fn is_path(&self) -> bool {
        match self.peek() {
            Token::Name(_) => true,
            Token::Word(word) => !is_keyword(word),
            Token::Text(_) | Token::Number(_) | Token::Sign(_) | Token::Parameter | Token::End => {
                false
            }
        }
    }

    /// Takes a path: a name, then `.name`, `[position]` or `['name']`.
    pub(super) fn path(&mut self) -> Parsed<Path> {
        let mut parts = vec![PathPart::Name(self.name()?.into())];
        loop {
            if parts.len() > PATH_DEPTH_MAX {
                let levels = parts.len();
                let reason = ExprErrorKind::PathTooDeep { levels };
                return Err(PartiqlError::Expression(reason));
            }
            if self.take_sign(".") {
                let is_bare_keyword = matches!(self.peek(), Token::Word(word) if is_keyword(word));
                if is_bare_keyword {
                    return Err(PartiqlError::Syntax(
                        "Invalid path dot component".to_owned(),
                    ));
                }
                parts.push(PathPart::Name(self.name()?.into()));
            } else if self.take_sign("[") {
                parts.push(self.bracketed_part()?);
                self.expect_sign("]")?;
            } else {
                return Ok(Path::new(parts));
            }
        }
    }

    /// Takes the step of a path between brackets.
    fn bracketed_part(&mut self) -> Parsed<PathPart> {
        match self.advance() {
            Token::Number(digits) => {
                let index = digits.parse().ok().filter(|index| *index <= LIST_INDEX_MAX);
                let reason = ExprErrorKind::ListIndex { index: digits };
                let index = index.ok_or(PartiqlError::Expression(reason))?;
                Ok(PathPart::Index(index))
            }
            Token::Text(name) => Ok(PathPart::Name(name.into())),
            Token::Word(_) | Token::Name(_) | Token::Sign(_) | Token::Parameter | Token::End => {
                Err(PartiqlError::Syntax("Unexpected path component".to_owned()))
            }
        }
    }
}

pub(super) fn too_deep() -> PartiqlError {
    PartiqlError::Syntax("the statement is nested too deeply".to_owned())
}

fn is_keyword(word: &str) -> bool {
    KEYWORDS
        .iter()
        .any(|keyword| keyword.eq_ignore_ascii_case(word))
}
