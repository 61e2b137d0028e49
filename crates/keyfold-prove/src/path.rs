//! Paths into rows: the value at their end, its type, and its change.

use keyfold_client::arguments::Values;
use keyfold_model::schema::Path;
use keyfold_model::{Entity, Type};
use keyfold_types::Value;
use std::collections::BTreeMap;

/// The value at the end of a path.
pub(crate) fn found<'v>(row: &'v Values, path: &Path) -> Option<&'v Value> {
    let first = row.get(&path.attribute);
    path.fields.iter().fold(first, |held, field| match held {
        Some(Value::M(fields)) => fields.get(field),
        _ => None,
    })
}

/// The type at the end of a path.
pub(crate) fn kind<'e>(entity: &'e Entity, path: &Path) -> Option<&'e Type> {
    let first = entity.attribute(&path.attribute).map(|one| &one.kind);
    path.fields.iter().fold(first, |kind, name| match kind {
        Some(Type::Record(record)) => {
            let field = record.fields.iter().find(|(field, ..)| field == name);
            field.map(|(_, kind, _)| kind)
        }
        Some(Type::Map(of)) => Some(&**of),
        _ => None,
    })
}

/// Gives the end of a path a value, or takes it away. What it lies in is there.
pub(crate) fn change(row: &mut Values, path: &Path, value: Option<Value>) {
    let mut names = vec![path.attribute.as_str()];
    names.extend(path.fields.iter().map(String::as_str));
    change_at(row, &names, value);
}

fn change_at(held: &mut BTreeMap<String, Value>, names: &[&str], value: Option<Value>) {
    match (names, value) {
        ([], _) => {}
        ([last], Some(value)) => {
            held.insert((*last).to_owned(), value);
        }
        ([last], None) => {
            held.remove(*last);
        }
        ([first, behind @ ..], value) => {
            if let Some(Value::M(inner)) = held.get_mut(*first) {
                change_at(inner, behind, value);
            }
        }
    }
}
