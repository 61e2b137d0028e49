//! Rows that other rows rest on: an item that counts others must be there before those are written, and its row
//! may be copied after theirs, above all where a table refers to itself.

use crate::cell::Cell;
use crate::mapping::Mapped;
use crate::run::{Ended, Migration};
use crate::wish::Wish;
use std::collections::BTreeSet;

/// The most rows that are fetched so for one page.
const ROWS_MAX: usize = 100_000;
/// The most identities in one query.
const IDENTITIES_MAX: usize = 100;

/// The rows that are to be read: the position of a mapping, and an identity.
type Asked = (usize, Vec<Cell>);

impl<'m> Migration<'_, 'm> {
    /// Writes the items of all rows that some rows refer to, directly or not: whether there were any that were not
    /// written so before.
    pub(crate) fn write_parents(
        &mut self,
        mapped: &Mapped<'m>,
        rows: &[Vec<Cell>],
    ) -> Result<bool, Ended> {
        let mapping = self.mapping;
        let (mut seen, mut wishes) = (BTreeSet::new(), Vec::new());
        let mut asked = self.referred(mapped, rows, &mut seen);
        while !asked.is_empty() && wishes.len() < ROWS_MAX {
            let mut next = Vec::new();
            for (at, mapped) in mapping.entities.iter().enumerate() {
                let own = asked.iter().filter(|(of, _)| *of == at);
                let own: Vec<Vec<Cell>> = own.map(|(_, cells)| cells.clone()).collect();
                for some in own.chunks(IDENTITIES_MAX) {
                    let rows = self.rows_of(mapped, some)?;
                    for row in &rows {
                        wishes.push(Wish::of(at, mapped, row)?);
                    }
                    next.extend(self.referred(mapped, &rows, &mut seen));
                }
            }
            asked = next;
        }
        let has_some = !wishes.is_empty();
        self.write(wishes)?;
        Ok(has_some)
    }

    /// The rows that some rows of an entity refer to, each once.
    fn referred(
        &self,
        mapped: &Mapped<'m>,
        rows: &[Vec<Cell>],
        seen: &mut BTreeSet<String>,
    ) -> Vec<Asked> {
        let mut asked = Vec::new();
        for (at, parent) in self.mapping.entities.iter().enumerate() {
            for places in references(mapped, parent) {
                for row in rows {
                    let cells = places.iter().map(|place| row.get(*place).cloned());
                    let Some(cells) = cells.collect::<Option<Vec<Cell>>>() else {
                        continue;
                    };
                    let is_whole = !cells.iter().any(Cell::is_null);
                    if is_whole && seen.insert(format!("{at} {cells:?}")) {
                        asked.push((at, cells));
                    }
                }
            }
        }
        asked
    }
}

/// The places in a row that hold the identity of a row of another entity, for each way to refer to it.
fn references(mapped: &Mapped<'_>, parent: &Mapped<'_>) -> Vec<Vec<usize>> {
    let refers_to = |name: &str| {
        let all = mapped.filled.iter().enumerate();
        let those = all.filter(|(_, one)| {
            let refers = one.attribute.refers.as_ref();
            refers.is_some_and(|(of, attribute)| *of == parent.entity.name && attribute == name)
        });
        those.map(|(place, _)| place).collect::<Vec<usize>>()
    };
    let identity = parent
        .identity
        .iter()
        .filter_map(|at| parent.filled.get(*at));
    let places: Vec<Vec<usize>> = identity.map(|one| refers_to(&one.attribute.name)).collect();
    match places.as_slice() {
        [only] => only.iter().map(|place| vec![*place]).collect(),
        several => {
            let one = several.iter().map(|places| match places.as_slice() {
                [place] => Some(*place),
                _ => None,
            });
            one.collect::<Option<Vec<usize>>>()
                .into_iter()
                .filter(|one| !one.is_empty())
                .collect()
        }
    }
}
