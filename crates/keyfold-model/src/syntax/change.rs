//! A change of the tokens of a line after which it can be read.

use super::lexer::{Token, TokenKind};
use crate::diagnostic::{Choice, Edit, Span};
use std::ops::Range;

/// A change of the tokens of a line.
pub(crate) struct Change {
    /// The message of the error and the label of its place, if the change explains it better.
    pub(crate) message: Option<(String, &'static str)>,
    pub(crate) help: String,
    /// At least one; the first is at the place of the error.
    pub(crate) edits: Vec<Edit>,
    pub(crate) tokens: Vec<Token>,
    /// A person decides where the line could have meant something else.
    pub(crate) choice: Choice,
}

impl Change {
    /// The tokens at these places, replaced by what is meant.
    pub(crate) fn meant(
        tokens: &[Token],
        places: Range<usize>,
        message: (String, &'static str),
        meant: Vec<TokenKind>,
    ) -> Change {
        let replaced = tokens.get(places.clone()).unwrap_or_default();
        let span = match replaced {
            [] => Span::default(),
            [first, ..] => replaced
                .iter()
                .fold(first.span, |span, one| span.to(one.span)),
        };
        let text: Vec<String> = meant.iter().map(text_of).collect();
        let text = text.join(" ");
        let made = meant.into_iter().map(|kind| Token { kind, span });
        let before = tokens.iter().take(places.start).cloned();
        let behind = tokens.iter().skip(places.end).cloned();
        Change {
            message: Some(message),
            help: format!("write `{text}`"),
            edits: vec![Edit::replace(span, text)],
            tokens: before.chain(made).chain(behind).collect(),
            choice: Choice::Tool,
        }
    }

    /// The change with a text of its own for what is meant: tokens stand apart by spaces otherwise.
    pub(crate) fn written(self, text: String) -> Change {
        let first = self.edits.first();
        let edits = first.map(|edit| Edit::replace(edit.span, text.clone()));
        Change {
            help: format!("write `{text}`"),
            edits: edits.into_iter().collect(),
            ..self
        }
    }
}

/// The tokens with another one, or none, in the place of some.
pub(crate) fn with(tokens: &[Token], from: usize, to: usize, new: Option<Token>) -> Vec<Token> {
    let before = tokens.iter().take(from).cloned();
    before
        .chain(new)
        .chain(tokens.iter().skip(to).cloned())
        .collect()
}

/// A token as it is written.
pub(crate) fn text_of(kind: &TokenKind) -> String {
    match kind {
        TokenKind::Word(text) | TokenKind::Number(text) => text.clone(),
        TokenKind::Text(text) => format!("\"{text}\""),
        TokenKind::Braces(text) => format!("{{{text}}}"),
        TokenKind::Sign(sign) => (*sign).to_owned(),
    }
}
