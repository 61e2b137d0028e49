//! Rows: which of them a batch changes, and where they are stored.
//!
//! The changes of a batch are put together first, for each source item and for each row: only what is
//! left of them is written.

use super::definition::{Definition, Share};
use super::place::{Kind, Space, TABLE, bytes, digest};

use crate::world::Io;
use keyfold_lower::ClientError;
use keyfold_lower::arguments::Values;
use keyfold_lower::sums::sum_of;
use keyfold_model::schema::view::{From, View};
use keyfold_types::{Item, Number, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a source item gave to the view before some changes, and what it gives behind them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Change {
    /// The key of the source item.
    pub(crate) key: Item,
    pub(crate) old: Option<Share>,
    pub(crate) new: Option<Share>,
    /// What becomes of the note that the item cannot be read.
    pub(crate) note: Note,
    /// The number of the record that is replayed: it counts only while no later one was handled.
    pub(crate) replays: Option<String>,
}

/// What becomes of the note that an item cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Note {
    /// There was none, and is none.
    None,
    /// The item cannot be read, for this reason.
    Broken(String),
    /// It could not be read, and can now, or is gone.
    Mended,
}

impl Note {
    /// Goes on to the item's next image, which cannot be read for a reason.
    pub(crate) fn then(&mut self, why: Option<String>) {
        *self = match (why, &self) {
            (Some(why), _) => Note::Broken(why),
            (None, Note::None) => Note::None,
            (None, Note::Broken(_) | Note::Mended) => Note::Mended,
        };
    }
}

/// How rows are written that need not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// They are added to as they are. It is refused where they are not as most rows are.
    Blind,
    /// They are read first, and added to where a sum stays a number.
    Read,
    /// They are read first, and each sum is written as it was computed, if it is as it was read: what
    /// others add meanwhile cannot make it one that is refused.
    Exact,
}

impl Way {
    /// The way after a write that was refused for the values of a row; `None` where they alone decide.
    pub(crate) fn stricter(self) -> Option<Way> {
        match self {
            Way::Blind => Some(Way::Read),
            Way::Read => Some(Way::Exact),
            Way::Exact => None,
        }
    }
}

/// Where the rows of a generation are.
#[derive(Clone)]
pub(crate) struct Target<'d> {
    pub(crate) definition: &'d Definition,
    pub(crate) space: Space,
    /// Whether the generation is built: its rows are in the table of views.
    pub(crate) is_aside: bool,
    /// Whether a row was read that has another generation's mark.
    pub(crate) has_foreign: Arc<AtomicBool>,
}

/// A row that a batch changes.
pub(crate) struct Row {
    /// The attributes of its group.
    pub(crate) group: Values,
    /// The item that they make.
    pub(crate) base: Item,
    pub(crate) key: Item,
    /// The digest of its key.
    pub(crate) digest: String,
    /// The shares that leave it.
    pub(crate) left: Vec<Share>,
    /// The shares that come to it.
    pub(crate) came: Vec<Share>,
}

impl Row {
    pub(crate) fn added(&self) -> i64 {
        let count = |shares: &Vec<Share>| i64::try_from(shares.len()).unwrap_or(i64::MAX);
        count(&self.came) - count(&self.left)
    }

    /// Makes sure that the row, as it is stored, is of this generation.
    ///
    /// # Errors
    /// `Refused` when it is of another one.
    pub(crate) fn ensure_own(
        &self,
        target: &Target<'_>,
        before: Option<&Item>,
    ) -> Result<(), ClientError> {
        match before.is_some_and(|row| target.is_foreign(row)) {
            true => Err(target.foreign()),
            false => Ok(()),
        }
    }

    /// Makes sure that the row, which has so many items, has those that leave it.
    ///
    /// # Errors
    /// `Refused` when it has not.
    pub(crate) fn ensure_left(&self, target: &Target<'_>, items: i64) -> Result<(), ClientError> {
        let left = i64::try_from(self.left.len()).unwrap_or(i64::MAX);
        match items < left {
            true => Err(target.lacking()),
            false => Ok(()),
        }
    }

    /// Makes sure that the sums of the row, as it is stored, are such as workers write.
    ///
    /// # Errors
    /// `Refused` when one is not.
    pub(crate) fn ensure_sums(
        &self,
        target: &Target<'_>,
        before: Option<&Item>,
    ) -> Result<(), ClientError> {
        let names = target.definition.view().columns.iter();
        let mut names = names.filter_map(|column| {
            if matches!(column.from, From::Sum { .. }) {
                return Some(column.attribute.clone());
            }
            matches!(column.from, From::Average { .. }).then(|| column.hidden("sum"))
        });
        match names.find(|name| before.is_some_and(|row| sum_of(row, name).is_none())) {
            Some(name) => Err(target.foreign_sum(&name)),
            None => Ok(()),
        }
    }
}

/// The name of the attribute that says which generation a row is of.
pub(crate) fn mark_name() -> String {
    View::hidden("generation")
}

/// The name of the attribute with the number of a row's source items.
pub(crate) fn items_name() -> String {
    View::hidden("items")
}

/// The name of the attribute that is another one after each change of a row.
pub(crate) fn version_name() -> String {
    View::hidden("version")
}

impl Target<'_> {
    /// The error about a row without items that leave it.
    pub(crate) fn lacking(&self) -> ClientError {
        ClientError::refused(format!(
            "the view {} lacks items that leave a row: rebuild it with `keyfold views rebuild`",
            self.definition.name
        ))
    }

    /// Whether a stored row is of another generation. One without a mark is taken for its own.
    pub(crate) fn is_foreign(&self, row: &Item) -> bool {
        let mark = row.get(&mark_name());
        mark.is_some_and(|mark| *mark != Value::S(self.space.mark()))
    }

    /// The error about a row of another generation, of which is noted that there is one.
    pub(crate) fn foreign(&self) -> ClientError {
        self.has_foreign.store(true, Ordering::SeqCst);
        let table = self.table();
        ClientError::refused(format!(
            "the table {table} has rows of another generation of the view {}: rebuild it with `keyfold views rebuild`",
            self.definition.name
        ))
    }

    /// The error about a sum that no worker has written.
    fn foreign_sum(&self, attribute: &str) -> ClientError {
        ClientError::refused(format!(
            "a row of the view {} has no sum in {attribute}, and no worker has written it so: rebuild it with \
             `keyfold views rebuild`",
            self.definition.name
        ))
    }

    /// The table of the rows.
    pub(crate) fn table(&self) -> &str {
        match self.is_aside {
            true => TABLE,
            false => &self.definition.table().name,
        }
    }

    /// The key of a row in the table of the rows.
    pub(crate) fn key(&self, row: &Item, digest: &str) -> Item {
        match self.is_aside {
            true => self.space.key(Kind::Rows, digest),
            false => row.clone(),
        }
    }

    /// The first key attribute of the table of the rows.
    pub(crate) fn partition(&self) -> &str {
        match self.is_aside {
            true => super::place::PARTITION,
            false => &self.definition.table().partition.name,
        }
    }

    /// A row as it is stored.
    pub(crate) fn stored(&self, mut row: Item, digest: &str) -> Item {
        row.insert(mark_name(), self.space.mark());
        if self.is_aside {
            for (name, held) in self.space.key(Kind::Rows, digest) {
                row.insert(name, held);
            }
        }
        row
    }

    /// The rows that changes concern. A change that leaves its row as it is concerns none.
    ///
    /// # Errors
    /// Those of [`Definition::row`].
    pub(crate) fn rows(&self, changes: &[Change]) -> Result<Vec<Row>, ClientError> {
        let mut rows: BTreeMap<Vec<u8>, Row> = BTreeMap::new();
        for change in changes {
            if change.old == change.new {
                continue;
            }
            for (share, is_new) in [(&change.old, false), (&change.new, true)] {
                let Some(share) = share else { continue };
                let at = bytes(&Item::from(share.group.clone()));
                let row = match rows.entry(at) {
                    std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
                    std::collections::btree_map::Entry::Vacant(place) => {
                        place.insert(self.row(share)?)
                    }
                };
                match is_new {
                    true => row.came.push(share.clone()),
                    false => row.left.push(share.clone()),
                }
            }
        }
        Ok(rows.into_values().collect())
    }

    fn row(&self, share: &Share) -> Result<Row, ClientError> {
        let base = self.definition.start(&share.group)?;
        let key = Definition::key(self.definition.table(), &base);
        Ok(Row {
            digest: digest(&key),
            key,
            group: share.group.clone(),
            base,
            left: Vec::new(),
            came: Vec::new(),
        })
    }
}

/// A whole number of a row; 0 where it is absent.
pub(crate) fn whole(item: &Item, name: &str) -> i64 {
    match item.get(name) {
        Some(Value::N(number)) => number.to_i64().unwrap_or(0),
        Some(_) | None => 0,
    }
}

/// A version that no row had before.
pub(crate) fn version(io: &dyn Io) -> Value {
    Value::N(Number::from(io.random()))
}
