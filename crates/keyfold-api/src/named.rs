//! Members with a fixed set of words. An unknown word is kept, so that the engine can report it
//! together with all other errors.

/// A known word, or the text that was sent instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named<T> {
    /// A word of the API.
    Known(T),
    /// Any other text.
    Unknown(String),
}

impl<T> From<T> for Named<T> {
    fn from(word: T) -> Named<T> {
        Named::Known(word)
    }
}

/// The word of a member, if it is present and known.
pub fn known<T: Copy>(member: &Option<Named<T>>) -> Option<T> {
    match member {
        Some(Named::Known(word)) => Some(*word),
        Some(Named::Unknown(_)) | None => None,
    }
}

/// A type whose values are words of the API.
pub trait WireName: Copy + PartialEq + 'static {
    /// Every value and its word, in the order in which messages list them.
    const WORDS: &'static [(Self, &'static str)];

    /// The value's word.
    fn word(self) -> &'static str {
        Self::WORDS
            .iter()
            .find(|(value, _)| *value == self)
            .map_or("", |(_, word)| word)
    }

    /// Parses a word.
    fn named(text: &str) -> Named<Self> {
        match Self::WORDS.iter().find(|(_, word)| *word == text) {
            Some((value, _)) => Named::Known(*value),
            None => Named::Unknown(text.to_owned()),
        }
    }
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$variant_doc])* $variant),+ }

        impl $crate::named::WireName for $name {
            const WORDS: &'static [(Self, &'static str)] = &[$(($name::$variant, $word)),+];
        }
    };
}
pub(crate) use words;
