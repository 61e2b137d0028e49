//! Changes of rows: inserted, replaced, and kept together with what they show of the model. Which rows
//! there are, and how they are undone, is in [`crate::rows`].

use crate::kept::is_counted;
use crate::rows::{ROW, Rows, quoted, table};
use crate::seen::Sight;
use crate::sql_value::sql;
use crate::verdict::holds;
use crate::{ProveError, expect, kept};
use keyfold_client::arguments::Values;
use keyfold_model::Entity;
use rusqlite::params_from_iter;
use rusqlite::types::Value as Sql;

impl Rows<'_> {
    /// Commits the changes since `begin`.
    pub(crate) fn keep(&mut self) -> Result<(), ProveError> {
        for (at, row, _) in std::mem::take(&mut self.journal) {
            let Some(entity) = self.model.entities.get(at) else {
                continue;
            };
            if let Some(values) = kept::complete(self, entity, row) {
                self.stored.insert(at);
                let shown = shown_by(self, at, &values);
                shown.into_iter().for_each(|sight| self.seen.show(sight));
            }
        }
        self.seen.keep();
        Ok(self.connection.execute_batch("COMMIT")?)
    }

    /// Adds a row. Returns whether that is possible: SQL refuses a key or unique value that exists,
    /// the declarations refuse a row that cannot be stored.
    pub(crate) fn insert(&mut self, entity: &Entity, values: Values) -> Result<bool, ProveError> {
        let row = self.next;
        self.next += 1;
        self.write(entity, row, values)
    }

    /// Adds rows that another database has. Of those with one key the first is taken.
    pub(crate) fn load(&mut self, at: usize, all: Vec<Values>) -> Result<(), ProveError> {
        self.connection.execute_batch("BEGIN")?;
        for values in all {
            let row = self.next;
            self.next += 1;
            self.add(at, row, values)?;
        }
        self.journal.clear();
        Ok(self.connection.execute_batch("COMMIT")?)
    }

    /// Changes a row. Returns whether that is possible, as [`Rows::insert`] does.
    pub(crate) fn replace(
        &mut self,
        entity: &Entity,
        row: i64,
        values: Values,
    ) -> Result<bool, ProveError> {
        self.delete(entity, row)?;
        self.write(entity, row, values)
    }

    fn write(&mut self, entity: &Entity, row: i64, values: Values) -> Result<bool, ProveError> {
        let at = self.place(entity);
        let whole = kept::with_kept(self, entity, values.clone());
        if expect::items(self.model, entity, &whole).is_err() {
            return Ok(false);
        }
        self.add(at, row, values)
    }

    /// Adds a row without a look at its items. Returns whether that is possible: SQL refuses a key or
    /// unique value that exists.
    fn add(&mut self, at: usize, row: i64, values: Values) -> Result<bool, ProveError> {
        let Some(entity) = self.model.entities.get(at) else {
            return Ok(false);
        };
        let names: Vec<String> = entity.attributes.iter().map(|a| quoted(&a.name)).collect();
        let placeholders = vec!["?"; names.len() + 1].join(", ");
        let columns = std::iter::once(ROW.to_owned())
            .chain(names)
            .collect::<Vec<_>>()
            .join(", ");
        // Kept attributes are written later, by `store_complete`.
        let held = entity.attributes.iter().map(|a| sql(values.get(&a.name)));
        let parameters: Vec<Sql> = std::iter::once(Sql::Integer(row)).chain(held).collect();
        let text = format!(
            "INSERT INTO {} ({columns}) VALUES ({placeholders})",
            table(at)
        );
        match self
            .connection
            .prepare_cached(&text)?
            .execute(params_from_iter(parameters))
        {
            Ok(_) => {
                if let Some(rows) = self.values.get_mut(at) {
                    let before = rows.insert(row, values);
                    self.journal.push((at, row, before));
                }
                Ok(true)
            }
            Err(rusqlite::Error::SqliteFailure(error, _))
                if error.code == rusqlite::ErrorCode::ConstraintViolation =>
            {
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// What a stored row shows: its copies, and the aggregates that count it.
fn shown_by(rows: &Rows<'_>, at: usize, row: &Values) -> Vec<Sight> {
    let Some(entity) = rows.model.entities.get(at) else {
        return Vec::new();
    };
    let nothing = Values::new();
    let mut shown = Vec::new();
    for (one, copy) in entity.copies.iter().enumerate() {
        let sight = Sight::Copy(at, one);
        let is_new = rows.seen.is_open(sight);
        if is_new && copy.when.iter().all(|when| holds(when, row, &nothing)) {
            shown.push(sight);
        }
    }
    for (parent_at, parent) in rows.model.entities.iter().enumerate() {
        for (one, aggregate) in parent.aggregates.iter().enumerate() {
            let sight = Sight::Aggregate(parent_at, one);
            if aggregate.entity != at || !rows.seen.is_open(sight) {
                continue;
            }
            let link = rows.link(parent, entity, aggregate);
            let key = link.iter();
            let key = key.filter_map(|(field, name)| Some((field.clone(), row.get(name)?.clone())));
            let key: Values = key.collect();
            let is_whole = parent.key.fields().all(|field| key.contains_key(field));
            if is_whole && is_counted(aggregate, row) && rows.find(parent, &key).is_some() {
                shown.push(sight);
            }
        }
    }
    shown
}
