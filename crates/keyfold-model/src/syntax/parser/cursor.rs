//! Walks the tokens of a line, and says what was expected where something else stands.

use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::ast::Name;
use crate::syntax::lexer::{Token, TokenKind};

pub(super) type Parsed<T> = Result<T, Box<Diagnostic>>;

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

    /// Steps over a token that was peeked at.
    pub(super) fn advance(&mut self) {
        self.at += 1;
    }

    /// Steps back to the token before, to point at it.
    pub(super) fn step_back(&mut self) {
        self.at = self.at.saturating_sub(1);
    }

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

    pub(super) fn before(&self) -> Span {
        self.tokens
            .get(self.at.saturating_sub(1))
            .map_or(Span::default(), |token| token.span)
    }

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

    /// A name of a table or index: a word, or in quotes what is no word (`"app-prod.main"`).
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

    /// A word, number or text: an operand. The quotes of a text stay, to tell it from a name.
    pub(super) fn operand(&mut self) -> Parsed<Name> {
        let minus = self.span();
        if self.is_sign("-") && matches!(self.peek_second(), Some(TokenKind::Number(_))) {
            self.at += 1;
            let number = self.operand()?;
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

    pub(super) fn words(&mut self, wanted: &str) -> Parsed<Vec<Name>> {
        let mut words = vec![self.word(wanted)?];
        while self.take_sign(",") {
            words.push(self.word(wanted)?);
        }
        Ok(words)
    }

    /// A comparison and what is compared with; `exists` and `missing` stand in front and need no
    /// operand.
    pub(super) fn comparison(&mut self) -> Parsed<crate::syntax::ast::ConditionDecl> {
        for word in ["exists", "missing"] {
            if self.is_word(word) && matches!(self.peek_second(), Some(TokenKind::Word(_))) {
                let comparator = self.word(word)?;
                let attribute = self.word("an attribute")?;
                return Ok(crate::syntax::ast::ConditionDecl {
                    attribute,
                    comparator,
                    operand: None,
                });
            }
        }
        let attribute = self.word("an attribute")?;
        let span = self.span();
        let signs = ["=", "<>", ">=", "<=", ">", "<"];
        let sign = signs.into_iter().find(|sign| self.take_sign(sign));
        let word = ["contains", "starts"]
            .into_iter()
            .find(|word| sign.is_none() && self.take_word(word));
        let Some(comparator) = sign.or(word) else {
            return self.fail(
                "a comparison: `=`, `<>`, `<`, `<=`, `>`, `>=`, `contains`, `starts` (or `exists a`, `missing a`)",
            );
        };
        let comparator = Name {
            text: comparator.to_owned(),
            span,
        };
        Ok(crate::syntax::ast::ConditionDecl {
            attribute,
            comparator,
            operand: Some(self.operand()?),
        })
    }

    /// `N items`, `N bytes`, `N writes a second`, `N a second`, `N per attribute`.
    pub(super) fn expectations(&mut self) -> Parsed<Vec<crate::syntax::ast::ExpectDecl>> {
        use crate::syntax::ast::{ExpectDecl, ExpectUnit};
        let mut all = Vec::new();
        loop {
            let start = self.span();
            let count = self.number("a number")?;
            let unit = if self.take_word("items") {
                ExpectUnit::Items
            } else if self.take_word("bytes") {
                ExpectUnit::Bytes
            } else if self.take_word("per") {
                ExpectUnit::Per(self.word("an attribute")?)
            } else {
                let writes = self.take_word("writes");
                if !self.take_word("a") || !self.take_word("second") {
                    return self.fail(
                        "`items`, `bytes`, `writes a second`, `a second` or `per` an attribute",
                    );
                }
                if writes {
                    ExpectUnit::WritesASecond
                } else {
                    ExpectUnit::ASecond
                }
            };
            all.push(ExpectDecl {
                count,
                unit,
                span: start.to(self.before()),
            });
            if !self.take_sign(",") {
                return Ok(all);
            }
        }
    }
}
