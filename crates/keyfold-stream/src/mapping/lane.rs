//! The batches of a shard, or of its part that a lane handles: which comes next, and what follows from
//! its outcome. No requests are made here.

use crate::mapping::part::{Answer, Condition, Entry, Outcome, Part};
use crate::mapping::settings::Settings;
use std::collections::VecDeque;
use std::time::Duration;

/// The most bytes of an event.
pub(crate) const EVENT_MAX: usize = 6 * 1024 * 1024;
/// The bytes of an event around its records.
const AROUND: usize = 14;
/// The pause before the first retry, which doubles.
const PAUSE: Duration = Duration::from_millis(100);
const PAUSE_MAX: Duration = Duration::from_secs(10);

/// A batch that is given up.
#[derive(Debug, PartialEq)]
pub(crate) struct Discarded {
    pub(crate) part: Part,
    pub(crate) condition: Condition,
}

/// What followed from an outcome.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Settled {
    /// The records that need no further handling.
    pub(crate) finished: Vec<Entry>,
    pub(crate) discarded: Option<Discarded>,
}

/// The bytes of a record in an event, with what stands between two.
fn size(entry: &Entry) -> usize {
    entry.json.len() + 1
}

/// Batches that are handled one after another.
#[derive(Debug, Default)]
pub(crate) struct Lane {
    waiting: VecDeque<Entry>,
    /// Their bytes in an event.
    bytes: usize,
    /// The moment since which the first of them waits.
    since: Duration,
    /// The parts of the batch under way, the next one last.
    parts: Vec<Part>,
    /// The next try is not before.
    not_before: Duration,
}

impl Lane {
    pub(crate) fn add(&mut self, entry: Entry, now: Duration) {
        if self.waiting.is_empty() {
            self.since = now;
        }
        self.bytes += size(&entry);
        self.waiting.push_back(entry);
    }

    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// The bytes of the waiting records in an event.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether the next batch has all its records: more of them need not wait.
    pub(crate) fn is_full(&self, settings: &Settings) -> bool {
        self.waiting.len() >= settings.batch || self.bytes >= EVENT_MAX
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.parts.is_empty()
    }

    /// Makes a batch of the waiting records when it is full, or has waited long enough.
    pub(crate) fn form(&mut self, settings: &Settings, now: Duration, is_end: bool) {
        if !self.parts.is_empty() || self.waiting.is_empty() {
            return;
        }
        let (mut count, mut bytes) = (0, AROUND);
        for entry in self.waiting.iter().take(settings.batch) {
            bytes += size(entry);
            if bytes > EVENT_MAX && count > 0 {
                break;
            }
            count += 1;
        }
        let is_full = count == settings.batch || count < self.waiting.len();
        let waited = now.saturating_sub(self.since);
        if is_full || is_end || waited >= settings.window {
            let entries: Vec<Entry> = self.waiting.drain(..count).collect();
            self.bytes -= entries.iter().map(size).sum::<usize>();
            self.since = now;
            self.not_before = Duration::ZERO;
            self.parts.push(Part {
                entries,
                ..Part::default()
            });
        }
    }

    /// Gives up the records at the beginning that are too old.
    pub(crate) fn expire(&mut self, settings: &Settings, now_ms: i64) -> Option<Discarded> {
        let most = settings.max_age?.as_millis();
        let part = self.parts.last_mut()?;
        let now_ms = u64::try_from(now_ms).unwrap_or_default();
        let is_old = |entry: &&Entry| u128::from(now_ms.saturating_sub(entry.written_ms)) > most;
        let count = part.entries.iter().take_while(is_old).count();
        if count == 0 {
            return None;
        }
        let rest = part.entries.split_off(count);
        let old = part.clone();
        part.entries = rest;
        self.drop_empty();
        Some(Discarded {
            part: old,
            condition: Condition::RecordAgeExceeded,
        })
    }

    /// The batch that is handled now.
    pub(crate) fn next(&mut self, now: Duration) -> Option<&mut Part> {
        let is_time = self.not_before <= now;
        self.parts.last_mut().filter(|_| is_time)
    }

    /// The moment at which there may be something to do.
    pub(crate) fn due(&self, settings: &Settings) -> Option<Duration> {
        match (self.parts.is_empty(), self.waiting.is_empty()) {
            (false, _) => Some(self.not_before),
            (true, false) => Some(self.since + settings.window),
            (true, true) => None,
        }
    }

    /// Decides what follows from the outcome of the batch that was handled.
    pub(crate) fn settle(
        &mut self,
        settings: &Settings,
        outcome: &Outcome,
        now: Duration,
    ) -> Settled {
        let Some(mut part) = self.parts.pop() else {
            return Settled::default();
        };
        let mut finished = Vec::new();
        match outcome {
            Outcome::All => {
                self.not_before = Duration::ZERO;
                return Settled {
                    finished: part.entries,
                    discarded: None,
                };
            }
            Outcome::UpTo(at) => {
                let rest = part.entries.split_off((*at).min(part.entries.len()));
                finished = std::mem::replace(&mut part.entries, rest);
                part.answer = Some(Answer::Returned);
                if settings.bisect {
                    // Dividing a batch uses up no retry.
                    self.parts.push(part);
                    self.drop_empty();
                    return Settled {
                        finished,
                        discarded: None,
                    };
                }
                part.failures += 1;
            }
            Outcome::Failed(answer, _) => {
                part.answer = Some(*answer);
                if settings.bisect && part.entries.len() > 1 {
                    self.divide(part);
                    return Settled::default();
                }
                part.failures += 1;
            }
            Outcome::Unreachable(_) => {}
        }
        if settings.retries.is_some_and(|most| part.failures > most) {
            let condition = Condition::RetryAttemptsExhausted;
            self.not_before = Duration::ZERO;
            return Settled {
                finished,
                discarded: Some(Discarded { part, condition }),
            };
        }
        let pause = PAUSE * 2_u32.saturating_pow(part.pauses.min(16));
        part.pauses += 1;
        self.not_before = now + pause.min(PAUSE_MAX);
        self.parts.push(part);
        Settled {
            finished,
            discarded: None,
        }
    }

    fn divide(&mut self, mut first: Part) {
        let entries = first.entries.split_off(first.entries.len().div_ceil(2));
        self.parts.push(Part {
            entries,
            ..first.clone()
        });
        self.parts.push(first);
    }

    fn drop_empty(&mut self) {
        self.parts.retain(|part| !part.entries.is_empty());
    }
}
