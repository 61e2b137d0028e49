//! The last step of a build: rows are moved to their place, then those that the new generation does not
//! have are deleted.
//!
//! It needs nothing of the definition, so that a worker with another one ends a switch that was begun:
//! otherwise readers would keep a mixture of two generations.

use super::clean;
use super::place::{Kind, PARTITION, SORT, Space, TABLE, sort_of};
use super::requests::{delete, page, put};
use super::state::{Generation, Phase, State};
use crate::lease::Row;
use crate::lease_table::LeaseTable;
use crate::views::keeper::write;
use crate::world::{Io, World};
use keyfold_api::{ExpressionAttributes, TransactWriteItem};
use keyfold_lower::ClientError;
use keyfold_types::Item;

/// The rows that are moved in one transaction: a put and a deletion each.
const MOVED: usize = 40;

/// Who ends a switch, and of which view.
#[derive(Clone, Copy)]
pub(crate) struct Switch<'s> {
    pub(crate) world: &'s dyn World,
    pub(crate) view: &'s str,
    /// The table of the leases.
    pub(crate) leases: &'s str,
    pub(crate) worker: &'s str,
}

impl Switch<'_> {
    fn io(&self) -> &dyn Io {
        self.world
    }

    /// Moves the rows of the next generation to their place, and deletes those of generations before.
    /// Does nothing in another phase. Returns whether the state was still the one that was read.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn end(&self, mut state: State) -> Result<bool, ClientError> {
        let Some((next, Phase::Switch)) = state.next.clone() else {
            return Ok(false);
        };
        // Workers of generations that were given up may have slept since.
        for one in state.garbage.iter().chain([&next]) {
            fence(self.io(), self.view, one, self.leases).await?;
        }
        let space = Space {
            view: self.view.to_owned(),
            generation: next.number,
        };
        if !self.moves(&mut state, &next, &space).await? {
            return Ok(false);
        }
        if next.number > 1 && !self.deletes(&mut state, &next, &space).await? {
            return Ok(false);
        }
        state.garbage.extend(state.live.take());
        let since = self.world.epoch_ms();
        state.live = Some(Generation { since, ..next });
        state.next = None;
        self.store(&mut state).await
    }

    async fn moves(
        &self,
        state: &mut State,
        next: &Generation,
        space: &Space,
    ) -> Result<bool, ClientError> {
        for partition in space.partitions(Kind::Rows) {
            loop {
                let names = (TABLE, [PARTITION, SORT]);
                let asked = (partition.as_str(), "");
                let (items, _) = page(self.io(), names, asked, None, Some(MOVED)).await?;
                if items.is_empty() {
                    break;
                }
                let moves = |_| async {
                    let moves = items
                        .iter()
                        .flat_map(|item| moved(&next.table, space, item));
                    Ok(moves.collect())
                };
                write(self.io(), moves).await?;
                if !self.store(state).await? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    async fn deletes(
        &self,
        state: &mut State,
        next: &Generation,
        space: &Space,
    ) -> Result<bool, ClientError> {
        let old = state.live.iter().chain(&state.garbage);
        let mut tables: Vec<String> = old.map(|one| one.table.clone()).collect();
        tables.push(next.table.clone());
        tables.sort();
        tables.dedup();
        for table in tables {
            let mut after = None;
            loop {
                after = clean::rows(self.io(), &table, space, after).await?;
                if !self.store(state).await? {
                    return Ok(false);
                }
                if after.is_none() {
                    break;
                }
            }
        }
        Ok(true)
    }

    async fn store(&self, state: &mut State) -> Result<bool, ClientError> {
        state.store_of(self.io(), self.view, self.worker).await
    }
}

/// Lets what consumers of a generation are about be refused.
///
/// # Errors
/// The backend's.
pub(crate) async fn fence(
    io: &dyn Io,
    view: &str,
    generation: &Generation,
    leases: &str,
) -> Result<(), ClientError> {
    for table in &generation.streams {
        let leases = LeaseTable {
            table: leases.to_owned(),
            consumer: generation.consumer(view, table),
        };
        for row in leases.all(io).await? {
            if let Row::Lease(lease) = row {
                leases.fence(io, &lease).await?;
            }
        }
    }
    Ok(())
}

/// The actions that move a row to its place. They happen once: behind them the row is not aside.
fn moved(table: &str, space: &Space, item: &Item) -> Vec<TransactWriteItem> {
    let key = space.key(Kind::Rows, sort_of(item).unwrap_or_default());
    let mut row = item.clone();
    row.remove(PARTITION);
    row.remove(SORT);
    let aside = ExpressionAttributes::default().name("#p", PARTITION);
    let condition = ("attribute_exists(#p)".to_owned(), aside);
    vec![put(table, row, None), delete(TABLE, key, Some(condition))]
}
