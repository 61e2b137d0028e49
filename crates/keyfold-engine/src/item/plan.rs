//! A checked write, and its plan for a table.

use super::refusal::Refusal;
use crate::base::error::{corrupt, internal};
use crate::check::keys::{self, Maker};
use crate::core::Core;
use crate::table::Table;
use crate::table::policy::Right;
use keyfold_api::Validation;
use keyfold_codec::RawItem;
use keyfold_codec::key::{self, KeyBytes};
use keyfold_expr::{Condition, Update};
use keyfold_types::Item;
use std::sync::Arc;

/// The change of an item.
#[derive(Debug)]
pub(crate) enum Action {
    Put(Item),
    Update { key: Item, update: Update },
    Delete { key: Item },
    Check { key: Item },
}

/// A checked write, which does not know its table yet.
#[derive(Debug)]
pub(crate) struct ItemWrite {
    pub(crate) action: Action,
    pub(crate) condition: Option<Condition>,
    /// Whether a failed condition returns the item.
    pub(crate) return_on_failure: bool,
    /// Whether it is a PartiQL INSERT, whose condition fails because the item exists.
    pub(crate) is_insert: bool,
    /// Whether it is a PartiQL statement, which needs other rights.
    pub(crate) is_statement: bool,
}

impl ItemWrite {
    /// A write without a condition.
    pub(crate) fn new(action: Action) -> ItemWrite {
        ItemWrite {
            action,
            condition: None,
            return_on_failure: false,
            is_insert: false,
            is_statement: false,
        }
    }

    /// The right that the write needs, of a table.
    pub(crate) fn right(&self) -> Right {
        match (&self.action, self.is_statement) {
            (Action::Put(_), false) => Right::PutItem,
            (Action::Update { .. }, false) => Right::UpdateItem,
            (Action::Delete { .. }, false) => Right::DeleteItem,
            (Action::Check { .. }, false) => Right::ConditionCheckItem,
            (Action::Put(_), true) => Right::PartiQLInsert,
            (Action::Update { .. }, true) => Right::PartiQLUpdate,
            (Action::Delete { .. }, true) => Right::PartiQLDelete,
            (Action::Check { .. }, true) => Right::PartiQLSelect,
        }
    }
}

/// A write that fits its table, with its encoded key.
#[derive(Debug)]
pub(crate) struct WritePlan {
    pub(crate) table: Arc<Table>,
    pub(crate) key: KeyBytes,
    pub(crate) write: ItemWrite,
}

impl ItemWrite {
    /// Plans a write of a restore or import. The item was accepted before, so only its key is
    /// encoded.
    pub(crate) fn plan_filling(self, table: &Arc<Table>) -> Result<WritePlan, Validation> {
        let (Action::Put(key)
        | Action::Update { key, .. }
        | Action::Delete { key }
        | Action::Check { key }) = &self.action;
        let key =
            key::base_key(table.id, &table.key, key).map_err(|_| Validation::KeySchemaMismatch)?;
        Ok(WritePlan {
            table: Arc::clone(table),
            key,
            write: self,
        })
    }

    /// Checks the write against its table, and encodes the key.
    pub(crate) fn plan(self, table: &Arc<Table>) -> Result<WritePlan, Validation> {
        keys::check_paths(&table.key, self.condition.as_ref(), None)?;
        let key = match &self.action {
            Action::Put(item) => {
                keys::check_item_key(&table.key, item)?;
                keys::check_index_keys(table, item, Maker::Put)?;
                item
            }
            Action::Update { key, update } => {
                keys::check_key(&table.key, key)?;
                keys::check_update_paths(table, update)?;
                keys::check_literals(table, update)?;
                let on_key = update
                    .targets()
                    .iter()
                    .find(|target| table.key.contains(target.root()));
                if let Some(target) = on_key {
                    return Err(Validation::KeyUpdate(target.root().to_owned()));
                }
                key
            }
            Action::Delete { key } | Action::Check { key } => {
                keys::check_key(&table.key, key)?;
                key
            }
        };
        let key =
            key::base_key(table.id, &table.key, key).map_err(|_| Validation::KeySchemaMismatch)?;
        Ok(WritePlan {
            table: Arc::clone(table),
            key,
            write: self,
        })
    }
}

impl WritePlan {
    /// Reads the item's newest version. The key must be locked.
    pub(crate) fn read_before(&self, core: &Core) -> Result<Option<RawItem>, Refusal> {
        let bytes = core
            .store()
            .latest(self.key.as_slice())
            .map_err(|e| Refusal::Internal(internal(e)))?;
        bytes
            .map(|bytes| {
                RawItem::open(bytes).map_err(|e| Refusal::Internal(corrupt(&self.table.name, &e)))
            })
            .transpose()
    }
}
