//! Rows of counts and sums: they are added to without reading them.
//!
//! A row that items leave must have them: its number of items is read. One that loses items may be left
//! with none: the write demands that their number is as read, or that enough are left.
//!
//! A sum that is no number of DynamoDB is kept as a text (`sums::held_sum`), and no number is added to it:
//! each write that adds demands that there is none. So a write without a read is refused where a row has
//! such a sum, or would get one. Then the row is read, its sum is computed, and the write demands that it
//! was as it was read. A row is read at once where what a sum changes by is no number, while the sum itself
//! may be one.

use super::notes;
use super::place::bytes;
use super::requests::{delete, get_many};
use super::rows::{Row, Target, Way, items_name, mark_name, whole};
use crate::world::Io;
use keyfold_api::{ExpressionAttributes, TransactUpdate, TransactWriteItem};
use keyfold_lower::ClientError;
use keyfold_lower::sums::{HeldSum, exact_attribute, held_sum, sum_of};
use keyfold_model::schema::view::From;
use keyfold_types::{Item, Number, Sum, Value};

/// The actions that change rows of counts and sums.
///
/// # Errors
/// The backend's; `Refused` for a row that lacks items that leave it.
pub(crate) async fn actions(
    io: &dyn Io,
    target: &Target<'_>,
    rows: Vec<Row>,
    way: Way,
) -> Result<Vec<TransactWriteItem>, ClientError> {
    let place = |row: &Row| target.key(&row.key, &row.digest);
    let rows: Vec<(Row, Vec<Change>)> = rows
        .into_iter()
        .map(|row| {
            let changes = changes(target, &row);
            (row, changes)
        })
        .collect();
    let is_read = |row: &Row, changes: &[Change]| {
        let is_wide = |one: &Change| one.by.number().is_err();
        way != Way::Blind || !row.left.is_empty() || changes.iter().any(is_wide)
    };
    let read = rows.iter().filter(|(row, changes)| is_read(row, changes));
    let read = read.map(|(row, _)| place(row)).collect();
    let stored = get_many(io, target.table(), read).await?;
    let mut actions = Vec::new();
    for (row, changes) in &rows {
        let added = row.added();
        let key = place(row);
        let before = stored.get(&bytes(&key));
        let items = before.map_or(0, |item| whole(item, &items_name()));
        row.ensure_own(target, before)?;
        row.ensure_left(target, items)?;
        row.ensure_sums(target, before)?;
        if added == 0 && changes.iter().all(Change::is_nothing) {
            continue;
        }
        let before = is_read(row, changes).then_some(before);
        let changes = (changes.as_slice(), way);
        if added >= 0 {
            actions.extend(add(target, row, (key, before), changes, None));
        } else if items + added > 0 {
            actions.extend(add(target, row, (key, before), changes, Some(-added)));
        } else {
            let attributes = ExpressionAttributes::default()
                .name("#i", items_name())
                .value(":i", items);
            let condition = ("#i = :i".to_owned(), attributes);
            actions.push(delete(target.table(), key, Some(condition)));
            actions.extend(notes::of_sums(target, row, before.flatten(), &[]));
        }
    }
    Ok(actions)
}

/// What becomes of a number of a row.
struct Change {
    attribute: String,
    /// What is added to it.
    by: Sum,
    /// Whether it is a sum: others have a place among numbers always.
    is_sum: bool,
}

impl Change {
    fn is_nothing(&self) -> bool {
        self.by == Sum::default()
    }

    /// The number that may be added to what is stored. `before` is the row, where it was read.
    fn added(&self, before: Option<Option<&Item>>, way: Way) -> Option<Number> {
        if self.is_sum && way == Way::Exact {
            return None;
        }
        let number = self.by.number().ok()?;
        let Some(before) = before.filter(|_| self.is_sum) else {
            return Some(number);
        };
        let has_exact = before.is_some_and(|row| row.get(&self.exact()).is_some());
        (!has_exact && self.behind(before).number().is_ok()).then_some(number)
    }

    /// The sum of the row behind the batch.
    fn behind(&self, before: Option<&Item>) -> Sum {
        let mut sum = before.map_or_else(Sum::default, |row| {
            sum_of(row, &self.attribute).unwrap_or_default()
        });
        sum.join(&self.by);
        sum
    }

    fn exact(&self) -> String {
        exact_attribute(&self.attribute)
    }
}

/// What is added to each number of a row.
fn changes(target: &Target<'_>, row: &Row) -> Vec<Change> {
    let added = || Sum::from(Number::from(row.added()));
    let mut all = vec![Change {
        attribute: items_name(),
        by: added(),
        is_sum: false,
    }];
    for (at, column) in target.definition.view().columns.iter().enumerate() {
        let (by, is_sum) = match column.from {
            From::Count => (added(), false),
            From::Sum { .. } => (sum(row, at), true),
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
            is_sum,
        });
    }
    all
}

/// What a batch adds to the sum of a column.
pub(crate) fn sum(row: &Row, at: usize) -> Sum {
    let mut sum = Sum::default();
    let left = row.left.iter().map(|share| (share, false));
    for (share, is_new) in left.chain(row.came.iter().map(|share| (share, true))) {
        match (share.given.get(at), is_new) {
            (Some(Some(Value::N(number))), true) => sum.add(number),
            (Some(Some(Value::N(number))), false) => sum.take_out(number),
            (Some(Some(_) | None) | None, _) => {}
        }
    }
    sum
}

/// The parts of an update of a row.
#[derive(Default)]
struct Update {
    attributes: ExpressionAttributes,
    set: Vec<String>,
    add: Vec<String>,
    remove: Vec<String>,
    conditions: Vec<String>,
}

impl Update {
    fn name(&mut self, placeholder: &str, name: &str) {
        let attributes = std::mem::take(&mut self.attributes);
        self.attributes = attributes.name(placeholder, name);
    }

    fn value(&mut self, placeholder: &str, held: Value) {
        let attributes = std::mem::take(&mut self.attributes);
        self.attributes = attributes.value(placeholder, held);
    }

    fn set(&mut self, at: &str, held: Value) {
        self.value(&format!(":{at}"), held);
        self.set.push(format!("#{at} = :{at}"));
    }

    /// Replaces an attribute, which must be as it was read.
    fn replace(&mut self, at: &str, before: Option<&Value>, after: Option<Value>) {
        match before {
            Some(held) => {
                self.value(&format!(":o{at}"), held.clone());
                self.conditions.push(format!("#{at} = :o{at}"));
            }
            None => self.conditions.push(format!("attribute_not_exists(#{at})")),
        }
        match after {
            Some(held) => self.set(at, held),
            None => self.remove.push(format!("#{at}")),
        }
    }

    fn action(self, table: &str, key: Item) -> TransactWriteItem {
        let mut text = format!("SET {} ADD {}", self.set.join(", "), self.add.join(", "));
        if !self.remove.is_empty() {
            text.push_str(&format!(" REMOVE {}", self.remove.join(", ")));
        }
        let condition = (!self.conditions.is_empty()).then(|| self.conditions.join(" AND "));
        TransactWriteItem {
            update: Some(TransactUpdate {
                table_name: Some(table.to_owned()),
                key: Some(Ok(key)),
                update_expression: Some(text),
                condition_expression: condition,
                expression_attributes: self.attributes,
                ..TransactUpdate::default()
            }),
            ..TransactWriteItem::default()
        }
    }
}

/// The actions that add to a row, or make it. With `leaving`, more items than these must be in it. `before`
/// is the row, where it was read.
fn add(
    target: &Target<'_>,
    row: &Row,
    (key, before): (Item, Option<Option<&Item>>),
    (changes, way): (&[Change], Way),
    leaving: Option<i64>,
) -> Vec<TransactWriteItem> {
    let mut update = Update::default();
    let mark = (mark_name(), Value::S(target.space.mark()));
    let fixed = row
        .base
        .iter()
        .map(|(name, held)| (name.clone(), held.clone()));
    for (at, (name, held)) in fixed.chain([mark]).enumerate() {
        if key.get(&name).is_none() {
            update.name(&format!("#s{at}"), &name);
            update.set(&format!("s{at}"), held);
        }
        if name == mark_name() {
            // What others have written is no row to add to.
            let own = format!("(attribute_not_exists(#s{at}) OR #s{at} = :s{at})");
            update.conditions.push(own);
        }
    }
    let mut whys = Vec::new();
    for (at, change) in changes.iter().enumerate() {
        update.name(&format!("#a{at}"), &change.attribute);
        if change.is_sum {
            update.name(&format!("#e{at}"), &change.exact());
        }
        if let Some(number) = change.added(before, way) {
            update.value(&format!(":a{at}"), Value::N(number));
            update.add.push(format!("#a{at} :a{at}"));
            if change.is_sum {
                let condition = format!("attribute_not_exists(#e{at})");
                update.conditions.push(condition);
            }
            continue;
        }
        let before = before.flatten();
        let sum = change.behind(before);
        let HeldSum { shown, exact, why } =
            held_sum(target.definition.table(), &change.attribute, &sum);
        let held = |name: &str| before.and_then(|row| row.get(name));
        update.replace(&format!("a{at}"), held(&change.attribute), shown);
        update.replace(&format!("e{at}"), held(&change.exact()), exact);
        whys.extend(why);
    }
    if let Some(leaving) = leaving {
        update.value(":leaving", Value::from(leaving));
        // The first change is that of the number of items.
        update.conditions.push("#a0 > :leaving".to_owned());
    }
    let mut actions = vec![update.action(target.table(), key)];
    actions.extend(notes::of_sums(target, row, before.flatten(), &whys));
    actions
}
