//! Key templates: `"ORDER#{createdAt}#{orderId:08}"`. A template makes a key text of an item's
//! attributes, and describes the set of all texts that it can make.

use crate::diagnostic::Span;
use crate::language::{CharSet, Language};
use crate::period::{Precision, Unit};
use crate::types::Type;
use crate::written::in_braces;
use std::fmt;

/// A template: a sequence of texts and fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyTemplate {
    /// The parts, from left to right.
    pub parts: Vec<Part>,
    /// Its place in the source.
    pub span: Span,
}

/// A part of a template. Parts are equal when they make the same text of the same value; what they
/// exclude does not count.
#[derive(Debug, Clone)]
pub enum Part {
    /// A fixed text.
    Text(String),
    /// An attribute's value.
    Field {
        /// The attribute, or the parameter that provides its value.
        name: String,
        /// The attribute's type.
        kind: Type,
        /// Its form in the key.
        format: Format,
        /// Characters that a text must not contain, so that keys can be split again and kinds
        /// stay apart; of an escaped text, those that are escaped. Empty for other types.
        excluded: Vec<char>,
    },
    /// The number of the shard that holds an item.
    Shard {
        /// The number of shards.
        count: u32,
        /// The number is a hash of these parts.
        of: Vec<Part>,
    },
    /// The number of a part, for an item that is split over several. The first is 0.
    Chunk,
    /// The border between two attributes of a key with several.
    Break,
}

/// The format of a value in a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The value as text.
    Plain,
    /// The attribute itself is the key: a number, binary value, or text with any characters.
    Bare,
    /// A number with a fixed number of digits, filled up with zeros.
    Padded {
        /// Digits before the point.
        whole: usize,
        /// Digits behind the point.
        decimals: usize,
        /// Whether the greatest number comes first: each digit is subtracted from nine.
        reversed: bool,
        /// Whether negative numbers fit, too: a sign stands before the digits.
        signed: bool,
    },
    /// The hour, day, month or year of a time.
    Truncated(Unit),
    /// A time with each digit subtracted from nine, so that the latest comes first.
    Reversed,
    /// The text in lower case.
    Lower,
    /// The first 32 hexadecimal digits of the text's SHA-256.
    Hash,
    /// The text with delimiters and `%` escaped: `%` and hexadecimal digits.
    Escaped,
}

/// The number of digits in the number of a part.
pub const CHUNK_DIGITS: usize = 4;
/// The digits that hashes and UUIDs are made of.
const HEX_DIGITS: &str = "0123456789abcdef";
/// The number of digits in a hash.
pub(crate) const HASH_DIGITS: usize = 32;
/// The character between the attributes of a key with several. No value contains it.
pub(crate) const BREAK: char = '\0';

/// The number of digits in the number of a shard.
pub(crate) fn shard_digits(count: u32) -> usize {
    (count - 1).to_string().len()
}

impl Format {
    /// The format of a period of a time or date. The day of a date is the date.
    pub(crate) fn period(unit: Unit, kind: &Type) -> Format {
        match (unit, kind) {
            (Unit::Day, Type::Date) => Format::Plain,
            (_, _) => Format::Truncated(unit),
        }
    }

    /// Whether different values always give different texts.
    pub fn keeps_value(self) -> bool {
        !matches!(self, Format::Truncated(_) | Format::Lower)
    }

    /// Whether key order is the reverse of value order.
    pub(crate) fn is_reversed(self) -> bool {
        matches!(
            self,
            Format::Reversed | Format::Padded { reversed: true, .. }
        )
    }
}

impl PartialEq for Part {
    fn eq(&self, other: &Part) -> bool {
        match (self, other) {
            (Part::Text(one), Part::Text(two)) => one == two,
            (
                Part::Field {
                    name,
                    kind,
                    format,
                    excluded: _,
                },
                Part::Field {
                    name: other_name,
                    kind: other_kind,
                    format: other_format,
                    excluded: _,
                },
            ) => (name, kind, format) == (other_name, other_kind, other_format),
            (
                Part::Shard { count, of },
                Part::Shard {
                    count: other_count,
                    of: other_of,
                },
            ) => count == other_count && of == other_of,
            (Part::Chunk, Part::Chunk) | (Part::Break, Part::Break) => true,
            (
                Part::Text(_) | Part::Field { .. } | Part::Shard { .. } | Part::Chunk | Part::Break,
                _,
            ) => false,
        }
    }
}

impl Eq for Part {}

impl Part {
    /// A field with the plain format.
    pub(crate) fn plain(name: &str, kind: &Type) -> Part {
        Part::Field {
            name: name.to_owned(),
            kind: kind.clone(),
            format: Format::Plain,
            excluded: Vec::new(),
        }
    }

    /// The characters that the texts of a field are made of.
    pub(crate) fn charset(kind: &Type, format: Format, excluded: &[char]) -> CharSet {
        if format == Format::Hash {
            return CharSet::of(HEX_DIGITS);
        }
        match kind {
            Type::String if format == Format::Bare => CharSet::all_except(&[BREAK]),
            Type::String => {
                // An escaped text contains the sign that it is escaped with.
                let is_excluded = |c: &&char| format != Format::Escaped || **c != '%';
                let mut without: Vec<char> = excluded.iter().filter(is_excluded).copied().collect();
                without.push(BREAK);
                CharSet::all_except(&without)
            }
            Type::Int => CharSet::of("-0123456789"),
            Type::Number => CharSet::of("-.0123456789"),
            Type::Time(_) => CharSet::of("0123456789-:.TZ"),
            Type::Period(_) => CharSet::of("0123456789-T"),
            Type::Date => CharSet::of("0123456789-"),
            Type::Ulid => CharSet::of("0123456789ABCDEFGHJKMNPQRSTVWXYZ"),
            Type::Uuid => CharSet::of("0123456789abcdef-"),
            Type::Bool => CharSet::of("truefals"),
            Type::Words(words) => CharSet::of(&words.concat()),
            Type::Binary | Type::List(_) | Type::Map(_) | Type::Set(_) | Type::Record(_) => {
                CharSet::all()
            }
        }
    }

    /// Whether every value gives a text of the same length, so that no delimiter has to end it.
    pub(crate) fn is_fixed_width(&self) -> bool {
        match self {
            Part::Text(_) | Part::Shard { .. } | Part::Chunk | Part::Break => true,
            Part::Field {
                format: Format::Padded { .. } | Format::Truncated(_) | Format::Hash,
                ..
            } => true,
            Part::Field { kind, .. } => {
                matches!(
                    kind,
                    Type::Time(_) | Type::Date | Type::Period(_) | Type::Ulid | Type::Uuid
                )
            }
        }
    }

    /// The length of the shortest text that the part makes.
    pub(crate) fn least_bytes(&self) -> usize {
        match self {
            Part::Text(text) => text.len(),
            Part::Shard { count, .. } => shard_digits(*count),
            Part::Chunk => CHUNK_DIGITS,
            Part::Break => 0,
            Part::Field {
                kind: Type::Words(words),
                format: Format::Plain | Format::Bare | Format::Lower | Format::Escaped,
                ..
            } => words.iter().map(String::len).min().unwrap_or_default(),
            // All other texts are of one width, or may have a single character.
            Part::Field { .. } => language_of(std::slice::from_ref(self)).shortest(),
        }
    }

    /// Whether text order is value order or its reverse, so that a range of texts is a range of
    /// values.
    pub fn is_ordered(&self) -> bool {
        match self {
            Part::Text(_) | Part::Shard { .. } | Part::Chunk | Part::Break => false,
            Part::Field { kind, format, .. } => match format {
                Format::Bare | Format::Padded { .. } | Format::Reversed => true,
                Format::Plain => kind.is_text(),
                Format::Truncated(_) | Format::Lower | Format::Hash | Format::Escaped => false,
            },
        }
    }

    /// Keeps only the excluded characters that an equal part excludes, too.
    pub(crate) fn exclude_in_common(&mut self, other: &Part) {
        if let (Part::Field { excluded, .. }, Part::Field { excluded: too, .. }) = (self, other) {
            excluded.retain(|sign| too.contains(sign));
        }
    }

    /// Whether the part's texts may contain the character.
    pub(crate) fn may_contain(&self, character: char) -> bool {
        match self {
            Part::Text(text) => text.contains(character),
            Part::Field {
                kind,
                format,
                excluded,
                ..
            } => Part::charset(kind, *format, excluded).contains(character),
            Part::Shard { .. } | Part::Chunk => character.is_ascii_digit(),
            Part::Break => character == BREAK,
        }
    }

    fn append(&self, language: &mut Language) {
        match self {
            Part::Text(text) => language.text(text),
            Part::Break => language.text(&BREAK.to_string()),
            Part::Chunk => language.exactly(&CharSet::digits(), CHUNK_DIGITS),
            Part::Shard { count, .. } => language.exactly(&CharSet::digits(), shard_digits(*count)),
            Part::Field {
                kind,
                format,
                excluded,
                ..
            } => append_field(kind, *format, excluded, language),
        }
    }
}

/// Continues a language with the texts of a field.
fn append_field(kind: &Type, format: Format, excluded: &[char], language: &mut Language) {
    match format {
        Format::Padded {
            whole,
            decimals,
            signed,
            reversed: _,
        } => {
            if signed {
                language.exactly(&CharSet::of("-0"), 1);
            }
            language.exactly(&CharSet::digits(), whole);
            if decimals > 0 {
                language.text(".");
                language.exactly(&CharSet::digits(), decimals);
            }
        }
        Format::Truncated(unit) => period(unit, language),
        Format::Hash => language.exactly(&CharSet::of(HEX_DIGITS), HASH_DIGITS),
        Format::Plain | Format::Bare | Format::Reversed | Format::Lower | Format::Escaped => {
            append_value(kind, format, excluded, language);
        }
    }
}

/// Continues a language with the texts of a value in a format that keeps its length.
fn append_value(kind: &Type, format: Format, excluded: &[char], language: &mut Language) {
    let charset = || Part::charset(kind, format, excluded);
    match kind {
        Type::Period(unit) => period(*unit, language),
        Type::Date => period(Unit::Day, language),
        Type::Time(precision) => time(*precision, language),
        Type::Ulid => language.exactly(&charset(), 26),
        Type::Uuid => {
            for (at, width) in [8, 4, 4, 4, 12].into_iter().enumerate() {
                language.text(if at > 0 { "-" } else { "" });
                language.exactly(&CharSet::of(HEX_DIGITS), width);
            }
        }
        Type::Words(words) => language.any_of(words),
        Type::Bool => language.any_of(&["true".to_owned(), "false".to_owned()]),
        Type::String
        | Type::Int
        | Type::Number
        | Type::Binary
        | Type::List(_)
        | Type::Map(_)
        | Type::Set(_)
        | Type::Record(_) => language.some(&charset()),
    }
}

/// Continues a language with the periods of a unit.
fn period(unit: Unit, language: &mut Language) {
    let pieces = [(4, ""), (2, "-"), (2, "-"), (2, "T")];
    let count = match unit {
        Unit::Year => 1,
        Unit::Month => 2,
        Unit::Day => 3,
        Unit::Hour => 4,
    };
    for (width, before) in pieces.into_iter().take(count) {
        language.text(before);
        language.exactly(&CharSet::digits(), width);
    }
}

fn time(precision: Precision, language: &mut Language) {
    period(Unit::Hour, language);
    for _ in 0..2 {
        language.text(":");
        language.exactly(&CharSet::digits(), 2);
    }
    if precision.digits() > 0 {
        language.text(".");
        language.exactly(&CharSet::digits(), precision.digits());
    }
    language.text("Z");
}

impl KeyTemplate {
    /// A template of one fixed text.
    pub fn of_text(text: &str, span: Span) -> KeyTemplate {
        KeyTemplate {
            parts: vec![Part::Text(text.to_owned())],
            span,
        }
    }

    /// The attributes that it is made of, from left to right, each once. The attributes of a shard's
    /// number are included.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        fields_of(&self.parts).into_iter()
    }

    /// Whether the key is the attribute itself.
    pub fn is_bare(&self) -> bool {
        matches!(
            self.parts.as_slice(),
            [Part::Field {
                format: Format::Bare,
                ..
            }]
        )
    }

    /// The parts that make each attribute of the key.
    pub fn columns(&self) -> impl Iterator<Item = &[Part]> {
        self.parts.split(|part| *part == Part::Break)
    }

    /// Keeps only the excluded characters that an equal template excludes, too.
    pub(crate) fn exclude_in_common(&mut self, other: &KeyTemplate) {
        for (own, other) in self.parts.iter_mut().zip(&other.parts) {
            own.exclude_in_common(other);
        }
    }

    /// The set of all texts that it can make.
    pub fn language(&self) -> Language {
        language_of(&self.parts)
    }

    /// Whether it can make this text.
    pub fn matches(&self, text: &str) -> bool {
        self.language().accepts(text)
    }
}

/// The attributes that parts are made of, each once.
pub(crate) fn fields_of(parts: &[Part]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for part in parts {
        let found = match part {
            Part::Field { name, .. } => vec![name.as_str()],
            Part::Shard { of, .. } => fields_of(of),
            Part::Text(_) | Part::Chunk | Part::Break => Vec::new(),
        };
        for name in found {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// The set of all texts that a sequence of parts can make.
pub(crate) fn language_of(parts: &[Part]) -> Language {
    let mut language = Language::empty_text();
    for part in parts {
        part.append(&mut language);
    }
    language
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The upper end of an open range: above every character.
            Part::Text(text) => f.write_str(&text.replace(char::MAX, "…")),
            Part::Field { name, format, .. } => match format {
                Format::Plain | Format::Bare => f.write_str(&in_braces(name)),
                Format::Padded {
                    whole,
                    decimals,
                    reversed,
                    signed,
                } => {
                    write!(f, "{{{name}:0{whole}")?;
                    if *decimals > 0 {
                        write!(f, ".{decimals}")?;
                    }
                    f.write_str(if *signed { ":signed" } else { "" })?;
                    f.write_str(if *reversed { ":reverse}" } else { "}" })
                }
                Format::Truncated(unit) => write!(f, "{{{name}:{unit}}}"),
                Format::Reversed => write!(f, "{{{name}:reverse}}"),
                Format::Lower => write!(f, "{{{name}:lower}}"),
                Format::Hash => write!(f, "{{{name}:hash}}"),
                Format::Escaped => write!(f, "{{{name}:escape}}"),
            },
            Part::Shard { count, .. } => write!(f, "‹0-{}›", count - 1),
            Part::Chunk => f.write_str("‹part›"),
            Part::Break => f.write_str("\" \""),
        }
    }
}

/// The parts as the language writes them: in quotes, or in braces when bare.
pub fn print(parts: &[Part]) -> String {
    let columns: Vec<String> = parts
        .split(|part| *part == Part::Break)
        .map(|column| {
            let text: String = column.iter().map(Part::to_string).collect();
            match column {
                [
                    Part::Field {
                        format: Format::Bare,
                        ..
                    },
                ] => text,
                _ => format!("\"{text}\""),
            }
        })
        .collect();
    columns.join(" ")
}

impl fmt::Display for KeyTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print(&self.parts))
    }
}
