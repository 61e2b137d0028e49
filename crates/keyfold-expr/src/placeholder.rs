//! ExpressionAttributeNames and ExpressionAttributeValues. Binding looks placeholders up and notes
//! their use, so that unused ones can be refused.

use crate::path::Name;
use keyfold_codec::RawValue;
use keyfold_codec::item::encode_value;
use keyfold_types::limits::{
    ATTRIBUTE_NAME_BYTES_MAX, PLACEHOLDER_BYTES_MAX, SUBSTITUTION_BYTES_MAX,
};
use keyfold_types::{Number, Value};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// The placeholders of one request, or of one table or action in it. All expressions of that scope
/// share them.
#[derive(Debug, Default)]
pub struct Placeholders<'a> {
    names: Option<&'a BTreeMap<String, String>>,
    values: Option<&'a BTreeMap<String, Value>>,
    /// The names that were used; each is made once.
    used_names: RefCell<BTreeMap<&'a str, Name>>,
    /// The values that were used; each is encoded once.
    used_values: RefCell<BTreeMap<&'a str, Literal>>,
}

/// The reason for which placeholders are refused. `Display` is DynamoDB's message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlaceholderError {
    /// An empty map of names.
    #[error("ExpressionAttributeNames must not be empty")]
    EmptyNames,
    /// An empty map of values.
    #[error("ExpressionAttributeValues must not be empty")]
    EmptyValues,
    /// A key of the names that has not the form `#name`.
    #[error("ExpressionAttributeNames contains invalid key: Syntax error; key: \"{0}\"")]
    NameKey(String),
    /// A key of the values that has not the form `:value`.
    #[error("ExpressionAttributeValues contains invalid key: Syntax error; key: \"{0}\"")]
    ValueKey(String),
    /// A key above 255 bytes.
    #[error(
        "{member} contains invalid key: The key is longer than {PLACEHOLDER_BYTES_MAX} bytes; key: \"{key}\""
    )]
    KeyLength {
        /// The request member.
        member: &'static str,
        /// The key.
        key: String,
    },
    /// More than 2 MB of placeholders and values.
    #[error(
        "The expression attribute names and values exceed {SUBSTITUTION_BYTES_MAX} bytes in total"
    )]
    TooLarge,
    /// A key whose attribute name is empty.
    #[error("ExpressionAttributeNames contains invalid value: Empty attribute name; key: {0}")]
    EmptyName(String),
    /// An attribute name above the limit.
    #[error(
        "ExpressionAttributeNames contains invalid value: An attribute name has at most {ATTRIBUTE_NAME_BYTES_MAX} bytes, not {bytes}; key: {key}"
    )]
    NameLength {
        /// The key.
        key: String,
        /// The bytes of the attribute name.
        bytes: usize,
    },
    /// Names that no expression uses.
    #[error("Value provided in ExpressionAttributeNames unused in expressions: keys: {{{}}}", .0.join(", "))]
    UnusedNames(Vec<String>),
    /// Values that no expression uses.
    #[error("Value provided in ExpressionAttributeValues unused in expressions: keys: {{{}}}", .0.join(", "))]
    UnusedValues(Vec<String>),
}

impl<'a> Placeholders<'a> {
    /// The placeholders of a request.
    ///
    /// # Errors
    /// When a map is empty, a key is malformed, or a limit is exceeded.
    pub fn new(
        names: Option<&'a BTreeMap<String, String>>,
        values: Option<&'a BTreeMap<String, Value>>,
    ) -> Result<Placeholders<'a>, PlaceholderError> {
        for (key, name) in names.into_iter().flatten() {
            check_key(
                "ExpressionAttributeNames",
                key,
                '#',
                PlaceholderError::NameKey,
            )?;
            if name.is_empty() {
                return Err(PlaceholderError::EmptyName(key.clone()));
            }
            if name.len() > ATTRIBUTE_NAME_BYTES_MAX {
                return Err(PlaceholderError::NameLength {
                    key: key.clone(),
                    bytes: name.len(),
                });
            }
        }
        if names.is_some_and(BTreeMap::is_empty) {
            return Err(PlaceholderError::EmptyNames);
        }
        for key in values.into_iter().flat_map(BTreeMap::keys) {
            check_key(
                "ExpressionAttributeValues",
                key,
                ':',
                PlaceholderError::ValueKey,
            )?;
        }
        if values.is_some_and(BTreeMap::is_empty) {
            return Err(PlaceholderError::EmptyValues);
        }
        let name_bytes = names
            .into_iter()
            .flatten()
            .map(|(key, name)| (key.len() + name.len()) as u64);
        let value_bytes = values
            .into_iter()
            .flatten()
            .map(|(key, value)| key.len() as u64 + value.size_bytes());
        if name_bytes.chain(value_bytes).sum::<u64>() > SUBSTITUTION_BYTES_MAX {
            return Err(PlaceholderError::TooLarge);
        }
        Ok(Placeholders {
            names,
            values,
            ..Placeholders::default()
        })
    }

    pub(crate) fn name(&self, placeholder: &str) -> Option<Name> {
        let (key, name) = self.names?.get_key_value(placeholder)?;
        Some(
            self.used_names
                .borrow_mut()
                .entry(key)
                .or_insert_with(|| Name::from(name.as_str()))
                .clone(),
        )
    }

    pub(crate) fn value(&self, placeholder: &str) -> Option<Literal> {
        let (key, value) = self.values?.get_key_value(placeholder)?;
        Some(
            self.used_values
                .borrow_mut()
                .entry(key)
                .or_insert_with(|| Literal::new(value.clone()))
                .clone(),
        )
    }

    /// Refuses placeholders that no expression has used. The caller binds all expressions first.
    ///
    /// # Errors
    /// `UnusedNames`, then `UnusedValues`.
    pub fn check_all_used(&self) -> Result<(), PlaceholderError> {
        fn unused<V, U>(
            all: Option<&BTreeMap<String, V>>,
            used: &RefCell<BTreeMap<&str, U>>,
        ) -> Vec<String> {
            let used = used.borrow();
            let keys = all.into_iter().flat_map(BTreeMap::keys);
            keys.filter(|key| !used.contains_key(key.as_str()))
                .cloned()
                .collect()
        }
        let names = unused(self.names, &self.used_names);
        if !names.is_empty() {
            return Err(PlaceholderError::UnusedNames(names));
        }
        let values = unused(self.values, &self.used_values);
        if values.is_empty() {
            Ok(())
        } else {
            Err(PlaceholderError::UnusedValues(values))
        }
    }
}

fn check_key(
    member: &'static str,
    key: &str,
    sign: char,
    wrong: fn(String) -> PlaceholderError,
) -> Result<(), PlaceholderError> {
    let body = key
        .strip_prefix(sign)
        .ok_or_else(|| wrong(key.to_owned()))?;
    if body.is_empty()
        || !body
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    {
        return Err(wrong(key.to_owned()));
    }
    if key.len() > PLACEHOLDER_BYTES_MAX {
        return Err(PlaceholderError::KeyLength {
            member,
            key: key.to_owned(),
        });
    }
    Ok(())
}

/// A value of the request with its encoding, which is compared with stored values byte by byte.
/// Clones share both: a value of megabytes may be used hundreds of times.
#[derive(Debug, Clone)]
pub struct Literal(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    value: Value,
    /// Made by the first comparison.
    encoded: OnceLock<Vec<u8>>,
}

impl PartialEq for Literal {
    fn eq(&self, other: &Literal) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.value == other.0.value
    }
}

impl Literal {
    /// A literal of the value.
    pub fn new(value: Value) -> Literal {
        Literal(Arc::new(Shared {
            value,
            encoded: OnceLock::new(),
        }))
    }

    /// The value.
    pub fn value(&self) -> &Value {
        &self.0.value
    }

    /// The encoded value.
    pub fn raw(&self) -> RawValue<'_> {
        RawValue::new(self.0.encoded.get_or_init(|| encode_value(&self.0.value)))
    }

    /// The order of two literals; none if their types differ or have no order.
    pub(crate) fn compare(&self, other: &Literal) -> Option<Ordering> {
        if Arc::ptr_eq(&self.0, &other.0) && self.value().kind().is_ordered() {
            return Some(Ordering::Equal);
        }
        self.raw().compare(&other.raw())
    }
}

impl fmt::Display for Literal {
    /// Writes the literal as DynamoDB's messages show it: `{S:text}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn text(value: &Value) -> String {
            let list = |texts: Vec<String>| format!("[{}]", texts.join(","));
            match value {
                Value::S(text) => text.clone(),
                Value::N(number) => number.to_string(),
                Value::B(bytes) => format!("{} bytes", bytes.len()),
                Value::Bool(value) => value.to_string(),
                Value::Null => "true".to_owned(),
                Value::L(values) => list(values.iter().map(text).collect()),
                Value::M(map) => list(
                    map.iter()
                        .map(|(name, value)| format!("{name}={}", text(value)))
                        .collect(),
                ),
                Value::Ss(set) => list(set.members().to_vec()),
                Value::Ns(set) => list(set.members().iter().map(Number::to_string).collect()),
                Value::Bs(set) => list(
                    set.members()
                        .iter()
                        .map(|bytes| format!("{} bytes", bytes.len()))
                        .collect(),
                ),
            }
        }
        write!(
            f,
            "{{{}:{}}}",
            self.value().kind().descriptor(),
            text(self.value())
        )
    }
}
