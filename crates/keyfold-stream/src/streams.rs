//! The streams that a table has had since a consumer of it began: one each time that its stream was
//! switched on.
//!
//! They follow one another, and so do the changes of an item. So the records of a stream are handled
//! when all those of the streams before it are. A table shows its latest stream only; those that came
//! and went between two looks at it are found in the list of streams, where they are for a day.

use crate::topology::{Shard, listed};
use crate::world::Io;
use keyfold_lower::ClientError;
use std::collections::BTreeMap;

/// The streams of a consumer that are there, by ARN.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    /// Their shards, as they were listed when all of them had leases; `None` before.
    all: BTreeMap<String, Option<Vec<Shard>>>,
    /// The latest stream before which none is to be found any more.
    complete: Option<String>,
}

impl Streams {
    pub(crate) fn add(&mut self, stream: &str) {
        self.all.entry(stream.to_owned()).or_default();
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.all.keys().cloned().collect()
    }

    /// Takes note of the shards of a stream, all of which have leases, or had them.
    pub(crate) fn leased(&mut self, stream: &str, shards: Vec<Shard>) {
        self.all.insert(stream.to_owned(), Some(shards));
    }

    /// A stream is gone.
    pub(crate) fn remove(&mut self, stream: &str) {
        self.all.remove(stream);
    }

    /// Adds the latest stream of a table, and those that it had before, from the first one on that the
    /// consumer has begun.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn find<'b>(
        &mut self,
        io: &dyn Io,
        (table, latest): (&str, &str),
        begun: impl Iterator<Item = &'b String>,
    ) -> Result<(), ClientError> {
        self.add(latest);
        let of_table = |stream: &&String| place(stream).0 == place(latest).0;
        let Some(first) = begun.filter(of_table).min() else {
            return Ok(());
        };
        if self.complete.as_deref() == Some(latest) {
            return Ok(());
        }
        for stream in listed(io, table).await? {
            if is_before(first, &stream) {
                self.add(&stream);
            }
        }
        self.complete = Some(latest.to_owned());
        Ok(())
    }

    /// The streams that are there, and their shards, if these have leases.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Option<&[Shard]>)> {
        let all = self.all.iter();
        all.map(|(stream, shards)| (stream.as_str(), shards.as_deref()))
    }
}

/// The name of the table of a stream's ARN.
pub fn table_of(stream: &str) -> &str {
    let behind = stream
        .split_once(":table/")
        .map_or(stream, |(_, name)| name);
    behind.split_once('/').map_or(behind, |(name, _)| name)
}

/// The last of streams before another one of the same table.
pub(crate) fn last_before<'s>(
    streams: impl Iterator<Item = &'s String>,
    stream: &str,
) -> Option<&'s String> {
    streams.filter(|one| is_before(one, stream)).max()
}

/// Whether one stream was there before another one of the same table.
pub(crate) fn is_before(one: &str, other: &str) -> bool {
    let ((of_one, one), (of_other, other)) = (place(one), place(other));
    of_one == of_other && one < other
}

/// The table of a stream's ARN, and its label: the moment at which it was switched on, as ISO 8601 has it.
fn place(stream: &str) -> (&str, &str) {
    stream.rsplit_once('/').unwrap_or((stream, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_a_table_have_the_order_of_their_labels() {
        let [old, new, other] = [
            "T/stream/2026-01-02",
            "T/stream/2026-01-03",
            "S/stream/2026",
        ]
        .map(|end| format!("arn:aws:dynamodb:us-east-1:000000000000:table/{end}"));
        assert!(is_before(&old, &new));
        for (one, other) in [(&new, &old), (&old, &old), (&other, &old), (&old, &other)] {
            assert!(!is_before(one, other), "{one} {other}");
        }
    }
}
