//! Items as a program reads them.

use crate::error::Error;
use crate::serial::number::{Native, native};
use crate::serial::plain::Plain;
use crate::serial::read;
use keyfold_client::FoundItem;
use keyfold_client::json::plain;
use keyfold_types::{Number, Value};
use serde::{Deserialize, Serialize, Serializer};
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

    pub(crate) fn into_found(self) -> FoundItem {
        self.found
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
        self.number(name)?.to_i64()
    }

    /// A whole number of 64 bits, 0 or more.
    pub fn u64(&self, name: &str) -> Option<u64> {
        self.number(name)?.to_string().parse().ok()
    }

    /// A number as the nearest float.
    pub fn f64(&self, name: &str) -> Option<f64> {
        self.number(name)?.to_string().parse().ok()
    }

    /// A number with all its digits.
    pub fn number(&self, name: &str) -> Option<&Number> {
        let Some(Value::N(number)) = self.get(name) else {
            return None;
        };
        Some(number)
    }

    /// A truth value.
    pub fn bool(&self, name: &str) -> Option<bool> {
        let Some(Value::Bool(truth)) = self.get(name) else {
            return None;
        };
        Some(*truth)
    }

    /// Bytes.
    pub fn bytes(&self, name: &str) -> Option<&[u8]> {
        let Some(Value::B(bytes)) = self.get(name) else {
            return None;
        };
        Some(bytes)
    }

    /// Names and values of all attributes that it has, in the order of their declaration.
    pub fn attributes(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.found
            .attributes
            .iter()
            .map(|(name, held)| (name.as_str(), held))
    }

    /// The attributes as JSON: sets as arrays, binary as base64. A number that neither an integer of
    /// 64 bits nor a float holds exactly is a text.
    pub fn to_json(&self) -> Json {
        Json::Object(
            self.attributes()
                .map(|(name, held)| (name.to_owned(), plain(held, number)))
                .collect::<Map<_, _>>(),
        )
    }

    /// The item as a struct, or as anything else that serde makes of a map.
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
    /// Numbers are exact: one that the member cannot hold is an error, except that a float is the
    /// nearest one. A number can be read as text, with all its digits. Binary is read as bytes
    /// (`serde_bytes`), as `Vec<u8>`, or as base64 text. An attribute that the item does not have is
    /// `None`, or the default of `#[serde(default)]`. A `serde_json::Value` takes no bytes: an item
    /// with binary is made JSON by [`Item::to_json`].
    ///
    /// An item of several kinds is read as an enum whose variants are the kinds:
    ///
    /// ```
    /// # use keyfold::{Keyfold, values};
    /// #[derive(serde::Deserialize)]
    /// enum Found {
    ///     Order { id: String, total: f64 },
    ///     Line { n: u32 },
    /// }
    /// # let db = Keyfold::memory()?;
    /// # let shop = db.model("model s 1\ntable Shop (PK, SK)\nentity Order\n  id: string, total: number\n  key \"O#{id}\" \"A\"\nentity Line\n  id: Order.id, n: int\n  key \"O#{id}\" \"L#{n:04}\"\npattern order(id) -> Order + Line[]\n")?;
    /// # shop.put("Order", values! { "id": "a", "total": 1.5 })?;
    /// # for n in 0..2 { shop.put("Line", values! { "id": "a", "n": n })?; }
    /// let found: Vec<Found> = shop.query("order").arg("id", "a").all_as()?;
    /// assert!(matches!(&found[..], [Found::Order { .. }, Found::Line { n: 0 }, Found::Line { n: 1 }]));
    /// # Ok::<(), keyfold::Error>(())
    /// ```
    ///
    /// # Errors
    /// `Invalid` when the item does not fit, with the path to the member.
    pub fn to<'i, T: Deserialize<'i>>(&'i self) -> Result<T, Error> {
        read::item(self.kind(), &self.found.attributes).map_err(|fault| {
            let kind = self.kind();
            Error::invalid(format!("the {kind} does not fit: {fault}"))
        })
    }
}

/// The attributes as a map, so that an item can be put back.
impl Serialize for Item {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.attributes().map(|(name, held)| (name, Plain(held))))
    }
}

fn number(number: &Number) -> Json {
    match native(number) {
        Native::Unsigned(number) => Json::from(number),
        Native::Signed(number) => Json::from(number),
        Native::Float(number) => Json::from(number),
        Native::Wide(number) => Json::from(number.to_string()),
        Native::Text(text) => Json::from(text),
    }
}
