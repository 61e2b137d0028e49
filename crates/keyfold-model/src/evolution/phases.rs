//! The phases of a change: what happens one after the other, and which programs may run meanwhile.
//! They follow from the verdicts: a reader runs while everything that may be stored is readable for it,
//! and the writers of both versions run together only where each keeps what the other keeps.

use super::change::{Change, Class, Verdicts, Work};

/// What a phase does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Tables are made, and settings updated.
    Tables,
    /// Items that need a decision are found and given other values.
    Settle,
    /// Programs of the new version take the place of those of the old one, in any order.
    Deploy,
    /// Readers of the new version are deployed.
    Readers,
    /// Writers of the new version are deployed.
    Writers,
    /// The programs of the old version are stopped.
    Stop,
    /// The writers of the old version are stopped, and none of the new one are started yet.
    Halt,
    /// Aggregates are computed of the items that are there, while nobody writes.
    Compute,
    /// Items are written: again, beside others, or under other keys.
    Backfill,
    /// One index is made.
    Index,
    /// The data is compared with the new model.
    Verify,
    /// The programs of the new version are started.
    Start,
    /// What only the old version had is deleted, and expiry begins.
    Drop,
}

impl Step {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Step::Tables => "tables",
            Step::Settle => "settle",
            Step::Deploy => "deploy",
            Step::Readers => "readers",
            Step::Writers => "writers",
            Step::Stop => "stop",
            Step::Halt => "halt",
            Step::Compute => "compute",
            Step::Backfill => "backfill",
            Step::Index => "index",
            Step::Verify => "verify",
            Step::Start => "start",
            Step::Drop => "drop",
        }
    }
}

/// The programs that may run during a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Runs {
    /// Readers of the old version.
    pub old_readers: bool,
    /// Writers of the old version.
    pub old_writers: bool,
    /// Readers of the new version.
    pub new_readers: bool,
    /// Writers of the new version.
    pub new_writers: bool,
}

/// A phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phase {
    /// What it does.
    pub step: Step,
    /// What it does, as sentences without their ends.
    pub does: Vec<String>,
    /// The programs that may run until it ends.
    pub runs: Runs,
    /// The work on tables and items.
    pub work: Vec<Work>,
}

/// The phases as they grow, with what may be stored and who runs.
struct Course<'c> {
    verdicts: &'c Verdicts,
    all: Vec<Phase>,
    /// Whether the new version's form of an item may be stored.
    has_new: bool,
    /// Whether writers of the old version run.
    old_writes: bool,
    /// Whether writers of the new version run.
    new_writes: bool,
    /// Whether no writer of either version runs, until aggregates are computed.
    is_halted: bool,
    /// Whether the programs of the old version are all stopped.
    is_stopped: bool,
    /// Whether readers of the new version have been deployed.
    new_reads: bool,
}

impl Course<'_> {
    fn add(&mut self, step: Step, does: Vec<String>, work: Vec<Work>) {
        let reads_new = !self.has_new || self.verdicts.old_reader.is_yes();
        let runs = Runs {
            old_readers: !self.is_stopped && reads_new,
            old_writers: self.old_writes,
            new_readers: self.new_reads,
            new_writers: self.new_writes,
        };
        self.all.push(Phase {
            step,
            does,
            runs,
            work,
        });
    }
}

/// The work of changes, by phase.
#[derive(Default)]
struct Works {
    tables: Vec<Work>,
    settled: Vec<Work>,
    computed: Vec<Work>,
    items: Vec<Work>,
    indexes: Vec<Work>,
    dropped: Vec<Work>,
    /// Expiry that begins: behind all that is written and deleted, since it deletes what holds a moment.
    expiring: Vec<Work>,
}

impl Works {
    fn of(changes: &[Change]) -> Works {
        let mut works = Works::default();
        for work in changes.iter().flat_map(|one| &one.work) {
            let place = match work {
                Work::AddTable(_) | Work::UpdateTable(_) | Work::Expiry { is_on: false, .. } => {
                    &mut works.tables
                }
                Work::Expiry { is_on: true, .. } => &mut works.expiring,
                Work::Settle { .. } => &mut works.settled,
                Work::Compute { .. } => &mut works.computed,
                Work::Rewrite { .. }
                | Work::WriteBeside { .. }
                | Work::Rekey { .. }
                | Work::Rebuild { .. } => &mut works.items,
                Work::Drop { is_in_the_way, .. } if *is_in_the_way => &mut works.items,
                Work::AddIndex { .. } => &mut works.indexes,
                Work::Drop { .. } | Work::RemoveIndex { .. } | Work::RemoveTable(_) => {
                    &mut works.dropped
                }
            };
            if !place.contains(work) {
                place.push(work.clone());
            }
        }
        let in_the_way = works.items.clone();
        works.dropped.retain(|work| !is_among(work, &in_the_way));
        works.dropped.append(&mut works.expiring);
        // An item that moves is written as a whole, with all that is beside it.
        let moved: Vec<String> = works.items.iter().filter_map(moved).cloned().collect();
        works
            .items
            .retain(|work| written(work).is_none_or(|entity| !moved.contains(entity)));
        works
    }
}

/// Whether what is deleted at the end is deleted before, since it lies in the way.
fn is_among(work: &Work, in_the_way: &[Work]) -> bool {
    let Work::Drop {
        entity,
        what,
        is_of_items,
        ..
    } = work
    else {
        return false;
    };
    in_the_way.contains(&Work::Drop {
        entity: entity.clone(),
        what: what.clone(),
        is_in_the_way: true,
        is_of_items: *is_of_items,
    })
}

/// The entity whose items move.
fn moved(work: &Work) -> Option<&String> {
    if let Work::Rekey { entity, .. } = work {
        Some(entity)
    } else {
        None
    }
}

/// The entity whose items are written where they are, or others beside them.
fn written(work: &Work) -> Option<&String> {
    if let Work::Rewrite { entity } | Work::WriteBeside { entity, .. } = work {
        Some(entity)
    } else {
        None
    }
}

/// The phases of changes; none where one of them is impossible. `refused` are entities of which writers of the new
/// version refuse the items of the old one, or break them, and why.
pub(super) fn phases(
    changes: &[Change],
    verdicts: &Verdicts,
    refused: &[(&str, String)],
) -> Vec<Phase> {
    let is_impossible = changes.iter().any(|one| one.class == Class::Impossible);
    if changes.is_empty() || is_impossible {
        return Vec::new();
    }
    let works = Works::of(changes);
    let mut course = Course {
        verdicts,
        all: Vec::new(),
        has_new: false,
        old_writes: true,
        new_writes: false,
        is_halted: false,
        is_stopped: false,
        new_reads: false,
    };
    if !works.tables.is_empty() {
        let does = works.tables.iter().map(said).collect();
        course.add(Step::Tables, does, works.tables.clone());
    }
    if !works.settled.is_empty() {
        let does = works.settled.iter().map(said).collect();
        course.add(Step::Settle, does, works.settled.clone());
    }
    let is_due = |entity: &str| {
        let mut items = works.items.iter();
        items.any(|work| written(work).is_some_and(|name| name == entity))
    };
    let refused = refused.iter().find(|(entity, _)| is_due(entity));
    begin(&mut course, &works, refused.map(|(_, why)| why.as_str()));
    write(&mut course, &works, refused.is_some());
    for index in &works.indexes {
        course.add(Step::Index, vec![said(index)], vec![index.clone()]);
    }
    end(&mut course, &works);
    course.all
}

/// Why the programs of the old version are all stopped first, if they are.
fn why_stopped(works: &Works, reads: (bool, bool)) -> Option<&'static str> {
    let is_found_by = |work: &Work| matches!(work, Work::WriteBeside { is_first: true, .. });
    let is_in_the_way = |work: &Work| {
        matches!(
            work,
            Work::Drop {
                is_in_the_way: true,
                ..
            }
        )
    };
    match reads {
        _ if works.items.iter().any(is_in_the_way) => {
            Some("items of it are deleted before the new version reads")
        }
        _ if works.items.iter().any(is_found_by) => {
            Some("the new one finds items by guards that are not there yet")
        }
        (false, false) => Some("neither version reads what the other writes"),
        (true, _) | (false, true) => None,
    }
}

/// Brings programs of the new version in, as far as they may run before the data is theirs.
fn begin(course: &mut Course<'_>, works: &Works, refused: Option<&str>) {
    let (reads_new, reads_old, write_together) = (
        course.verdicts.old_reader.is_yes(),
        course.verdicts.new_reader.is_yes(),
        course.verdicts.writers.is_yes(),
    );
    let why = why_stopped(works, (reads_new, reads_old));
    if let Some(why) = why {
        course.old_writes = false;
        course.is_stopped = true;
        let does = format!("stop every program of the old version: {why}");
        return course.add(Step::Stop, vec![does], Vec::new());
    }
    let is_free = reads_new && reads_old && write_together;
    if is_free {
        (course.has_new, course.new_writes, course.new_reads) = (true, true, true);
        let does =
            "deploy the new version in any order; readers and writers of both versions may run";
        course.add(Step::Deploy, vec![does.to_owned()], Vec::new());
        if works.items.is_empty() && works.indexes.is_empty() && works.dropped.is_empty() {
            return;
        }
        course.old_writes = false;
        return;
    }
    if reads_old {
        course.new_reads = true;
        let does = "deploy the readers of the new version: they read what the old version writes";
        course.add(Step::Readers, vec![does.to_owned()], Vec::new());
    }
    if !works.computed.is_empty() || refused.is_some() {
        (course.old_writes, course.is_halted) = (false, true);
        let why = refused.map_or(String::new(), |why| format!(": {why}"));
        let does = "stop the writers of the old version, and start none of the new one yet";
        return course.add(Step::Halt, vec![format!("{does}{why}")], Vec::new());
    }
    let mut does = Vec::new();
    if !reads_new {
        does.push(
            "stop the readers of the old version: they cannot read what the new version writes"
                .to_owned(),
        );
    }
    does.push(match write_together {
        true => "replace the writers of the old version one after the other".to_owned(),
        false => "stop the writers of the old version, then start those of the new one: they may not write together".to_owned(),
    });
    (course.has_new, course.new_writes) = (true, true);
    course.old_writes = write_together;
    course.add(Step::Writers, does, Vec::new());
    course.old_writes = false;
}

/// Writes the items that are there, and computes aggregates of them: of items in the new form, since a
/// writer of the new version takes an item out of an aggregate by what it holds in that form.
fn write(course: &mut Course<'_>, works: &Works, is_refused: bool) {
    let is_counted = |work: &Work| {
        let mut computed = works.computed.iter();
        computed.any(|one| matches!(one, Work::Compute { of, .. } if written(work) == Some(of) || moved(work) == Some(of)))
    };
    let is_first = course.is_stopped || is_refused || works.items.iter().any(is_counted);
    if is_first || works.computed.is_empty() {
        backfill(course, works);
    }
    if !works.computed.is_empty() {
        let does = works.computed.iter().map(said).collect();
        course.has_new = true;
        course.add(Step::Compute, does, works.computed.clone());
    }
    if course.is_halted {
        (course.is_halted, course.new_writes) = (false, true);
        let does = match works.computed.is_empty() {
            true => "start the writers of the new version: each item has what they need",
            false => "start the writers of the new version: they keep what was computed",
        };
        course.add(Step::Writers, vec![does.to_owned()], Vec::new());
    }
    if !is_first && !works.computed.is_empty() {
        backfill(course, works);
    }
}

fn backfill(course: &mut Course<'_>, works: &Works) {
    if works.items.is_empty() {
        return;
    }
    let does = works.items.iter().map(said).collect();
    course.has_new = true;
    course.add(Step::Backfill, does, works.items.clone());
}

/// Compares the data with the new model, brings in what could not run before, and deletes what is left.
fn end(course: &mut Course<'_>, works: &Works) {
    let is_written =
        !works.items.is_empty() || !works.indexes.is_empty() || !works.computed.is_empty();
    if is_written || !works.settled.is_empty() {
        let mut does = "`keyfold verify NEW` compares every item with the new model".to_owned();
        let is_deleted = |work: &Work| !matches!(work, Work::Expiry { .. });
        if works.dropped.iter().any(is_deleted) {
            does.push_str("; it also names what is deleted at the end");
        }
        course.add(Step::Verify, vec![does], Vec::new());
    }
    if course.is_stopped {
        (course.new_reads, course.new_writes) = (true, true);
        let does = "start the new version".to_owned();
        course.add(Step::Start, vec![does], Vec::new());
    } else if !course.new_reads {
        course.new_reads = true;
        let does = "deploy the readers of the new version".to_owned();
        course.add(Step::Readers, vec![does], Vec::new());
    }
    if !works.dropped.is_empty() {
        course.is_stopped = true;
        let mut does = vec!["when no program of the old version is left:".to_owned()];
        does.extend(works.dropped.iter().map(said));
        course.add(Step::Drop, does, works.dropped.clone());
    }
}

/// A piece of work as a sentence.
fn said(work: &Work) -> String {
    match work {
        Work::AddTable(table) => format!("make the table {table}"),
        Work::RemoveTable(table) => format!("delete the table {table}"),
        Work::AddIndex { table, index } => format!("make the index {index} of {table}"),
        Work::RemoveIndex { table, index } => format!("delete the index {index} of {table}"),
        Work::UpdateTable(table) => format!("update the settings of {table}"),
        Work::Expiry {
            table,
            attribute,
            is_on: true,
        } => format!("switch the expiry of {table} on, by `{attribute}`"),
        Work::Expiry {
            table,
            attribute,
            is_on: false,
        } => format!("switch the expiry of {table} by `{attribute}` off, and wait until it is off"),
        Work::Rewrite { entity } => {
            format!("write each {entity} again, under the condition that it is as it was read")
        }
        Work::Settle { entity, which } => format!(
            "in {entity}, find {which} (`keyfold verify NEW`), and give them other values with the old version"
        ),
        Work::WriteBeside { entity, .. } => format!(
            "write the copies and guards of each {entity}, in one transaction with a check of the item"
        ),
        Work::Rekey {
            entity,
            is_elsewhere: false,
        } => format!(
            "put each {entity} under its new key and delete it under the old one, in one transaction"
        ),
        Work::Rekey {
            entity,
            is_elsewhere: true,
        } => format!(
            "put each {entity} into its new table and delete it in the old one, in one transaction"
        ),
        Work::Drop { entity, what, .. } => {
            format!("delete, of {entity} of the old version, {what}")
        }
        Work::Compute {
            entity,
            attribute,
            of,
        } => format!(
            "compute {attribute} of each {entity} from the {of} items that are there, while nobody writes"
        ),
        Work::Rebuild { view } => {
            format!("build the rows of {view}: `keyfold views rebuild NEW {view}`")
        }
    }
}
