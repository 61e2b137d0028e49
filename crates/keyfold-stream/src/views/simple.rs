//! Rows of counts and sums: they are added to without reading them.
//!
//! A row that items leave must have them: its number of items is read. One that loses items may be left
//! with none: the write demands that their number is as read, or that enough are left.

use super::place::bytes;
use super::requests::{delete, get_many};
use super::rows::{Row, Target, items_name, mark_name, whole};
use crate::world::Io;
use keyfold_api::{ExpressionAttributes, TransactUpdate, TransactWriteItem};
use keyfold_lower::ClientError;
use keyfold_model::schema::view::From;
use keyfold_types::{Item, Number, Value};

/// The actions that change rows of counts and sums.
///
/// # Errors
/// The backend's; `Refused` for a sum that is no number of DynamoDB, and for a row that lacks items that
/// leave it.
pub(crate) async fn actions(
    io: &dyn Io,
    target: &Target<'_>,
    rows: Vec<Row>,
) -> Result<Vec<TransactWriteItem>, ClientError> {
    let place = |row: &Row| target.key(&row.key, &row.digest);
    let left = rows.iter().filter(|row| !row.left.is_empty());
    let stored = get_many(io, target.table(), left.map(place).collect()).await?;
    let mut actions = Vec::new();
    for row in &rows {
        let added = row.added();
        let key = place(row);
        let items = stored.get(&bytes(&key));
        let items = items.map_or(0, |item| whole(item, &items_name()));
        row.ensure_left(target, items)?;
        let changes = changes(target, row)?;
        if added == 0 && changes.iter().all(|(_, number)| number.is_zero()) {
            continue;
        }
        if added >= 0 {
            actions.push(add(target, row, key, &changes, None));
        } else if items + added > 0 {
            actions.push(add(target, row, key, &changes, Some(-added)));
        } else {
            let attributes = ExpressionAttributes::default()
                .name("#i", items_name())
                .value(":i", items);
            let condition = ("#i = :i".to_owned(), attributes);
            actions.push(delete(target.table(), key, Some(condition)));
        }
    }
    Ok(actions)
}

/// What is added to each number of a row.
fn changes(target: &Target<'_>, row: &Row) -> Result<Vec<(String, Number)>, ClientError> {
    let added = Number::from(row.added());
    let mut all = vec![(items_name(), added)];
    for (at, column) in target.definition.view().columns.iter().enumerate() {
        match column.from {
            From::Count => all.push((column.attribute.clone(), added)),
            From::Sum { .. } => {
                let sum = sum(row, at, &column.attribute)?;
                all.push((column.attribute.clone(), sum));
            }
            From::Group { .. }
            | From::Copied { .. }
            | From::Min { .. }
            | From::Max { .. }
            | From::Average { .. }
            | From::Distinct { .. }
            | From::Top { .. }
            | From::Joined { .. } => {}
        }
    }
    Ok(all)
}

/// What a batch adds to the sum of a column.
///
/// # Errors
/// `Refused` when it is no number of DynamoDB.
pub(crate) fn sum(row: &Row, at: usize, attribute: &str) -> Result<Number, ClientError> {
    let mut sum = Number::ZERO;
    for (shares, is_new) in [(&row.left, false), (&row.came, true)] {
        for share in shares {
            if let Some(Some(Value::N(number))) = share.given.get(at) {
                let number = match is_new {
                    true => *number,
                    false => number.negated(),
                };
                sum = plus(&sum, &number, attribute)?;
            }
        }
    }
    Ok(sum)
}

/// The sum of two numbers of a column.
///
/// # Errors
/// `Refused` when it is no number of DynamoDB.
pub(crate) fn plus(one: &Number, two: &Number, attribute: &str) -> Result<Number, ClientError> {
    one.checked_add(two).map_err(|error| {
        ClientError::refused(format!(
            "{attribute} would leave DynamoDB's numbers: {error}"
        ))
    })
}

/// The action that adds to a row, or makes it. With `leaving`, more items than these must be in it.
fn add(
    target: &Target<'_>,
    row: &Row,
    key: Item,
    changes: &[(String, Number)],
    leaving: Option<i64>,
) -> TransactWriteItem {
    let mut attributes = ExpressionAttributes::default();
    let mut set = Vec::new();
    let mark = (mark_name(), Value::S(target.space.mark()));
    let fixed = row
        .base
        .iter()
        .map(|(name, held)| (name.clone(), held.clone()));
    for (at, (name, held)) in fixed.chain([mark]).enumerate() {
        if key.get(&name).is_none() {
            attributes = attributes
                .name(format!("#s{at}"), name)
                .value(format!(":s{at}"), held);
            set.push(format!("#s{at} = :s{at}"));
        }
    }
    let mut add = Vec::new();
    for (at, (name, number)) in changes.iter().enumerate() {
        attributes = attributes
            .name(format!("#a{at}"), name)
            .value(format!(":a{at}"), Value::N(*number));
        add.push(format!("#a{at} :a{at}"));
    }
    let condition = leaving.map(|leaving| {
        attributes = attributes.clone().value(":leaving", leaving);
        // The first change is that of the number of items.
        "#a0 > :leaving".to_owned()
    });
    TransactWriteItem {
        update: Some(TransactUpdate {
            table_name: Some(target.table().to_owned()),
            key: Some(Ok(key)),
            update_expression: Some(format!("SET {} ADD {}", set.join(", "), add.join(", "))),
            condition_expression: condition,
            expression_attributes: attributes,
            ..TransactUpdate::default()
        }),
        ..TransactWriteItem::default()
    }
}
