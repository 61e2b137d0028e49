//! Walks the tokens of a line, and reports what was expected where another token stands.

use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::ast::{ExpectDecl, ExpectUnit, Name, PathDecl};
use crate::syntax::lexer::{Token, TokenKind};
use crate::written::unwritable;

/// A parsed declaration, or the error at the first token that does not fit.
pub(super) type Parsed<T> = Result<T, Box<Diagnostic>>;

/// A position in the tokens of a line.
pub(super) struct Cursor<'t> {
    tokens: &'t [Token],
    at: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(tokens: &'t [Token]) -> Cursor<'t> {
        Cursor { tokens, at: 0 }
    }

    pub(super) fn peek(&self) -> Option<&'t TokenKind> {
        self.tokens.get(self.at).map(|token| &token.kind)
    }

    pub(super) fn peek_second(&self) -> Option<&'t TokenKind> {
        self.tokens.get(self.at + 1).map(|token| &token.kind)
    }

    pub(super) fn peek_third(&self) -> Option<&'t TokenKind> {
        self.tokens.get(self.at + 2).map(|token| &token.kind)
    }

    /// The number of tokens before the current one.
    pub(super) fn place(&self) -> usize {
        self.at
    }

    /// Steps over the current token.
    pub(super) fn advance(&mut self) {
        self.at += 1;
    }

    /// Steps back to the previous token, to point at it.
    pub(super) fn step_back(&mut self) {
        self.at = self.at.saturating_sub(1);
    }

    /// The place of the current token, or the end of the line.
    pub(super) fn span(&self) -> Span {
        match (self.tokens.get(self.at), self.tokens.last()) {
            (Some(token), _) => token.span,
            (None, Some(last)) => Span {
                start: last.span.end,
                end: last.span.end,
            },
            (None, None) => Span::default(),
        }
    }

    /// The place of the previous token.
    pub(super) fn before(&self) -> Span {
        self.tokens
            .get(self.at.saturating_sub(1))
            .map_or(Span::default(), |token| token.span)
    }

    /// The error that something else was expected at the current token.
    pub(super) fn fail<T>(&self, wanted: &str) -> Parsed<T> {
        let found = match self.peek() {
            None => "the line ends here".to_owned(),
            Some(TokenKind::Word(text) | TokenKind::Number(text)) => format!("found `{text}`"),
            Some(TokenKind::Text(text)) => format!("found \"{text}\""),
            Some(TokenKind::Braces(text)) => format!("found {{{text}}}"),
            Some(TokenKind::Sign(sign)) => format!("found `{sign}`"),
        };
        Err(Box::new(Diagnostic::error(
            "KF001",
            self.span(),
            format!("expected {wanted}"),
            found,
        )))
    }

    pub(super) fn expect_end(&self) -> Parsed<()> {
        if self.at >= self.tokens.len() {
            Ok(())
        } else {
            self.fail("the end of the line")
        }
    }

    pub(super) fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(TokenKind::Sign(found)) if *found == sign)
    }

    pub(super) fn take_sign(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        self.at += usize::from(found);
        found
    }

    pub(super) fn sign(&mut self, sign: &str) -> Parsed<()> {
        if self.take_sign(sign) {
            Ok(())
        } else {
            self.fail(&format!("`{sign}`"))
        }
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(TokenKind::Word(found)) if found == word)
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    pub(super) fn keyword(&mut self, word: &str) -> Parsed<()> {
        if self.take_word(word) {
            Ok(())
        } else {
            self.fail(&format!("`{word}`"))
        }
    }

    pub(super) fn word(&mut self, wanted: &str) -> Parsed<Name> {
        match self.peek() {
            Some(TokenKind::Word(text)) => {
                let name = Name {
                    text: text.clone(),
                    span: self.span(),
                };
                self.at += 1;
                Ok(name)
            }
            _ => self.fail(wanted),
        }
    }

    /// The name of a table or index: a word, or a quoted text (`"app-prod.main"`).
    pub(super) fn name(&mut self, wanted: &str) -> Parsed<Name> {
        match self.peek() {
            Some(TokenKind::Text(text)) => {
                let name = Name {
                    text: text.clone(),
                    span: self.span(),
                };
                self.at += 1;
                Ok(name)
            }
            _ => self.word(wanted),
        }
    }

    /// A text in quotes.
    pub(super) fn text(&mut self, wanted: &str) -> Parsed<Name> {
        match self.peek() {
            Some(TokenKind::Text(_)) => self.name(wanted),
            _ => self.fail(wanted),
        }
    }

    /// The name of an attribute or a parameter: a word, or any other name in quotes.
    pub(super) fn attribute(&mut self, wanted: &str) -> Parsed<Name> {
        let name = self.name(wanted)?;
        match refused_name(&name.text, name.span) {
            Some(diagnostic) => Err(diagnostic),
            None => Ok(name),
        }
    }

    /// A word of an enumeration: a word, or any other text in quotes.
    pub(super) fn enumerated(&mut self) -> Parsed<Name> {
        if self.peek() == Some(&TokenKind::Text(String::new())) {
            return self.fail("a word with at least one character");
        }
        self.name("a word")
    }

    /// Whether the next token but one is a name.
    pub(super) fn is_second_name(&self) -> bool {
        matches!(
            self.peek_second(),
            Some(TokenKind::Word(_) | TokenKind::Text(_))
        )
    }

    /// An operand: a fixed value, a name, or a name in braces, which it keeps.
    pub(super) fn operand(&mut self) -> Parsed<Name> {
        let Some(TokenKind::Braces(text)) = self.peek() else {
            return self.fixed_value();
        };
        let span = self.span();
        let text = format!("{{{}}}", bare_name(text, span)?);
        self.at += 1;
        Ok(Name { text, span })
    }

    /// `attribute` or `attribute.field`; a field that is no word stands in quotes.
    pub(super) fn path(&mut self, wanted: &str) -> Parsed<PathDecl> {
        let name = self.attribute(wanted)?;
        let fields = self.fields()?;
        Ok(PathDecl { name, fields })
    }

    /// An operand that may be a field inside an attribute.
    pub(super) fn path_operand(&mut self) -> Parsed<PathDecl> {
        let name = self.operand()?;
        let fields = self.fields()?;
        Ok(PathDecl { name, fields })
    }

    /// The fields behind an attribute.
    fn fields(&mut self) -> Parsed<Vec<Name>> {
        let mut fields = Vec::new();
        while self.take_sign(".") {
            fields.push(self.name("a field")?);
        }
        Ok(fields)
    }

    /// A word, number or text. A text keeps its quotes, which distinguish it from a name.
    pub(super) fn fixed_value(&mut self) -> Parsed<Name> {
        let minus = self.span();
        if self.is_sign("-") && matches!(self.peek_second(), Some(TokenKind::Number(_))) {
            self.at += 1;
            let number = self.fixed_value()?;
            return Ok(Name {
                text: format!("-{}", number.text),
                span: minus.to(number.span),
            });
        }
        let text = match self.peek() {
            Some(TokenKind::Word(text) | TokenKind::Number(text)) => text.clone(),
            Some(TokenKind::Text(text)) => format!("\"{text}\""),
            _ => return self.fail("a parameter, an attribute, a number or a text in quotes"),
        };
        let span = self.span();
        self.at += 1;
        Ok(Name { text, span })
    }

    pub(super) fn number<N: std::str::FromStr>(&mut self, wanted: &str) -> Parsed<N> {
        match self.peek() {
            Some(TokenKind::Number(text)) => match text.parse() {
                Ok(number) => {
                    self.at += 1;
                    Ok(number)
                }
                Err(_) => self.fail(wanted),
            },
            _ => self.fail(wanted),
        }
    }

    /// One or more elements, separated by commas.
    pub(super) fn separated<T>(
        &mut self,
        element: impl Fn(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut all = vec![element(self)?];
        while self.take_sign(",") {
            all.push(element(self)?);
        }
        Ok(all)
    }

    /// One or more attributes, separated by commas.
    pub(super) fn attributes(&mut self, wanted: &str) -> Parsed<Vec<Name>> {
        self.separated(|cursor| cursor.attribute(wanted))
    }

    /// A word after `sign`, if the sign stands here.
    pub(super) fn word_after(&mut self, sign: &str, wanted: &str) -> Parsed<Option<Name>> {
        self.take_sign(sign).then(|| self.word(wanted)).transpose()
    }

    /// `= operand`, if the sign stands here.
    pub(super) fn operand_after_equals(&mut self) -> Parsed<Option<Name>> {
        self.take_sign("=").then(|| self.fixed_value()).transpose()
    }

    /// `N items`, `N bytes`, `N writes a second`, `N a second`, `N per attribute`.
    pub(super) fn expectations(&mut self) -> Parsed<Vec<ExpectDecl>> {
        self.separated(|cursor| {
            let start = cursor.span();
            Ok(ExpectDecl {
                count: cursor.number("a number")?,
                unit: cursor.expected_unit()?,
                span: start.to(cursor.before()),
            })
        })
    }

    fn expected_unit(&mut self) -> Parsed<ExpectUnit> {
        if self.take_word("items") {
            return Ok(ExpectUnit::Items);
        }
        if self.take_word("bytes") {
            return Ok(ExpectUnit::Bytes);
        }
        if self.take_word("per") {
            return Ok(ExpectUnit::Per(self.attribute("an attribute")?));
        }
        let are_writes = self.take_word("writes");
        if !self.take_word("a") || !self.take_word("second") {
            return self
                .fail("`items`, `bytes`, `writes a second`, `a second` or `per` an attribute");
        }
        Ok(if are_writes {
            ExpectUnit::WritesASecond
        } else {
            ExpectUnit::ASecond
        })
    }
}

/// The error about a name that no attribute can have; `None` for other names.
pub(super) fn refused_name(name: &str, span: Span) -> Option<Box<Diagnostic>> {
    let (why, help) = unwritable(name)?;
    let message = format!("`{name}` cannot be the name of an attribute");
    Some(Box::new(
        Diagnostic::error("KF004", span, message, "not this name")
            .note(why)
            .help(help),
    ))
}

/// The name in braces, with quotes or without.
fn bare_name(text: &str, span: Span) -> Parsed<&str> {
    let name = text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'))
        .unwrap_or(text);
    refused_name(name, span).map_or(Ok(name), Err)
}
