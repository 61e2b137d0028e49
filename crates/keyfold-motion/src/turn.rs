//! Which side programs write to, as the row of a move has it.
//!
//! A move has a row at each side once it is switched: that of the target is the one that counts, and that of
//! the source is the row of the other direction, in whose own terms the target is the source. A run applies
//! the changes of its direction when its row says that its source leads, and else passes over them: they
//! are what the mover itself has written.
//!
//! ```text
//! source leads ── closing ──▶ opening (target leads) ──▶ target leads ── closing ──▶ opening (source leads) ──▶
//! ```

use crate::values::{number, text, whole};
use crate::world::Place;
use keyfold_api::ExpressionAttributes;
use keyfold_client::ClientError;
use keyfold_types::Item;

const LEAD: &str = "lead";
const TURNING: &str = "turning";
const TURNS: &str = "turns";
const MARK: &str = "mark";
const REVISION: &str = "revision";

/// Which side programs write to, and whether that changes now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// The side whose changes are applied to the other one.
    pub lead: Place,
    /// How far a switch is; `None` when there is none under way.
    pub turning: Option<Turning>,
    /// How often the side has changed.
    pub turns: u64,
    /// When the last switch found the refusal of the side before in force, milliseconds since 1970.
    pub mark_ms: Option<i64>,
    /// The revision of the policy that refuses writes of the side before.
    pub revision: Option<String>,
}

/// How far a switch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turning {
    /// Both sides come to refuse writes, and what is left is carried.
    Closing,
    /// The side that leads now comes to take writes.
    Opening,
}

impl Turning {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Turning::Closing => "closing",
            Turning::Opening => "opening",
        }
    }
}

impl Default for Turn {
    fn default() -> Turn {
        Turn {
            lead: Place::Source,
            turning: None,
            turns: 0,
            mark_ms: None,
            revision: None,
        }
    }
}

impl Turn {
    /// Whether the changes of the source, in the row's own terms, are applied.
    pub(crate) fn applies(&self) -> bool {
        self.lead == Place::Source
    }

    /// Whether the move was switched, or began to be.
    pub fn has_begun(&self) -> bool {
        self.turns > 0 || self.turning.is_some()
    }

    /// The side that a switch under way goes to.
    pub fn goes_to(&self) -> Option<Place> {
        Some(match self.turning? {
            Turning::Closing => self.lead.other(),
            Turning::Opening => self.lead,
        })
    }

    /// Refuses to carry a move on that is being switched.
    ///
    /// # Errors
    /// `Refused`.
    pub(crate) fn may_take(&self, table: &str, is_turning: bool) -> Result<(), ClientError> {
        match self.turning {
            Some(_) if !is_turning => Err(ClientError::refused(format!(
                "the move of {table} is being switched by another command, which was perhaps killed: \
                 `keyfold move resume` goes on with it"
            ))),
            Some(_) | None => Ok(()),
        }
    }

    pub(crate) fn add_to(&self, item: &mut Item) {
        if self.lead == Place::Target {
            item.insert(LEAD, self.lead.word());
        }
        if let Some(turning) = self.turning {
            item.insert(TURNING, turning.word());
        }
        if self.turns > 0 {
            item.insert(TURNS, whole(self.turns));
        }
        if let Some(mark_ms) = self.mark_ms {
            item.insert(MARK, mark_ms);
        }
        if let Some(revision) = &self.revision {
            item.insert(REVISION, revision.as_str());
        }
    }

    /// # Errors
    /// The name of an attribute that is wrong.
    pub(crate) fn of_item(item: &Item) -> Result<Turn, &'static str> {
        Ok(Turn {
            lead: match text(item, LEAD) {
                None => Place::Source,
                Some("source") => Place::Source,
                Some("target") => Place::Target,
                Some(_) => return Err(LEAD),
            },
            turning: match text(item, TURNING) {
                None => None,
                Some("closing") => Some(Turning::Closing),
                Some("opening") => Some(Turning::Opening),
                Some(_) => return Err(TURNING),
            },
            turns: number(item, TURNS).unwrap_or(0),
            mark_ms: number(item, MARK).and_then(|ms| i64::try_from(ms).ok()),
            revision: text(item, REVISION).map(str::to_owned),
        })
    }

    /// The update of a row that notes this, and gives it the fence `:mine`.
    pub(crate) fn update(&self) -> (String, ExpressionAttributes) {
        let mut set = "SET #fence = :mine, #lead = :lead, #turns = :turns".to_owned();
        let mut attributes = ExpressionAttributes::default()
            .name("#lead", LEAD)
            .name("#turns", TURNS)
            .name("#turning", TURNING)
            .value(":lead", self.lead.word())
            .value(":turns", whole(self.turns));
        if let Some(mark_ms) = self.mark_ms {
            set.push_str(", #mark = :mark");
            attributes = attributes.name("#mark", MARK).value(":mark", mark_ms);
        }
        if let Some(revision) = &self.revision {
            set.push_str(", #revision = :revision");
            attributes = attributes
                .name("#revision", REVISION)
                .value(":revision", revision.as_str());
        }
        match self.turning {
            Some(turning) => {
                set.push_str(", #turning = :turning");
                attributes = attributes.value(":turning", turning.word());
            }
            None => set.push_str(" REMOVE #turning"),
        }
        (set, attributes)
    }
}
