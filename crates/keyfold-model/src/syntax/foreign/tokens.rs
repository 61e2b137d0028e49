//! Questions about the tokens of a line, and the change of one.

use crate::syntax::change::Change;
use crate::syntax::lexer::{Token, TokenKind};

/// Words for no value.
pub(crate) const ABSENT: [&str; 2] = ["null", "undefined"];

/// The word at a place.
pub(super) fn word(tokens: &[Token], at: usize) -> Option<&str> {
    match &tokens.get(at)?.kind {
        TokenKind::Word(word) => Some(word),
        TokenKind::Number(_) | TokenKind::Text(_) | TokenKind::Braces(_) | TokenKind::Sign(_) => {
            None
        }
    }
}

/// Whether a sign stands at a place.
pub(super) fn is_sign(tokens: &[Token], at: usize, sign: &str) -> bool {
    matches!(&tokens.get(at), Some(Token { kind: TokenKind::Sign(found), .. }) if *found == sign)
}

/// Whether a text in quotes stands at a place.
pub(super) fn is_text(tokens: &[Token], at: usize) -> bool {
    matches!(
        tokens.get(at).map(|token| &token.kind),
        Some(TokenKind::Text(_))
    )
}

/// The first place from `from` on with one of these signs, or the end.
pub(super) fn until(tokens: &[Token], from: usize, signs: &[&str]) -> usize {
    (from..tokens.len())
        .find(|at| signs.iter().any(|sign| is_sign(tokens, *at, sign)))
        .unwrap_or(tokens.len())
}

/// A plain word as a token.
pub(super) fn plain(text: &str) -> TokenKind {
    TokenKind::Word(text.to_owned())
}

/// The token at a place, replaced by the word or sign that is meant by it.
pub(super) fn meant(tokens: &[Token], at: usize, written: &str, meant: &'static str) -> Change {
    let kind = match meant.starts_with(char::is_alphabetic) {
        true => plain(meant),
        false => TokenKind::Sign(meant),
    };
    let message = (
        format!("`{written}` has no meaning here"),
        "of other languages",
    );
    Change::meant(tokens, at..at + 1, message, vec![kind])
}
