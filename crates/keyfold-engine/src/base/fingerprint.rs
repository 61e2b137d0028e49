//! A hash of a request, by which a repetition under the same token is recognised.
//!
//! It covers the request's texts and encoded values, each behind its length. It is the same in every
//! version of the program, and requests that differ have different input to the hash.

use keyfold_api::{Attributes, ExpressionAttributes};
use keyfold_codec::RawItem;
use keyfold_types::{Item, Value};
use xxhash_rust::xxh3::Xxh3;

/// A hash of the parts of a request, added one after another.
#[derive(Default)]
pub(crate) struct Fingerprint(Xxh3);

impl Fingerprint {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(&(bytes.len() as u64).to_be_bytes());
        self.0.update(bytes);
    }

    /// Adds a text.
    pub(crate) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Adds a text that may be missing.
    pub(crate) fn optional(&mut self, text: Option<&str>) {
        self.0.update(&[u8::from(text.is_some())]);
        self.text(text.unwrap_or_default());
    }

    /// Adds values and their number.
    pub(crate) fn values<'v>(&mut self, values: impl IntoIterator<Item = &'v Value>) {
        let mut encoded = Vec::new();
        let mut count = 0u64;
        for value in values {
            encoded.clear();
            keyfold_codec::raw::encode(&mut encoded, value);
            self.bytes(&encoded);
            count += 1;
        }
        self.0.update(&count.to_be_bytes());
    }

    /// Adds an item or a key. An invalid one counts as empty, since its request is refused.
    pub(crate) fn attributes(&mut self, attributes: Option<&Attributes>) {
        let none = Item::new();
        let item = attributes
            .and_then(|attributes| attributes.as_ref().ok())
            .unwrap_or(&none);
        self.bytes(RawItem::encode(item).bytes());
    }

    /// Adds placeholders with their names and values.
    pub(crate) fn placeholders(&mut self, placeholders: &ExpressionAttributes) {
        let names = placeholders.names.iter().flatten();
        names.for_each(|(key, name)| {
            self.text(key);
            self.text(name);
        });
        self.0.update(&[0xff]);
        for (key, value) in placeholders.values.iter().flatten().flatten() {
            self.text(key);
            self.values([value]);
        }
        self.0.update(&[0xff]);
    }

    /// The hash in 128 bits.
    pub(crate) fn long(&self) -> u128 {
        self.0.digest128()
    }

    /// The hash in 64 bits.
    pub(crate) fn short(&self) -> u64 {
        self.0.digest()
    }
}
