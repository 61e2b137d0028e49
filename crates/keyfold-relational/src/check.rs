//! What stands in the way, before anything is written: every row is read, and the items are made as which it
//! would be stored. Rows that cannot both be items are found, and items whose parent is no row.

use crate::cell::Cell;
use crate::convert::Problem;
use crate::doubles::{Claimed, HELD_MAX, of_row};
use crate::drafts::{Claim, digest};
use crate::mapping::{Mapped, Mapping};
use crate::pages::Cursor;
use crate::progress::Progress;
use crate::source::{Source, SourceError};
use crate::statement::PAGE;
use keyfold_lower::write::Contribution;
use keyfold_model::schema::Aggregate;
use std::collections::BTreeSet;

/// The most problems that are listed; more are counted.
pub(crate) const LISTED_MAX: usize = 100;

/// The most children without a parent that are looked at again.
const FIRST_MAX: usize = 2_000_000;

/// The rows of an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedRows {
    /// The entity.
    pub entity: String,
    /// The rows that make items.
    pub good: u64,
    /// The rows that were read.
    pub read: u64,
    /// The rows that there are.
    pub total: u64,
}

/// Problems that are alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alike {
    /// The first one.
    pub first: Problem,
    /// How many there are.
    pub count: u64,
}

/// What a look at all rows found.
#[derive(Debug, Clone, Default)]
pub struct Checked {
    /// The rows of each mapped entity.
    pub rows: Vec<CheckedRows>,
    /// The problems, the first ones.
    pub problems: Vec<Problem>,
    /// The problems in groups, the first ones.
    pub groups: Vec<Alike>,
    /// How many there are.
    pub count: u64,
    /// What the mapping leaves out.
    pub notes: Vec<String>,
    /// Whether it was stopped before its end.
    pub is_stopped: bool,
}

impl Checked {
    pub(crate) fn add(&mut self, problem: Problem) {
        self.count += 1;
        let is_alike = |one: &&mut Alike| {
            (&one.first.entity, &one.first.form) == (&problem.entity, &problem.form)
        };
        let has_room = self.groups.len() < LISTED_MAX;
        match self.groups.iter_mut().find(is_alike) {
            Some(group) => group.count += 1,
            None if has_room => self.groups.push(Alike {
                first: problem.clone(),
                count: 1,
            }),
            None => {}
        }
        if self.problems.len() < LISTED_MAX {
            self.problems.push(problem);
        }
    }
}

/// Reads all rows. Nothing is written, neither to the source nor to the target.
///
/// # Errors
/// When the source cannot be read, or cannot keep the changes of its tables.
pub fn check(
    mapping: &Mapping<'_>,
    source: &mut dyn Source,
    progress: &Progress,
) -> Result<Checked, SourceError> {
    source.ready(&mapping.watched)?;
    let advice = source.advice()?;
    let mut checked = look(mapping, source, progress)?;
    checked.notes.extend(advice);
    Ok(checked)
}

/// Reads all rows of a database that need not be able to keep changes.
///
/// # Errors
/// When the source cannot be read.
pub(crate) fn look(
    mapping: &Mapping<'_>,
    source: &mut dyn Source,
    progress: &Progress,
) -> Result<Checked, SourceError> {
    let mut look = Look {
        source,
        progress,
        checked: Checked::default(),
    };
    for mapped in &mapping.entities {
        look.notes(mapped);
        look.rows(mapped)?;
    }
    for parent in &mapping.entities {
        for aggregate in &parent.entity.aggregates {
            let of = mapping.model.entities.get(aggregate.entity);
            let mut all = mapping.entities.iter();
            let child = all.find(|one| of.is_some_and(|of| of.name == one.entity.name));
            if let Some(child) = child {
                look.orphans(parent, child, aggregate)?;
            }
        }
    }
    look.checked.is_stopped = progress.is_stopping();
    Ok(look.checked)
}

struct Look<'a> {
    source: &'a mut dyn Source,
    progress: &'a Progress,
    checked: Checked,
}

impl Look<'_> {
    fn notes(&mut self, mapped: &Mapped<'_>) {
        for name in &mapped.unfilled {
            self.checked.notes.push(format!(
                "no column of `{}` fills {name} of {}: items have it absent, or by its default",
                mapped.origin.table.name, mapped.entity.name
            ));
        }
    }

    fn total(&mut self, mapped: &Mapped<'_>) -> Result<u64, SourceError> {
        let rows = self.source.query(&mapped.statements.count(), &[])?;
        let first = rows.first().and_then(|row| row.first());
        Ok(match first {
            Some(Cell::Integer(count)) => u64::try_from(*count).unwrap_or(0),
            _ => 0,
        })
    }

    /// Looks at each row of an entity, and at what two of them claim.
    fn rows(&mut self, mapped: &Mapped<'_>) -> Result<(), SourceError> {
        let total = self.total(mapped)?;
        let mut counted = CheckedRows {
            entity: mapped.entity.name.clone(),
            good: 0,
            read: 0,
            total,
        };
        let claims = total * (1 + mapped.entity.uniques.len() as u64);
        let buckets = claims / HELD_MAX + 1;
        for bucket in 0..buckets {
            let mut claimed = Claimed::of_bucket(bucket, buckets);
            let mut cursor = Cursor::default();
            while !self.progress.is_stopping()
                && let Some(page) = cursor.next(mapped, self.source, PAGE)?
            {
                self.progress.add_read(page.rows.len());
                let is_first = u64::from(bucket == 0);
                counted.read += is_first * page.rows.len() as u64;
                for row in &page.rows {
                    match mapped.claims(row) {
                        Ok(claims) => {
                            counted.good += is_first;
                            claims.iter().for_each(|(_, digest)| claimed.add(*digest));
                        }
                        Err(problem) if bucket == 0 => self.checked.add(problem),
                        Err(_) => {}
                    }
                }
                if let (Some(_), 0) = (&page.stuck, bucket) {
                    page.problem(mapped)
                        .into_iter()
                        .for_each(|one| self.checked.add(one));
                }
            }
            let claims = |row: &[Cell]| mapped.claims(row).unwrap_or_default();
            let (named, more) = claimed.named(mapped, self.source, self.progress, claims)?;
            counted.good = counted.good.saturating_sub(named.len() as u64 + more);
            named.into_iter().for_each(|one| self.checked.add(one));
            self.checked.count += more;
        }
        // Rows may have come since they were counted.
        counted.total = counted.total.max(counted.read);
        self.checked.rows.push(counted);
        Ok(())
    }

    /// Finds rows that are counted, summed up or compared in an item that no row makes.
    fn orphans(
        &mut self,
        parent: &Mapped<'_>,
        child: &Mapped<'_>,
        aggregate: &Aggregate,
    ) -> Result<(), SourceError> {
        let buckets = self.total(parent)? / HELD_MAX + 1;
        for bucket in 0..buckets {
            let mut first = BTreeSet::new();
            let of = (parent, aggregate);
            let claimed = Claimed::of_bucket(bucket, buckets);
            orphans(
                of,
                child,
                (self.source, self.progress),
                claimed,
                &mut |row, _| {
                    first.extend(of_row(child, row).filter(|_| first.len() < FIRST_MAX));
                },
            )?;
            if first.is_empty() {
                continue;
            }
            // Programs write between the look at parents and that at children. Whose parent came meanwhile has
            // one now.
            let claimed = Claimed::of_bucket(bucket, buckets);
            let checked = &mut self.checked;
            orphans(
                of,
                child,
                (self.source, self.progress),
                claimed,
                &mut |row, problem| {
                    if of_row(child, row).is_some_and(|one| first.contains(&one)) {
                        checked.add(problem);
                    }
                },
            )?;
        }
        Ok(())
    }
}

/// Looks at all parents of a bucket, and then at all children: tells those whose parent is no row.
fn orphans(
    of: (&Mapped<'_>, &Aggregate),
    child: &Mapped<'_>,
    (source, progress): (&mut dyn Source, &Progress),
    mut claimed: Claimed,
    tell: &mut dyn FnMut(&[Cell], Problem),
) -> Result<(), SourceError> {
    let (parent, _) = of;
    let mut cursor = Cursor::default();
    while !progress.is_stopping()
        && let Some(page) = cursor.next(parent, source, PAGE)?
    {
        for row in &page.rows {
            of_row(parent, row)
                .into_iter()
                .for_each(|one| claimed.add(one));
        }
    }
    let mut cursor = Cursor::default();
    while !progress.is_stopping()
        && let Some(page) = cursor.next(child, source, PAGE)?
    {
        for row in &page.rows {
            if let Some(problem) = lacking(of, child, row, &claimed) {
                tell(row, problem);
            }
        }
    }
    Ok(())
}

/// The problem of a row whose parent is no row.
fn lacking(
    (parent, aggregate): (&Mapped<'_>, &Aggregate),
    child: &Mapped<'_>,
    row: &[Cell],
    claimed: &Claimed,
) -> Option<Problem> {
    let values = child.values(row).ok()?;
    let key = Contribution::of(aggregate, &values)?.parent;
    let place = parent.place(&key).ok()?;
    if !claimed.lacks(digest(&Claim::Item, &place)) {
        return None;
    }
    let named = key.iter();
    let named =
        named.map(|(name, value)| format!("{name} = {}", keyfold_model::value::shown(value)));
    let named: Vec<String> = named.collect();
    let (of, attribute) = (&parent.entity.name, &aggregate.attribute);
    let why = format!(
        "no row makes {of} ({}), whose {attribute} follows from it",
        named.join(", ")
    );
    let form = format!("no row makes the {of} whose {attribute} follows from it");
    Some(child.problem(&child.identity_of(row), why).alike(form))
}
