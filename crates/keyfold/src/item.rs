//! Items as a program reads them.

use crate::error::Error;
use keyfold_client::FoundItem;
use keyfold_client::json::plain;
use keyfold_types::{Number, Value};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

/// An item that a pattern has found.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    found: FoundItem,
}

impl Item {
    pub(crate) fn new(found: FoundItem) -> Item {
        Item { found }
    }

    /// What it is: the entity, or `Entity.copy`.
    pub fn kind(&self) -> &str {
        &self.found.kind
    }

    /// An attribute's value as DynamoDB has it.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.found.get(name)
    }

    /// A text, or what is stored as text: times, identifiers, words.
    pub fn text(&self, name: &str) -> Option<&str> {
        let Some(Value::S(text)) = self.get(name) else {
            return None;
        };
        Some(text)
    }

    /// A whole number of 64 bits.
    pub fn int(&self, name: &str) -> Option<i64> {
        let Some(Value::N(number)) = self.get(name) else {
            return None;
        };
        number.to_i64()
    }

    /// Names and values of all attributes that it has, in the order of their declaration.
    pub fn attributes(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.found
            .attributes
            .iter()
            .map(|(name, held)| (name.as_str(), held))
    }

    /// The attributes as JSON: exact numbers, sets as arrays, binary as base64.
    pub fn to_json(&self) -> Json {
        Json::Object(
            self.attributes()
                .map(|(name, held)| (name.to_owned(), plain(held, number)))
                .collect::<Map<_, _>>(),
        )
    }

    /// The item as a struct.
    ///
    /// ```
    /// # use keyfold::{Keyfold, values};
    /// #[derive(serde::Deserialize)]
    /// struct Note {
    ///     id: String,
    ///     stars: u32,
    /// }
    /// # let db = Keyfold::memory()?;
    /// # let notes = db.model("model n 1\ntable Notes (PK, SK)\nentity Note\n  id: string, stars: int\n  key \"N#{id}\" \"N\"\npattern note(id) -> Note?\n")?;
    /// notes.put("Note", values! { "id": "a", "stars": 3 })?;
    /// let note: Note = notes.query("note").arg("id", "a").one()?.expect("it was put").to()?;
    /// assert_eq!((note.id.as_str(), note.stars), ("a", 3));
    /// # Ok::<(), keyfold::Error>(())
    /// ```
    ///
    /// # Errors
    /// `Invalid` when the item does not fit the struct, naming the member.
    pub fn to<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_value(self.to_json())
            .map_err(|error| Error::Invalid(format!("the {} does not fit: {error}", self.kind())))
    }
}

fn number(number: &Number) -> Json {
    let text = number.to_string();
    text.parse::<serde_json::Number>()
        .map_or(Json::from(text), Json::Number)
}
