//! Rows that cannot all be items: two that make one, or that share a value that is to be unique. They are
//! found by digests, which need little memory, and named by a second look.

use crate::cell::Cell;
use crate::convert::Problem;
use crate::drafts::{Claim, digest};
use crate::mapping::Mapped;
use crate::pages::Cursor;
use crate::progress::Progress;
use crate::source::{Source, SourceError};
use crate::statement::PAGE;
use std::collections::{BTreeMap, BTreeSet};

/// The most digests that are held at once.
pub(crate) const HELD_MAX: u64 = 2_000_000;
/// The most items of a copy that are remembered, so that two rows that make one are found.
const MADE_MAX: usize = 10_000_000;
/// The most claims that are named.
const NAMED_MAX: usize = 100;

/// Digests of what rows claim, of one of several buckets, as many as memory holds.
#[derive(Debug, Default)]
pub(crate) struct Claimed {
    held: BTreeSet<u128>,
    /// Those that several rows claim.
    twice: BTreeSet<u128>,
    bucket: (u64, u64),
}

impl Claimed {
    /// Nothing yet of a bucket, by its number and that of all.
    pub(crate) fn of_bucket(bucket: u64, buckets: u64) -> Claimed {
        Claimed {
            bucket: (bucket, buckets.max(1)),
            ..Claimed::default()
        }
    }

    fn is_in(&self, digest: u128) -> bool {
        u64::try_from(digest % u128::from(self.bucket.1)) == Ok(self.bucket.0)
    }

    /// Adds what a row claims.
    pub(crate) fn add(&mut self, digest: u128) {
        if self.is_in(digest) && !self.held.insert(digest) {
            self.twice.insert(digest);
        }
    }

    /// Whether a digest is one of the bucket's, and nobody claims it.
    pub(crate) fn lacks(&self, digest: u128) -> bool {
        self.is_in(digest) && !self.held.contains(&digest)
    }

    /// The rows that claim what another one claims, and how many claims more there are, which are not named.
    pub(crate) fn named(
        self,
        mapped: &Mapped<'_>,
        source: &mut dyn Source,
        progress: &Progress,
        claims: impl Fn(&[Cell]) -> Vec<(Claim, u128)>,
    ) -> Result<(Vec<Problem>, u64), SourceError> {
        drop(self.held);
        let more = self.twice.len().saturating_sub(NAMED_MAX) as u64;
        let wanted = self.twice.into_iter().take(NAMED_MAX).collect();
        let named = named(&wanted, mapped, source, progress, claims)?;
        Ok((named, more))
    }
}

/// The rows that claim together what is wanted, and what is wrong with that. All rows are read.
fn named(
    wanted: &BTreeSet<u128>,
    mapped: &Mapped<'_>,
    source: &mut dyn Source,
    progress: &Progress,
    claims: impl Fn(&[Cell]) -> Vec<(Claim, u128)>,
) -> Result<Vec<Problem>, SourceError> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let mut rows: BTreeMap<u128, Rows> = BTreeMap::new();
    let mut cursor = Cursor::default();
    while let Some(page) = cursor.next(mapped, source, PAGE)? {
        for row in &page.rows {
            for (claim, digest) in claims(row) {
                if wanted.contains(&digest) {
                    let known = rows.entry(digest).or_insert_with(|| Rows::of(claim));
                    known.add(mapped.identity_of(row));
                }
            }
        }
        if progress.is_stopping() {
            break;
        }
    }
    let named = rows.into_values().flat_map(|one| one.problems(mapped));
    Ok(named.collect())
}

/// The items that the rows of a copy have made so far.
#[derive(Debug, Default)]
pub(crate) struct Made {
    held: BTreeSet<u128>,
}

impl Made {
    /// Remembers what rows make.
    pub(crate) fn add(&mut self, mapped: &Mapped<'_>, rows: &[Vec<Cell>]) {
        for row in rows {
            if self.held.len() < MADE_MAX {
                self.held.extend(of_row(mapped, row));
            }
        }
    }

    /// What stands for the items of rows that other rows have made already.
    pub(crate) fn twice(&self, mapped: &Mapped<'_>, rows: &[Vec<Cell>]) -> BTreeSet<u128> {
        let digests = rows.iter().filter_map(|row| of_row(mapped, row));
        let twice = digests.filter(|one| self.held.contains(one));
        twice.take(NAMED_MAX).collect()
    }
}

/// A row that makes one of some items, as another row does, if there are two such rows now.
pub(crate) fn doubled(
    twice: &BTreeSet<u128>,
    mapped: &Mapped<'_>,
    source: &mut dyn Source,
    progress: &Progress,
) -> Result<Option<Problem>, SourceError> {
    let claims = |row: &[Cell]| {
        let digest = of_row(mapped, row);
        digest.map(|one| (Claim::Item, one)).into_iter().collect()
    };
    let named = named(twice, mapped, source, progress, claims)?;
    Ok(named.into_iter().next())
}

/// What stands for the item of a row; `None` where it makes none.
pub(crate) fn of_row(mapped: &Mapped<'_>, row: &[Cell]) -> Option<u128> {
    let key = mapped.key(&mapped.identity_of(row)).ok()?;
    let place = mapped.place(&key).ok()?;
    Some(digest(&Claim::Item, &place))
}

/// The rows with one claim.
struct Rows {
    claim: Claim,
    /// Their identities, and how many have each.
    identities: Vec<(Vec<Cell>, u64)>,
}

impl Rows {
    fn of(claim: Claim) -> Rows {
        Rows {
            claim,
            identities: Vec::new(),
        }
    }

    fn add(&mut self, identity: Vec<Cell>) {
        let has_room = self.identities.len() < NAMED_MAX;
        match self.identities.iter_mut().find(|(one, _)| *one == identity) {
            Some((_, count)) => *count += 1,
            None if has_room => self.identities.push((identity, 1)),
            None => {}
        }
    }

    fn problems(self, mapped: &Mapped<'_>) -> Vec<Problem> {
        let mut problems = Vec::new();
        let entity = &mapped.entity.name;
        let Some((first, _)) = self.identities.first() else {
            return problems;
        };
        for (identity, count) in &self.identities {
            if self.claim == Claim::Item && *count > 1 {
                let why = format!("{count} rows make the same {entity}");
                problems.push(mapped.problem(identity, why));
            }
        }
        for (identity, _) in self.identities.iter().skip(1) {
            let other = mapped.named(first);
            let (why, form) = match &self.claim {
                Claim::Item => (
                    format!("makes the same {entity} as {other}"),
                    format!("makes the same {entity} as another row"),
                ),
                Claim::Unique(names) => (
                    format!("has the same {names} as {other}, and it is unique"),
                    format!("has the same {names} as another row"),
                ),
            };
            problems.push(mapped.problem(identity, why).alike(form));
        }
        problems
    }
}
