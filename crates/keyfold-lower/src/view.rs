//! Views: what an item of the source gives to which row.

use crate::ClientError;
use crate::arguments::Values;
use crate::derive;
use keyfold_model::period::Unit;
use keyfold_model::schema::view::{From, View};
use keyfold_model::{Entity, Model, Type};
use keyfold_types::{Item, Value};

/// What an item gives to its row.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// The attributes that all items of the row share.
    pub group: Values,
    /// For each column the value that it is made of; a record for the items of a top list.
    pub columns: Vec<Option<Value>>,
}

/// What an item of the source with these attributes gives; `None` when the view is not of it.
///
/// # Errors
/// `Refused` when a condition cannot be decided.
pub fn given(
    model: &Model,
    (row, view): (&Entity, &View),
    values: &Values,
) -> Result<Option<Given>, ClientError> {
    if !derive::all_hold(&view.when, values)? {
        return Ok(None);
    }
    let mut group = Values::new();
    let mut columns = Vec::new();
    for column in &view.columns {
        match &column.from {
            From::Group { of, cut } => {
                // An item without an attribute of the key has no row.
                let Some(held) = values.get(of) else {
                    return Ok(None);
                };
                let source = model.entities.get(view.source);
                let cut = cut.map_or_else(|| held.clone(), |unit| begin(source, of, held, unit));
                group.insert(column.attribute.clone(), cut);
                columns.push(None);
            }
            From::Copied { of } => {
                let held = values.get(of);
                // The key may have the period of a time that the row has as it is.
                let mut of_key = row.key.fields();
                if let Some(held) = held
                    && of_key.any(|field| field == column.attribute)
                {
                    group.insert(column.attribute.clone(), held.clone());
                }
                columns.push(held.cloned());
            }
            From::Sum { of }
            | From::Min { of }
            | From::Max { of }
            | From::Average { of }
            | From::Distinct { of } => columns.push(values.get(of).cloned()),
            From::Top { by, fields, .. } => {
                let record = fields.iter().filter_map(|name| {
                    let held = values.get(name)?;
                    Some((name.clone(), held.clone()))
                });
                let record = values.get(by).map(|_| Value::M(record.collect()));
                columns.push(record);
            }
            From::Count | From::Joined { .. } => columns.push(None),
        }
    }
    Ok(Some(Given { group, columns }))
}

/// The beginning of the period of a time of the source.
fn begin(source: Option<&Entity>, of: &str, held: &Value, unit: Unit) -> Value {
    let Value::S(time) = held else {
        return held.clone();
    };
    let kind = source.and_then(|source| source.attribute(of));
    let precision = match kind.map(|one| &one.kind) {
        Some(Type::Time(precision)) => Some(*precision),
        Some(_) | None => None,
    };
    Value::S(Unit::first_time(unit.of(time), precision))
}

/// The item of a row with these attributes of its group, without what is made of its items.
///
/// # Errors
/// Those of [`derive::derive`].
pub fn start(
    model: &Model,
    (row, view): (&Entity, &View),
    group: &Values,
) -> Result<Item, ClientError> {
    let added = view.columns.iter();
    let added = added.filter(|one| matches!(one.from, From::Count | From::Sum { .. }));
    let mut values = group.clone();
    // A row has these always, so that they do not decide whether it is in an index.
    for column in added.clone() {
        values.insert(column.attribute.clone(), Value::from(0_i64));
    }
    let mut item = self::row(model, row, &values)?;
    for column in added {
        item.remove(&column.attribute);
    }
    Ok(item)
}

/// The item of a row with these attributes.
///
/// # Errors
/// Those of [`derive::derive`].
pub fn row(model: &Model, row: &Entity, values: &Values) -> Result<Item, ClientError> {
    let made = derive::derive(model, row, values)?;
    match made.into_iter().next() {
        Some(main) => Ok(main.item),
        None => unreachable!("an entity has a main item"),
    }
}
