//! The rows of an entity, a page at a time, in the order of a key of their table, which the database has at hand;
//! where there is none, of their identity. The values by which a row has its turn are its place.
//!
//! A database may take places for equal that are not the same (`abc` and `ABC` in a column that is compared
//! without case), and several rows may have one place. So a page begins with the place by which the one before it
//! ended, and what was read already is left out by its cells. First come rows whose identity has a NULL, if it is
//! the place: these compare with nothing.

use crate::cell::Cell;
use crate::convert::Problem;
use crate::mapping::Mapped;
use crate::source::{Source, SourceError};
use crate::statement::PAGE;
use keyfold_lower::arguments::Values;
use keyfold_model::Type;
use std::collections::BTreeMap;

/// The most rows that are read at once to get behind identities that compare equal.
const TIES_MAX: usize = 100_000;

/// Rows of an entity.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// The rows that were not read before.
    pub(crate) rows: Vec<Vec<Cell>>,
    /// An identity that several of its rows have.
    pub(crate) doubled: Option<Vec<Cell>>,
    /// The place behind which the next page begins.
    pub(crate) after: Option<Vec<Cell>>,
    /// Whether there may be a next page.
    pub(crate) has_more: bool,
    /// The identity of a row with whose place so many compare equal that no page gets behind them.
    pub(crate) stuck: Option<Vec<Cell>>,
}

impl Page {
    /// Why its rows are not the items of an entity, beside what each of them says.
    pub(crate) fn problem(&self, mapped: &Mapped<'_>) -> Option<Problem> {
        if let Some(identity) = &self.doubled {
            return Some(mapped.doubled(identity));
        }
        if let Some(identity) = &self.stuck {
            let why = "too many rows compare equal to it to be read one after the other";
            return Some(mapped.problem(identity, why));
        }
        self.respelled(mapped)
    }

    /// A row that makes the item of another one on the page, by another spelling of its identity.
    fn respelled(&self, mapped: &Mapped<'_>) -> Option<Problem> {
        let mut made: BTreeMap<String, Vec<Cell>> = BTreeMap::new();
        for row in &self.rows {
            let identity = mapped.identity_of(row);
            // A row without a key says so itself.
            let Ok(key) = mapped.key(&identity) else {
                continue;
            };
            if let Some(other) = made.insert(format!("{key:?}"), identity.clone()) {
                let (entity, other) = (&mapped.entity.name, mapped.named(&other));
                let why = format!("makes the same {entity} as {other}");
                return Some(mapped.problem(&identity, why));
            }
        }
        None
    }
}

/// Where the next page begins.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cursor {
    after: Option<Vec<Cell>>,
    /// The place behind which nothing is read.
    until: Option<Vec<Cell>>,
    /// The places of the rows of the last page, and how many have each.
    seen: BTreeMap<String, usize>,
    is_done: bool,
}

/// A place as it is compared with others: by its cells alone.
fn spelled(place: &[Cell]) -> String {
    format!("{place:?}")
}

impl Cursor {
    /// The rows behind a place, whose row was read.
    pub(crate) fn behind(after: Option<Vec<Cell>>) -> Cursor {
        let seen = after.iter().map(|after| (spelled(after), 1));
        Cursor {
            seen: seen.collect(),
            after,
            ..Cursor::default()
        }
    }

    /// The rows up to a place.
    pub(crate) fn up_to(until: Vec<Cell>) -> Cursor {
        Cursor {
            until: Some(until),
            ..Cursor::default()
        }
    }

    /// The next rows, about so many; `None` behind the last ones.
    pub(crate) fn next(
        &mut self,
        mapped: &Mapped<'_>,
        source: &mut dyn Source,
        most: usize,
    ) -> Result<Option<Page>, SourceError> {
        if self.is_done {
            return Ok(None);
        }
        let mut page = Page::default();
        if self.after.is_none() && !mapped.has_key {
            let sql = mapped.statements.nameless(source, most);
            page.rows = source.query(&sql, &[])?;
        }
        let mut limit = most.saturating_add(usize::from(self.after.is_some()));
        let (rows, is_full) = loop {
            let ends = (self.after.is_some(), self.until.is_some());
            let sql = mapped.statements.page(source, ends, limit);
            let arguments = [&self.after, &self.until];
            let arguments: Vec<Cell> = arguments.into_iter().flatten().flatten().cloned().collect();
            let rows = source.query(&sql, &arguments)?;
            let is_full = rows.len() == limit;
            if !is_full || self.gets_behind(mapped, &rows) {
                break (rows, is_full);
            }
            if limit >= TIES_MAX {
                page.stuck = rows.last().map(|row| mapped.identity_of(row));
                break (rows, false);
            }
            limit = limit.saturating_mul(8).min(TIES_MAX);
        };
        self.take(mapped, rows, &mut page);
        self.is_done = !is_full;
        page.after.clone_from(&self.after);
        page.has_more = is_full;
        Ok(Some(page))
    }

    /// Whether the next page behind these rows is another one.
    fn gets_behind(&self, mapped: &Mapped<'_>, rows: &[Vec<Cell>]) -> bool {
        let last = last_sound(mapped, rows);
        let mut left = self.seen.clone();
        let mut places = rows.iter().map(|row| spelled(&mapped.place_in_order(row)));
        last.is_some() && last != self.after && places.any(|one| !takes(&mut left, &one))
    }

    /// Adds the rows that were not read before to a page, and remembers all.
    fn take(&mut self, mapped: &Mapped<'_>, rows: Vec<Vec<Cell>>, page: &mut Page) {
        let mut before = std::mem::take(&mut self.seen);
        if let Some(last) = last_sound(mapped, &rows) {
            self.after = Some(last);
        }
        for row in rows {
            let spelled = spelled(&mapped.place_in_order(&row));
            let count = self.seen.entry(spelled.clone()).or_default();
            *count += 1;
            if *count == 2 && page.doubled.is_none() {
                page.doubled = Some(mapped.identity_of(&row));
            }
            if !takes(&mut before, &spelled) {
                page.rows.push(row);
            }
        }
    }
}

/// Takes one of the rows with an identity that were read before: whether there was one.
fn takes(before: &mut BTreeMap<String, usize>, spelled: &str) -> bool {
    match before.get_mut(spelled) {
        Some(left) if *left > 0 => {
            *left -= 1;
            true
        }
        Some(_) | None => false,
    }
}

/// The last place that the database can be asked for: its cells are what its columns hold.
fn last_sound(mapped: &Mapped<'_>, rows: &[Vec<Cell>]) -> Option<Vec<Cell>> {
    let is_sound = |place: &[Cell]| {
        let mut cells = mapped.order.iter().zip(place);
        cells.all(|((_, holds_bytes), cell)| match cell {
            Cell::Bytes(_) => *holds_bytes,
            Cell::Null => false,
            Cell::Integer(_) | Cell::Real(_) | Cell::Text(_) => true,
        })
    };
    let places = rows.iter().rev().map(|row| mapped.place_in_order(row));
    places.into_iter().find(|one| is_sound(one))
}

impl Mapped<'_> {
    /// The attributes of all rows, in order, or what is wrong with them.
    ///
    /// # Errors
    /// When the source cannot be read.
    pub fn all_values(
        &self,
        source: &mut dyn Source,
    ) -> Result<Vec<Result<Values, Problem>>, SourceError> {
        let (mut all, mut cursor) = (Vec::new(), Cursor::default());
        while let Some(page) = cursor.next(self, source, PAGE)? {
            all.extend(page.problem(self).map(Err));
            all.extend(page.rows.iter().map(|row| self.values(row)));
        }
        Ok(all)
    }

    /// The values by which a row has its turn.
    pub(crate) fn place_in_order(&self, row: &[Cell]) -> Vec<Cell> {
        let cell = |(at, _): &(usize, bool)| row.get(*at).cloned().unwrap_or(Cell::Null);
        self.order.iter().map(cell).collect()
    }

    /// Whether rows can be found by an identity: a text that is no UTF-8 is read as bytes, and equals none.
    pub(crate) fn is_sound(&self, identity: &[Cell]) -> bool {
        let mut cells = self.identity.iter().zip(identity);
        cells.all(|(at, cell)| {
            let kind = self.filled.get(*at).map(|one| &one.attribute.kind);
            !matches!(cell, Cell::Bytes(_)) || matches!(kind, Some(Type::Binary))
        })
    }
}
