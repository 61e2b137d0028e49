//! Rows of counts and sums: they are added to without reading them.
//!
//! A row that items leave must have them: its number of items is read. One that loses items may be left
//! with none: the write demands that their number is as read, or that enough are left. A row is also read
//! where what a sum changes by is no number of DynamoDB, while the sum itself may be one: then it is
//! computed, and the write demands that it was as read.

use super::exact::Exact;
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
    let rows: Vec<(Row, Vec<Change>)> = rows
        .into_iter()
        .map(|row| {
            let changes = changes(target, &row);
            (row, changes)
        })
        .collect();
    let read = rows.iter().filter(|(row, changes)| {
        !row.left.is_empty() || changes.iter().any(|one| matches!(one.by, By::Wide(_)))
    });
    let read = read.map(|(row, _)| place(row)).collect();
    let stored = get_many(io, target.table(), read).await?;
    let mut actions = Vec::new();
    for (row, changes) in &rows {
        let added = row.added();
        let key = place(row);
        let before = stored.get(&bytes(&key));
        let items = before.map_or(0, |item| whole(item, &items_name()));
        row.ensure_left(target, items)?;
        if added == 0 && changes.iter().all(Change::is_nothing) {
            continue;
        }
        if added >= 0 {
            actions.push(add(target, row, (key, before), changes, None)?);
        } else if items + added > 0 {
            actions.push(add(target, row, (key, before), changes, Some(-added))?);
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

/// What becomes of a number of a row.
struct Change {
    attribute: String,
    by: By,
}

/// What is added to a number.
enum By {
    Number(Number),
    /// It is no number of DynamoDB.
    Wide(Box<Exact>),
}

impl Change {
    fn is_nothing(&self) -> bool {
        matches!(&self.by, By::Number(number) if number.is_zero())
    }
}

/// What is added to each number of a row.
fn changes(target: &Target<'_>, row: &Row) -> Vec<Change> {
    let added = By::Number(Number::from(row.added()));
    let mut all = vec![Change {
        attribute: items_name(),
        by: added,
    }];
    for (at, column) in target.definition.view().columns.iter().enumerate() {
        let by = match column.from {
            From::Count => By::Number(Number::from(row.added())),
            From::Sum { .. } => sum(row, at),
            From::Group { .. }
            | From::Copied { .. }
            | From::Min { .. }
            | From::Max { .. }
            | From::Average { .. }
            | From::Distinct { .. }
            | From::Top { .. }
            | From::Joined { .. } => continue,
        };
        all.push(Change {
            attribute: column.attribute.clone(),
            by,
        });
    }
    all
}

/// What a batch adds to the sum of a column.
fn sum(row: &Row, at: usize) -> By {
    let mut sum = Number::ZERO;
    for (number, is_new) in numbers(row, at) {
        let sign = if is_new { number } else { number.negated() };
        match sum.checked_add(&sign) {
            Ok(more) => sum = more,
            Err(_) => {
                let wide = wide(row, at);
                let number = wide.number();
                return number.map_or_else(|_| By::Wide(Box::new(wide)), By::Number);
            }
        }
    }
    By::Number(sum)
}

/// The numbers of a column that leave a row, and those that come.
fn numbers(row: &Row, at: usize) -> impl Iterator<Item = (Number, bool)> {
    let left = row.left.iter().map(|share| (share, false));
    let all = left.chain(row.came.iter().map(|share| (share, true)));
    all.filter_map(move |(share, is_new)| match share.given.get(at) {
        Some(Some(Value::N(number))) => Some((*number, is_new)),
        Some(Some(_) | None) | None => None,
    })
}

/// What a batch adds to the sum of a column, in as many digits as it has.
fn wide(row: &Row, at: usize) -> Exact {
    let mut sum = Exact::zero();
    for (number, is_new) in numbers(row, at) {
        match is_new {
            true => sum.add(&number),
            false => sum.take_out(&number),
        }
    }
    sum
}

/// The sum of a column that was as it is read, behind a batch.
///
/// # Errors
/// `Refused` when it is no number of DynamoDB.
pub(crate) fn sum_of(
    row: &Row,
    (at, attribute): (usize, &str),
    before: &Number,
) -> Result<Number, ClientError> {
    if let By::Number(more) = sum(row, at)
        && let Ok(sum) = before.checked_add(&more)
    {
        return Ok(sum);
    }
    let mut sum = wide(row, at);
    sum.add(before);
    sum.of_column(attribute)
}

/// The action that adds to a row, or makes it. With `leaving`, more items than these must be in it.
///
/// # Errors
/// `Refused` for a sum that is no number of DynamoDB.
fn add(
    target: &Target<'_>,
    row: &Row,
    (key, before): (Item, Option<&Item>),
    changes: &[Change],
    leaving: Option<i64>,
) -> Result<TransactWriteItem, ClientError> {
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
    let mut conditions = Vec::new();
    for (at, change) in changes.iter().enumerate() {
        attributes = attributes.name(format!("#a{at}"), &change.attribute);
        let number = match &change.by {
            By::Number(number) => {
                add.push(format!("#a{at} :a{at}"));
                *number
            }
            By::Wide(more) => {
                let mut sum = Exact::clone(more);
                match before.and_then(|item| item.get(&change.attribute)) {
                    Some(held) => {
                        if let Value::N(number) = held {
                            sum.add(number);
                        }
                        attributes = attributes.value(format!(":b{at}"), held.clone());
                        conditions.push(format!("#a{at} = :b{at}"));
                    }
                    None => conditions.push(format!("attribute_not_exists(#a{at})")),
                }
                set.push(format!("#a{at} = :a{at}"));
                sum.of_column(&change.attribute)?
            }
        };
        attributes = attributes.value(format!(":a{at}"), Value::N(number));
    }
    if let Some(leaving) = leaving {
        attributes = attributes.value(":leaving", leaving);
        // The first change is that of the number of items.
        conditions.push("#a0 > :leaving".to_owned());
    }
    Ok(TransactWriteItem {
        update: Some(TransactUpdate {
            table_name: Some(target.table().to_owned()),
            key: Some(Ok(key)),
            update_expression: Some(format!("SET {} ADD {}", set.join(", "), add.join(", "))),
            condition_expression: (!conditions.is_empty()).then(|| conditions.join(" AND ")),
            expression_attributes: attributes,
            ..TransactUpdate::default()
        }),
        ..TransactWriteItem::default()
    })
}
