//! The rows that an evolution keeps beside the tables, and the requests on them.
//!
//! | `part` | what it is | attributes |
//! |---|---|---|
//! | `M run` | the evolution of the model `M` | `fence`, `models`, `meaning`, `between`, `began`, `phase`, `announced`, `segments`, `paused` |
//! | `M 02 Table 0003` | how far the third phase is in a segment | `fence`, `at`, counts |
//! | `table:T` | which evolution a table takes part in ([`crate::claims`]) | `model` |
//!
//! `fence` grows with each run, and with a pause. A run changes a row only as long as it has its fence. What
//! a run that stood still writes to items meanwhile is no harm: each write holds only while everything that
//! it rests on is as it was read, and then it is what the run of today writes, too.

use crate::hands::{Hands, Stop};
use crate::wish::{Action, Does};
use keyfold_api::{
    DeleteItemInput, ErrorKind, ExpressionAttributes, GetItemInput, PutItemInput, Request,
    ScanInput, UpdateItemInput,
};
use keyfold_client::{ClientError, blocked};
use keyfold_model::value::time_of_epoch_ms;
use keyfold_model::{Precision, Type, format_without_comments};
use keyfold_motion::Patience;
use keyfold_stream::ensure_for_transactions;
use keyfold_types::{Item, Value};
use sha2::{Digest, Sha256};

pub(crate) const PART: &str = "part";

/// The row of an evolution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    pub(crate) fence: u64,
    /// What names both models.
    pub(crate) models: Models,
    /// The names and versions of both models, and when it began, milliseconds since 1970. Rows of earlier
    /// versions lack both.
    pub(crate) began: Option<(String, i64)>,
    /// The number of the phase that is carried out, from 0.
    pub phase: u32,
    /// Whether the phase is one of people, and a run has said so.
    pub is_announced: bool,
    pub(crate) segments: u32,
    /// When it was paused, milliseconds since 1970; `None` as soon as a run goes on.
    pub paused_ms: Option<i64>,
}

/// The counts of a segment, up to its checkpoint.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// The items that were read.
    pub read: u64,
    /// The entities that were written.
    pub changed: u64,
    /// The items that were put, updated or deleted.
    pub writes: u64,
}

/// How far a segment is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Checkpoint {
    pub(crate) part: String,
    pub(crate) after: Option<Item>,
    pub(crate) is_done: bool,
    pub(crate) counts: Counts,
}

/// What names a pair of models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Models {
    /// A digest of their texts.
    texts: String,
    /// One of their texts without comments and layout. Rows of earlier versions lack it.
    meaning: Option<String>,
}

impl Models {
    /// Whether both are the same models: their texts differ in comments and layout at most. The texts
    /// themselves count, too, since another version of Keyfold may lay them out in another way.
    pub(crate) fn are(&self, other: &Models) -> bool {
        self.texts == other.texts || (self.meaning.is_some() && self.meaning == other.meaning)
    }
}

/// What names a pair of models, of their texts.
pub fn models_digest(old: &str, new: &str) -> Models {
    let [old_bare, new_bare] = [old, new].map(format_without_comments);
    Models {
        texts: digests([old, new]),
        meaning: Some(digests([&old_bare, &new_bare])),
    }
}

fn digests(texts: [&str; 2]) -> String {
    let mut text = String::new();
    for one in texts {
        for byte in Sha256::digest(one.as_bytes()).iter().take(12) {
            text.push_str(&format!("{byte:02x}"));
        }
    }
    text
}

pub(crate) fn text(item: &Item, name: &str) -> Option<String> {
    match item.get(name) {
        Some(Value::S(text)) => Some(text.clone()),
        _ => None,
    }
}

fn number(item: &Item, name: &str) -> Option<u64> {
    match item.get(name) {
        Some(Value::N(number)) => number.to_string().parse().ok(),
        _ => None,
    }
}

fn whole(number: u64) -> Value {
    Value::N(number.into())
}

pub(crate) fn key(part: &str) -> Item {
    Item::from_iter([(PART, part)])
}

impl RunRow {
    pub(crate) fn to_item(&self, part: &str) -> Item {
        let mut item = key(part);
        item.insert("fence", whole(self.fence));
        item.insert("models", self.models.texts.as_str());
        if let Some(meaning) = &self.models.meaning {
            item.insert("meaning", meaning.as_str());
        }
        if let Some((between, began_ms)) = &self.began {
            item.insert("between", between.as_str());
            item.insert("began", *began_ms);
        }
        item.insert("phase", whole(self.phase.into()));
        item.insert("announced", Value::Bool(self.is_announced));
        item.insert("segments", whole(self.segments.into()));
        if let Some(paused_ms) = self.paused_ms {
            item.insert("paused", paused_ms);
        }
        item
    }

    /// Between which versions it is, and since when, for a sentence; nothing in a row of an earlier version.
    pub(crate) fn between(&self) -> String {
        let Some((between, began_ms)) = &self.began else {
            return String::new();
        };
        match time_of_epoch_ms(&Type::Time(Precision::Seconds), *began_ms) {
            Some(Value::S(time)) => format!(", between {between}, since {time}"),
            _ => format!(", between {between}"),
        }
    }

    pub(crate) fn of(item: &Item) -> Option<RunRow> {
        let began_ms = number(item, "began").and_then(|ms| i64::try_from(ms).ok());
        Some(RunRow {
            fence: number(item, "fence")?,
            models: Models {
                texts: text(item, "models")?,
                meaning: text(item, "meaning"),
            },
            began: text(item, "between").zip(began_ms),
            phase: u32::try_from(number(item, "phase")?).ok()?,
            is_announced: item.get("announced") == Some(&Value::Bool(true)),
            segments: u32::try_from(number(item, "segments")?).ok()?,
            paused_ms: number(item, "paused").and_then(|ms| i64::try_from(ms).ok()),
        })
    }
}

impl Checkpoint {
    fn to_item(&self, fence: u64) -> Item {
        let mut item = key(&self.part);
        item.insert("fence", whole(fence));
        item.insert("read", whole(self.counts.read));
        item.insert("changed", whole(self.counts.changed));
        item.insert("writes", whole(self.counts.writes));
        item.insert("done", Value::Bool(self.is_done));
        if let Some(after) = &self.after {
            item.insert("at", Value::M(after.as_map().clone()));
        }
        item
    }

    fn of(item: &Item) -> Option<Checkpoint> {
        let Some(Value::S(part)) = item.get(PART) else {
            return None;
        };
        Some(Checkpoint {
            part: part.clone(),
            after: match item.get("at") {
                Some(Value::M(key)) => Some(key.clone().into()),
                _ => None,
            },
            is_done: item.get("done") == Some(&Value::Bool(true)),
            counts: Counts {
                read: number(item, "read")?,
                changed: number(item, "changed")?,
                writes: number(item, "writes")?,
            },
        })
    }
}

/// The part of the row of a model's evolution.
pub(crate) fn run_part(model: &str) -> String {
    format!("{model} run")
}

/// The rows of the evolution of a model.
pub(crate) struct Rows<'h, 'w> {
    pub(crate) hands: &'h Hands<'w>,
    /// The name of the model.
    pub(crate) model: String,
}

impl Rows<'_, '_> {
    fn table(&self) -> &str {
        &self.hands.options.rows
    }

    fn run_part(&self) -> String {
        run_part(&self.model)
    }

    /// Creates the table of rows if it is absent.
    pub(crate) fn ensure(&self) -> Result<(), ClientError> {
        let mut patience = Patience::new();
        loop {
            match blocked(ensure_for_transactions(self.hands, self.table(), &[PART])) {
                Ok(()) => return Ok(()),
                Err(error) => {
                    let pause = patience.after(&error, self.hands.world.random());
                    self.hands.world.pause(pause.ok_or(error)?);
                }
            }
        }
    }

    pub(crate) fn get(&self, part: &str) -> Result<Option<Item>, Stop> {
        let input = GetItemInput {
            table_name: Some(self.table().to_owned()),
            key: Some(Ok(key(part))),
            consistent_read: Some(true),
            ..GetItemInput::default()
        };
        match self.hands.ask(input) {
            Ok(output) => Ok(output.item.map(|item| item.to_item())),
            Err(Stop::Failed(error)) if error.kind() == Some(ErrorKind::ResourceNotFound) => {
                Ok(None)
            }
            Err(stop) => Err(stop),
        }
    }

    /// The row of the evolution.
    pub(crate) fn run(&self) -> Result<Option<RunRow>, Stop> {
        let Some(item) = self.get(&self.run_part())? else {
            return Ok(None);
        };
        let row = RunRow::of(&item).ok_or_else(|| self.foreign())?;
        Ok(Some(row))
    }

    fn foreign(&self) -> ClientError {
        ClientError::refused(format!(
            "the table {} has a row of {} that is none of an evolution, or of another version",
            self.table(),
            self.model
        ))
    }

    /// Sends a conditional write until it is known whether it holds. `is_there` says, after an answer that
    /// was lost, whether it has happened.
    fn write(
        &self,
        request: impl Fn() -> Request,
        is_there: impl Fn() -> Result<bool, Stop>,
    ) -> Result<bool, Stop> {
        let mut patience = Patience::new();
        loop {
            let error = match self.hands.once(request()) {
                Ok(_) => return Ok(true),
                Err(error) if error.kind() == Some(ErrorKind::ConditionalCheckFailed) => {
                    return is_there();
                }
                Err(error) => error,
            };
            let Some(pause) = patience.after(&error, self.hands.world.random()) else {
                return Err(Stop::Failed(error));
            };
            self.hands.world.pause(pause);
        }
    }

    /// Changes the row of the evolution, if it is as it was seen.
    pub(crate) fn change(&self, seen: &RunRow, row: &RunRow) -> Result<bool, Stop> {
        let part = self.run_part();
        let put = || {
            let attributes = ExpressionAttributes::default()
                .name("#fence", "fence")
                .name("#phase", "phase")
                .value(":fence", whole(seen.fence))
                .value(":phase", whole(seen.phase.into()));
            PutItemInput {
                table_name: Some(self.table().to_owned()),
                item: Some(Ok(row.to_item(&part))),
                condition_expression: Some("#fence = :fence AND #phase = :phase".to_owned()),
                expression_attributes: attributes,
                ..PutItemInput::default()
            }
            .into()
        };
        self.write(put, || Ok(self.run()?.as_ref() == Some(row)))
    }

    /// Whether a run has the evolution still.
    pub(crate) fn check_mine(&self, row: &RunRow) -> Result<(), Stop> {
        match self.run()? {
            Some(now) if now.fence == row.fence => Ok(()),
            Some(_) | None => Err(Stop::Lost),
        }
    }

    /// The part of a segment.
    pub(crate) fn part(&self, phase: u32, table: &str, segment: u32) -> String {
        format!("{} {phase:02} {table} {segment:04}", self.model)
    }

    /// Takes the row of a segment, and makes it where it is absent.
    pub(crate) fn take(&self, fence: u64, part: &str) -> Result<Checkpoint, Stop> {
        let update = || {
            let attributes = ExpressionAttributes::default()
                .name("#fence", "fence")
                .name("#part", PART)
                .value(":fence", whole(fence));
            UpdateItemInput {
                table_name: Some(self.table().to_owned()),
                key: Some(Ok(key(part))),
                update_expression: Some("SET #fence = :fence".to_owned()),
                condition_expression: Some(
                    "attribute_exists(#part) AND #fence <= :fence".to_owned(),
                ),
                expression_attributes: attributes,
                ..UpdateItemInput::default()
            }
            .into()
        };
        if self.write(update, || Ok(false))? {
            let item = self.get(part)?.ok_or(Stop::Lost)?;
            return Checkpoint::of(&item).ok_or_else(|| Stop::Failed(self.foreign()));
        }
        if self.get(part)?.is_some() {
            return Err(Stop::Lost);
        }
        let row = Checkpoint {
            part: part.to_owned(),
            after: None,
            is_done: false,
            counts: Counts::default(),
        };
        if !self.put_segment(fence, &row, "attribute_not_exists(#part)")? {
            return Err(Stop::Lost);
        }
        // The rows of an evolution that others have ended meanwhile do not come back.
        match self.run()? {
            Some(now) if now.fence == fence => Ok(row),
            Some(_) | None => {
                self.delete(part)?;
                Err(Stop::Lost)
            }
        }
    }

    /// Saves how far a segment is, if the run has it still.
    pub(crate) fn save(&self, fence: u64, row: &Checkpoint) -> Result<bool, Stop> {
        self.put_segment(fence, row, "attribute_exists(#part) AND #fence = :fence")
    }

    fn put_segment(&self, fence: u64, row: &Checkpoint, condition: &str) -> Result<bool, Stop> {
        let put = || {
            let mut attributes = ExpressionAttributes::default().name("#part", PART);
            // A name that no expression has is refused.
            if condition.contains("#fence") {
                attributes = attributes
                    .name("#fence", "fence")
                    .value(":fence", whole(fence));
            }
            PutItemInput {
                table_name: Some(self.table().to_owned()),
                item: Some(Ok(row.to_item(fence))),
                condition_expression: Some(condition.to_owned()),
                expression_attributes: attributes,
                ..PutItemInput::default()
            }
            .into()
        };
        // An answer may have been lost: then the row is as it was to be.
        self.write(put, || Ok(self.get(&row.part)? == Some(row.to_item(fence))))
    }

    /// A check that a run still has a segment.
    pub(crate) fn guard(&self, fence: u64, part: &str) -> Action {
        let mut before = key(part);
        before.insert("fence", whole(fence));
        Action {
            table: self.table().to_owned(),
            key: key(part),
            before: Some(before),
            absent: Vec::new(),
            does: Does::Check,
        }
    }

    /// All rows of segments.
    pub(crate) fn checkpoints(&self) -> Result<Vec<Checkpoint>, Stop> {
        let prefix = format!("{} ", self.model);
        let is_own = |item: &Item| text(item, PART).is_some_and(|part| part.starts_with(&prefix));
        let all = self.all()?;
        let own = all.iter().filter(|item| is_own(item));
        Ok(own.filter_map(Checkpoint::of).collect())
    }

    /// The rows of all evolutions.
    fn all(&self) -> Result<Vec<Item>, Stop> {
        let (mut all, mut after) = (Vec::new(), None);
        loop {
            let input = ScanInput {
                table_name: Some(self.table().to_owned()),
                consistent_read: Some(true),
                exclusive_start_key: after.take().map(Ok),
                ..ScanInput::default()
            };
            let page = self.hands.ask(input)?;
            let items = page.items.unwrap_or_default();
            all.extend(items.iter().map(|item| item.to_item()));
            after = page.last_evaluated_key;
            if after.is_none() {
                return Ok(all);
            }
        }
    }

    /// Deletes all rows of the evolution, its own row last.
    pub(crate) fn forget(&self) -> Result<(), Stop> {
        for row in self.checkpoints()? {
            self.delete(&row.part)?;
        }
        self.release(&self.all()?)?;
        self.delete(&self.run_part())
    }

    fn delete(&self, part: &str) -> Result<(), Stop> {
        let input = DeleteItemInput {
            table_name: Some(self.table().to_owned()),
            key: Some(Ok(key(part))),
            ..DeleteItemInput::default()
        };
        self.hands.ask(input).map(|_| ())
    }
}
