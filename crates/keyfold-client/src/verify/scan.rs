//! One pass over the tables: pages of segments, judged as they come.

use super::assemble::{Assembler, Unit};
use super::finding::Finding;
use super::judge::{Scope, judge};
use super::kinds::Kinds;
use super::record::Record;
use super::reread::{self, Reader};
use super::state::Cursor;
use keyfold_api::{Response, ScanInput};
use keyfold_lower::capacity;
use keyfold_lower::{ClientError, unexpected};
use keyfold_model::{Entity, Model};
use keyfold_types::Item;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A table that is read: one of the model, or of one of its periods.
pub(super) struct Target<'m> {
    pub(super) kinds: &'m Kinds<'m>,
    pub(super) name: String,
}

/// The result of a page.
#[derive(Default)]
pub(super) struct Judgements {
    pub(super) items: u64,
    /// The number of read units, in halves.
    pub(super) halves: u64,
    /// The number of items by kind.
    pub(super) kinds: BTreeMap<String, u64>,
    /// The number of units, and of those with a finding.
    pub(super) units: u64,
    pub(super) wrong: u64,
    pub(super) findings: Vec<Finding>,
    pub(super) records: Vec<Record>,
}

/// The pages of a segment of a table.
pub(super) struct Segment<'s> {
    pub(super) reader: &'s Reader<'s>,
    pub(super) model: &'s Model,
    pub(super) target: &'s Target<'s>,
    /// The segment and the number of segments.
    pub(super) number: (i64, i64),
    /// The most items of a page.
    pub(super) limit: Option<i64>,
    /// Whether the findings of single items are reported: the first pass.
    pub(super) reports: bool,
    assembler: Assembler,
    after: Option<Item>,
    is_done: bool,
}

impl<'s> Segment<'s> {
    pub(super) fn new(
        (reader, model): (&'s Reader<'s>, &'s Model),
        target: &'s Target<'s>,
        number: (i64, i64),
        reports: bool,
    ) -> Segment<'s> {
        Segment {
            reader,
            model,
            target,
            number,
            limit: None,
            reports,
            assembler: Assembler::default(),
            after: None,
            is_done: false,
        }
    }

    /// Continues where a cursor is.
    pub(super) fn resume(&mut self, cursor: &Cursor) {
        self.after.clone_from(&cursor.after);
        for item in &cursor.open {
            let kinds = self.target.kinds;
            // They are the items of one entity, which is still open.
            self.assembler.push(kinds, item.clone(), drop);
        }
    }

    /// How far it is; the end of a table is the begin of the next one.
    pub(super) fn cursor(&self, target: usize) -> Cursor {
        if self.is_done {
            return Cursor {
                target: target + 1,
                ..Cursor::default()
            };
        }
        Cursor {
            target,
            after: self.after.clone(),
            open: self.assembler.open().to_vec(),
        }
    }

    /// Reads and judges the next page; `None` at the end.
    ///
    /// # Errors
    /// The backend's error.
    pub(super) fn next_page(&mut self) -> Result<Option<Judgements>, ClientError> {
        if self.is_done {
            return Ok(None);
        }
        let (segment, of) = self.number;
        let input = ScanInput {
            table_name: Some(self.target.name.clone()),
            limit: self.limit,
            segment: (of > 1).then_some(segment),
            total_segments: (of > 1).then_some(of),
            exclusive_start_key: self.after.take().map(Ok),
            returns: capacity::requested(),
            ..ScanInput::default()
        };
        let Response::Scan(output) = self.reader.backend.call(input.into())? else {
            return Err(unexpected());
        };
        let mut page = Judgements {
            halves: capacity::total(output.consumed_capacity).0,
            ..Judgements::default()
        };
        let mut units = Vec::new();
        for item in output.items.unwrap_or_default() {
            page.items += 1;
            let kinds = self.target.kinds;
            self.assembler
                .push(kinds, item.to_item(), |unit| units.push(unit));
        }
        self.after = output.last_evaluated_key;
        if self.after.is_none() {
            self.is_done = true;
            self.assembler.finish(|unit| units.push(unit));
        }
        for unit in &units {
            self.judge(unit, &mut page)?;
        }
        page.halves += self.reader.taken();
        Ok(Some(page))
    }

    fn judge(&self, unit: &Unit, page: &mut Judgements) -> Result<(), ClientError> {
        let scope = Scope {
            model: self.model,
            kinds: self.target.kinds,
            name: &self.target.name,
        };
        let judged = judge(scope, unit);
        page.records.extend(judged.records);
        if !self.reports {
            return Ok(());
        }
        page.units += 1;
        for (name, count) in names(self.model, unit) {
            *page.kinds.entry(name).or_default() += count;
        }
        if judged.findings.is_empty() {
            return Ok(());
        }
        let key = match unit {
            Unit::Entity(_, items) => items.first().map(|item| self.target.kinds.key_of(item)),
            Unit::Copy(_, _, item)
            | Unit::Guard(_, _, item)
            | Unit::Part(_, item)
            | Unit::Unknown(item) => Some(self.target.kinds.key_of(item)),
        };
        // Another writer may have changed the item: it is judged as it is now.
        let key = key.unwrap_or_default();
        let Some(now) = reread::unit(self.reader, scope, &key)? else {
            return Ok(());
        };
        let is_part = matches!(unit, Unit::Part(..));
        let mut found = judge(scope, &now).findings;
        found.retain(|one| !is_part || one.key == key);
        page.wrong += u64::from(!found.is_empty());
        page.findings.extend(found);
        Ok(())
    }
}

/// The kinds of a unit's items, with their numbers.
fn names(model: &Model, unit: &Unit) -> Vec<(String, u64)> {
    let entity = |at: usize| model.entities.get(at);
    let part = |entity: &Entity| format!("{}.part", entity.name);
    match unit {
        Unit::Entity(at, items) => {
            let parts = u64::try_from(items.len().saturating_sub(1)).unwrap_or(0);
            let Some(entity) = entity(*at) else {
                return Vec::new();
            };
            let mut all = vec![(entity.name.clone(), 1)];
            if parts > 0 {
                all.push((part(entity), parts));
            }
            all
        }
        Unit::Copy(at, copy, _) => entity(*at)
            .and_then(|entity| Some((entity, entity.copies.get(*copy)?)))
            .map(|(entity, copy)| (format!("{}.{}", entity.name, copy.name), 1))
            .into_iter()
            .collect(),
        Unit::Guard(..) => vec![("unique".to_owned(), 1)],
        Unit::Part(at, _) => entity(*at)
            .map(|entity| (part(entity), 1))
            .into_iter()
            .collect(),
        Unit::Unknown(_) => vec![("unknown".to_owned(), 1)],
    }
}

/// Keeps reads below a rate.
pub(super) struct Pace {
    /// Read units a second.
    rate: Option<u32>,
    next: Option<Instant>,
}

impl Pace {
    pub(super) fn new(rate: Option<u32>) -> Pace {
        Pace { rate, next: None }
    }

    /// Adds the units of a page, and returns how long to wait before the next one.
    pub(super) fn after(&mut self, halves: u64) -> Duration {
        let Some(rate) = self.rate else {
            return Duration::ZERO;
        };
        let now = Instant::now();
        let micros = halves.saturating_mul(500_000) / u64::from(rate.max(1));
        let next = self.next.unwrap_or(now).max(now) + Duration::from_micros(micros);
        self.next = Some(next);
        next - now
    }
}
