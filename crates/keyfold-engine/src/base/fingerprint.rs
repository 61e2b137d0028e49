//! A hash of a request, by which a repetition under the same token is recognised.
//!
//! Made of the request's texts and of values as they are encoded, each behind its length: it is the
//! same in every version of the program, and two requests that differ do not look alike.

use keyfold_api::{Attributes, ExpressionAttributes};
use keyfold_codec::RawItem;
use keyfold_types::{Item, Value};
use xxhash_rust::xxh3::Xxh3;

/// Parts of a request, one after another.
#[derive(Default)]
pub(crate) struct Fingerprint(Xxh3);

impl Fingerprint {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(&(bytes.len() as u64).to_be_bytes());
        self.0.update(bytes);
    }

    /// A text.
    pub(crate) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// A text that may be missing.
    pub(crate) fn optional(&mut self, text: Option<&str>) {
        self.0.update(&[u8::from(text.is_some())]);
        self.text(text.unwrap_or_default());
    }

    /// Values, and how many there are.
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

    /// An item or a key; what is wrong with one does not matter, since the request is refused.
    pub(crate) fn attributes(&mut self, attributes: Option<&Attributes>) {
        let none = Item::new();
        let item = attributes
            .and_then(|attributes| attributes.as_ref().ok())
            .unwrap_or(&none);
        self.bytes(RawItem::encode(item).bytes());
    }

    /// Placeholders.
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

    /// The number, in 128 bits.
    pub(crate) fn long(&self) -> u128 {
        self.0.digest128()
    }

    /// The number, in 64 bits.
    pub(crate) fn short(&self) -> u64 {
        self.0.digest()
    }
}
