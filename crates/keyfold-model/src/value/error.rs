//! Errors of values.

/// Why a text is no value of a type, or a value cannot be part of a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// The text is none of the type's.
    #[error("{name}: `{text}` is not {wanted}")]
    Text {
        /// The attribute or parameter.
        name: String,
        /// The text.
        text: String,
        /// The form that is wanted.
        wanted: String,
    },
    /// A time with more digits than its type keeps.
    #[error(
        "{name}: `{text}` is finer than a {kind} keeps it; leave out the digits that would be cut, or declare a finer time"
    )]
    Finer {
        /// The attribute or parameter.
        name: String,
        /// The text.
        text: String,
        /// The type.
        kind: String,
    },
    /// A value that a key needs is missing.
    #[error("{0} is missing, and a key is made of it")]
    Missing(String),
    /// A field of a record is missing.
    #[error("{0} is missing: a field of its record")]
    MissingField(String),
    /// A set without values, or with one twice.
    #[error("{0}: a set has at least one value, and none twice")]
    Set(String),
    /// A value of another type.
    #[error("{name} is no {wanted}: {found}")]
    Kind {
        /// The attribute, with the way to the nested value.
        name: String,
        /// The type that the model says.
        wanted: String,
        /// The value found.
        found: String,
    },
    /// A range of time that reaches over too many hours, days, months or years.
    #[error("{name}: from {low} to {high} are more than {most} periods of a {unit}; ask for less")]
    Periods {
        /// The attribute.
        name: String,
        /// The lower end.
        low: String,
        /// The upper end.
        high: String,
        /// A period's unit.
        unit: &'static str,
        /// The greatest number of periods.
        most: usize,
    },
    /// A text with a character that separates key parts.
    #[error(
        "{name}: `{text}` contains `{delimiter}`, which separates the parts of the key; escape it in the template ({{{name}:escape}}) or choose another value"
    )]
    Delimiter {
        /// The attribute.
        name: String,
        /// The text.
        text: String,
        /// The character.
        delimiter: char,
    },
    /// An empty text inside a key.
    #[error("{0} is empty, and a key is made of it")]
    Empty(String),
    /// A number that does not fit its padding.
    #[error(
        "{name}: {number} does not fit {digits} digits; a padded number is 0 or more and has no more digits"
    )]
    Width {
        /// The attribute.
        name: String,
        /// The number.
        number: String,
        /// The digits there are: `8`, or `8.2` with two behind the point.
        digits: String,
    },
}

impl ValueError {
    /// The attribute or parameter that is wrong.
    pub fn name(&self) -> &str {
        match self {
            ValueError::Missing(name)
            | ValueError::MissingField(name)
            | ValueError::Set(name)
            | ValueError::Empty(name)
            | ValueError::Text { name, .. }
            | ValueError::Finer { name, .. }
            | ValueError::Kind { name, .. }
            | ValueError::Periods { name, .. }
            | ValueError::Delimiter { name, .. }
            | ValueError::Width { name, .. } => name,
        }
    }
}
