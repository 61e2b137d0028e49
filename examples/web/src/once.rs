//! A member that a body has twice: readers of JSON differ in which of the two they take, so none is taken.

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::collections::HashSet;
use std::fmt;

/// The path of the first member that an object of a JSON text has twice.
///
/// # Errors
/// Those of a text that is no JSON.
pub(crate) fn twice(text: &[u8]) -> Result<Option<String>, serde_json::Error> {
    let mut found = None;
    let mut read = serde_json::Deserializer::from_slice(text);
    let seen = Seen {
        path: String::new(),
        found: &mut found,
    };
    seen.deserialize(&mut read)?;
    read.end()?;
    Ok(found)
}

/// The path of a member of the object at a path.
pub(crate) fn within(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}

/// A value at a path.
struct Seen<'f> {
    path: String,
    found: &'f mut Option<String>,
}

impl<'de> DeserializeSeed<'de> for Seen<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seen<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let mut at = 0_usize;
        let item = |at: usize| format!("{}[{at}]", self.path);
        while let Some(()) = items.next_element_seed(Seen {
            path: item(at),
            found: &mut *self.found,
        })? {
            at += 1;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut names = HashSet::new();
        while let Some(name) = members.next_key::<String>()? {
            let path = within(&self.path, &name);
            if !names.insert(name) {
                self.found.get_or_insert_with(|| path.clone());
            }
            members.next_value_seed(Seen {
                path,
                found: &mut *self.found,
            })?;
        }
        Ok(())
    }
}
