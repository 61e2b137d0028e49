//! What the questions of a comparison came to, all patterns together.

use crate::cmd::watched::Stand;
use crate::failure::Failure;
use crate::terminal;
use keyfold_prove::live::LivePattern;
use serde_json::{Value as Json, json};

/// The questions of all patterns together.
#[derive(Clone, Copy, Default)]
pub(super) struct Sum {
    pub(super) asked: u64,
    pub(super) equal: u64,
    pub(super) late: u64,
    pub(super) different: u64,
}

impl Sum {
    pub(super) fn of(found: &[LivePattern]) -> Sum {
        found.iter().fold(Sum::default(), |sum, one| Sum {
            asked: sum.asked + one.asked,
            equal: sum.equal + one.equal,
            late: sum.late + one.late,
            different: sum.different + one.different,
        })
    }

    /// Whether no more than so many of a thousand differ.
    pub(super) fn is_within(self, gate: u64) -> bool {
        self.different.saturating_mul(1000) <= self.asked.saturating_mul(gate)
    }

    /// How far a comparison is.
    pub(super) fn stand(self) -> Stand {
        Stand {
            line: format!(
                "{} asked, {} equal, {} late, {} different",
                self.asked, self.equal, self.late, self.different
            ),
            member: "compared",
            counted: self.json(),
        }
    }

    /// For programs.
    pub(super) fn json(self) -> Json {
        json!({ "asked": self.asked, "equal": self.equal, "late": self.late, "different": self.different })
    }
}

/// Whether no more questions differ than may.
pub(super) fn verdict_of_answers(sum: Sum, gate: u64) -> Result<(), Failure> {
    if sum.asked == 0 {
        return Err(Failure::refused(
            "nothing was asked: no row gives arguments for a pattern that can be compared",
        ));
    }
    if sum.is_within(gate) {
        return Ok(());
    }
    Err(Failure::refused(format!(
        "{} of {} differ, and {gate} in a thousand may: `keyfold migrate verify` names the rows",
        sum.different,
        terminal::counted_u64(sum.asked, "question")
    )))
}
