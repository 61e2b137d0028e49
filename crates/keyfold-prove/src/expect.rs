//! The items that must be stored for a row, from the model's declarations: the main item, its copies,
//! guards, parts and index keys.
//!
//! This code follows the description of the language and shares nothing with the client, which
//! writes the items: a mistake in shared code would be proved.

use crate::verdict::holds;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use keyfold_client::arguments::Values;
use keyfold_model::schema::{Compared, Copy, Unique, UniqueMember};
use keyfold_model::{Entity, Format, KeyTemplate, Model, Part, Table, Type, Unit};
use keyfold_types::Value;
use keyfold_types::key::key_value_bytes;
use keyfold_types::limits::{PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX};
use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

/// The attributes of an item.
pub(crate) type Attributes = BTreeMap<String, Value>;

/// An item that must be stored.
pub(crate) struct Expected {
    pub(crate) table: String,
    pub(crate) key: Attributes,
    pub(crate) item: Attributes,
    /// The kind of the item: `Order`, `Order.part`, `Order.copy` or `unique`.
    pub(crate) kind: String,
}

/// The reason why a row cannot be stored.
#[derive(Debug, Clone)]
pub(crate) struct Unstorable(pub(crate) String);

type Made<T> = Result<T, Unstorable>;

/// The items of a row, the main one first.
///
/// # Errors
/// `Unstorable` when a key cannot contain a value, or is too long.
pub(crate) fn items(model: &Model, entity: &Entity, row: &Values) -> Made<Vec<Expected>> {
    let Some(table) = model.tables.get(entity.table) else {
        return Ok(Vec::new());
    };
    let stored = Row {
        table,
        name: physical(table, entity, row)?,
        entity,
        row,
    };
    let mut all = Vec::new();
    stored.add_parts(&mut all)?;
    stored.add_copies(&mut all)?;
    stored.add_guards(&mut all)?;
    all.iter()
        .try_for_each(|one| fits_indexes(table, &one.item))?;
    Ok(all)
}

/// The key of a row's main item; `None` where it cannot be made.
pub(crate) fn main_key(model: &Model, entity: &Entity, row: &Values) -> Option<Attributes> {
    let table = model.tables.get(entity.table)?;
    let (partition, sort) = (&entity.key.partition, entity.key.sort.as_ref());
    base_key(table, partition, sort, row, 0).ok()
}

/// A row of an entity, and the table that it is stored in.
struct Row<'r> {
    table: &'r Table,
    /// The name of the table; with periods, of the table of the row's time.
    name: String,
    entity: &'r Entity,
    row: &'r Values,
}

impl Row<'_> {
    /// Adds the main item and the parts behind it.
    fn add_parts(&self, all: &mut Vec<Expected>) -> Made<()> {
        let (table, entity, row) = (self.table, self.entity, self.row);
        let chunks = chunks(entity, row);
        for (number, chunk) in chunks.iter().enumerate() {
            let (partition, sort) = (&entity.key.partition, entity.key.sort.as_ref());
            let key = base_key(table, partition, sort, row, number)?;
            let mut rest = Attributes::new();
            let mut kind = format!("{}.part", entity.name);
            if number == 0 {
                kind = entity.name.clone();
                let stored = row
                    .iter()
                    .filter(|(name, _)| self.is_stored(name, partition, sort));
                rest.extend(stored.map(|(name, held)| (name.clone(), held.clone())));
                rest.extend(index_keys(table, entity, row)?);
            }
            if let (Some((list, _)), Some(chunk)) = (&entity.split, chunk) {
                rest.insert(list.clone(), Value::L(chunk.clone()));
                if number == 0 {
                    let count = i64::try_from(chunks.len()).unwrap_or(i64::MAX);
                    rest.insert(format!("{list}:parts"), Value::from(count));
                    let digest = digest_of_list(row.get(list));
                    rest.insert(format!("{list}:digest"), Value::S(digest));
                }
            }
            all.push(self.item(key, rest, kind));
        }
        Ok(())
    }

    fn add_copies(&self, all: &mut Vec<Expected>) -> Made<()> {
        let (row, none) = (self.row, Values::new());
        let has = |copy: &&Copy| copy.when.iter().all(|one| holds(one, row, &none));
        for copy in self.entity.copies.iter().filter(has) {
            let (partition, sort) = (&copy.key.partition, copy.key.sort.as_ref());
            let key = base_key(self.table, partition, sort, self.row, 0)?;
            let held = copy
                .attributes
                .iter()
                .filter(|name| self.is_stored(name, partition, sort))
                .filter_map(|name| Some((name.clone(), self.row.get(name)?.clone())));
            let kind = format!("{}.{}", self.entity.name, copy.name);
            all.push(self.item(key, held.collect(), kind));
        }
        Ok(())
    }

    /// Whether an attribute is stored beside a key: it is not, where the model says so and the key
    /// holds the whole value.
    fn is_stored(&self, name: &str, partition: &KeyTemplate, sort: Option<&KeyTemplate>) -> bool {
        let parts = partition
            .parts
            .iter()
            .chain(sort.iter().flat_map(|sort| &sort.parts));
        let mut fields = parts.filter_map(|part| match part {
            Part::Field { name, format, .. } => Some((name, *format)),
            Part::Text(_) | Part::Shard { .. } | Part::Chunk | Part::Break => None,
        });
        let is_whole =
            |format: Format| !matches!(format, Format::Truncated(_) | Format::Lower | Format::Hash);
        let in_key = fields.any(|(field, format)| field == name && is_whole(format));
        !(in_key && self.entity.unstored.iter().any(|one| one == name))
    }

    /// Adds the guards of the unique values that the row has.
    fn add_guards(&self, all: &mut Vec<Expected>) -> Made<()> {
        let (table, entity, row) = (self.table, self.entity, self.row);
        let has_all = |unique: &&Unique| unique.attributes().all(|name| row.contains_key(name));
        for unique in entity.uniques.iter().filter(has_all) {
            let guard = guard(table, entity, unique, row)?;
            let mut key = Attributes::new();
            key.insert(table.partition.name.clone(), Value::S(guard));
            let sort = table.sort.iter();
            key.extend(sort.map(|column| (column.name.clone(), Value::from("UNIQUE"))));
            all.push(self.item(key, self.held_in_guard(unique), "unique".to_owned()));
        }
        Ok(())
    }

    /// What a guard holds: that of the `id` has the values of the key that may change.
    fn held_in_guard(&self, unique: &Unique) -> Attributes {
        let id = &self.entity.id;
        let mut members = unique.members.iter();
        let is_id = unique.members.len() == id.len()
            && id.iter().all(|name| {
                let member = members.next();
                member.is_some_and(|one| one.attribute == *name && one.compared == Compared::Whole)
            });
        let fields = self
            .entity
            .key
            .fields()
            .filter(|name| !id.iter().any(|one| one == name));
        let held = |name: &str| Some((format!("{name}:key"), self.row.get(name)?.clone()));
        fields.filter(|_| is_id).filter_map(held).collect()
    }

    /// An item with its key and the attributes that the table defines for all items.
    fn item(&self, key: Attributes, rest: Attributes, kind: String) -> Expected {
        let mut item = key.clone();
        item.extend(rest);
        let of_kind = self.table.type_attribute.iter();
        item.extend(of_kind.map(|name| (name.clone(), Value::from(kind.as_str()))));
        item.extend(expiry(self.table, self.entity, self.row));
        Expected {
            table: self.name.clone(),
            key,
            item,
            kind,
        }
    }
}

/// Refuses an item whose attributes do not fit the keys of the indexes. An attribute that is a key of
/// its own must fit although the others are absent; several that share a part have its length together
/// once the item is in the index.
fn fits_indexes(table: &Table, item: &Attributes) -> Made<()> {
    for index in &table.indexes {
        let is_inside = index
            .columns()
            .all(|column| item.contains_key(&column.name));
        for (columns, most) in [
            (&index.partition, PARTITION_KEY_BYTES_MAX),
            (&index.sort, SORT_KEY_BYTES_MAX),
        ] {
            let bytes = |name: &str| match item.get(name) {
                Some(Value::S(text)) => text.len(),
                Some(Value::B(bytes)) => bytes.len(),
                Some(number @ Value::N(_)) => key_value_bytes(number),
                _ => 0,
            };
            let is_empty = |name: &str| match item.get(name) {
                Some(Value::S(text)) => text.is_empty(),
                Some(Value::B(bytes)) => bytes.is_empty(),
                _ => false,
            };
            if columns.iter().any(|column| is_empty(&column.name)) {
                return Err(Unstorable(format!(
                    "a key of {} would be empty",
                    index.name
                )));
            }
            let total: usize = columns.iter().map(|column| bytes(&column.name)).sum();
            if total > most && (is_inside || columns.len() == 1) {
                return Err(Unstorable(format!(
                    "a key of {} has more than {most} bytes",
                    index.name
                )));
            }
        }
    }
    Ok(())
}

/// The number of bytes of each key attribute that templates and guards make of a row, and the most that
/// it may have. `None` for a key of which an attribute is absent or cannot be contained.
pub(crate) fn key_bytes(
    model: &Model,
    entity: &Entity,
    row: &Values,
) -> Vec<Option<(usize, usize)>> {
    let mut all = Vec::new();
    let Some(table) = model.tables.get(entity.table) else {
        return all;
    };
    let pairs = std::iter::once(&entity.key)
        .chain(entity.copies.iter().map(|copy| &copy.key))
        .chain(entity.indexes.iter().map(|line| &line.key));
    for pair in pairs {
        for (template, most) in [
            (Some(&pair.partition), PARTITION_KEY_BYTES_MAX),
            (pair.sort.as_ref(), SORT_KEY_BYTES_MAX),
        ] {
            let parts = template.map_or(&[][..], |template| &template.parts);
            let columns = parts.split(|part| *part == Part::Break);
            all.extend(columns.map(|parts| Some((written(parts, row, 0).ok()?.len(), most))));
        }
    }
    let guards = entity.uniques.iter().map(|unique| {
        let text = guard_text(table, entity, unique, row).ok()?;
        Some((text.len(), PARTITION_KEY_BYTES_MAX))
    });
    all.extend(guards);
    all
}

/// The name of the table that a row is stored in: `Name_2024_01` in one with a table per month.
fn physical(table: &Table, entity: &Entity, row: &Values) -> Made<String> {
    let (Some(unit), Some(attribute)) = (table.period, &entity.period_attribute) else {
        return Ok(table.name.clone());
    };
    let time = text_of(row, attribute)?;
    Ok(format!(
        "{}_{}",
        table.name,
        period(unit, &time).replace(['-', 'T'], "_")
    ))
}

/// The period of a time.
fn period(unit: Unit, time: &str) -> String {
    let width = match unit {
        Unit::Year => 4,
        Unit::Month => 7,
        Unit::Day => 10,
        Unit::Hour => 13,
    };
    time.chars().take(width).collect()
}

/// An attribute as the text that keys contain.
fn text_of(row: &Values, name: &str) -> Made<String> {
    match row.get(name) {
        Some(Value::S(text)) => Ok(text.clone()),
        Some(Value::N(number)) => Ok(number.to_string()),
        Some(Value::Bool(truth)) => Ok(truth.to_string()),
        _ => Err(Unstorable(format!("{name} is missing"))),
    }
}

/// The attribute and time of expiry, in seconds since 1970.
fn expiry(table: &Table, entity: &Entity, row: &Values) -> Option<(String, Value)> {
    let (attribute, time) = (
        table.ttl_attribute.as_ref()?,
        row.get(entity.ttl.as_ref()?)?,
    );
    let Value::S(text) = time else { return None };
    Some((attribute.clone(), Value::from(seconds(text)?)))
}

/// Seconds from 1970 to a day or time in UTC.
pub(crate) fn seconds(time: &str) -> Option<i64> {
    let number = |from: usize, to: usize| {
        time.get(from..to)
            .map_or(Some(0), |text| text.parse::<i64>().ok())
    };
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    // Years begin in March, so that a leap day is the last day of its year.
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    Some(((days * 24 + number(11, 13)?) * 60 + number(14, 16)?) * 60 + number(17, 19)?)
}

/// The parts of the split list; a single `None` where the row has no list.
fn chunks(entity: &Entity, row: &Values) -> Vec<Option<Vec<Value>>> {
    let Some((list, size)) = &entity.split else {
        return vec![None];
    };
    match row.get(list) {
        Some(Value::L(elements)) if elements.is_empty() => vec![Some(Vec::new())],
        Some(Value::L(elements)) => elements
            .chunks(usize::try_from(*size).unwrap_or(1))
            .map(|part| Some(part.to_vec()))
            .collect(),
        _ => vec![None],
    }
}

/// The key of an item in the table.
fn base_key(
    table: &Table,
    partition: &KeyTemplate,
    sort: Option<&KeyTemplate>,
    row: &Values,
    part: usize,
) -> Made<Attributes> {
    let mut key = Attributes::new();
    let held = key_attribute(&partition.parts, row, part, PARTITION_KEY_BYTES_MAX)?;
    key.insert(table.partition.name.clone(), held);
    if let (Some(column), Some(sort)) = (&table.sort, sort) {
        key.insert(
            column.name.clone(),
            key_attribute(&sort.parts, row, part, SORT_KEY_BYTES_MAX)?,
        );
    }
    Ok(key)
}

/// The index keys that the templates make, without the attributes of the table's own key.
fn index_keys(table: &Table, entity: &Entity, row: &Values) -> Made<Attributes> {
    let mut keys = Attributes::new();
    for line in &entity.indexes {
        let Some(index) = table.indexes.get(line.index) else {
            continue;
        };
        let is_in = line.sparse.as_ref().is_none_or(|sparse| {
            match (&sparse.value, row.get(&sparse.attribute)) {
                (_, None) => false,
                (None, Some(_)) => true,
                (Some(wanted), Some(_)) => {
                    text_of(row, &sparse.attribute).is_ok_and(|text| text == *wanted)
                }
            }
        });
        if !is_in || !line.key.fields().all(|field| row.contains_key(field)) {
            continue;
        }
        let groups = [
            (
                &index.partition,
                Some(&line.key.partition),
                PARTITION_KEY_BYTES_MAX,
            ),
            (&index.sort, line.key.sort.as_ref(), SORT_KEY_BYTES_MAX),
        ];
        for (columns, template, most) in groups {
            let parts = template.map_or(&[][..], |template| &template.parts);
            for (column, parts) in columns.iter().zip(parts.split(|part| *part == Part::Break)) {
                let is_own = column.name == table.partition.name
                    || table
                        .sort
                        .as_ref()
                        .is_some_and(|sort| sort.name == column.name);
                if !is_own {
                    keys.insert(column.name.clone(), key_attribute(parts, row, 0, most)?);
                }
            }
        }
    }
    Ok(keys)
}

/// The value of a key attribute.
fn key_attribute(parts: &[Part], row: &Values, part: usize, most: usize) -> Made<Value> {
    let made = match parts {
        [
            Part::Field {
                name,
                format: Format::Bare,
                ..
            },
        ] => row
            .get(name)
            .cloned()
            .ok_or_else(|| Unstorable(format!("{name} is missing")))?,
        parts => Value::S(written(parts, row, part)?),
    };
    match &made {
        Value::S(text) if text.is_empty() => Err(Unstorable("a key would be empty".to_owned())),
        Value::S(text) if text.len() > most => {
            Err(Unstorable(format!("a key has more than {most} bytes")))
        }
        Value::B(bytes) if bytes.is_empty() || bytes.len() > most => {
            Err(Unstorable("a key would be empty or too long".to_owned()))
        }
        Value::S(_)
        | Value::B(_)
        | Value::N(_)
        | Value::Bool(_)
        | Value::Null
        | Value::L(_)
        | Value::M(_)
        | Value::Ss(_)
        | Value::Ns(_)
        | Value::Bs(_) => Ok(made),
    }
}

/// The text that a template makes.
fn written(parts: &[Part], row: &Values, part: usize) -> Made<String> {
    let mut text = String::new();
    for one in parts {
        match one {
            Part::Text(fixed) => text.push_str(fixed),
            Part::Break => text.push('\0'),
            Part::Chunk => text.push_str(&format!("{part:04}")),
            Part::Field {
                name,
                kind,
                format,
                excluded,
            } => {
                text.push_str(&field(&text_of(row, name)?, name, kind, *format, excluded)?);
            }
            Part::Shard { count, of } => {
                let hash = Sha256::digest(written(of, row, 0)?.as_bytes());
                let number = hash
                    .iter()
                    .take(4)
                    .fold(0_u64, |sum, byte| sum * 256 + u64::from(*byte));
                let width = (count - 1).to_string().len();
                text.push_str(&format!("{:0width$}", number % u64::from(*count)));
            }
        }
    }
    Ok(text)
}

/// The text of an attribute in a key.
fn field(text: &str, name: &str, kind: &Type, format: Format, excluded: &[char]) -> Made<String> {
    let is_excluded = |c: char| *kind == Type::String && excluded.contains(&c);
    let checked = |text: String| match text
        .chars()
        .find(|c| is_excluded(*c) || *c == '\0' || *c == char::MAX)
    {
        Some(c) => Err(Unstorable(format!("{name} contains {c:?}"))),
        None if text.is_empty() => Err(Unstorable(format!("{name} is empty"))),
        None => Ok(text),
    };
    match format {
        Format::Plain | Format::Bare => checked(text.to_owned()),
        Format::Lower => checked(small(text)),
        Format::Truncated(unit) => Ok(period(unit, text)),
        Format::Reversed => Ok(reversed_digits(text)),
        Format::Hash => Ok(hash(text)),
        Format::Escaped if text.is_empty() => Ok("%".to_owned()),
        Format::Escaped => {
            let escape = |c: char| -> String {
                if c != '%' && c != '\0' && c != char::MAX && !excluded.contains(&c) {
                    return c.to_string();
                }
                c.to_string()
                    .bytes()
                    .map(|byte| format!("%{byte:02X}"))
                    .collect()
            };
            Ok(text.chars().map(escape).collect())
        }
        Format::Padded {
            whole,
            decimals,
            reversed,
            signed,
        } => {
            let (sign, size) = match text.strip_prefix('-') {
                Some(size) if signed => (-1, size),
                _ => (1, text),
            };
            let (before, behind) = size.split_once('.').unwrap_or((size, ""));
            if size.starts_with('-') || before.len() > whole || behind.len() > decimals {
                return Err(Unstorable(format!(
                    "{name} does not fit {whole}.{decimals} digits"
                )));
            }
            let point = if decimals > 0 { "." } else { "" };
            let padded = format!("{before:0>whole$}{point}{behind:0<decimals$}");
            let turned = if reversed { -sign } else { sign };
            let is_zero = size.trim_matches(['0', '.']).is_empty();
            Ok(match (signed, reversed) {
                (true, _) if turned < 0 && !is_zero => format!("-{}", reversed_digits(&padded)),
                (true, _) => format!("0{padded}"),
                (false, true) => reversed_digits(&padded),
                (false, false) => padded,
            })
        }
    }
}

/// Replaces each digit by nine minus it: the order of texts is reversed.
fn reversed_digits(text: &str) -> String {
    text.chars()
        .map(|c| {
            c.to_digit(10)
                .map_or(c, |digit| char::from(b'9' - digit as u8))
        })
        .collect()
}

/// The first 32 hexadecimal digits of the SHA-256.
fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes())
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The partition key of a guard.
fn guard(table: &Table, entity: &Entity, unique: &Unique, row: &Values) -> Made<String> {
    let made = guard_text(table, entity, unique, row)?;
    if made.len() > PARTITION_KEY_BYTES_MAX {
        return Err(Unstorable("a guard's key is too long".to_owned()));
    }
    Ok(made)
}

fn guard_text(table: &Table, entity: &Entity, unique: &Unique, row: &Values) -> Made<String> {
    let mut values = Vec::new();
    for UniqueMember {
        attribute: name,
        compared,
    } in &unique.members
    {
        let kind = entity
            .attribute(name)
            .map_or(Type::String, |attribute| attribute.kind.clone());
        let format = if kind == Type::String {
            Format::Escaped
        } else {
            Format::Plain
        };
        let text = text_of(row, name)?;
        let text = match compared {
            Compared::Whole => text,
            Compared::Lower => small(&text),
        };
        values.push(field(&text, name, &kind, format, &table.delimiters)?);
    }
    Ok(format!(
        "UNIQUE#{}#{}#{}",
        entity.name,
        unique.joined("+"),
        values.join("#")
    ))
}

/// The digest of a list: that of its DynamoDB JSON without blanks.
fn digest_of_list(list: Option<&Value>) -> String {
    list.map(|list| hash(&dynamodb_json(list).to_string()))
        .unwrap_or_default()
}

/// The text that a compressed attribute holds: the value's DynamoDB JSON as the member `v`.
pub(crate) fn packed(value: &Value) -> String {
    json!({ "v": dynamodb_json(value) }).to_string()
}

fn dynamodb_json(value: &Value) -> Json {
    match value {
        Value::S(text) => json!({ "S": text }),
        Value::N(number) => json!({ "N": number.to_string() }),
        Value::Bool(truth) => json!({ "BOOL": truth }),
        Value::Null => json!({ "NULL": true }),
        Value::B(bytes) => json!({ "B": STANDARD.encode(bytes) }),
        Value::L(values) => json!({ "L": values.iter().map(dynamodb_json).collect::<Vec<_>>() }),
        Value::M(map) => {
            let members = map
                .iter()
                .map(|(name, held)| (name.clone(), dynamodb_json(held)));
            json!({ "M": members.collect::<serde_json::Map<_, _>>() })
        }
        Value::Ss(set) => json!({ "SS": set.members() }),
        Value::Ns(set) => {
            json!({ "NS": set.members().iter().map(ToString::to_string).collect::<Vec<_>>() })
        }
        Value::Bs(set) => {
            json!({ "BS": set.members().iter().map(|bytes| STANDARD.encode(bytes)).collect::<Vec<_>>() })
        }
    }
}

/// A text in the small letters of Unicode 13.
fn small(text: &str) -> String {
    // Later versions gave small letters to these.
    let is_later = |c: char| matches!(c, '\u{1c89}' | '\u{2c2f}' | '\u{a7c0}' | '\u{a7cb}'..='\u{a7dc}' | '\u{10570}'..='\u{10595}' | '\u{10d50}'..='\u{10d65}' | '\u{16ea0}'..='\u{16eb8}');
    let mut made = String::new();
    for c in text.chars() {
        if is_later(c) {
            made.push(c);
        } else {
            made.extend(c.to_lowercase());
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn seconds_are_counted_from_1970() {
        for (time, expected) in [
            ("1970-01-01T00:00:00Z", 0),
            ("1970-01-02", 86_400),
            ("2000-02-29T12:00:00Z", 951_825_600),
            ("2024-03-01T00:00:01.5Z", 1_709_251_201),
            ("1969-12-31T23:59:59Z", -1),
        ] {
            assert_eq!(seconds(time), Some(expected), "{time}");
        }
    }
}
