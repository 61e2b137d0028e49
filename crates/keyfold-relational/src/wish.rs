//! What an entity is to be, as its row says.

use crate::cell::Cell;
use crate::convert::Problem;
use crate::mapping::Mapped;
use keyfold_lower::arguments::Values;

/// What an entity is to be.
#[derive(Debug, Clone)]
pub(crate) struct Wish {
    /// The position of its mapping.
    pub(crate) mapped: usize,
    /// What identifies its row.
    pub(crate) row: Vec<Cell>,
    /// The attributes that identify it.
    pub(crate) key: Values,
    /// Its attributes; `None` where its row is gone.
    pub(crate) values: Option<Values>,
    /// What the item had when it was looked for, if its row is gone or its entity has unique values.
    pub(crate) stored: Option<Values>,
    /// Whether there was no such item when it was looked for.
    pub(crate) is_new: bool,
}

impl Wish {
    /// What the entity of a row is to be.
    pub(crate) fn of(mapped_at: usize, mapped: &Mapped<'_>, row: &[Cell]) -> Result<Wish, Problem> {
        let values = mapped.values(row)?;
        let identity = mapped.identity_of(row);
        Ok(Wish {
            mapped: mapped_at,
            key: mapped.key(&identity)?,
            row: identity,
            values: Some(values),
            stored: None,
            is_new: false,
        })
    }
}
