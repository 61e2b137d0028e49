//! The items that must be stored for a row, from the model's declarations: the item, its copies,
//! guards, parts and index keys.
//!
//! Written anew from what the language's description says, and shares no code with the client that
//! writes them: what both get wrong would be proved.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use keyfold_client::arguments::Values;
use keyfold_model::{Entity, Format, KeyTemplate, Model, Part, Table, Type, Unit};
use keyfold_types::Value;
use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

/// The attributes of an item.
pub(crate) type Attributes = BTreeMap<String, Value>;

/// An item that must be there.
pub(crate) struct Expected {
    pub(crate) table: String,
    pub(crate) key: Attributes,
    pub(crate) item: Attributes,
    /// What it is, for people.
    pub(crate) what: String,
}

/// Why a row cannot be stored.
#[derive(Debug, Clone)]
pub(crate) struct Unstorable(pub(crate) String);

type Made<T> = Result<T, Unstorable>;

/// Longest partition and sort keys, in bytes: DynamoDB's limits.
const PARTITION_BYTES: usize = 2048;
const SORT_BYTES: usize = 1024;

/// The items of a row, its own first.
pub(crate) fn items(model: &Model, entity: &Entity, row: &Values) -> Made<Vec<Expected>> {
    let Some(table) = model.tables.get(entity.table) else {
        return Ok(Vec::new());
    };
    let name = physical(table, entity, row)?;
    let with_key = |key: Attributes, rest: Attributes, kind: &str| {
        let mut item = key.clone();
        item.extend(rest);
        item.extend(
            table
                .type_attribute
                .iter()
                .map(|name| (name.clone(), Value::from(kind))),
        );
        item.extend(expiry(table, entity, row));
        Expected {
            table: name.clone(),
            key,
            item,
            what: kind.to_owned(),
        }
    };
    let mut all = Vec::new();
    let chunks = chunks(entity, row);
    for (number, chunk) in chunks.iter().enumerate() {
        let key = base_key(
            table,
            &entity.key.partition,
            entity.key.sort.as_ref(),
            row,
            number,
        )?;
        let mut rest = Attributes::new();
        if number == 0 {
            rest.extend(row.iter().map(|(name, held)| (name.clone(), held.clone())));
            rest.extend(index_keys(table, entity, row)?);
        }
        if let (Some((list, _)), Some(chunk)) = (&entity.split, chunk) {
            rest.insert(list.clone(), Value::L(chunk.clone()));
            if number == 0 {
                let count = i64::try_from(chunks.len()).unwrap_or(i64::MAX);
                rest.insert(format!("{list}:parts"), Value::from(count));
                rest.insert(
                    format!("{list}:digest"),
                    Value::S(digest_of_list(row.get(list))),
                );
            }
        }
        let kind = if number == 0 {
            entity.name.clone()
        } else {
            format!("{}.part", entity.name)
        };
        all.push(with_key(key, rest, &kind));
    }
    for copy in &entity.copies {
        let key = base_key(table, &copy.key.partition, copy.key.sort.as_ref(), row, 0)?;
        let held = copy
            .attributes
            .iter()
            .filter_map(|name| Some((name.clone(), row.get(name)?.clone())));
        all.push(with_key(
            key,
            held.collect(),
            &format!("{}.{}", entity.name, copy.name),
        ));
    }
    for unique in entity
        .uniques
        .iter()
        .filter(|unique| unique.iter().all(|name| row.contains_key(name)))
    {
        let mut key = Attributes::new();
        key.insert(
            table.partition.name.clone(),
            Value::S(guard(table, entity, unique, row)?),
        );
        key.extend(
            table
                .sort
                .iter()
                .map(|column| (column.name.clone(), Value::from("UNIQUE"))),
        );
        all.push(with_key(key, Attributes::new(), "unique"));
    }
    all.iter()
        .try_for_each(|one| fits_indexes(table, &one.item))?;
    Ok(all)
}

/// Whether an item's attributes fit the keys of the indexes that it is in: a table's key may be
/// longer than an index's.
fn fits_indexes(table: &Table, item: &Attributes) -> Made<()> {
    for index in &table.indexes {
        if !index
            .columns()
            .all(|column| item.contains_key(&column.name))
        {
            continue;
        }
        for (columns, most) in [
            (&index.partition, PARTITION_BYTES),
            (&index.sort, SORT_BYTES),
        ] {
            let bytes = |name: &str| match item.get(name) {
                Some(Value::S(text)) => text.len(),
                Some(Value::B(bytes)) => bytes.len(),
                _ => 0,
            };
            let is_empty =
                |name: &str| matches!(item.get(name), Some(Value::S(text)) if text.is_empty());
            if columns.iter().any(|column| is_empty(&column.name)) {
                return Err(Unstorable(format!(
                    "a key of {} would be empty",
                    index.name
                )));
            }
            if columns.iter().any(|column| bytes(&column.name) > most) {
                return Err(Unstorable(format!(
                    "a key of {} has more than {most} bytes",
                    index.name
                )));
            }
        }
    }
    Ok(())
}

/// The table that a row lies in: `Name_2024_01` where there is one for each month.
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

fn period(unit: Unit, time: &str) -> String {
    let width = match unit {
        Unit::Year => 4,
        Unit::Month => 7,
        Unit::Day => 10,
        Unit::Hour => 13,
    };
    time.chars().take(width).collect()
}

fn text_of(row: &Values, name: &str) -> Made<String> {
    match row.get(name) {
        Some(Value::S(text)) => Ok(text.clone()),
        Some(Value::N(number)) => Ok(number.to_string()),
        Some(Value::Bool(truth)) => Ok(truth.to_string()),
        _ => Err(Unstorable(format!("{name} is missing"))),
    }
}

/// When an item expires, in seconds since 1970.
fn expiry(table: &Table, entity: &Entity, row: &Values) -> Option<(String, Value)> {
    let (attribute, time) = (
        table.ttl_attribute.as_ref()?,
        row.get(entity.ttl.as_ref()?)?,
    );
    let Value::S(text) = time else { return None };
    Some((attribute.clone(), Value::from(seconds(text)?)))
}

/// Seconds from 1970 to a day or time in UTC.
fn seconds(time: &str) -> Option<i64> {
    let number = |from: usize, to: usize| {
        time.get(from..to)
            .map_or(Some(0), |text| text.parse::<i64>().ok())
    };
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    // Years begin in March, so that the day of a leap year is the last.
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    Some(((days * 24 + number(11, 13)?) * 60 + number(14, 16)?) * 60 + number(17, 19)?)
}

/// The parts of the split list; one, perhaps without elements, where there is nothing to split.
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

fn base_key(
    table: &Table,
    partition: &KeyTemplate,
    sort: Option<&KeyTemplate>,
    row: &Values,
    part: usize,
) -> Made<Attributes> {
    let mut key = Attributes::new();
    let held = key_attribute(&partition.parts, row, table, part, PARTITION_BYTES)?;
    key.insert(table.partition.name.clone(), held);
    if let (Some(column), Some(sort)) = (&table.sort, sort) {
        key.insert(
            column.name.clone(),
            key_attribute(&sort.parts, row, table, part, SORT_BYTES)?,
        );
    }
    Ok(key)
}

/// The index attributes of an item that is in an index: those that are not the table's own key.
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
            (&index.partition, Some(&line.key.partition), PARTITION_BYTES),
            (&index.sort, line.key.sort.as_ref(), SORT_BYTES),
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
                    keys.insert(
                        column.name.clone(),
                        key_attribute(parts, row, table, 0, most)?,
                    );
                }
            }
        }
    }
    Ok(keys)
}

fn key_attribute(
    parts: &[Part],
    row: &Values,
    table: &Table,
    part: usize,
    most: usize,
) -> Made<Value> {
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
        parts => Value::S(written(parts, row, &table.delimiters, part)?),
    };
    match &made {
        Value::S(text) if text.is_empty() => Err(Unstorable("a key would be empty".to_owned())),
        Value::S(text) if text.len() > most => {
            Err(Unstorable(format!("a key has more than {most} bytes")))
        }
        Value::B(bytes) if bytes.is_empty() || bytes.len() > most => {
            Err(Unstorable("a key would be empty or too long".to_owned()))
        }
        _ => Ok(made),
    }
}

fn written(parts: &[Part], row: &Values, delimiters: &[char], part: usize) -> Made<String> {
    let mut text = String::new();
    for one in parts {
        match one {
            Part::Text(fixed) => text.push_str(fixed),
            Part::Break => text.push('\0'),
            Part::Chunk => text.push_str(&format!("{part:04}")),
            Part::Field { name, kind, format } => {
                text.push_str(&field(
                    &text_of(row, name)?,
                    name,
                    kind,
                    *format,
                    delimiters,
                )?);
            }
            Part::Shard { count, of } => {
                let hash = Sha256::digest(written(of, row, delimiters, 0)?.as_bytes());
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

fn field(text: &str, name: &str, kind: &Type, format: Format, delimiters: &[char]) -> Made<String> {
    let is_apart = |c: char| *kind == Type::String && delimiters.contains(&c);
    let whole = |text: String| match text
        .chars()
        .find(|c| is_apart(*c) || *c == '\0' || *c == char::MAX)
    {
        Some(c) => Err(Unstorable(format!("{name} contains {c:?}"))),
        None if text.is_empty() => Err(Unstorable(format!("{name} is empty"))),
        None => Ok(text),
    };
    match format {
        Format::Plain | Format::Bare => whole(text.to_owned()),
        Format::Lower => whole(text.chars().flat_map(char::to_lowercase).collect()),
        Format::Truncated(unit) => Ok(period(unit, text)),
        Format::Reversed => Ok(turned(text)),
        Format::Hash => Ok(hash(text)),
        Format::Escaped if text.is_empty() => Ok("%".to_owned()),
        Format::Escaped => {
            let escape = |c: char| -> String {
                if c != '%' && c != '\0' && c != char::MAX && !delimiters.contains(&c) {
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
        } => {
            let (before, behind) = text.split_once('.').unwrap_or((text, ""));
            if text.starts_with('-') || before.len() > whole || behind.len() > decimals {
                return Err(Unstorable(format!(
                    "{name} does not fit {whole}.{decimals} digits"
                )));
            }
            let point = if decimals > 0 { "." } else { "" };
            let padded = format!("{before:0>whole$}{point}{behind:0<decimals$}");
            Ok(if reversed { turned(&padded) } else { padded })
        }
    }
}

/// Each digit taken from nine.
fn turned(text: &str) -> String {
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

fn guard(table: &Table, entity: &Entity, unique: &[String], row: &Values) -> Made<String> {
    let mut values = Vec::new();
    for name in unique {
        let kind = entity
            .attribute(name)
            .map_or(Type::String, |attribute| attribute.kind.clone());
        let format = if kind == Type::String {
            Format::Escaped
        } else {
            Format::Plain
        };
        values.push(field(
            &text_of(row, name)?,
            name,
            &kind,
            format,
            &table.delimiters,
        )?);
    }
    let made = format!(
        "UNIQUE#{}#{}#{}",
        entity.name,
        unique.join("+"),
        values.join("#")
    );
    if made.len() > PARTITION_BYTES {
        return Err(Unstorable("a guard's key is too long".to_owned()));
    }
    Ok(made)
}

/// The digest of a list: of its DynamoDB JSON without blanks.
fn digest_of_list(list: Option<&Value>) -> String {
    list.map(|list| hash(&dynamodb_json(list).to_string()))
        .unwrap_or_default()
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
