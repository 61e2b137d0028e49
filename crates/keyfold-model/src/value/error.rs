//! Errors about values.

use super::display::shown_text as shown;

/// The reason why a text is no value of a type, or why a value cannot be part of a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// The text is no value of the type.
    #[error("{name}: `{}` is not {wanted}", shown(text))]
    Text {
        /// The attribute or parameter.
        name: String,
        /// The text.
        text: String,
        /// The expected form.
        wanted: String,
    },
    /// A time has more digits than its type keeps.
    #[error(
        "{name}: `{}` is finer than a {kind} keeps it; leave out the digits that would be cut, or declare a finer time",
        shown(text)
    )]
    Finer {
        /// The attribute or parameter.
        name: String,
        /// The text.
        text: String,
        /// The type.
        kind: String,
    },
    /// A text has the form of a time or a day, and there is no such moment.
    #[error("{name}: there is no `{}`: {why}", shown(text))]
    Moment {
        /// The attribute or parameter.
        name: String,
        /// The text.
        text: String,
        /// The reason.
        why: &'static str,
    },
    /// A JSON text has a key twice.
    #[error(
        "{name}: the JSON has the key `{}` twice; keep one of them",
        shown(key)
    )]
    Twice {
        /// The attribute or parameter.
        name: String,
        /// The key.
        key: String,
    },
    /// A value that a key needs is missing.
    #[error("{0} is missing, and a key is made of it")]
    Missing(String),
    /// A field of a record is missing.
    #[error("{0} is missing: a field of its record")]
    MissingField(String),
    /// A set is empty, or has a value twice.
    #[error("{0}: a set has at least one value, and none twice")]
    Set(String),
    /// A value has another type.
    #[error("{name} is no {wanted}: {found}")]
    Kind {
        /// The attribute, with the path to the nested value.
        name: String,
        /// The type in the model.
        wanted: String,
        /// The value as a message shows it: a text in quotes.
        found: String,
    },
    /// A range of time has too many periods.
    #[error(
        "{name}: from {} to {} are more than {most} {unit}s; ask for less",
        shown(low),
        shown(high)
    )]
    Periods {
        /// The attribute.
        name: String,
        /// The lower end.
        low: String,
        /// The upper end.
        high: String,
        /// The unit of the periods.
        unit: &'static str,
        /// The greatest number of periods.
        most: usize,
    },
    /// A text contains a character that separates key parts.
    #[error(
        "{name}: `{}` contains `{}`, {}",
        shown(text),
        delimiter.escape_debug(),
        reserved(*delimiter)
    )]
    Delimiter {
        /// The attribute.
        name: String,
        /// The text.
        text: String,
        /// The character.
        delimiter: char,
    },
    /// A text inside a key is empty.
    #[error("{0} is empty, and a key is made of it")]
    Empty(String),
    /// The value of an attribute came from an argument of another name.
    #[error("{argument}: {error}")]
    Argument {
        /// The argument as the caller writes it, with the way to a field in it.
        argument: String,
        /// What is wrong with the attribute.
        error: Box<ValueError>,
    },
    /// The value is that of an item of a batch.
    #[error("item {at} of the batch: {error}")]
    Item {
        /// The position of the item, from 0.
        at: usize,
        /// What is wrong with the attribute.
        error: Box<ValueError>,
    },
    /// A key is longer than DynamoDB takes it.
    #[error(
        "{of}: {name} makes {column} {bytes} bytes long, and a {part} key has at most {most} bytes"
    )]
    Long {
        /// The entity or pattern.
        of: String,
        /// The attributes or parameters that it is made of.
        name: String,
        /// The attribute of the key.
        column: String,
        /// Its length.
        bytes: usize,
        /// `partition` or `sort`.
        part: &'static str,
        /// The greatest length.
        most: usize,
    },
    /// A number does not fit its padding.
    #[error(
        "{name}: {number} does not fit {digits} digits; a padded number has no more digits, and one that is not `signed` is 0 or more"
    )]
    Width {
        /// The attribute.
        name: String,
        /// The number.
        number: String,
        /// The digits of the padding: `8`, or `8.2` with two digits after the point.
        digits: String,
    },
}

/// The reason why a character is in no plain field of a key, and what to do.
fn reserved(delimiter: char) -> &'static str {
    if delimiter == char::MAX {
        "the last character of all, where ranges of keys end; write the field with `:escape` in the template, or choose another value"
    } else {
        "which separates the parts of the key; write the field with `:escape` in the template, or choose another value"
    }
}

impl ValueError {
    /// The attribute or parameter with the value.
    pub fn name(&self) -> &str {
        match self {
            ValueError::Missing(name)
            | ValueError::MissingField(name)
            | ValueError::Set(name)
            | ValueError::Empty(name)
            | ValueError::Text { name, .. }
            | ValueError::Finer { name, .. }
            | ValueError::Moment { name, .. }
            | ValueError::Twice { name, .. }
            | ValueError::Kind { name, .. }
            | ValueError::Periods { name, .. }
            | ValueError::Delimiter { name, .. }
            | ValueError::Argument { argument: name, .. }
            | ValueError::Long { name, .. }
            | ValueError::Width { name, .. } => name,
            ValueError::Item { error, .. } => error.name(),
        }
    }
}
