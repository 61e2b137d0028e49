//! What a comparison finds is put right: items are written as their rows say, and those that no row makes are
//! deleted. What was written is compared again, because rows may have changed meanwhile.

use crate::apply::{Unwritten, apply};
use crate::cell::Cell;
use crate::mapping::Mapping;
use crate::progress::Progress;
use crate::run::{Ended, Migration, under_way};
use crate::source::Source;
use crate::state::Phase;
use crate::taking::refused;
use crate::verify::{Verified, VerifyError, Wrong, compare};
use crate::wish::Wish;
use keyfold_client::Backend;
use keyfold_model::value;
use std::collections::BTreeMap;

/// The most comparisons that find no less than the one before.
pub(crate) const STALLED_MAX: u32 = 3;

/// What was put right.
#[derive(Debug, Clone, Default)]
pub struct Mended {
    /// Entities that were put.
    pub put: u64,
    /// Entities that were deleted.
    pub deleted: u64,
    /// What differs still.
    pub verified: Verified,
}

impl Migration<'_, '_> {
    /// As [`mend`], while no run has the database: nobody switches meanwhile.
    ///
    /// # Errors
    /// When the tables lead, or a switch is under way; else those of [`mend`].
    pub fn mend_items(&mut self) -> Result<Mended, Ended> {
        self.asked(|source| source.claim())?;
        match self.states().read()?.map(|seen| seen.phase) {
            Some(phase @ (Phase::Closing | Phase::Returning)) => return Err(under_way(phase)),
            Some(Phase::Lead) => {
                return Err(refused(
                    "the tables lead, and items are not written as rows say: call it again to write the rows as the \
                     items say",
                ));
            }
            Some(Phase::Begin | Phase::Copy | Phase::Follow | Phase::Complete) | None => {}
        }
        Ok(mend(
            self.mapping,
            self.source,
            self.backend,
            self.progress,
        )?)
    }
}

/// Compares all rows with all items, and writes what differs, until nothing does.
///
/// # Errors
/// When either side cannot be read, or an item cannot be written.
pub fn mend(
    mapping: &Mapping<'_>,
    source: &mut dyn Source,
    backend: &Backend,
    progress: &Progress,
) -> Result<Mended, VerifyError> {
    let mut mended = Mended::default();
    let (mut least, mut stalled) = (u64::MAX, 0);
    loop {
        let mut wrong = Vec::new();
        mended.verified = compare(mapping, source, backend, progress, &mut wrong)?;
        let count = mended.verified.count;
        stalled = if count < least { 0 } else { stalled + 1 };
        least = least.min(count);
        if count == 0 || progress.is_stopping() || stalled == STALLED_MAX {
            return Ok(mended);
        }
        let wishes = wishes(mapping, source, wrong)?;
        if wishes.is_empty() {
            return Ok(mended);
        }
        let wrote = match apply(backend, mapping, progress, wishes) {
            Ok(wrote) => wrote,
            Err(Unwritten::Problem(problem)) => {
                return Err(VerifyError::Problem(Box::new(problem)));
            }
            Err(Unwritten::Failed(error)) => return Err(VerifyError::Target(error)),
            Err(Unwritten::Stopped) => return Ok(mended),
        };
        mended.put += wrote.put;
        mended.deleted += wrote.deleted;
    }
}

/// What entities are to be, as their rows say now. Rows that are no items, and those that make one together,
/// stay as they are.
fn wishes(
    mapping: &Mapping<'_>,
    source: &mut dyn Source,
    wrong: Vec<Wrong>,
) -> Result<Vec<Wish>, VerifyError> {
    let mut wishes: Vec<Wish> = Vec::new();
    for one in wrong {
        let (at, key, found) = match one {
            Wrong::Item(at, key) => (at, key, None),
            Wrong::Row(at, identity) => {
                let Some(mapped) = mapping.entities.get(at) else {
                    continue;
                };
                let Ok(key) = mapped.key(&identity) else {
                    continue;
                };
                let identities = std::slice::from_ref(&identity);
                let (sql, arguments) = mapped.statements.of_identities(source, identities);
                let rows = source.query(&sql, &arguments)?;
                let found = match rows.as_slice() {
                    [] => None,
                    [row] => match Wish::of(at, mapped, row) {
                        Ok(wish) => Some(wish),
                        Err(_) => continue,
                    },
                    _ => continue,
                };
                (at, key, found)
            }
        };
        let gone = || Wish {
            mapped: at,
            row: key
                .values()
                .map(|one| Cell::Text(value::display(one)))
                .collect(),
            key: key.clone(),
            values: None,
            stored: None,
            is_new: false,
        };
        wishes.push(found.unwrap_or_else(gone));
    }
    let named = |wish: &Wish| format!("{} {:?}", wish.mapped, wish.key);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for wish in &wishes {
        *counts.entry(named(wish)).or_default() += 1;
    }
    let is_alone = |wish: &Wish| counts.get(&named(wish)) == Some(&1);
    Ok(wishes.into_iter().filter(is_alone).collect())
}
