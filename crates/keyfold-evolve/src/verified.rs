//! The data compared with the new model: what is found besides that which the last phase deletes.

use crate::course::{Course, table_of};
use crate::hands::{Hands, Stop};
use keyfold_client::ClientError;
use keyfold_client::verify::{self, Finding, FindingKind, Observer, Options};
use keyfold_model::evolution::{Step, Work};
use std::collections::BTreeSet;

/// What a comparison has found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Verified {
    /// The items that were read.
    pub items: u64,
    /// Differences that the last phase removes, and items that neither model knows.
    pub expected: u64,
    /// All others.
    pub differences: u64,
    /// The first of these.
    pub examples: Vec<Finding>,
}

impl Verified {
    /// Adds a difference.
    pub(crate) fn add(&mut self, finding: Finding) {
        self.differences += 1;
        if self.examples.len() < EXAMPLES_MAX {
            self.examples.push(finding);
        }
    }
}

/// The most examples.
const EXAMPLES_MAX: usize = 20;

struct Judge<'c, 'm> {
    course: &'c Course<'m>,
    dropped: BTreeSet<usize>,
    found: Verified,
}

impl Judge<'_, '_> {
    /// Whether the plan names a difference.
    fn is_expected(&self, finding: &Finding) -> bool {
        let old = self.course.old_kind(&finding.table, &finding.key);
        let is_dropped = old.is_some_and(|kind| self.dropped.contains(&kind.at));
        match finding.kind {
            // It is switched on when all is as the new model says.
            FindingKind::Definition if finding.message.starts_with("ttl: ") => {
                let mut expiring = self.course.expiring().into_iter();
                let own = table_of(self.course.new, &finding.table);
                expiring.any(|(table, _)| own.is_some_and(|(_, own)| own.name == table.name))
            }
            FindingKind::UnknownItem => old.is_none() || is_dropped,
            FindingKind::CopyForeign
            | FindingKind::GuardForeign
            | FindingKind::PartForeign
            | FindingKind::IndexKey
            | FindingKind::Hidden => is_dropped,
            FindingKind::Definition
            | FindingKind::Key
            | FindingKind::MissingAttribute
            | FindingKind::WrongType
            | FindingKind::CopyKey
            | FindingKind::CopyMissing
            | FindingKind::CopyStale
            | FindingKind::GuardKey
            | FindingKind::GuardMissing
            | FindingKind::GuardStale
            | FindingKind::NotUnique
            | FindingKind::Aggregate
            | FindingKind::PartMissing
            | FindingKind::ViewRow => false,
        }
    }
}

impl Observer for Judge<'_, '_> {
    fn progress(&mut self, _scan: u32, _items: u64) {}

    fn finding(&mut self, finding: &Finding) -> Result<(), ClientError> {
        if self.is_expected(finding) {
            self.found.expected += 1;
            return Ok(());
        }
        self.found.add(finding.clone());
        Ok(())
    }
}

/// Compares the data with the new model. `is_last` where nothing is left to be deleted.
pub(crate) fn verified(
    course: &Course<'_>,
    hands: &Hands<'_>,
    is_last: bool,
) -> Result<Verified, Stop> {
    hands.progress.enter(Step::Verify.word());
    let last = course
        .phases()
        .iter()
        .filter(|phase| phase.step == Step::Drop && !is_last);
    let work: Vec<Work> = last.flat_map(|phase| phase.work.clone()).collect();
    let mut judge = Judge {
        course,
        dropped: course.dropped(&work),
        found: Verified::default(),
    };
    let backend = hands.world.backend();
    let said = |error| hands.said(error, "a request of the comparison");
    let sizes = verify::sizes(backend, course.new).map_err(said)?;
    let options = Options {
        segments: hands.options.segments,
        rate: hands.options.rate,
        ..Options::default()
    };
    let report = verify::run(backend, course.new, &sizes, &options, &mut judge).map_err(said)?;
    judge.found.items = report.items;
    Ok(judge.found)
}
