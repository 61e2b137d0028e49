//! Key templates: `"ORDER#{createdAt}#{orderId:08}"`.

use crate::diagnostic::Span;
use crate::language::{CharSet, Language};
use crate::schema::Type;
use std::fmt;

/// A template: texts and fields in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyTemplate {
    /// The parts, from left to right.
    pub parts: Vec<Part>,
    /// The attribute itself is the key (its number, not a text).
    pub bare: bool,
    /// Where it stands.
    pub span: Span,
}

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// A fixed text.
    Text(String),
    /// An attribute's value.
    Field {
        /// The attribute (or the parameter that stands for it).
        name: String,
        /// The attribute's type.
        kind: Type,
        /// How it is written.
        format: Format,
    },
}

/// How a value is written into a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// As it is.
    Plain,
    /// A whole number of this many digits, zeros in front.
    Padded(usize),
    /// The day of a time.
    Day,
}

impl Part {
    /// Characters that the part's texts are made of; none for a fixed text.
    fn charset(kind: &Type, delimiters: &[char]) -> CharSet {
        match kind {
            Type::String => CharSet::all_except(delimiters),
            Type::Int => CharSet::of("-0123456789"),
            Type::Number => CharSet::of("-.0123456789"),
            Type::Time => CharSet::of("0123456789-:.TZ"),
            Type::Date => CharSet::of("0123456789-"),
            Type::Bool => CharSet::of("truefals"),
            Type::Words(words) => CharSet::of(&words.concat()),
        }
    }

    /// Whether every value gives a text of the same length, so that text order is value order.
    pub fn is_fixed_width(&self) -> bool {
        match self {
            Part::Text(_) => true,
            Part::Field { kind: Type::Time | Type::Date, .. } => true,
            Part::Field { format: Format::Padded(_), .. } => true,
            Part::Field { .. } => false,
        }
    }

    /// Whether the part's texts may contain the character.
    pub fn may_contain(&self, character: char, delimiters: &[char]) -> bool {
        match self {
            Part::Text(text) => text.contains(character),
            Part::Field { kind, .. } => Part::charset(kind, delimiters).contains(character),
        }
    }

    fn append(&self, language: &mut Language, delimiters: &[char]) {
        match self {
            Part::Text(text) => language.text(text),
            Part::Field { format: Format::Padded(width), .. } => language.exactly(&CharSet::digits(), *width),
            Part::Field { format: Format::Day, .. } | Part::Field { kind: Type::Date, .. } => day(language),
            Part::Field { kind: Type::Time, .. } => {
                day(language);
                language.text("T");
                for (at, width) in [2, 2, 2, 3].into_iter().enumerate() {
                    language.text(match at {
                        0 => "",
                        3 => ".",
                        _ => ":",
                    });
                    language.exactly(&CharSet::digits(), width);
                }
                language.text("Z");
            }
            Part::Field { kind: Type::Words(words), .. } => language.any_of(words),
            Part::Field { kind: Type::Bool, .. } => language.any_of(&["true".to_owned(), "false".to_owned()]),
            Part::Field { kind, .. } => language.some(&Part::charset(kind, delimiters)),
        }
    }
}

fn day(language: &mut Language) {
    for (at, width) in [4, 2, 2].into_iter().enumerate() {
        language.text(if at > 0 { "-" } else { "" });
        language.exactly(&CharSet::digits(), width);
    }
}

impl KeyTemplate {
    /// A template of one text.
    pub fn of_text(text: &str, span: Span) -> KeyTemplate {
        KeyTemplate { parts: vec![Part::Text(text.to_owned())], bare: false, span }
    }

    /// The attributes it is made of, from left to right.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Field { name, .. } => Some(name.as_str()),
            Part::Text(_) => None,
        })
    }

    /// All texts it can make. A bare number's texts are those of no other template.
    pub fn language(&self, delimiters: &[char]) -> Language {
        language_of(&self.parts, delimiters)
    }

    /// Whether it can have made this text.
    pub fn matches(&self, text: &str, delimiters: &[char]) -> bool {
        self.language(delimiters).accepts(text)
    }
}

/// All texts that parts in a row can make.
pub fn language_of(parts: &[Part], delimiters: &[char]) -> Language {
    let mut language = Language::empty_text();
    for part in parts {
        part.append(&mut language, delimiters);
    }
    language
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The upper end of an open range: above every character.
            Part::Text(text) => f.write_str(&text.replace(char::MAX, "…")),
            Part::Field { name, format: Format::Plain, .. } => write!(f, "{{{name}}}"),
            Part::Field { name, format: Format::Padded(width), .. } => write!(f, "{{{name}:0{width}}}"),
            Part::Field { name, format: Format::Day, .. } => write!(f, "{{{name}:date}}"),
        }
    }
}

impl fmt::Display for KeyTemplate {
    /// As written: in quotes, or in braces when bare.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quote = if self.bare { "" } else { "\"" };
        f.write_str(quote)?;
        for part in &self.parts {
            part.fmt(f)?;
        }
        f.write_str(quote)
    }
}
