//! The driving of a verification: scans, the comparison of what they found, and their repetition
//! for what only a whole scan can confirm.
//!
//! - A finding about one item is confirmed by a consistent read of the item.
//! - A copy or guard that an item asks for is confirmed by consistent reads of both.
//! - A copy or guard that no item asks for, and an aggregate or a row of a view that differs from the
//!   items, is confirmed by another scan that finds the very same items; what differs between two scans
//!   is scanned again. Before that, rows of views have time to follow their sources.

use super::finding::{Finding, FindingKind, ModelLine};
use super::form::{Forms, Scope};
use super::group::{Group, for_each, owner};
use super::judge::judge;
use super::record::{Record, RecordKind, Relation};
use super::report::{Report, Share};
use super::reread::{self, Now, Reader};
use super::scan::{Judgements, Pace, Page, Pages, Segment, Target};
use super::setup::{Observer, Options, TableSize};
use super::sorter::Sorter;
use super::state::{Cursor, Saved, State};
use crate::backend::Backend;
use crate::drive::{drive, origin, time_of, wait};
use keyfold_lower::ClientError;
use keyfold_lower::retry::{TRIES, back_off};
use keyfold_lower::tables;
use keyfold_model::Model;
use keyfold_types::Item;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The most scans: the first, and those that confirm.
const SCANS_MAX: u32 = 4;
/// The pages of a segment that are read before they are judged.
const PAGES_AHEAD: usize = 1;
/// The bits of the filter of suspect keys.
const FILTER_BITS: usize = 1 << 22;
/// The items of a segment of a sample.
const SAMPLE_SEGMENT_ITEMS: u64 = 20;
/// The most segments of a scan.
const SEGMENTS_MAX: u64 = 1_000_000;

/// The keys that a confirming scan looks at: all others are left out at once.
struct Filter(Vec<u64>);

impl Filter {
    fn place(id: u128) -> (usize, u32) {
        let bit = usize::try_from(id % FILTER_BITS as u128).unwrap_or(0);
        (bit / 64, u32::try_from(bit % 64).unwrap_or(0))
    }

    fn add(&mut self, id: u128) {
        let (at, bit) = Filter::place(id);
        if let Some(word) = self.0.get_mut(at) {
            *word |= 1 << bit;
        }
    }

    fn has(&self, id: u128) -> bool {
        let (at, bit) = Filter::place(id);
        self.0.get(at).is_some_and(|word| word & (1 << bit) != 0)
    }
}

/// The groups that are suspect after a scan.
struct Suspects {
    records: Sorter,
    filter: Filter,
    count: u64,
    /// How many of them are copies and guards that no item asks for.
    foreign: BTreeMap<Relation, u64>,
    /// Whether rows of views are among them.
    has_rows: bool,
}

impl Suspects {
    fn new() -> Suspects {
        Suspects {
            records: Sorter::new(),
            filter: Filter(vec![0; FILTER_BITS / 64]),
            count: 0,
            foreign: BTreeMap::new(),
            has_rows: false,
        }
    }

    fn add(&mut self, group: &Group) -> Result<(), ClientError> {
        self.count += 1;
        self.filter.add(group.id);
        if let Some(relation) = group.foreign() {
            *self.foreign.entry(relation).or_default() += 1;
        }
        self.records.push(&group.as_suspect())
    }

    /// Leaves out the copies and guards of which there are no more than wrong items may have: these
    /// items are reported.
    fn without(mut self, unclaimed: &BTreeMap<Relation, u64>) -> Suspects {
        let count = |relation: &Relation| unclaimed.get(relation).copied().unwrap_or(0);
        self.foreign.retain(|relation, found| {
            let is_left = *found > count(relation);
            self.count -= if is_left { 0 } else { *found };
            is_left
        });
        self
    }
}

/// The state that all segments share.
struct Shared<'o> {
    report: Report,
    records: Sorter,
    pace: Pace,
    observer: &'o mut dyn Observer,
    /// The units of a sample, and the wrong ones.
    units: (u64, u64),
    /// The items of this scan.
    items: u64,
    /// How many copies and guards wrong items may have, and do not say which ones.
    unclaimed: BTreeMap<Relation, u64>,
    /// How far the segments of the first scan are.
    cursors: Vec<Cursor>,
    saved_at: Instant,
    is_stopped: bool,
}

/// A verification.
pub(super) struct Verification<'v> {
    reader: Reader<'v>,
    model: &'v Model,
    options: &'v Options,
    targets: Vec<Target<'v>>,
    shared: Mutex<Shared<'v>>,
    state: Option<State>,
}

fn locked<'l, 'o>(shared: &'l Mutex<Shared<'o>>) -> MutexGuard<'l, Shared<'o>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'v> Verification<'v> {
    pub(super) fn new(
        (backend, model): (&'v Backend, &'v Model),
        forms: &'v [Forms<'v>],
        tables: &[TableSize],
        options: &'v Options,
        observer: &'v mut dyn Observer,
    ) -> Verification<'v> {
        let target = |table: &TableSize| {
            Some(Target {
                forms: forms.get(table.table)?,
                name: table.name.clone(),
            })
        };
        let names = tables.iter().map(|table| table.name.clone());
        Verification {
            reader: Reader::new(backend, names.collect()),
            model,
            options,
            // A table with another key is a finding, and nothing of it can be read by its key.
            targets: tables
                .iter()
                .filter(|table| table.has_key)
                .filter_map(target)
                .collect(),
            shared: Mutex::new(Shared {
                report: Report::default(),
                records: Sorter::new(),
                pace: Pace::new(options.rate),
                observer,
                units: (0, 0),
                items: 0,
                unclaimed: BTreeMap::new(),
                cursors: Vec::new(),
                saved_at: Instant::now(),
                is_stopped: false,
            }),
            state: None,
        }
    }

    /// Reads everything, and compares.
    pub(super) fn whole(mut self, tables: &[TableSize]) -> Result<Report, ClientError> {
        self.begin(tables)?;
        self.scan(None)?;
        self.save()?;
        let mut suspects = Suspects::new();
        let records = self.taken();
        for_each(records.sorted()?, |group| {
            self.first(&group, &mut suspects)?;
            self.pause();
            Ok(())
        })?;
        let unclaimed = std::mem::take(&mut locked(&self.shared).unclaimed);
        suspects = suspects.without(&unclaimed);
        while suspects.count > 0 && locked(&self.shared).report.scans < SCANS_MAX {
            let before = std::mem::replace(&mut suspects, Suspects::new());
            locked(&self.shared).records = before.records;
            let lagging = match before.has_rows {
                true => locked(&self.shared).observer.lagging()?,
                false => Vec::new(),
            };
            self.scan(Some(&before.filter))?;
            let records = self.taken();
            for_each(records.sorted()?, |group| {
                if group
                    .foreign()
                    .is_none_or(|one| before.foreign.contains_key(&one))
                {
                    self.again(&group, &lagging, &mut suspects)?;
                    self.pause();
                }
                Ok(())
            })?;
            suspects = suspects.without(&unclaimed);
        }
        locked(&self.shared).observer.end()?;
        if let Some(state) = &self.state {
            state.remove()?;
        }
        let mut report = self.into_report();
        report.undecided += suspects.count;
        Ok(report)
    }

    /// Reads random segments until enough items are read.
    pub(super) fn sample(self, tables: &[TableSize], wanted: u64) -> Result<Report, ClientError> {
        locked(&self.shared).observer.begin(0)?;
        self.definitions(tables)?;
        let all: u64 = tables.iter().map(|table| table.items).sum();
        let readable = tables.iter().filter(|table| table.has_key);
        for (target, table) in self.targets.iter().zip(readable) {
            let share = u128::from(wanted) * u128::from(table.items) / u128::from(all.max(1));
            let share = u64::try_from(share).unwrap_or(wanted).max(1);
            let segments = (table.items / SAMPLE_SEGMENT_ITEMS).clamp(1, SEGMENTS_MAX);
            let mut order: Vec<u64> = (0..segments).collect();
            fastrand::shuffle(&mut order);
            let mut read = 0;
            for number in order {
                if read >= share {
                    break;
                }
                let signed = |number: u64| i64::try_from(number).unwrap_or(0);
                let number = (signed(number), signed(segments));
                let limit = signed((share - read).max(SAMPLE_SEGMENT_ITEMS));
                let mut segment = Segment::new((&self.reader, self.model), target, true);
                if let Some(page) = self.pages(target, number, Some(limit)).next()? {
                    self.wait(page.halves);
                    let page = segment.judge(page, Some(&|_| false))?;
                    read += page.items;
                    self.take(page, (0, Cursor::default()), None)?;
                }
            }
        }
        locked(&self.shared).observer.end()?;
        let (read, wrong) = locked(&self.shared).units;
        let mut report = self.into_report();
        report.scans = 1;
        report.sample = Some(Share::new(read, wrong));
        Ok(report)
    }

    fn into_report(self) -> Report {
        let shared = self
            .shared
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let mut report = shared.report;
        report.sort();
        report
    }

    /// The records of a scan, without which the next one begins.
    fn taken(&self) -> Sorter {
        std::mem::replace(&mut locked(&self.shared).records, Sorter::new())
    }

    /// Reads all tables, several segments at a time. A filter makes it a confirming scan.
    fn scan(&self, filter: Option<&Filter>) -> Result<(), ClientError> {
        let segments = i64::from(self.options.segments.max(1));
        {
            let mut shared = locked(&self.shared);
            shared.report.scans += 1;
            // The items of a state that is continued are read.
            shared.items = filter.map_or(shared.report.items, |_| 0);
            let count = usize::try_from(segments).unwrap_or(1);
            shared.cursors.resize_with(count, Cursor::default);
        }
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..segments)
                .map(|segment| scope.spawn(move || self.segment((segment, segments), filter)))
                .collect();
            threads.into_iter().try_for_each(|thread| {
                thread.join().unwrap_or_else(|_| {
                    Err(ClientError::Transport(
                        "a segment's thread ended".to_owned(),
                    ))
                })
            })
        })
    }

    /// Reads one segment of each table.
    fn segment(&self, number: (i64, i64), filter: Option<&Filter>) -> Result<(), ClientError> {
        let place = usize::try_from(number.0).unwrap_or(0);
        let from = match filter {
            None => locked(&self.shared).cursors.get(place).cloned(),
            Some(_) => None,
        };
        let from = from.unwrap_or_default();
        for (at, target) in self.targets.iter().enumerate().skip(from.target) {
            let mut segment = Segment::new((&self.reader, self.model), target, filter.is_none());
            let limit = self.options.page.map(i64::from);
            let mut pages = self.pages(target, number, limit);
            if at == from.target {
                segment.resume(&from);
                pages.after.clone_from(&from.after);
            }
            let taken = self.read_ahead(pages, |page| {
                let is_kept = filter.map(|filter| move |id| filter.has(id));
                let is_kept = is_kept.as_ref().map(|is_kept| is_kept as _);
                let page = segment.judge(page, is_kept)?;
                self.take(page, (place, segment.cursor(at)), filter)
            });
            if let Err(error) = taken {
                locked(&self.shared).is_stopped = true;
                return Err(error);
            }
            if locked(&self.shared).is_stopped {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The pages of a segment.
    fn pages<'p>(
        &'p self,
        target: &'p Target<'p>,
        number: (i64, i64),
        limit: Option<i64>,
    ) -> Pages<'p> {
        Pages {
            reader: &self.reader,
            table: &target.name,
            number,
            limit,
            after: None,
            is_done: false,
        }
    }

    /// Hands each page to `judge`, while the next one is read. Ends early when another segment has
    /// failed.
    fn read_ahead(
        &self,
        mut pages: Pages<'_>,
        mut judge: impl FnMut(Page) -> Result<(), ClientError>,
    ) -> Result<(), ClientError> {
        std::thread::scope(|scope| {
            let (ready, judged) = std::sync::mpsc::sync_channel(PAGES_AHEAD);
            scope.spawn(move || {
                while let Some(page) = pages.next().transpose() {
                    let halves = page.as_ref().map_or(0, |page| page.halves);
                    // The other end is gone when the judgement has failed.
                    if ready.send(page).is_err() {
                        break;
                    }
                    self.wait(halves);
                }
            });
            for page in judged {
                judge(page?)?;
                if locked(&self.shared).is_stopped {
                    break;
                }
            }
            Ok(())
        })
    }

    /// Begins, or continues from a saved state.
    fn begin(&mut self, tables: &[TableSize]) -> Result<(), ClientError> {
        let mut shared = locked(&self.shared);
        let Some(kept) = &self.options.kept else {
            shared.observer.begin(0)?;
            drop(shared);
            return self.definitions(tables);
        };
        let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
        let segments = self.options.segments.max(1);
        let subject = format!(
            "{}, {segments} segments of {}",
            kept.subject,
            names.join(", ")
        );
        let (state, saved) = State::open(&kept.folder, subject)?;
        let is_begun = saved.is_some();
        let saved = saved.unwrap_or_default();
        shared.observer.begin(saved.position)?;
        shared.records = state.records(&saved.runs)?;
        shared.cursors = saved.cursors;
        shared.report = saved.report;
        shared.unclaimed = saved.unclaimed;
        drop(shared);
        self.state = Some(state);
        if is_begun {
            return Ok(());
        }
        self.definitions(tables)
    }

    /// Reports where the tables are not as the model declares them.
    fn definitions(&self, tables: &[TableSize]) -> Result<(), ClientError> {
        for size in tables {
            let Some(table) = self.model.tables.get(size.table) else {
                continue;
            };
            for found in drive(
                self.reader.backend,
                tables::compare(origin(), table, &size.name),
            )? {
                let finding = Finding {
                    kind: FindingKind::Definition,
                    table: size.name.clone(),
                    key: Item::new(),
                    item: None,
                    owner: None,
                    line: Some(ModelLine::of_table(table, &found.declared)),
                    message: found.text,
                };
                add(&mut locked(&self.shared), finding)?;
            }
        }
        Ok(())
    }

    /// Saves the state of the first scan.
    fn save(&self) -> Result<(), ClientError> {
        self.save_locked(&mut locked(&self.shared))
    }

    fn save_locked(&self, shared: &mut Shared<'_>) -> Result<(), ClientError> {
        let Some(state) = &self.state else {
            return Ok(());
        };
        let saved = Saved {
            cursors: shared.cursors.clone(),
            report: shared.report.clone(),
            unclaimed: shared.unclaimed.clone(),
            position: shared.observer.position()?,
            runs: shared.records.saved()?,
        };
        state.save(&saved)?;
        shared.saved_at = Instant::now();
        Ok(())
    }

    /// Adds a page of a segment to the shared state. The state is saved in
    /// between: what it holds of a segment is what its cursor says.
    fn take(
        &self,
        page: Judgements,
        (segment, cursor): (usize, Cursor),
        filter: Option<&Filter>,
    ) -> Result<(), ClientError> {
        let mut shared = locked(&self.shared);
        shared.items += page.items;
        shared.report.halves += page.halves;
        if filter.is_none() {
            shared.report.items += page.items;
        }
        shared.units.0 += page.units;
        shared.units.1 += page.wrong;
        shared.report.undecided += page.undecided;
        for (name, count) in page.kinds {
            *shared.report.kinds.entry(name).or_default() += count;
        }
        for relation in page.unclaimed {
            *shared.unclaimed.entry(relation).or_default() += 1;
        }
        for finding in page.findings {
            add(&mut shared, finding)?;
        }
        shared.records.append(&page.records)?;
        if let (None, Some(place)) = (filter, shared.cursors.get_mut(segment)) {
            *place = cursor;
        }
        let every = self.options.kept.as_ref().map(|kept| kept.every);
        if filter.is_none() && every.is_some_and(|every| shared.saved_at.elapsed() >= every) {
            self.save_locked(&mut shared)?;
        }
        let (scan, items) = (shared.report.scans, shared.items);
        shared.observer.progress(scan, items);
        drop(shared);
        self.wait(page.halves_again);
        Ok(())
    }

    /// Waits for the rate after a read of so many units, in halves.
    fn wait(&self, halves: u64) {
        if halves == 0 {
            return;
        }
        let wait = locked(&self.shared).pace.after(halves);
        if !wait.is_zero() {
            std::thread::sleep(wait);
        }
    }

    /// Adds the units of the reads of single items, and waits for the rate.
    fn pause(&self) {
        let halves = self.reader.taken();
        if halves == 0 {
            return;
        }
        locked(&self.shared).report.halves += halves;
        self.wait(halves);
    }

    /// Compares a group after the first scan.
    fn first(&self, group: &Group, suspects: &mut Suspects) -> Result<(), ClientError> {
        if !group.relatives_fit() {
            self.relatives(group, suspects)?;
            return Ok(());
        }
        let found = group.aggregates(self.model);
        suspects.has_rows |= found.iter().any(|one| one.kind == FindingKind::ViewRow);
        if !found.is_empty() {
            suspects.add(group)?;
        }
        Ok(())
    }

    /// Compares a suspect group after another scan.
    fn again(
        &self,
        group: &Group,
        lagging: &[String],
        suspects: &mut Suspects,
    ) -> Result<(), ClientError> {
        let Some(before) = group.suspect else {
            return Ok(());
        };
        let is_same = before == group.state();
        if !group.relatives_fit() {
            if !group.claims.is_empty() || !is_same {
                return self.relatives(group, suspects);
            }
            let still = reread::get(&self.reader, &group.table, &group.key())?.is_some();
            if let Some(finding) = group.relatives(self.model).filter(|_| still) {
                add(&mut locked(&self.shared), finding)?;
            }
            return Ok(());
        }
        let found = group.aggregates(self.model);
        if found.is_empty() {
            return Ok(());
        }
        let is_row = found.iter().any(|one| one.kind == FindingKind::ViewRow);
        if is_row
            && found
                .iter()
                .any(|one| one.item.as_ref().is_some_and(|of| lagging.contains(of)))
        {
            locked(&self.shared).report.undecided_rows += 1;
            return Ok(());
        }
        let now = reread::get(&self.reader, &group.table, &group.key())?;
        if !is_same || !group.parent_is(self.model, now.as_ref()) {
            suspects.has_rows |= is_row;
            return suspects.add(group);
        }
        found
            .into_iter()
            .try_for_each(|one| add(&mut locked(&self.shared), one))
    }

    /// Reads the items of a copy or guard again, and reports what is still wrong. Without an item
    /// that asks for it, it is suspect.
    fn relatives(&self, group: &Group, suspects: &mut Suspects) -> Result<(), ClientError> {
        for tried in 0..TRIES {
            let mut owners: Vec<(Item, Option<Item>)> = Vec::new();
            let mut now = group.clone();
            now.claims.clear();
            for claim in &group.claims {
                let key = owner(claim);
                let (item, records) = self.records(&group.table, &key)?;
                owners.push((key, item));
                now.claims.extend(
                    records
                        .into_iter()
                        .filter(|one| one.group == group.id && one.kind == RecordKind::Claimed),
                );
            }
            let (_, records) = self.records(&group.table, &group.key())?;
            now.stored = records
                .into_iter()
                .find(|one| one.group == group.id && one.kind == RecordKind::Stored);
            let mut is_same = true;
            for (key, before) in &owners {
                is_same &= reread::get(&self.reader, &group.table, key)? == *before;
            }
            if !is_same {
                wait(time_of(back_off(tried)));
                continue;
            }
            if now.relatives_fit() {
                return Ok(());
            }
            if now.claims.is_empty() {
                return suspects.add(&now);
            }
            return match now.relatives(self.model) {
                Some(finding) => add(&mut locked(&self.shared), finding),
                None => Ok(()),
            };
        }
        suspects.add(group)
    }

    /// The item with a key as it is now, and its records; none when it is gone.
    fn records(&self, table: &str, key: &Item) -> Result<(Option<Item>, Vec<Record>), ClientError> {
        let Some(target) = self.targets.iter().find(|target| target.name == table) else {
            return Ok((None, Vec::new()));
        };
        let scope = Scope::new(self.model, target.forms, &target.name);
        let unit = reread::unit(&self.reader, scope, key)?;
        Ok(match unit {
            Now::Unit(unit) => {
                let records = judge(scope, &unit).records.records().collect();
                (unit.into_first(), records)
            }
            // A caller that reads it again sees that it is another one.
            Now::Gone | Now::Changing => (None, Vec::new()),
        })
    }
}

/// Adds a finding to the report, and hands it to the observer.
fn add(shared: &mut Shared<'_>, finding: Finding) -> Result<(), ClientError> {
    shared.observer.finding(&finding)?;
    shared.report.add(finding);
    Ok(())
}
