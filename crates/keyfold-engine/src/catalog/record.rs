//! A table's definition as an item, so that it is stored in the one format there is.

use crate::table::{Index, IndexKind, IndexProjection, Table};
use keyfold_api::{BillingMode, Named, TableClass, WireName};
use keyfold_codec::key::{IndexId, TableId};
use keyfold_types::{Item, KeyAttribute, KeyKind, KeySchema, Value};

/// The record's version; raised when a reader of this version could not understand it.
const VERSION: i64 = 1;

pub(crate) fn encode(table: &Table) -> Item {
    let mut item = Item::new();
    item.insert("version", VERSION);
    item.insert("id", i64::from(table.id.0));
    item.insert("name", table.name.as_str());
    item.insert("uuid", table.uuid.as_str());
    item.insert("created", Value::N(table.creation_epoch_ms.into()));
    item.insert("key", schema_value(&table.key));
    item.insert("indexes", Value::L(table.indexes.iter().map(index_value).collect()));
    item.insert("billing", table.billing_mode.word());
    item.insert("throughput", throughput_value(table.throughput));
    if let Some(class) = table.table_class {
        item.insert("class", class.word());
    }
    item.insert("protected", table.deletion_protection);
    item.insert(
        "tags",
        Value::M(table.tags.iter().map(|(key, value)| (key.clone(), Value::from(value.as_str()))).collect()),
    );
    item
}

fn attributes_value(attributes: &[KeyAttribute]) -> Value {
    let pair = |attribute: &KeyAttribute| {
        Value::L(vec![attribute.name.as_str().into(), attribute.kind.descriptor().into()])
    };
    Value::L(attributes.iter().map(pair).collect())
}

fn schema_value(schema: &KeySchema) -> Value {
    Value::L(vec![attributes_value(&schema.partition), attributes_value(&schema.sort)])
}

fn throughput_value((read, write): (u64, u64)) -> Value {
    Value::L(vec![Value::N(read.into()), Value::N(write.into())])
}

fn index_value(index: &Index) -> Value {
    let (projection, names): (&str, &[String]) = match &index.projection {
        IndexProjection::All => ("ALL", &[]),
        IndexProjection::KeysOnly => ("KEYS_ONLY", &[]),
        IndexProjection::Include(names) => ("INCLUDE", names),
    };
    let fields = [
        ("id", Value::from(i64::from(index.id.0))),
        ("name", index.name.as_str().into()),
        ("kind", if index.kind == IndexKind::Local { "local" } else { "global" }.into()),
        ("key", schema_value(&index.key)),
        ("projection", projection.into()),
        ("include", Value::L(names.iter().map(|name| name.as_str().into()).collect())),
        ("throughput", throughput_value(index.throughput)),
    ];
    Value::M(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// The table of a record; none when the record is not one this version writes.
pub(crate) fn decode(item: &Item) -> Option<Table> {
    if int(item.get("version")?)? != VERSION {
        return None;
    }
    let Value::L(indexes) = item.get("indexes")? else { return None };
    let Value::M(tags) = item.get("tags")? else { return None };
    let tag = |(key, value): (&String, &Value)| Some((key.clone(), text(value)?));
    Some(Table {
        id: TableId(u32::try_from(int(item.get("id")?)?).ok()?),
        name: text(item.get("name")?)?,
        uuid: text(item.get("uuid")?)?,
        creation_epoch_ms: u64::try_from(int(item.get("created")?)?).ok()?,
        key: schema(item.get("key")?)?,
        indexes: indexes.iter().map(index).collect::<Option<_>>()?,
        billing_mode: word::<BillingMode>(item.get("billing")?)?,
        throughput: throughput(item.get("throughput")?)?,
        table_class: match item.get("class") {
            Some(class) => Some(word::<TableClass>(class)?),
            None => None,
        },
        deletion_protection: item.get("protected")? == &Value::Bool(true),
        tags: tags.iter().map(tag).collect::<Option<_>>()?,
    })
}

fn int(value: &Value) -> Option<i64> {
    if let Value::N(number) = value { number.to_i64() } else { None }
}

fn text(value: &Value) -> Option<String> {
    if let Value::S(text) = value { Some(text.clone()) } else { None }
}

fn word<T: WireName>(value: &Value) -> Option<T> {
    match T::named(&text(value)?) {
        Named::Known(word) => Some(word),
        Named::Unknown(_) => None,
    }
}

fn pair(value: &Value) -> Option<(&Value, &Value)> {
    match value {
        Value::L(values) => match values.as_slice() {
            [one, two] => Some((one, two)),
            _ => None,
        },
        _ => None,
    }
}

fn schema(value: &Value) -> Option<KeySchema> {
    let attribute = |value: &Value| {
        let (name, kind) = pair(value)?;
        Some(KeyAttribute { name: text(name)?, kind: KeyKind::from_descriptor(&text(kind)?)? })
    };
    let attributes = |value: &Value| match value {
        Value::L(values) => values.iter().map(attribute).collect::<Option<Vec<_>>>(),
        _ => None,
    };
    let (partition, sort) = pair(value)?;
    Some(KeySchema { partition: attributes(partition)?, sort: attributes(sort)? })
}

fn throughput(value: &Value) -> Option<(u64, u64)> {
    let (read, write) = pair(value)?;
    Some((u64::try_from(int(read)?).ok()?, u64::try_from(int(write)?).ok()?))
}

fn index(value: &Value) -> Option<Index> {
    let Value::M(map) = value else { return None };
    let Value::L(include) = map.get("include")? else { return None };
    let names = include.iter().map(text).collect::<Option<Vec<_>>>()?;
    Some(Index {
        id: IndexId(u8::try_from(int(map.get("id")?)?).ok()?),
        name: text(map.get("name")?)?,
        kind: match text(map.get("kind")?)?.as_str() {
            "local" => IndexKind::Local,
            "global" => IndexKind::Global,
            _ => return None,
        },
        key: schema(map.get("key")?)?,
        projection: match text(map.get("projection")?)?.as_str() {
            "ALL" => IndexProjection::All,
            "KEYS_ONLY" => IndexProjection::KeysOnly,
            "INCLUDE" => IndexProjection::Include(names),
            _ => return None,
        },
        throughput: throughput(map.get("throughput")?)?,
    })
}
