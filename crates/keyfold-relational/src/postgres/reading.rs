//! Messages of the log become rows that were touched.

use super::catalog::Table;
use super::log::{self, Field, Message, Named, Row};
use super::value;
use crate::cell::Cell;
use crate::source::{Change, SourceError, Touched, Watched};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Changes, and the transactions that made them.
pub(super) struct Told {
    pub(super) change: Change,
    pub(super) transactions: Vec<u32>,
}

/// A table as the log describes it.
struct Described {
    /// Its position among those that are watched.
    table: usize,
    /// The places and types of the watched columns in a row.
    columns: Vec<(usize, u32)>,
}

/// Messages that are being read.
pub(super) struct Reading<'w> {
    watched: &'w [Watched],
    tables: &'w [Table],
    domains: &'w BTreeMap<u32, u32>,
    /// A table may be watched several times, under several names.
    described: HashMap<u32, Vec<Described>>,
    pub(super) touched: Vec<Touched>,
    seen: HashSet<String>,
    transactions: Vec<u32>,
    end: i64,
    pub(super) messages: usize,
}

impl<'w> Reading<'w> {
    pub(super) fn of(
        watched: &'w [Watched],
        tables: &'w [Table],
        domains: &'w BTreeMap<u32, u32>,
    ) -> Reading<'w> {
        Reading {
            watched,
            tables,
            domains,
            described: HashMap::new(),
            touched: Vec::new(),
            seen: HashSet::new(),
            transactions: Vec::new(),
            end: 0,
            messages: 0,
        }
    }

    pub(super) fn told(self, has_more: bool) -> Told {
        Told {
            change: Change {
                touched: self.touched,
                mark: vec![self.end],
                has_more,
            },
            transactions: self.transactions,
        }
    }

    pub(super) fn message(&mut self, bytes: &[u8]) -> Result<(), SourceError> {
        self.messages += 1;
        match log::message(bytes)? {
            Message::Begin { transaction } => self.transactions.push(transaction),
            Message::Commit { end } => self.end = end.cast_signed(),
            Message::Relation { number, columns } => self.describe(number, &columns)?,
            Message::Rows { number, old, new } => self.rows(number, old.as_ref(), new.as_ref())?,
            Message::Truncate { numbers } => {
                for number in numbers {
                    if let Some(described) = self.described.get(&number).and_then(|all| all.first())
                    {
                        return Err(self.truncated(described.table));
                    }
                }
            }
            Message::Other => {}
        }
        Ok(())
    }

    fn truncated(&self, table: usize) -> SourceError {
        let name = self.watched.get(table).map_or("", |one| one.table.as_str());
        SourceError::lasting(format!(
            "`{name}` was emptied by TRUNCATE, and the log does not tell which rows it had: give the migration up \
             with `keyfold migrate abort`, begin again, and `keyfold migrate verify --mend` at the end"
        ))
    }

    fn describe(&mut self, number: u32, columns: &[Named]) -> Result<(), SourceError> {
        let mut all = Vec::new();
        let pairs = self.tables.iter().zip(self.watched).enumerate();
        for (table, (_, watched)) in pairs.filter(|(_, (one, _))| one.number == number) {
            let mut places = Vec::new();
            for name in &watched.columns {
                let mut named = columns.iter().enumerate();
                let Some((place, column)) = named.find(|(_, one)| one.name == *name && one.is_told)
                else {
                    return Err(untold(name, watched));
                };
                let kind = self
                    .domains
                    .get(&column.kind)
                    .copied()
                    .unwrap_or(column.kind);
                places.push((place, kind));
            }
            all.push(Described {
                table,
                columns: places,
            });
        }
        self.described.insert(number, all);
        Ok(())
    }

    fn rows(
        &mut self,
        number: u32,
        old: Option<&Row<'_>>,
        new: Option<&Row<'_>>,
    ) -> Result<(), SourceError> {
        for described in self.described.get(&number).into_iter().flatten() {
            for row in [old, new].into_iter().flatten() {
                let cells = described.columns.iter().map(|one| cell(*one, row, old));
                let cells: Vec<Cell> = cells.collect::<Result<_, _>>()?;
                let table = described.table;
                if self.seen.insert(format!("{table} {cells:?}")) {
                    self.touched.push(Touched { table, cells });
                }
            }
        }
        Ok(())
    }
}

/// The value of a column of a row; one that the log does not repeat is as it was.
fn cell(
    (place, kind): (usize, u32),
    row: &Row<'_>,
    old: Option<&Row<'_>>,
) -> Result<Cell, SourceError> {
    let field = row.get(place).copied().unwrap_or(Field::Null);
    let before = old.and_then(|old| old.get(place)).copied();
    match (field, before) {
        (Field::Text(text), _) | (Field::Unchanged, Some(Field::Text(text))) => {
            Ok(value::cell(kind, Some(text)))
        }
        (Field::Null, _) => Ok(Cell::Null),
        (Field::Unchanged, _) => Err(SourceError::lasting(
            "the log does not tell a long value by which rows are told",
        )),
    }
}

fn untold(column: &str, watched: &Watched) -> SourceError {
    SourceError::lasting(format!(
        "the log did not tell `{column}` of `{}` for a while (its replica identity or the column was changed), so \
         changes were passed over: give the migration up with `keyfold migrate abort`, begin again, and \
         `keyfold migrate verify --mend` at the end",
        watched.table
    ))
}
