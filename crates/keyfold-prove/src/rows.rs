//! The plain rows: in SQLite, one table for each entity, and as values beside it.
//!
//! SQL decides which rows a question selects and which values are unique. The values are compared
//! with the attributes of found items.

use crate::ProveError;
use crate::seen::Seen;
use crate::sql_value::{of_text, sql};
use keyfold_client::arguments::Values;
use keyfold_model::schema::{Aggregate, Attribute};
use keyfold_model::schema::{Compared, UniqueMember};
use keyfold_model::{Entity, Model};
use rusqlite::types::Value as Sql;
use rusqlite::{Connection, params_from_iter};
use std::collections::{BTreeMap, BTreeSet};

/// All rows.
pub(crate) struct Rows<'m> {
    pub(crate) model: &'m Model,
    /// The present moment, milliseconds since 1970.
    pub(crate) now_epoch_ms: i64,
    pub(crate) connection: Connection,
    /// By entity: the values by row number.
    pub(crate) values: Vec<BTreeMap<i64, Values>>,
    /// The same with kept attributes, as of the last [`Rows::store_complete`].
    complete: Vec<BTreeMap<i64, Values>>,
    /// The number of the next row.
    pub(crate) next: i64,
    /// The entities of which a row was stored at some time.
    pub(crate) stored: BTreeSet<usize>,
    /// What the writes have shown of the model.
    pub(crate) seen: Seen,
    /// The changes since `begin`: entity, row, and the values before.
    pub(crate) journal: Vec<(usize, i64, Option<Values>)>,
    /// The rows that the write at hand makes: a reference may name one before it is made.
    pub(crate) coming: Vec<(usize, Values)>,
    /// The rows that the write at hand deletes: a parent may go together with its children.
    pub(crate) going: Vec<(usize, Values)>,
    /// The indexes of unique values.
    uniques: Vec<UniqueIndex>,
}

/// An index of SQL for unique values.
struct UniqueIndex {
    name: String,
    /// The statement that makes it.
    made: String,
}

/// A length of the journal, to roll back to.
pub(crate) struct Savepoint(usize);

/// The order of selected rows.
pub(crate) struct OrderBy<'o> {
    pub(crate) attribute: &'o str,
    pub(crate) descending: bool,
}

/// The name of an entity's SQL table.
pub(crate) fn table(at: usize) -> String {
    format!("entity_{at}")
}

/// What is compared of a unique column.
fn compared(member: &UniqueMember) -> String {
    let name = quoted(&member.attribute);
    match member.compared {
        Compared::Whole => name,
        Compared::Lower => format!("lower({name})"),
    }
}

/// A column's name in SQL. SQLite takes capitals and small letters for the same: a `:`, which no
/// attribute has in its name, marks the capitals.
pub(crate) fn quoted(name: &str) -> String {
    let mut out = String::from("\"");
    for c in name.chars() {
        out.push(c);
        out.extend(c.is_ascii_uppercase().then_some(':'));
        out.extend((c == '"').then_some('"'));
    }
    out.push('"');
    out
}

/// The column of a row's number, of which no attribute can have the name.
pub(crate) const ROW: &str = "\":row\"";

/// The attributes that identify a row: the declared `id`, or those of the key.
pub(crate) fn identity(entity: &Entity) -> Vec<&str> {
    if !entity.id.is_empty() {
        return entity.id.iter().map(String::as_str).collect();
    }
    let mut names: Vec<&str> = Vec::new();
    for field in entity.key.fields() {
        if !names.contains(&field) {
            names.push(field);
        }
    }
    names
}

impl<'m> Rows<'m> {
    pub(crate) fn new(model: &'m Model, now_epoch_ms: i64) -> Result<Rows<'m>, ProveError> {
        let connection = Connection::open_in_memory()?;
        let mut indexes = Vec::new();
        for (at, entity) in model.entities.iter().enumerate() {
            let columns: String = entity
                .attributes
                .iter()
                .map(|attribute| format!(", {}", quoted(&attribute.name)))
                .collect();
            connection.execute(
                &format!(
                    "CREATE TABLE {} ({ROW} INTEGER PRIMARY KEY{columns})",
                    table(at)
                ),
                [],
            )?;
            let key = identity(entity).into_iter().map(quoted).collect();
            let uniques = entity
                .uniques
                .iter()
                .map(|unique| unique.members.iter().map(compared).collect());
            for (number, columns) in std::iter::once(key).chain(uniques).enumerate() {
                let columns: Vec<String> = columns;
                // An entity whose key is a fixed text is one row.
                let columns = if columns.is_empty() {
                    "(1)".to_owned()
                } else {
                    columns.join(", ")
                };
                let name = format!("u_{at}_{number}");
                let made = format!("CREATE UNIQUE INDEX {name} ON {} ({columns})", table(at));
                connection.execute(&made, [])?;
                // The first one is that of the key.
                if number > 0 {
                    indexes.push(UniqueIndex { name, made });
                }
            }
        }
        Ok(Rows {
            model,
            now_epoch_ms,
            connection,
            values: vec![BTreeMap::new(); model.entities.len()],
            complete: Vec::new(),
            next: 1,
            stored: BTreeSet::new(),
            seen: Seen::nothing_of(model),
            journal: Vec::new(),
            coming: Vec::new(),
            going: Vec::new(),
            uniques: indexes,
        })
    }

    /// Allows rows to share unique values until [`Rows::settle_uniques`].
    pub(crate) fn defer_uniques(&self) -> Result<(), ProveError> {
        for one in &self.uniques {
            let text = format!("DROP INDEX IF EXISTS {}", one.name);
            self.connection.execute_batch(&text)?;
        }
        Ok(())
    }

    /// Returns whether no two rows share unique values. If two do, the caller undoes the changes.
    pub(crate) fn settle_uniques(&self) -> Result<bool, ProveError> {
        let mut are_unique = true;
        for one in &self.uniques {
            match self.connection.execute(&one.made, []) {
                Ok(_) => {}
                Err(rusqlite::Error::SqliteFailure(error, _))
                    if error.code == rusqlite::ErrorCode::ConstraintViolation =>
                {
                    are_unique = false;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(are_unique)
    }

    /// Whether the write at hand makes the row with this key.
    pub(crate) fn is_coming(&self, entity: &Entity, key: &Values) -> bool {
        let at = self.place(entity);
        let has_key = |row: &Values| key.iter().all(|(name, value)| row.get(name) == Some(value));
        let mut coming = self.coming.iter();
        coming.any(|(of, row)| *of == at && has_key(row))
    }

    /// Whether the write at hand deletes a row of the entity at a place.
    pub(crate) fn is_going(&self, at: usize, row: &Values) -> bool {
        let Some(entity) = self.model.entities.get(at) else {
            return false;
        };
        let names = identity(entity);
        let is_it = |key: &Values| names.iter().all(|name| key.get(*name) == row.get(*name));
        self.going.iter().any(|(of, key)| *of == at && is_it(key))
    }

    /// The index of an entity in the model.
    pub(crate) fn place(&self, entity: &Entity) -> usize {
        self.model
            .entities
            .iter()
            .position(|known| known.name == entity.name)
            .unwrap_or(0)
    }

    pub(crate) fn count(&self) -> usize {
        self.values.iter().map(BTreeMap::len).sum()
    }

    /// Every row of an entity.
    pub(crate) fn of(&self, at: usize) -> impl Iterator<Item = (i64, &Values)> {
        self.values
            .get(at)
            .into_iter()
            .flatten()
            .map(|(row, values)| (*row, values))
    }

    /// Whether a row of an entity was stored at some time.
    pub(crate) fn was_stored(&self, at: usize) -> bool {
        self.stored.contains(&at)
    }

    pub(crate) fn get(&self, at: usize, row: i64) -> Option<&Values> {
        self.values.get(at)?.get(&row)
    }

    /// A row with kept attributes, as of the last [`Rows::store_complete`].
    pub(crate) fn get_complete(&self, at: usize, row: i64) -> Option<&Values> {
        self.complete.get(at)?.get(&row)
    }

    /// The values of a random row of an entity.
    pub(crate) fn pick(&self, entity: &str, rng: &mut fastrand::Rng) -> Option<Values> {
        let at = self
            .model
            .entities
            .iter()
            .position(|known| known.name == entity)?;
        self.pick_row(at, rng)
            .and_then(|row| self.get(at, row))
            .cloned()
    }

    /// The number of a random row of an entity.
    pub(crate) fn pick_row(&self, at: usize, rng: &mut fastrand::Rng) -> Option<i64> {
        let rows = self.values.get(at)?;
        if rows.is_empty() {
            return None;
        }
        rows.keys().nth(rng.usize(..rows.len())).copied()
    }

    /// The number of a random row of an entity for whose values something holds.
    pub(crate) fn pick_where(
        &self,
        at: usize,
        rng: &mut fastrand::Rng,
        is_meant: impl Fn(&Values) -> bool,
    ) -> Option<i64> {
        let meant = self.of(at).filter(|(_, values)| is_meant(values));
        let meant: Vec<i64> = meant.map(|(row, _)| row).collect();
        meant.get(rng.usize(..meant.len().max(1))).copied()
    }

    /// The number of the row with the key of these values.
    pub(crate) fn find(&self, entity: &Entity, values: &Values) -> Option<i64> {
        let at = self.place(entity);
        let fields = identity(entity);
        let same = |row: &Values| {
            let mut fields = fields.iter();
            fields.all(|field| row.get(*field) == values.get(*field))
        };
        self.of(at).find(|(_, row)| same(row)).map(|(row, _)| row)
    }

    /// The number and the values of the row with the key of these values.
    pub(crate) fn found(&self, entity: &Entity, values: &Values) -> Option<(i64, Values)> {
        let row = self.find(entity, values)?;
        Some((row, self.get(self.place(entity), row)?.clone()))
    }

    /// The child's attribute for each attribute of a parent's key: the reference that the aggregate
    /// names, the only reference, or the attribute of the same name.
    pub(crate) fn link(
        &self,
        parent: &Entity,
        child: &Entity,
        aggregate: &Aggregate,
    ) -> Vec<(String, String)> {
        let of_field = |field: &str| -> Option<(String, String)> {
            let named = aggregate.by.iter().find(|name| {
                **name == field
                    || child
                        .attribute(name)
                        .is_some_and(|one| self.leads_to(one, parent, field))
            });
            let referring = || {
                child
                    .attributes
                    .iter()
                    .find(|one| self.leads_to(one, parent, field))
            };
            let same = || child.attribute(field);
            let found = match named {
                Some(name) => name.clone(),
                None => referring().or_else(same)?.name.clone(),
            };
            Some((field.to_owned(), found))
        };
        parent.key.fields().filter_map(of_field).collect()
    }

    /// Whether an attribute refers to another one, directly or through others.
    fn leads_to(&self, attribute: &Attribute, entity: &Entity, field: &str) -> bool {
        let mut at = attribute;
        for _ in 0..self.model.entities.len() + 1 {
            let Some((to, name)) = &at.refers else {
                return false;
            };
            if *to == entity.name && name == field {
                return true;
            }
            let next = self
                .model
                .entity(to)
                .and_then(|entity| entity.attribute(name));
            let Some(next) = next else { return false };
            at = next;
        }
        false
    }

    /// Takes the rows with kept attributes, by entity, and writes these attributes into the columns.
    pub(crate) fn store_complete(
        &mut self,
        complete: Vec<BTreeMap<i64, Values>>,
    ) -> Result<(), ProveError> {
        self.complete = complete;
        for (at, (entity, complete)) in self.model.entities.iter().zip(&self.complete).enumerate() {
            for aggregate in &entity.aggregates {
                let text = format!(
                    "UPDATE {} SET {} = ? WHERE {ROW} = ?",
                    table(at),
                    quoted(&aggregate.attribute)
                );
                let mut statement = self.connection.prepare_cached(&text)?;
                for (row, values) in complete {
                    let kept = sql(values.get(&aggregate.attribute));
                    statement.execute(params_from_iter([kept, Sql::Integer(*row)]))?;
                }
            }
        }
        Ok(())
    }

    /// Begins changes that can be undone.
    pub(crate) fn begin(&mut self) -> Result<(), ProveError> {
        self.journal.clear();
        Ok(self.connection.execute_batch("BEGIN")?)
    }

    /// Undoes the changes since `begin`.
    pub(crate) fn undo(&mut self) -> Result<(), ProveError> {
        self.connection.execute_batch("ROLLBACK")?;
        self.seen.forget();
        self.unwind(0);
        Ok(())
    }

    /// The number of changes since `begin`.
    pub(crate) fn changes_made(&self) -> usize {
        self.journal.len()
    }

    /// The rows that were changed since there were so many changes, as texts.
    pub(crate) fn changed_since(&self, length: usize) -> Vec<String> {
        let changes = self.journal.iter().skip(length);
        changes.map(|(at, row, _)| format!("{at} {row}")).collect()
    }

    /// Sets a savepoint within the begun changes.
    pub(crate) fn savepoint(&mut self) -> Result<Savepoint, ProveError> {
        self.connection.execute_batch("SAVEPOINT one")?;
        Ok(Savepoint(self.journal.len()))
    }

    /// Undoes the changes since the last savepoint.
    pub(crate) fn roll_back_to(&mut self, savepoint: Savepoint) -> Result<(), ProveError> {
        self.connection.execute_batch("ROLLBACK TO one")?;
        self.unwind(savepoint.0);
        Ok(())
    }

    /// Restores the values of rows, until the journal has this length.
    fn unwind(&mut self, length: usize) {
        while self.journal.len() > length {
            let Some((at, row, before)) = self.journal.pop() else {
                return;
            };
            if let Some(rows) = self.values.get_mut(at) {
                match before {
                    Some(values) => rows.insert(row, values),
                    None => rows.remove(&row),
                };
            }
        }
    }

    pub(crate) fn delete(&mut self, entity: &Entity, row: i64) -> Result<(), ProveError> {
        let at = self.place(entity);
        let text = format!("DELETE FROM {} WHERE {ROW} = ?", table(at));
        self.connection.prepare_cached(&text)?.execute([row])?;
        if let Some(rows) = self.values.get_mut(at) {
            let before = rows.remove(&row);
            self.journal.push((at, row, before));
        }
        Ok(())
    }

    /// The rows of an entity that a condition selects, in the order of a clause.
    pub(crate) fn select(
        &self,
        at: usize,
        condition: &str,
        order: Option<OrderBy<'_>>,
        parameters: Vec<Sql>,
    ) -> Result<Vec<i64>, ProveError> {
        let order = order.map_or(String::new(), |order| {
            let descending = if order.descending { " DESC" } else { "" };
            format!(" ORDER BY {}{descending}", quoted(order.attribute))
        });
        let text = format!("SELECT {ROW} FROM {} WHERE {condition}{order}", table(at));
        let mut statement = self.connection.prepare_cached(&text)?;
        let rows = statement.query_map(params_from_iter(parameters), |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Puts rows in the place of all that an entity has. Those that cannot be stored are left out.
    pub(crate) fn refill(&mut self, at: usize, all: Vec<Values>) -> Result<(), ProveError> {
        let Some(entity) = self.model.entities.get(at) else {
            return Ok(());
        };
        let text = format!("DELETE FROM {}", table(at));
        self.connection.execute(&text, [])?;
        if let Some(rows) = self.values.get_mut(at) {
            rows.clear();
        }
        for values in all {
            self.insert(entity, values)?;
        }
        self.journal.clear();
        Ok(())
    }

    /// The lines of a query, each with so many columns.
    pub(crate) fn query(
        &self,
        text: &str,
        parameters: Vec<Sql>,
        columns: usize,
    ) -> Result<Vec<Vec<Sql>>, ProveError> {
        let mut statement = self.connection.prepare_cached(text)?;
        let lines = statement.query_map(params_from_iter(parameters), |line| {
            (0..columns).map(|at| line.get(at)).collect()
        })?;
        Ok(lines.collect::<Result<_, _>>()?)
    }

    /// SQL's value of an aggregate of a row: `count(*)`, `sum(...)` or `max(...)`.
    pub(crate) fn aggregate(
        &self,
        entity: &Entity,
        aggregate: &Aggregate,
        parent: &Values,
    ) -> Result<Sql, ProveError> {
        let mut conditions = vec!["1".to_owned()];
        let mut parameters = Vec::new();
        let child = self.model.entities.get(aggregate.entity);
        for (field, name) in child
            .map(|child| self.link(entity, child, aggregate))
            .unwrap_or_default()
        {
            conditions.push(format!("{} = ?", quoted(&name)));
            parameters.push(sql(parent.get(&field)));
        }
        if let (Some((name, text)), Some(child)) = (
            &aggregate.condition,
            self.model.entities.get(aggregate.entity),
        ) {
            let attribute = child.attribute(name);
            let fixed = attribute.and_then(|attribute| of_text(&attribute.kind, text));
            conditions.push(format!("{} = ?", quoted(name)));
            parameters.push(sql(fixed.as_ref()));
        }
        let function = match &aggregate.of {
            None => "count(*)".to_owned(),
            Some(of) => format!("{}({})", aggregate.kind.word(), quoted(of)),
        };
        let text = format!(
            "SELECT {function} FROM {} WHERE {}",
            table(aggregate.entity),
            conditions.join(" AND ")
        );
        let mut statement = self.connection.prepare_cached(&text)?;
        Ok(statement.query_row(params_from_iter(parameters), |row| row.get(0))?)
    }
}
