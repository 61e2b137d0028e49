//! Whether all records of before a moment are applied, however steadily programs write.
//!
//! When the moment is so long past that each record of before it has appeared, a shard is asked for an
//! iterator behind its newest record. The first record that this one yields is later than the moment: once
//! the run has applied that record, it has applied all of before the moment. No clock of a place is asked.

use crate::crew::Crew;
use crate::world::Place;
use keyfold_client::ClientError;
use keyfold_stream::{Position, ShardKey, newest, records};
use std::collections::BTreeMap;
use std::time::Duration;

/// A record of a shard that is later than the moment.
#[derive(Debug)]
enum Later {
    /// None has come behind this iterator.
    Awaited { iterator: String, asked: Duration },
    /// The one with this sequence number.
    Found(String),
}

/// The records that are later than a moment, by the parts of their shards.
#[derive(Debug, Default)]
pub(crate) struct Passing {
    goal: Option<Duration>,
    later: BTreeMap<String, Later>,
}

impl Passing {
    /// Begins anew where another moment is asked for.
    pub(crate) fn toward(&mut self, goal: Option<Duration>) {
        if self.goal != goal {
            self.goal = goal;
            self.later.clear();
        }
    }

    /// Whether a shard that is read up to a position has no record of before the moment left.
    pub(crate) fn has_passed(&self, part: &str, position: &Position) -> bool {
        match self.later.get(part) {
            Some(Later::Found(number)) => position.is_behind(number),
            Some(Later::Awaited { .. }) | None => false,
        }
    }

    /// Looks for a later record of a shard: one request at most. What fails is asked again at the next look;
    /// the reader of the shard meets what lasts.
    pub(crate) async fn look(&mut self, crew: &Crew, part: &str, key: &ShardKey) {
        let now = crew.world.now();
        let is_due = |goal| now >= goal + crew.options.settle_time;
        if !self.goal.is_some_and(is_due) {
            return;
        }
        let found = match self.later.get(part) {
            None => begun(crew, key, now).await,
            Some(Later::Awaited { asked, .. })
                if now.saturating_sub(*asked) < crew.options.poll_time =>
            {
                return;
            }
            Some(Later::Awaited { iterator, .. }) => first(crew, iterator.clone(), now).await,
            Some(Later::Found(_)) => return,
        };
        match found {
            Ok(Some(found)) => {
                self.later.insert(part.to_owned(), found);
            }
            // The shard has ended, or its iterator has: another one is later still.
            Ok(None) | Err(_) => {
                self.later.remove(part);
            }
        }
    }
}

async fn begun(crew: &Crew, key: &ShardKey, asked: Duration) -> Result<Option<Later>, ClientError> {
    let iterator = newest(&crew.at(Place::Source), key).await?;
    Ok(Some(Later::Awaited { iterator, asked }))
}

/// The first record behind an iterator, or the iterator to ask next; `None` at the end of the shard.
async fn first(
    crew: &Crew,
    iterator: String,
    asked: Duration,
) -> Result<Option<Later>, ClientError> {
    let page = records(&crew.at(Place::Source), iterator, 1).await?;
    let record = page.records.unwrap_or_default().into_iter().next();
    let number = record.and_then(|record| record.dynamodb?.sequence_number);
    Ok(match (number, page.next_shard_iterator) {
        (Some(number), _) => Some(Later::Found(number)),
        (None, Some(iterator)) => Some(Later::Awaited { iterator, asked }),
        (None, None) => None,
    })
}
