//! One pass over the tables: pages of segments, judged as they come.

use super::assemble::{Assembler, Unit};
use super::finding::Finding;
use super::form::{Forms, Scope};
use super::judge::{Judged, add_judgement, judge};
use super::pack::Pack;
use super::quick;
use super::record::Relation;
use super::reread::{self, Now, Reader};
use super::state::Cursor;
use crate::kinds::{Kind, Role};
use keyfold_api::{PageOutput, Response, ScanInput};
use keyfold_lower::capacity;
use keyfold_lower::{ClientError, unexpected};
use keyfold_model::Model;
use keyfold_types::Item;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A table that is read: one of the model, or of one of its periods.
pub(super) struct Target<'m> {
    pub(super) forms: &'m Forms<'m>,
    pub(super) name: String,
}

/// The result of a page.
#[derive(Default)]
pub(super) struct Judgements {
    pub(super) items: u64,
    /// The number of read units, in halves.
    pub(super) halves: u64,
    /// The number of read units of single items among them.
    pub(super) halves_again: u64,
    /// The number of items by kind.
    pub(super) kinds: BTreeMap<String, u64>,
    /// The number of units, and of those with a finding.
    pub(super) units: u64,
    pub(super) wrong: u64,
    /// The number of those that seem wrong and changed too often to be judged.
    pub(super) undecided: u64,
    pub(super) findings: Vec<Finding>,
    /// The copies and guards that wrong items may have, and do not say which ones.
    pub(super) unclaimed: Vec<Relation>,
    /// The records that are compared with those of other items.
    pub(super) records: Pack,
}

/// The pages of a segment of a table.
pub(super) struct Pages<'s> {
    pub(super) reader: &'s Reader<'s>,
    /// The name of the table.
    pub(super) table: &'s str,
    /// The segment and the number of segments.
    pub(super) number: (i64, i64),
    /// The most items of a page.
    pub(super) limit: Option<i64>,
    /// The last key that was read.
    pub(super) after: Option<Item>,
    pub(super) is_done: bool,
}

/// A page that was read.
pub(super) struct Page {
    output: PageOutput,
    /// The number of read units, in halves.
    pub(super) halves: u64,
}

impl Pages<'_> {
    /// Reads the next page; `None` at the end.
    ///
    /// # Errors
    /// The backend's error.
    pub(super) fn next(&mut self) -> Result<Option<Page>, ClientError> {
        if self.is_done {
            return Ok(None);
        }
        let (segment, of) = self.number;
        let input = ScanInput {
            table_name: Some(self.table.to_owned()),
            limit: self.limit,
            segment: (of > 1).then_some(segment),
            total_segments: (of > 1).then_some(of),
            exclusive_start_key: self.after.take().map(Ok),
            returns: capacity::requested(),
            ..ScanInput::default()
        };
        let Response::Scan(output) = self.reader.call(self.table, input)? else {
            return Err(unexpected());
        };
        self.after.clone_from(&output.last_evaluated_key);
        self.is_done = self.after.is_none();
        Ok(Some(Page {
            halves: capacity::total(output.consumed_capacity.clone()).0,
            output,
        }))
    }
}

/// Judges the pages of a segment of a table.
pub(super) struct Segment<'s> {
    reader: &'s Reader<'s>,
    scope: Scope<'s>,
    /// Whether the findings of single items are reported: the first pass.
    reports: bool,
    assembler: Assembler,
    after: Option<Item>,
    is_done: bool,
}

impl<'s> Segment<'s> {
    pub(super) fn new(
        (reader, model): (&'s Reader<'s>, &'s Model),
        target: &'s Target<'s>,
        reports: bool,
    ) -> Segment<'s> {
        Segment {
            reader,
            scope: Scope::new(model, target.forms, &target.name),
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
            // They are the items of one entity, which is still open.
            self.assembler.push(self.scope.kinds, item.clone(), drop);
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

    /// Judges the next page. `is_kept` chooses the groups whose records are kept; all, without it.
    ///
    /// # Errors
    /// The backend's error.
    pub(super) fn judge(
        &mut self,
        page: Page,
        is_kept: Option<&dyn Fn(u128) -> bool>,
    ) -> Result<Judgements, ClientError> {
        let items = page.output.items.unwrap_or_default();
        let mut work = Work::default();
        work.page.items = u64::try_from(items.len()).unwrap_or(0);
        work.page.halves = page.halves;
        // Each is judged before the next one is decoded: their memory is used again.
        let mut units = Vec::new();
        for item in items {
            if let Some(kind) = quick::add_good(self.scope, &item, &mut work.judged) {
                work.page.units += u64::from(self.reports);
                if self.reports {
                    *work.counts.entry(Counted::of(kind)).or_default() += 1;
                }
                continue;
            }
            self.assembler
                .push(self.scope.kinds, item.to_item(), |unit| units.push(unit));
            for unit in units.drain(..) {
                self.judge_unit(&unit, &mut work)?;
            }
        }
        self.after = page.output.last_evaluated_key;
        if self.after.is_none() {
            self.is_done = true;
            self.assembler.finish(|unit| units.push(unit));
        }
        for unit in &units {
            self.judge_unit(unit, &mut work)?;
        }
        let mut judged = work.page;
        let named = work.counts.into_iter();
        judged.kinds = named
            .map(|(kind, count)| (kind.name(self.scope.model), count))
            .collect();
        (judged.findings, judged.records) = work.judged.into_parts();
        if let Some(is_kept) = is_kept {
            judged.records.retain(is_kept);
        }
        judged.halves_again = self.reader.taken();
        judged.halves += judged.halves_again;
        Ok(judged)
    }

    fn judge_unit(&self, unit: &Unit, work: &mut Work) -> Result<(), ClientError> {
        if self.reports {
            count(unit, &mut work.counts);
        }
        let before = work.judged.findings.len();
        add_judgement(self.scope, unit, &mut work.judged);
        let is_good = work.judged.findings.len() == before;
        work.page.units += u64::from(self.reports);
        if is_good {
            return Ok(());
        }
        work.judged.findings.truncate(before);
        if !self.reports {
            return Ok(());
        }
        let kinds = self.scope.kinds;
        let key = match unit {
            Unit::Entity(_, items) => items.first().map(|item| kinds.key_of(item)),
            Unit::Copy(_, _, item)
            | Unit::Guard(_, _, item)
            | Unit::Part(_, item)
            | Unit::Unknown(item) => Some(kinds.key_of(item)),
        };
        // Another writer may have changed the item: it is judged as it is now.
        let key = key.unwrap_or_default();
        let now = match reread::unit(self.reader, self.scope, &key)? {
            Now::Unit(now) => now,
            Now::Gone => return Ok(()),
            Now::Changing => {
                work.page.undecided += 1;
                return Ok(());
            }
        };
        let is_part = matches!(unit, Unit::Part(..));
        let now = judge(self.scope, &now);
        work.page.unclaimed.extend(now.unclaimed);
        let mut found = now.findings;
        found.retain(|one| !is_part || one.key == key);
        work.page.wrong += u64::from(!found.is_empty());
        work.judged.findings.extend(found);
        Ok(())
    }
}

/// A page that is judged.
#[derive(Default)]
struct Work {
    page: Judgements,
    judged: Judged,
    counts: BTreeMap<Counted, u64>,
}

/// A kind of items that is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Counted {
    Entity(usize),
    Part(usize),
    Copy(usize, usize),
    Guard,
    Unknown,
}

impl Counted {
    fn of(kind: &Kind) -> Counted {
        match kind.role {
            Role::Main => Counted::Entity(kind.at),
            Role::Copy(copy) => Counted::Copy(kind.at, copy),
            Role::Guard(_) => Counted::Guard,
        }
    }

    /// Its name in the report.
    fn name(self, model: &Model) -> String {
        let entity = |at: usize| model.entities.get(at);
        let of = |at: usize| entity(at).map_or("", |entity| entity.name.as_str());
        match self {
            Counted::Entity(at) => of(at).to_owned(),
            Counted::Part(at) => format!("{}.part", of(at)),
            Counted::Copy(at, number) => {
                let copy = entity(at).and_then(|entity| entity.copies.get(number));
                format!("{}.{}", of(at), copy.map_or("", |copy| copy.name.as_str()))
            }
            Counted::Guard => "unique".to_owned(),
            Counted::Unknown => "unknown".to_owned(),
        }
    }
}

/// Counts the items of a unit.
fn count(unit: &Unit, counts: &mut BTreeMap<Counted, u64>) {
    let mut add = |kind, items| *counts.entry(kind).or_default() += items;
    match unit {
        Unit::Entity(at, items) => {
            add(Counted::Entity(*at), 1);
            let parts = u64::try_from(items.len().saturating_sub(1)).unwrap_or(0);
            if parts > 0 {
                add(Counted::Part(*at), parts);
            }
        }
        Unit::Copy(at, copy, _) => add(Counted::Copy(*at, *copy), 1),
        Unit::Guard(..) => add(Counted::Guard, 1),
        Unit::Part(at, _) => add(Counted::Part(*at), 1),
        Unit::Unknown(_) => add(Counted::Unknown, 1),
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
