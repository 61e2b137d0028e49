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
use keyfold_types::{Item, Value};

const LEAD: &str = "lead";
const TURNING: &str = "turning";
const TURNS: &str = "turns";
const WAY: &str = "way";
const BOTH: &str = "both";
const OWNER: &str = "owner";

/// Which side programs write to, and whether that changes now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// The side whose changes are applied to the other one.
    pub lead: Place,
    /// How far a switch is; `None` when there is none under way.
    pub turning: Option<Turning>,
    /// How often the side has changed.
    pub turns: u64,
    /// How the side that does not lead is kept from being written; `None` before the first switch.
    pub way: Option<Way>,
    /// Whether the move has a row at each side, or is about to.
    pub has_both: bool,
    /// The owner of the switch that is under way, or of the last one: the fence with which its process took it.
    /// Whoever takes it later has a greater one. Without it nothing of a switch is changed.
    pub owner: Option<u64>,
}

/// How the side that does not lead is kept from being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// It refuses writes, by a policy of its table.
    Policies,
    /// Somebody has stopped its writers.
    Stopped,
}

impl Way {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Way::Policies => "policies",
            Way::Stopped => "stopped",
        }
    }
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
            way: None,
            has_both: false,
            owner: None,
        }
    }
}

impl Turn {
    /// Whether the changes of the source, in the row's own terms, are applied.
    pub(crate) fn applies(&self) -> bool {
        self.lead == Place::Source
    }

    /// Whether the move was switched, or began to be: it has a row at each side.
    pub fn has_begun(&self) -> bool {
        self.has_both
    }

    /// Whether the side that does not lead refuses writes, as long as no switch is under way.
    pub(crate) fn is_refused(&self) -> bool {
        self.turns > 0 && self.way == Some(Way::Policies)
    }

    /// The side that a switch under way goes to.
    pub fn goes_to(&self) -> Option<Place> {
        Some(match self.turning? {
            Turning::Closing => self.lead.other(),
            Turning::Opening => self.lead,
        })
    }

    /// Refuses to carry a move on that another process switches, or that an owner does not switch any more.
    ///
    /// # Errors
    /// `Refused`.
    pub(crate) fn may_take(&self, table: &str, owner: Option<u64>) -> Result<(), ClientError> {
        match (self.turning, owner) {
            (None, None) => Ok(()),
            (Some(_), Some(_)) if self.owner == owner => Ok(()),
            (Some(_) | None, Some(_)) => Err(lost(table)),
            (Some(turning), None) => Err(ClientError::refused(format!(
                "the move of {table} is being switched by another command, which was perhaps killed: {}",
                self.way_on(turning)
            ))),
        }
    }

    /// Refuses what must not happen beside a switch.
    ///
    /// # Errors
    /// `Refused`.
    pub(crate) fn is_quiet(&self, table: &str) -> Result<(), ClientError> {
        match self.turning {
            None => Ok(()),
            Some(turning) => Err(ClientError::refused(format!(
                "the move of {table} is being switched: {}",
                self.way_on(turning)
            ))),
        }
    }

    /// Which commands end a switch that is under way.
    fn way_on(&self, turning: Turning) -> String {
        let goes_on = "`keyfold move resume` goes on with it";
        match turning {
            Turning::Opening => goes_on.to_owned(),
            Turning::Closing => {
                let back = match self.lead {
                    Place::Source => "reverse",
                    Place::Target => "switch",
                };
                format!("{goes_on}, `keyfold move {back}` gives it up")
            }
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
        if let Some(way) = self.way {
            item.insert(WAY, way.word());
        }
        if self.has_both {
            item.insert(BOTH, true);
        }
        if let Some(owner) = self.owner {
            item.insert(OWNER, whole(owner));
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
            way: match text(item, WAY) {
                None => None,
                Some("policies") => Some(Way::Policies),
                Some("stopped") => Some(Way::Stopped),
                Some(_) => return Err(WAY),
            },
            has_both: item.get(BOTH) == Some(&Value::Bool(true)),
            owner: number(item, OWNER),
        })
    }

    /// The update of a row that notes this, and gives it the fence `:mine` and the phase `:phase`.
    pub(crate) fn update(&self) -> (String, ExpressionAttributes) {
        let mut set =
            "SET #fence = :mine, #phase = :phase, #both = :both, #lead = :lead, #turns = :turns"
                .to_owned();
        let mut attributes = ExpressionAttributes::default()
            .name("#lead", LEAD)
            .name("#turns", TURNS)
            .name("#turning", TURNING)
            .name("#both", BOTH)
            .value(":both", self.has_both)
            .value(":lead", self.lead.word())
            .value(":turns", whole(self.turns));
        if let Some(way) = self.way {
            set.push_str(", #way = :way");
            attributes = attributes.name("#way", WAY).value(":way", way.word());
        }
        if let Some(owner) = self.owner {
            set.push_str(", #owner = :owner");
            attributes = attributes
                .name("#owner", OWNER)
                .value(":owner", whole(owner));
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

/// The error of a process whose switch, or whose run, another one has taken.
pub(crate) fn lost(table: &str) -> ClientError {
    ClientError::refused(format!(
        "another process carries the move of {table} on: this one has stopped, and changes nothing any more"
    ))
}
