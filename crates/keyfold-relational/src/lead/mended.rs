//! Rows are put right while the tables lead: those that differ are written as their items say, those that no item makes
//! are deleted. It is the way out where the database lost rows that no change of an item brings back: its owner has
//! deleted them, or has put an older copy back.

use super::rows::{Carried, Now, Rows, leading};
use crate::back::Back;
use crate::mend::{Mended, STALLED_MAX};
use crate::run::{Ended, Migration, under_way};
use crate::state::{Phase, State};
use crate::taking::refused;
use crate::verify::{Difference, LISTED_MAX, Wrong, compare, stored};
use std::collections::BTreeMap;

/// What was written of the rows that differ.
#[derive(Default)]
struct Written {
    carried: Carried,
    /// The items that no row can be of, with the reasons.
    refused: Vec<Difference>,
}

impl Migration<'_, '_> {
    /// Compares all rows with all items while the tables lead, and writes the rows that differ.
    ///
    /// # Errors
    /// When the tables do not lead, or either side cannot be used.
    pub fn mend_rows(&mut self) -> Result<Mended, Ended> {
        self.asked(|source| source.claim())?;
        match self.states().read()?.map(|seen| seen.phase) {
            Some(Phase::Lead) => {}
            Some(phase @ (Phase::Closing | Phase::Returning)) => return Err(under_way(phase)),
            Some(Phase::Begin | Phase::Copy | Phase::Follow | Phase::Complete) | None => {
                return Err(refused("the tables do not lead"));
            }
        }
        let ways = self.ways()?;
        let state = self.take_anew()?;
        self.close_again(&state)?;
        self.admit_tables(&state)?;
        self.progress.lead();
        let mended = self.rows_mended(&state, &ways)?;
        // Where rows differ still, or not all were compared, an older copy of the database stays one.
        if mended.verified.count == 0 && !self.progress.is_stopping() {
            self.pass_over(&state)?;
            // Changes are known again from here on.
            self.save(&state)?;
        }
        Ok(mended)
    }

    /// Lets the database note again that it does not lead, if it does not; else this run has what is noted.
    fn close_again(&mut self, state: &State) -> Result<(), Ended> {
        let of = (state.id.as_str(), state.fence);
        match self.asked(|source| leading(source)?.noted())? {
            Some(_) => Ok(leading(self.source)?.take(of)?),
            None => self.close_rows(state),
        }
    }

    fn rows_mended(&mut self, state: &State, ways: &[Back]) -> Result<Mended, Ended> {
        let mut mended = Mended::default();
        let (mut least, mut stalled) = (u64::MAX, 0);
        loop {
            let mut wrong = Vec::new();
            let found = compare(
                self.mapping,
                self.source,
                self.backend,
                self.progress,
                &mut wrong,
            );
            mended.verified = found?;
            let count = mended.verified.count;
            stalled = if count < least { 0 } else { stalled + 1 };
            least = least.min(count);
            if count == 0 || self.progress.is_stopping() {
                return Ok(mended);
            }
            let all = wrong.len() as u64;
            let written = self.rows_written(state, ways, wrong)?;
            let Carried { put, deleted } = written.carried;
            mended.put += put;
            mended.deleted += deleted;
            self.progress.add_written(put, deleted);
            let refused = written.refused;
            let verified = &mut mended.verified;
            // A program writes meanwhile: what was written is as its item was then, and need not be looked at again.
            if refused.is_empty() && all == count && put + deleted == all {
                verified.count = 0;
                verified.differences.clear();
                return Ok(mended);
            }
            // Rows that were right when they were to be written are compared once more.
            let is_idle = put + deleted == 0 && (!refused.is_empty() || stalled > 0);
            if stalled == STALLED_MAX || is_idle {
                if !refused.is_empty() {
                    let rest = count.saturating_sub(put + deleted);
                    verified.count = rest.max(refused.len() as u64);
                    verified.differences = refused;
                    verified.differences.truncate(LISTED_MAX);
                }
                return Ok(mended);
            }
        }
    }

    /// Writes the rows of items that differ: all in one transaction, or each alone where one of them is refused.
    fn rows_written(
        &mut self,
        state: &State,
        ways: &[Back],
        wrong: Vec<Wrong>,
    ) -> Result<Written, Ended> {
        let (items, unnamed) = self.items_of(wrong)?;
        let rows = Rows {
            mapping: self.mapping,
            ways,
        };
        let of = (state.id.as_str(), state.fence);
        let mut written = Written {
            refused: unnamed,
            ..Written::default()
        };
        match rows.carry(self.source, of, (items.clone(), &[])) {
            Ok(carried) => {
                written.carried = carried;
                return Ok(written);
            }
            Err(Ended::Problem(_)) => {}
            Err(other) => return Err(other),
        }
        for item in items {
            if self.progress.is_stopping() {
                return Err(Ended::Stopped);
            }
            match rows.carry(self.source, of, (vec![item], &[])) {
                Ok(one) => {
                    written.carried.put += one.put;
                    written.carried.deleted += one.deleted;
                }
                Err(Ended::Problem(problem)) => written.refused.push(Difference {
                    row: problem.row,
                    what: problem.why,
                }),
                Err(other) => return Err(other),
            }
        }
        Ok(written)
    }

    /// The items that differ from their rows, as they are now: what goes, children first, then what comes, parents
    /// first. With them the rows that no item can be of, which stay as they are.
    fn items_of(&self, wrong: Vec<Wrong>) -> Result<(Vec<Now>, Vec<Difference>), Ended> {
        let mut keys: BTreeMap<usize, BTreeMap<String, _>> = BTreeMap::new();
        let mut unnamed = Vec::new();
        for one in wrong {
            let (at, key) = match one {
                Wrong::Item(at, key) => (at, key),
                Wrong::Row(at, identity) => {
                    let Some(mapped) = self.mapping.entities.get(at) else {
                        continue;
                    };
                    match mapped.key(&identity) {
                        Ok(key) => (at, key),
                        Err(problem) => {
                            unnamed.push(Difference {
                                row: problem.row,
                                what: problem.why,
                            });
                            continue;
                        }
                    }
                }
            };
            keys.entry(at).or_default().insert(format!("{key:?}"), key);
        }
        let mut items = Vec::new();
        for (at, mapped) in self.mapping.entities.iter().enumerate() {
            let own: Vec<_> = keys.remove(&at).into_iter().flatten().collect();
            for some in own.chunks(100) {
                let some: Vec<_> = some.iter().map(|(_, key)| key.clone()).collect();
                let found = stored(self.backend, mapped, &some)?;
                items.extend(some.into_iter().zip(found).map(|(key, values)| Now {
                    mapped: at,
                    key,
                    values,
                }));
            }
        }
        let (comes, mut goes): (Vec<Now>, Vec<Now>) =
            items.into_iter().partition(|item| item.values.is_some());
        goes.reverse();
        goes.extend(comes);
        Ok((goes, unnamed))
    }
}
