//! Filling a table with the items of a backup, or of a table at a moment.
//!
//! The record of a restore is its table, which is CREATING. After a restart a restore begins again:
//! it removes the items of the earlier attempt first.

use super::fill::fill;
use super::job::{Job, is_final};
use super::sweep::{remove_counters, remove_some};
use super::turn::Work;
use crate::base::layout;
use crate::core::Core;
use crate::core::change_table::change_table;
use crate::state_at::StateAt;
use crate::table::arn;
use crate::table::{Failure, Table};
use crate::window::open_window;
use keyfold_api::{ApiError, TableStatus};
use keyfold_codec::key::KeyRange;
use std::sync::Arc;

pub(super) struct RestoreJob {
    table: Arc<Table>,
    /// The rest of the items of an earlier attempt.
    leftover: Option<KeyRange>,
    state: Option<StateAt>,
    /// The range to continue with after a failed piece.
    left: Option<KeyRange>,
}

impl RestoreJob {
    pub(super) fn new(table: Arc<Table>) -> RestoreJob {
        let leftover = Some(KeyRange::prefix(table.id.0.to_be_bytes().to_vec()));
        RestoreJob {
            table,
            leftover,
            state: None,
            left: None,
        }
    }

    fn piece(&mut self, core: &Core) -> Result<Work, ApiError> {
        if let Some(leftover) = &mut self.leftover {
            if !remove_some(core, leftover)? {
                return Ok(Work::More);
            }
            let counters = [
                layout::counters_of(self.table.id),
                layout::collections_of(self.table.id),
            ];
            if !remove_counters(core, &counters)? {
                return Ok(Work::More);
            }
            self.leftover = None;
        }
        if self.state.is_none() {
            let Some(state) = source(core, &self.table)? else {
                let reason =
                    "The source of the restore no longer exists, or its changes are no longer kept";
                return fail(core, &self.table, reason).map(|()| Work::Done);
            };
            self.state = Some(match self.left.take() {
                Some(left) => state.of_keys(left),
                None => state,
            });
        }
        let Some(state) = &mut self.state else {
            return Ok(Work::More);
        };
        match state.next_piece()? {
            Some(items) => fill(core, &self.table, items).map(|()| Work::More),
            None => {
                change_table(core, &self.table, |table| {
                    table.status = TableStatus::Active
                })?;
                Ok(Work::Done)
            }
        }
    }
}

impl Job for RestoreJob {
    fn step(&mut self, core: &Core) -> Result<Work, ApiError> {
        match self.piece(core) {
            Err(error) if is_final(&error) => {
                fail(core, &self.table, &error.message().unwrap_or_default()).map(|()| Work::Done)
            }
            Err(error) => {
                // No snapshot is held until the retry.
                self.left = self
                    .state
                    .take()
                    .and_then(|state| state.left().cloned())
                    .or(self.left.take());
                Err(error)
            }
            Ok(work) => Ok(work),
        }
    }

    fn description(&self) -> String {
        format!("restoring table {}", self.table.name)
    }
}

/// The items to restore; none when they no longer exist.
fn source(core: &Core, table: &Table) -> Result<Option<StateAt>, ApiError> {
    let Some(restored) = &table.settings.restored else {
        return Ok(None);
    };
    if let Some(arn) = &restored.backup_arn {
        let Some(backup) =
            arn::backup(arn).and_then(|key| core.catalog().backups().get(&key).cloned())
        else {
            return Ok(None);
        };
        return StateAt::now(core.store(), backup.id, &backup.table).map(Some);
    }
    let name = restored.table_arn.rsplit('/').next().unwrap_or_default();
    let Some(from) = core.catalog().read().get(name).cloned() else {
        return Ok(None);
    };
    let state = StateAt::at(core.store(), &from, restored.epoch_ms)?;
    // Another table may have the name now, or the changes may no longer be kept. Checked after the
    // snapshot was taken: changes that are removed from now on are in it.
    let from = core
        .catalog()
        .read()
        .get(name)
        .filter(|now| now.id == from.id)
        .cloned();
    let is_kept = from.is_some_and(|from| {
        open_window(core, &from).is_ok_and(|(first, _)| first <= restored.epoch_ms)
            && restored
                .source_uuid
                .as_ref()
                .is_none_or(|uuid| *uuid == from.uuid)
    });
    Ok(is_kept.then_some(state))
}

/// Ends a restore as failed. The table stays with the reason, and can be deleted.
fn fail(core: &Core, table: &Table, reason: &str) -> Result<(), ApiError> {
    core.report(&format!("restoring table {}", table.name), reason);
    let failure = Failure {
        epoch_ms: core.now_ms(),
        reason: reason.to_owned(),
    };
    change_table(core, table, |table| {
        table.status = TableStatus::Archived;
        table.settings.failure = Some(failure);
    })
}
