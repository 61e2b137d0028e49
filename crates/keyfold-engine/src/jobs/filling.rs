//! The progress of backfilling new indexes and new expiry settings.

use super::backfill;
use super::expiry::note_some;
use super::turn::Work;
use crate::base::layout;
use crate::core::Core;
use crate::core::change_table::change_table;
use crate::table::Table;
use keyfold_api::ApiError;
use keyfold_codec::key::{IndexId, KeyRange, TableId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// An index or a setting that is being backfilled.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Index(TableId, IndexId),
    /// Expiry notes of the setting made at this time.
    Expiry(TableId, u64),
}

/// The progress of all backfilling.
#[derive(Default)]
pub(super) struct Filling {
    /// The rest of each range.
    left: BTreeMap<Place, KeyRange>,
}

impl Filling {
    /// Removes expiry settings that no longer exist.
    pub(super) fn retain(&mut self, tables: &[Arc<Table>]) {
        self.left.retain(|place, _| match place {
            Place::Index(..) => true,
            Place::Expiry(id, begun) => tables.iter().any(|table| {
                table.id == *id
                    && table
                        .settings
                        .expiry
                        .as_ref()
                        .is_some_and(|expiry| expiry.begun == *begun)
            }),
        });
    }

    /// Removes an index, so that the next one with its id is filled from the beginning.
    pub(super) fn forget(&mut self, table: TableId, index: IndexId) {
        self.left.remove(&Place::Index(table, index));
    }

    /// Does a piece of the first index that is being built.
    pub(super) fn index(&mut self, core: &Core, table: &Arc<Table>) -> Result<Work, ApiError> {
        let Some(index) = table.indexes.iter().find(|index| index.is_building) else {
            return Ok(Work::Done);
        };
        let place = Place::Index(table.id, index.id);
        let range = self
            .left
            .get(&place)
            .cloned()
            .unwrap_or_else(|| layout::items_of(table.id));
        if let Some(rest) = backfill::index_some(core, table, index, &range)? {
            self.left.insert(place, rest);
            return Ok(Work::More);
        }
        change_table(core, table, |table| {
            for built in &mut table.indexes {
                if built.id == index.id {
                    built.is_building = false;
                }
            }
        })?;
        self.left.remove(&place);
        Ok(Work::More)
    }

    /// Does a piece of the expiry notes of items from before the setting.
    pub(super) fn expiry(&mut self, core: &Core, table: &Arc<Table>) -> Result<Work, ApiError> {
        let setting = table
            .settings
            .expiry
            .as_ref()
            .filter(|expiry| !expiry.is_complete);
        let Some(begun) = setting.map(|expiry| expiry.begun) else {
            return Ok(Work::Done);
        };
        let place = Place::Expiry(table.id, begun);
        let range = self
            .left
            .get(&place)
            .cloned()
            .unwrap_or_else(|| layout::items_of(table.id));
        if let Some(rest) = note_some(core, table, &range)? {
            self.left.insert(place, rest);
            return Ok(Work::More);
        }
        change_table(core, table, |table| {
            if let Some(expiry) = table
                .settings
                .expiry
                .as_mut()
                .filter(|expiry| expiry.begun == begun)
            {
                expiry.is_complete = true;
            }
        })?;
        self.left.remove(&place);
        Ok(Work::Done)
    }
}
