//! Values that items have only inside keys: each becomes an attribute, whose name and type are
//! guesses from its texts.

use super::form::Form;
use super::names::identifier;
use super::types::text_type;
use keyfold_types::{Item, Value};
use std::collections::BTreeMap;

/// Digits from which a padded number is distinguished from an id that begins with 0.
const PADDED_DIGITS_MIN: usize = 4;

/// An attribute whose values are inside keys.
#[derive(Clone)]
pub(super) struct Made {
    pub(super) name: String,
    form: Form,
    /// Its text in the key of each item, by the item's address; empty where it is part of another
    /// attribute.
    texts: BTreeMap<*const Item, String>,
}

impl Made {
    /// An attribute for these texts, each with its item.
    pub(super) fn new(name: String, form: Form, texts: &[(&str, &Item)]) -> Made {
        let texts = texts.iter();
        let texts = texts.map(|(text, item)| (std::ptr::from_ref(*item), (*text).to_owned()));
        Made {
            name,
            form,
            texts: texts.collect(),
        }
    }

    /// An attribute that is part of another one.
    pub(super) fn part(name: String) -> Made {
        Made::new(name, Form::Plain, &[])
    }

    /// Whether it has these texts, which several keys of an item may repeat. Texts that are all
    /// equal may be so by chance: then the guessed name must be the same, too.
    pub(super) fn is(&self, texts: &[(&str, &Item)], name: &str) -> bool {
        let first = texts.first().map(|(text, _)| text);
        let are_several = texts.iter().any(|(text, _)| Some(text) != first);
        let has = |(text, item): &(&str, &Item)| {
            let own = self.texts.get(&std::ptr::from_ref(*item));
            own.is_some_and(|own| own == text)
        };
        texts.iter().all(has) && (are_several || self.name == name)
    }

    /// The field of a key that it is.
    pub(super) fn field(&self) -> String {
        match self.form {
            Form::Plain | Form::Day => format!("{{{}}}", self.name),
            Form::Padded(width) => format!("{{{}:0{width}}}", self.name),
        }
    }
}

/// The guesses about a value in keys.
pub(super) struct Guess {
    /// A name, which may be taken.
    pub(super) name: String,
    /// The type as the language writes it.
    pub(super) kind: &'static str,
    pub(super) form: Form,
}

/// Guesses from the texts of all items and from the last word before them in the key: `userId` for
/// `USER#`, `orderDate` for `ORDER#` before a day.
pub(super) fn guess(texts: &[&str], word: &str) -> Guess {
    let (kind, form) = match padded(texts) {
        Some(width) => ("int", Form::Padded(width)),
        None => {
            let values: Vec<Value> = texts.iter().map(|text| (*text).into()).collect();
            (text_type(&values.iter().collect::<Vec<_>>()), Form::Plain)
        }
    };
    let (suffix, alone) = match kind {
        "date" => ("Date", "date"),
        kind if kind.starts_with("time") => ("Time", "time"),
        _ => ("Id", "part"),
    };
    let name = if word.is_empty() {
        alone.to_owned()
    } else {
        identifier(&format!("{}{suffix}", word.to_ascii_lowercase()))
    };
    Guess { name, kind, form }
}

/// The width of numbers that are padded with zeros.
fn padded(texts: &[&str]) -> Option<usize> {
    let width = texts.first()?.len();
    let is_number =
        |text: &&str| text.len() == width && text.bytes().all(|byte| byte.is_ascii_digit());
    let has_zero = texts.iter().any(|text| text.starts_with('0'));
    (width >= PADDED_DIGITS_MIN && has_zero && texts.iter().all(is_number)).then_some(width)
}

/// The last word of a fixed text of a key.
pub(super) fn last_word(fixed: &str) -> &str {
    let is_sign = |c: char| !c.is_ascii_alphanumeric();
    let words = fixed.trim_end_matches(is_sign);
    words.rsplit(is_sign).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_types_are_guessed_from_the_texts_in_a_key() {
        let guessed = |texts: &[&str], word| {
            let guess = guess(texts, word);
            let made = Made::new(guess.name, guess.form, &[]);
            format!("{} {}", made.field(), guess.kind)
        };
        assert_eq!(guessed(&["u1", "17"], "USER"), "{userId} string");
        assert_eq!(guessed(&["2024-01-15"], "ORDER"), "{orderDate} date");
        assert_eq!(guessed(&["2024-01-15T10:00:00Z"], ""), "{time} time(s)");
        assert_eq!(
            guessed(&["00001001", "12345678"], "ORDER"),
            "{orderId:08} int"
        );
        assert_eq!(guessed(&["1001", "2001"], "ORDER"), "{orderId} string");
        assert_eq!(last_word("TEAM#ORDER_ITEM#"), "ITEM");
    }
}
