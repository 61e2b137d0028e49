//! The rows that a move keeps in the target, in a table beside the one that is moved.
//!
//! | `part` | what it is | attributes |
//! |---|---|---|
//! | `T run` | the move of the table `T` | `move`, `fence`, `segments`, `stream`, `source`, `target`, `seen`, `phase`, `paused`, and those of `turn` |
//! | `T segment 0003` | how far a segment of the scan is copied | `fence`, `step`, `at`, `counts` |
//! | `T shard ID` | up to where the changes of a shard are applied | `fence`, `step`, `at`, `counts` |
//! | `T spent FENCE` | what a run has consumed at least | `fence`, `began`, `copied`, `noted`, `read`, `retries`, `throttles`, units |
//! | `T sum` | the sum of the checkpoints, which are deleted when the move is being completed | `fence`, `copied`, `applied` |
//! | `T gone MOVE DIGEST` | a tombstone: a change deleted the item while the table was copied | |
//!
//! - `move` is a random number, drawn when the move begins. The parts of tombstones have it, so that those
//!   of another move mean nothing.
//! - `fence` begins with a random number and grows with each run. A run changes a row only as long as
//!   the row has its fence, so that a run which stood still changes nothing when it goes on.
//! - `source` and `target` distinguish both tables from others of their name: their ids, or their ARNs and
//!   when they were made. `target` is absent until the table is made.
//! - `paused` says when the move was paused, and is absent as soon as a run goes on with it.
//! - `step` counts the changes of a row: a transaction that is sent twice happens once.
//! - `counts` says what was read and written up to `at`, by all runs. It moves in the transaction of the
//!   items, and so it is exact.
//!
//! Requests are not here: [`crate::ledger`] sends them.

pub(crate) use crate::turn::Turn;
use crate::values::text;
pub(crate) use crate::values::{number, whole};
use keyfold_client::ClientError;
use keyfold_codec::RawItem;
use keyfold_types::{Item, Value};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::iter::Sum;
use std::ops::Add;

/// The table of these rows, by default.
pub const LEDGER: &str = "keyfold_motion";

pub(crate) const PART: &str = "part";
pub(crate) const MOVE: &str = "move";
pub(crate) const FENCE: &str = "fence";
pub(crate) const STEP: &str = "step";
pub(crate) const AT: &str = "at";
pub(crate) const COUNTS: &str = "counts";
pub(crate) const SEGMENTS: &str = "segments";
pub(crate) const STREAM: &str = "stream";
pub(crate) const SOURCE: &str = "source";
pub(crate) const TARGET: &str = "target";
pub(crate) const SEEN: &str = "seen";
pub(crate) const PHASE: &str = "phase";
pub(crate) const PAUSED: &str = "paused";
pub(crate) const BACK: &str = "back";

/// The word for the phase of a move that is followed in both directions. An older version of this crate, which
/// does not look who leads, refuses a row with it.
const SWITCHED: &str = "switched";

/// How far a move is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Its segments are being copied.
    Copying,
    /// All are copied; what changes is followed.
    Following,
    /// It is being aborted: the target's table goes.
    Aborting,
    /// It is being completed: the target's table stays, and nothing writes to it any more.
    Completing,
}

impl Phase {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Phase::Copying => "copying",
            Phase::Following => "following",
            Phase::Aborting => "aborting",
            Phase::Completing => "completing",
        }
    }

    /// The phases from which a move comes to this one; itself where they are fewer.
    pub(crate) fn from(self) -> [Phase; 2] {
        match self {
            Phase::Copying => [Phase::Copying, Phase::Copying],
            Phase::Following | Phase::Aborting => [Phase::Copying, Phase::Following],
            Phase::Completing => [Phase::Following, Phase::Following],
        }
    }

    fn of(word: &str) -> Option<Phase> {
        if word == SWITCHED {
            return Some(Phase::Following);
        }
        let all = [
            Phase::Copying,
            Phase::Following,
            Phase::Aborting,
            Phase::Completing,
        ];
        all.into_iter().find(|phase| phase.word() == word)
    }
}

/// The row of a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    /// The number of the move.
    pub id: u64,
    /// The fence of the run that works on it.
    pub fence: u64,
    /// How many segments are copied at once.
    pub segments: u32,
    /// The stream whose changes are followed; `None` when writers are stopped meanwhile.
    pub stream: Option<String>,
    /// What distinguishes the source's table from another one of its name.
    pub source: String,
    /// The same of the target's table; `None` until the move has made it.
    pub target: Option<String>,
    /// When the changes were last known to be complete, milliseconds since 1970.
    pub seen_ms: i64,
    /// How far it is.
    pub phase: Phase,
    /// When it was paused, milliseconds since 1970; `None` as soon as a run goes on.
    pub paused_ms: Option<i64>,
    /// Which side programs write to.
    pub turn: Turn,
    /// Whether it is the row of the other direction of a move that began the other way round.
    pub is_back: bool,
}

impl RunRow {
    /// The word for its phase, as it is stored.
    pub(crate) fn phase_word(&self) -> &'static str {
        phase_word(self.phase, &self.turn)
    }

    /// Refuses the row of the other direction, where that of a move is wanted.
    ///
    /// # Errors
    /// `Refused`, with what to do.
    pub fn is_forth(&self, table: &str) -> Result<(), ClientError> {
        match self.is_back {
            false => Ok(()),
            true => Err(ClientError::refused(format!(
                "the move of {table} began the other way round, and nothing was changed: name its places in that \
                 order"
            ))),
        }
    }

    /// The words for the phases from which it comes to one.
    pub(crate) fn words_before(&self, phase: Phase) -> [&'static str; 2] {
        match self.turn.has_begun() {
            true => [SWITCHED; 2],
            false => phase.from().map(Phase::word),
        }
    }

    pub(crate) fn to_item(&self, part: &str) -> Item {
        let mut item = Item::from_iter([(PART, part)]);
        item.insert(MOVE, whole(self.id));
        item.insert(FENCE, whole(self.fence));
        item.insert(SEGMENTS, i64::from(self.segments));
        item.insert(SEEN, self.seen_ms);
        item.insert(PHASE, self.phase_word());
        item.insert(SOURCE, self.source.as_str());
        if let Some(target) = &self.target {
            item.insert(TARGET, target.as_str());
        }
        if let Some(stream) = &self.stream {
            item.insert(STREAM, stream.as_str());
        }
        if let Some(paused_ms) = self.paused_ms {
            item.insert(PAUSED, paused_ms);
        }
        if self.is_back {
            item.insert(BACK, true);
        }
        self.turn.add_to(&mut item);
        item
    }

    /// # Errors
    /// The name of an attribute that is absent or wrong.
    pub(crate) fn of_item(item: &Item) -> Result<RunRow, &'static str> {
        let segments = number(item, SEGMENTS).and_then(|count| u32::try_from(count).ok());
        let seen = number(item, SEEN).and_then(|ms| i64::try_from(ms).ok());
        Ok(RunRow {
            id: number(item, MOVE).ok_or(MOVE)?,
            fence: number(item, FENCE).ok_or(FENCE)?,
            segments: segments.ok_or(SEGMENTS)?,
            stream: text(item, STREAM).map(str::to_owned),
            source: text(item, SOURCE).ok_or(SOURCE)?.to_owned(),
            target: text(item, TARGET).map(str::to_owned),
            seen_ms: seen.ok_or(SEEN)?,
            phase: text(item, PHASE).and_then(Phase::of).ok_or(PHASE)?,
            paused_ms: number(item, PAUSED).and_then(|ms| i64::try_from(ms).ok()),
            turn: Turn::of_item(item)?,
            is_back: item.get(BACK) == Some(&Value::Bool(true)),
        })
    }
}

/// The word for a phase of a move, as it is stored.
pub(crate) fn phase_word(phase: Phase, turn: &Turn) -> &'static str {
    match (phase, turn.has_begun()) {
        (Phase::Following, true) => SWITCHED,
        (Phase::Copying | Phase::Following | Phase::Aborting | Phase::Completing, _) => {
            phase.word()
        }
    }
}

/// What was read and written up to a checkpoint, by all runs of the move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// The items of a segment, or the records of a shard, that were read.
    pub read: u64,
    /// The items of the target that were put.
    pub written: u64,
    /// The items of the target that were deleted.
    pub deleted: u64,
    /// The bytes of the items of a segment that were read.
    pub bytes: u64,
}

impl Add for Counts {
    type Output = Counts;

    fn add(self, other: Counts) -> Counts {
        Counts {
            read: self.read + other.read,
            written: self.written + other.written,
            deleted: self.deleted + other.deleted,
            bytes: self.bytes + other.bytes,
        }
    }
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Counts>>(all: I) -> Counts {
        all.fold(Counts::default(), Add::add)
    }
}

impl Counts {
    pub(crate) fn to_value(self) -> Value {
        let all = [
            ("read", self.read),
            ("written", self.written),
            ("deleted", self.deleted),
            ("bytes", self.bytes),
        ];
        let item = Item::from_iter(all.map(|(name, count)| (name, whole(count))));
        Value::M(item.as_map().clone())
    }

    pub(crate) fn of(value: &Value) -> Option<Counts> {
        let Value::M(all) = value else {
            return None;
        };
        let item = Item::from(all.clone());
        Some(Counts {
            read: number(&item, "read")?,
            written: number(&item, "written")?,
            deleted: number(&item, "deleted")?,
            bytes: number(&item, "bytes")?,
        })
    }
}

/// How far a segment or a shard is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Checkpoint {
    pub(crate) part: String,
    pub(crate) fence: u64,
    pub(crate) step: u64,
    pub(crate) at: Value,
    pub(crate) counts: Counts,
}

impl Checkpoint {
    /// The checkpoint behind this one.
    pub(crate) fn moved(&self, to: &Value, counts: Counts) -> Checkpoint {
        Checkpoint {
            step: self.step + 1,
            at: to.clone(),
            counts: self.counts + counts,
            ..self.clone()
        }
    }

    pub(crate) fn to_item(&self) -> Item {
        let mut item = Item::from_iter([(PART, self.part.as_str())]);
        item.insert(FENCE, whole(self.fence));
        item.insert(STEP, whole(self.step));
        item.insert(AT, self.at.clone());
        item.insert(COUNTS, self.counts.to_value());
        item
    }

    /// # Errors
    /// The name of an attribute that is absent or wrong.
    pub(crate) fn of_item(item: &Item) -> Result<Checkpoint, &'static str> {
        Ok(Checkpoint {
            part: text(item, PART).ok_or(PART)?.to_owned(),
            fence: number(item, FENCE).ok_or(FENCE)?,
            step: number(item, STEP).ok_or(STEP)?,
            at: item.get(AT).ok_or(AT)?.clone(),
            counts: item.get(COUNTS).and_then(Counts::of).ok_or(COUNTS)?,
        })
    }
}

/// How many of the segments of checkpoints are copied.
pub(crate) fn segments_done(rows: &[Checkpoint]) -> u32 {
    let done = rows
        .iter()
        .filter(|row| Mark::of(&row.at) == Some(Mark::Done));
    u32::try_from(done.count()).unwrap_or(u32::MAX)
}

/// How far a segment is copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Nothing is.
    Start,
    /// Up to the item with this key.
    After(Item),
    /// All of it.
    Done,
}

const START: &str = "start";
const DONE: &str = "done";

impl Mark {
    pub(crate) fn of(value: &Value) -> Option<Mark> {
        match value {
            Value::S(text) if text == START => Some(Mark::Start),
            Value::S(text) if text == DONE => Some(Mark::Done),
            Value::M(key) => Some(Mark::After(key.clone().into())),
            Value::S(_)
            | Value::N(_)
            | Value::B(_)
            | Value::Bool(_)
            | Value::Null
            | Value::L(_)
            | Value::Ss(_)
            | Value::Ns(_)
            | Value::Bs(_) => None,
        }
    }

    pub(crate) fn to_value(&self) -> Value {
        match self {
            Mark::Start => Value::from(START),
            Mark::After(key) => Value::M(key.as_map().clone()),
            Mark::Done => Value::from(DONE),
        }
    }
}

pub(crate) fn run_part(table: &str) -> String {
    format!("{table} run")
}

/// The table of the move whose row has a part. No name of a table has a space.
pub(crate) fn table_of_run(part: &str) -> Option<&str> {
    part.strip_suffix(" run")
        .filter(|table| !table.contains(' '))
}

/// What the parts of a move's segments begin with.
pub(crate) fn segment_prefix(table: &str) -> String {
    format!("{table} segment ")
}

pub(crate) fn segment_part(table: &str, segment: u32) -> String {
    format!("{}{segment:04}", segment_prefix(table))
}

/// What the parts begin with in which runs note what they have consumed.
pub(crate) fn spent_prefix(table: &str) -> String {
    format!("{table} spent ")
}

pub(crate) fn spent_part(table: &str, fence: u64) -> String {
    format!("{}{fence:016x}", spent_prefix(table))
}

/// The part of the sum of the checkpoints.
pub(crate) fn sum_part(table: &str) -> String {
    format!("{table} sum")
}

pub(crate) fn shard_part(table: &str, shard: &str) -> String {
    format!("{table} shard {shard}")
}

/// What the parts of a move's tombstones begin with.
pub(crate) fn gone_prefix(table: &str, id: u64) -> String {
    format!("{table} gone {id:016x} ")
}

/// The part of the tombstone of a key. The digest is one that nobody can aim at: a key that shared the
/// tombstone of another would not be copied.
pub(crate) fn gone_part(table: &str, id: u64, key: &Item) -> String {
    let mut part = gone_prefix(table, id);
    for byte in Sha256::digest(RawItem::encode(key).bytes()) {
        // Writing to a text cannot fail.
        write!(part, "{byte:02x}").ok();
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn::{Turning, Way};
    use crate::world::Place;

    #[test]
    fn rows_are_read_back() {
        let run = RunRow {
            id: u64::MAX,
            fence: 7,
            segments: 4,
            stream: Some("arn".to_owned()),
            source: "id of the source".to_owned(),
            target: Some("id of the target".to_owned()),
            seen_ms: 1_700_000_000_000,
            phase: Phase::Following,
            paused_ms: Some(1_700_000_000_001),
            turn: Turn {
                lead: Place::Target,
                turning: Some(Turning::Opening),
                turns: 3,
                way: Some(Way::Policies),
                has_both: true,
                owner: Some(6),
            },
            is_back: true,
        };
        assert_eq!(RunRow::of_item(&run.to_item("T run")), Ok(run));
        for mark in [
            Mark::Start,
            Mark::After(Item::from_iter([("PK", "a")])),
            Mark::Done,
        ] {
            assert_eq!(Mark::of(&mark.to_value()), Some(mark));
        }
        let row = Checkpoint {
            part: "T shard s".to_owned(),
            fence: 1,
            step: 2,
            at: Value::from("TRIM_HORIZON"),
            counts: Counts {
                read: 3,
                written: 1,
                deleted: 1,
                bytes: 7,
            },
        };
        assert_eq!(Checkpoint::of_item(&row.to_item()), Ok(row));
    }

    #[test]
    fn a_wrong_row_names_its_attribute() {
        let mut item = Item::from_iter([(PART, "T run")]);
        assert_eq!(RunRow::of_item(&item), Err(MOVE));
        item.insert(FENCE, "1");
        assert_eq!(Checkpoint::of_item(&item), Err(FENCE));
    }

    #[test]
    fn equal_keys_have_one_tombstone() {
        let key = |text: &str| Item::from_iter([("n", Value::n(text).unwrap())]);
        assert_eq!(gone_part("T", 7, &key("1")), gone_part("T", 7, &key("1.0")));
        assert_ne!(gone_part("T", 7, &key("1")), gone_part("T", 7, &key("10")));
        assert_ne!(gone_part("T", 7, &key("1")), gone_part("T", 8, &key("1")));
    }
}
