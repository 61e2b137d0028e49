//! Rows that are read before they are written: those with a least, greatest, distinct, average or
//! joined value, or a top list.
//!
//! A row is read, then what it follows from; the write demands that the row still has the version that
//! was read. All that a row follows from changes together with its version, so the write is of one
//! moment. An absent row has no version: it follows from nothing, and nothing is read of it.

use super::links::{self, Checks};
use super::notes;
use super::place::bytes;
use super::requests::{delete, get_many, put};
use super::rows::{Row, Target, items_name, version, version_name, whole};
use super::simple::sum;
use super::values::{self, Values};
use crate::world::Io;
use keyfold_api::{ExpressionAttributes, TransactWriteItem};
use keyfold_lower::ClientError;
use keyfold_lower::sums::{HeldSum, exact_attribute, held_sum, sum_of};
use keyfold_model::schema::view::{Column, From};
use keyfold_types::{Item, Sum, Value};

/// The actions that change rows that are read first.
///
/// # Errors
/// The backend's; `Refused` for values that no row can have.
pub(crate) async fn actions(
    io: &dyn Io,
    target: &Target<'_>,
    rows: Vec<Row>,
) -> Result<Vec<TransactWriteItem>, ClientError> {
    let keys = rows.iter().map(|row| target.key(&row.key, &row.digest));
    let stored = get_many(io, target.table(), keys.collect()).await?;
    let columns = &target.definition.view().columns;
    let mut all = Vec::new();
    for row in &rows {
        let before = stored.get(&bytes(&target.key(&row.key, &row.digest)));
        let items = before.map_or(0, |item| whole(item, &items_name()));
        row.ensure_own(target, before)?;
        row.ensure_left(target, items)?;
        row.ensure_sums(target, before)?;
        let of = (row, before.is_none());
        let values = columns.iter().enumerate();
        let values = values
            .map(|(at, column)| Values::of(of, (at, &column.attribute, &column.from)))
            .collect::<Result<Vec<_>, _>>()?;
        all.push(values);
    }
    values::count(io, target, &mut all).await?;
    let mut actions = Vec::new();
    let mut checks = Checks::default();
    for (row, values) in rows.iter().zip(&all) {
        let key = target.key(&row.key, &row.digest);
        let before = stored.get(&bytes(&key));
        let made = Made {
            io,
            target,
            row,
            values,
            before,
        };
        actions.extend(made.row(key, &mut checks).await?);
        for values in values.iter().flatten() {
            actions.extend(values.actions(target));
        }
    }
    actions.extend(checks.actions());
    Ok(actions)
}

/// A row that is made anew.
struct Made<'m> {
    io: &'m dyn Io,
    target: &'m Target<'m>,
    row: &'m Row,
    values: &'m [Option<Values>],
    before: Option<&'m Item>,
}

impl Made<'_> {
    /// The actions for the row and its links.
    async fn row(
        &self,
        key: Item,
        checks: &mut Checks,
    ) -> Result<Vec<TransactWriteItem>, ClientError> {
        let items = self.number(&items_name()) + self.row.added();
        let table = self.target.table();
        if items == 0 {
            let mut actions = Vec::new();
            if self.before.is_some() {
                actions.push(delete(table, key, Some(self.condition())));
                let gone = self.row.left.first();
                actions.extend(links::removed(self.target, &self.row.digest, gone));
            }
            actions.extend(notes::of_sums(self.target, self.row, self.before, &[]));
            return Ok(actions);
        }
        let mut made = Item::new();
        for (at, column) in self.target.definition.view().columns.iter().enumerate() {
            self.column(at, column, &mut made).await?;
        }
        let mut actions = self.joined(&mut made, checks).await?;
        // What is made decides which indexes the row is in. Sums do not: a row has them always.
        let mut values = self.row.group.clone();
        values.extend(made.iter().map(|(name, held)| (name.clone(), held.clone())));
        let sums = self.sums();
        for (name, _) in &sums {
            values.insert(name.clone(), Value::from(0_i64));
        }
        let mut item = self.target.definition.row(&values)?;
        for (name, held) in made {
            item.insert(name, held);
        }
        let mut whys = Vec::new();
        for (name, sum) in sums {
            whys.extend(self.hold(&mut item, &name, &sum));
        }
        actions.extend(notes::of_sums(self.target, self.row, self.before, &whys));
        item.insert(items_name(), items);
        item.insert(version_name(), version(self.io));
        let item = self.target.stored(item, &self.row.digest);
        actions.push(put(table, item, Some(self.condition())));
        Ok(actions)
    }

    /// The condition that the row is as it was read.
    fn condition(&self) -> (String, ExpressionAttributes) {
        let attributes = ExpressionAttributes::default();
        match self.before.and_then(|item| item.get(&version_name())) {
            Some(version) => (
                "#v = :v".to_owned(),
                attributes
                    .name("#v", version_name())
                    .value(":v", version.clone()),
            ),
            None => (
                "attribute_not_exists(#p)".to_owned(),
                attributes.name("#p", self.target.partition()),
            ),
        }
    }

    fn number(&self, name: &str) -> i64 {
        self.before.map_or(0, |item| whole(item, name))
    }

    /// The sums of the row behind the batch, by their attributes.
    fn sums(&self) -> Vec<(String, Sum)> {
        let columns = self.target.definition.view().columns.iter().enumerate();
        let sums = columns.filter(|(_, column)| matches!(column.from, From::Sum { .. }));
        let sums = sums.map(|(at, Column { attribute, .. })| {
            let sum = self.sum(at, attribute);
            (attribute.clone(), sum)
        });
        sums.collect()
    }

    /// The sum that an attribute of the row has, behind the batch.
    fn sum(&self, at: usize, attribute: &str) -> Sum {
        // Those that are none were refused when the row was read.
        let before = self.before.and_then(|row| sum_of(row, attribute));
        let mut made = before.unwrap_or_default();
        made.join(&sum(self.row, at));
        made
    }

    /// Puts a sum in an attribute of a row. Returns why it is no number.
    fn hold(&self, item: &mut Item, attribute: &str, sum: &Sum) -> Option<String> {
        let HeldSum { shown, exact, why } =
            held_sum(self.target.definition.table(), attribute, sum);
        let names = [attribute.to_owned(), exact_attribute(attribute)];
        for (name, held) in names.into_iter().zip([shown, exact]) {
            match held {
                Some(held) => drop(item.insert(name, held)),
                None => drop(item.remove(&name)),
            }
        }
        why
    }

    /// Adds the attribute of a column.
    async fn column(&self, at: usize, column: &Column, item: &mut Item) -> Result<(), ClientError> {
        let name = column.attribute.as_str();
        let added = self.row.added();
        match &column.from {
            // Sums are put into the row when it is made.
            From::Group { .. } | From::Copied { .. } | From::Joined { .. } | From::Sum { .. } => {}
            From::Count => drop(item.insert(name, self.number(name) + added)),
            From::Average { .. } => self.average(at, column, item),
            From::Distinct { .. } => {
                let values = self.values.get(at).and_then(Option::as_ref);
                let more = values.map_or(0, Values::added);
                item.insert(name, self.number(name) + more);
            }
            From::Min { .. } | From::Max { .. } => {
                if let Some(held) = self.first(at, 1).await?.into_iter().next() {
                    item.insert(name, held);
                }
            }
            From::Top { number, .. } => {
                let number = usize::try_from(*number).unwrap_or(usize::MAX);
                item.insert(name, Value::L(self.first(at, number).await?));
            }
        }
        Ok(())
    }

    async fn first(&self, at: usize, wanted: usize) -> Result<Vec<Value>, ClientError> {
        match self.values.get(at) {
            Some(Some(values)) => {
                let place = (self.row, at);
                values.first(self.io, self.target, place, wanted).await
            }
            Some(None) | None => Ok(Vec::new()),
        }
    }

    /// Adds an average: it is a number also where its sum is none.
    fn average(&self, at: usize, column: &Column, item: &mut Item) {
        let name = column.attribute.as_str();
        let have = |shares: &[super::definition::Share]| {
            let held = shares
                .iter()
                .filter(|one| matches!(one.given.get(at), Some(Some(_))));
            i64::try_from(held.count()).unwrap_or(i64::MAX)
        };
        let (of_sum, of_items) = (column.hidden("sum"), column.hidden("items"));
        let items = self.number(&of_items) + have(&self.row.came) - have(&self.row.left);
        let sum = self.sum(at, &of_sum);
        item.insert(of_items, items);
        let mean = u64::try_from(items).ok();
        let mean = mean.and_then(|count| sum.divided_by(count));
        if let Some(mean) = mean {
            item.insert(name, Value::N(mean));
        }
        let _ = self.hold(item, &of_sum, &sum);
    }

    /// Adds what the row has of other items: as it is, or read where the row is new.
    async fn joined(
        &self,
        item: &mut Item,
        checks: &mut Checks,
    ) -> Result<Vec<TransactWriteItem>, ClientError> {
        if let Some(before) = self.before {
            let links = self.target.definition.links.iter();
            for (attribute, _) in links.flat_map(|link| &link.columns) {
                if let Some(held) = before.get(attribute) {
                    item.insert(attribute.as_str(), held.clone());
                }
            }
            return Ok(Vec::new());
        }
        let Some(share) = self.row.came.first() else {
            return Ok(Vec::new());
        };
        let found = checks.read(self.io, self.target, share).await?;
        for (attribute, held) in found {
            item.insert(attribute, held);
        }
        let row = (&self.row.key, self.row.digest.as_str());
        links::made(self.target, row, share)
    }
}
