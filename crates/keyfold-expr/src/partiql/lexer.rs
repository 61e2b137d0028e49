//! Cuts a statement into tokens.

use super::error::PartiqlError;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// A bare word: a keyword or a name.
    Word(String),
    /// A name between double quotes.
    Name(String),
    /// A text between single quotes.
    Text(String),
    /// Digits, with an optional point and an optional exponent.
    Number(String),
    /// An operator or delimiter.
    Sign(&'static str),
    /// `?`.
    Parameter,
    /// The end of the statement.
    End,
}

const SIGNS: [&str; 24] = [
    "<<", ">>", "<>", "<=", ">=", "!=", "<", ">", "=", ",", ".", "(", ")", "[", "]", "{", "}", ":",
    "*", "+", "-", ";", "`", "||",
];

pub(super) fn tokens(text: &str) -> Result<Vec<Token>, PartiqlError> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            _ if first.is_whitespace() => {
                rest = rest.get(first.len_utf8()..).unwrap_or_default();
                continue;
            }
            '-' if rest.starts_with("--") => {
                rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
                continue;
            }
            '\'' => quoted(rest, '\'').map(|(text, length)| (Token::Text(text), length))?,
            '"' => quoted(rest, '"').map(|(text, length)| (Token::Name(text), length))?,
            '?' => (Token::Parameter, 1),
            '0'..='9' => {
                let length = number_length(rest);
                (
                    Token::Number(rest.get(..length).unwrap_or_default().to_owned()),
                    length,
                )
            }
            _ if first.is_alphabetic() || first == '_' || first == '$' => {
                let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
                let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                (
                    Token::Word(rest.get(..length).unwrap_or_default().to_owned()),
                    length,
                )
            }
            other => match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                Some(sign) => (Token::Sign(sign), sign.len()),
                None => {
                    return Err(PartiqlError::Syntax(format!(
                        "Unexpected character '{other}'"
                    )));
                }
            },
        };
        tokens.push(token);
        rest = rest.get(length..).unwrap_or_default();
    }
    tokens.push(Token::End);
    Ok(tokens)
}

/// The text between quotes, where a doubled quote stands for one, and the bytes that it takes with
/// its quotes.
fn quoted(text: &str, quote: char) -> Result<(String, usize), PartiqlError> {
    let mut out = String::new();
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c != quote {
            out.push(c);
        } else if chars.peek().is_some_and(|(_, next)| *next == quote) {
            chars.next();
            out.push(quote);
        } else {
            return Ok((out, at + 1));
        }
    }
    Err(PartiqlError::Syntax("a quote is not closed".to_owned()))
}

/// The bytes of the number that the text begins with.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        from + bytes
            .get(from..)
            .unwrap_or_default()
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let signed = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if digits(signed) > signed {
            end = digits(signed);
        }
    }
    end
}
