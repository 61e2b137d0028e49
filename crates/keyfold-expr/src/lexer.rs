//! Cuts an expression into tokens. The lexer knows no grammar: an unknown character becomes a token
//! of its own, which the parser refuses.

/// A token and its span in the text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Token<'t> {
    pub(crate) kind: TokenKind<'t>,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum TokenKind<'t> {
    /// A bare name, keyword or function name.
    Word(&'t str),
    /// `#name`, with the sign.
    Name(&'t str),
    /// `:value`, with the sign.
    Value(&'t str),
    /// Decimal digits.
    Digits(&'t str),
    /// An operator or a delimiter.
    Sign(&'t str),
    /// The end of the text.
    End,
}

/// The tokens of `text`, the last of which is `End`.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut start = 0;
    while let Some(&first) = bytes.get(start) {
        if first.is_ascii_whitespace() {
            start += 1;
            continue;
        }
        let end = start + token_length(text.get(start..).unwrap_or_default(), first);
        let piece = text.get(start..end).unwrap_or_default();
        let kind = match first {
            b'#' if piece.len() > 1 => TokenKind::Name(piece),
            b':' if piece.len() > 1 => TokenKind::Value(piece),
            b'0'..=b'9' => TokenKind::Digits(piece),
            _ if first.is_ascii_alphabetic() => TokenKind::Word(piece),
            _ => TokenKind::Sign(piece),
        };
        tokens.push(Token { kind, start, end });
        start = end;
    }
    tokens.push(Token {
        kind: TokenKind::End,
        start: text.len(),
        end: text.len(),
    });
    tokens
}

/// The bytes of the token at the start of `rest`, whose first byte is `first`.
fn token_length(rest: &str, first: u8) -> usize {
    let run = |skip: usize| {
        let tail = rest.as_bytes().get(skip..).unwrap_or_default();
        skip + tail
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
            .count()
    };
    match first {
        b'#' | b':' => run(1),
        b'0'..=b'9' => rest.bytes().take_while(u8::is_ascii_digit).count(),
        b'<' if rest.starts_with("<>") || rest.starts_with("<=") => 2,
        b'>' if rest.starts_with(">=") => 2,
        _ if first.is_ascii_alphabetic() => run(0),
        _ => rest.chars().next().map_or(1, char::len_utf8),
    }
}
