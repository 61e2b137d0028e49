//! Where a consumer begins that wants no record from before its first start.
//!
//! LATEST is another place whenever an iterator is asked for. A consumer that had it as its position
//! would pass over what is written while it does not read: between two iterators, two processes, two
//! workers. So the place is looked for once, stored before the consumer has begun, and is the number of a
//! record.
//!
//! No request returns the number of a shard's last record. It is found in two ways at the same time: by an
//! iterator of LATEST, which returns the first record that is written from now on (soon, where much is
//! written), and by reading the shard from its oldest record to its end. Whichever finds a record first
//! decides: either was written before the consumer began.

use crate::handler::is_passing;
use crate::lease::{Began, Beginning, Row, ShardKey};
use crate::lease_table::LeaseTable;
use crate::pages::{EMPTY_PAGES, Pages};
use crate::position::Position;
use crate::records::TROUBLE_PAUSE;
use crate::start::Start;
use crate::topology::{Shard, shards, stream_of};
use crate::world::Io;
use keyfold_lower::ClientError;
use std::time::Duration;

/// The pause after a round in which no shard had a record: so 100 empty pages of a shard take a second at
/// least. While another shard has records, there is no pause.
const IDLE_PAUSE: Duration = Duration::from_millis(10);
/// The requests that may fail in a row.
const TROUBLES_MAX: u32 = 20;
/// The looks at a stream that is not found: one that was just switched on is found a moment later.
const LOOKS_MAX: u32 = 10;

/// Stores where a consumer begins a table's stream, unless it has begun one.
///
/// # Errors
/// The backend's; `Refused` when the table has no stream.
pub(crate) async fn ensure(
    io: &dyn Io,
    leases: &LeaseTable,
    table: &str,
) -> Result<(), ClientError> {
    let rows = leases.all(io).await?;
    if rows.iter().any(|row| matches!(row, Row::Stream(_))) {
        return Ok(());
    }
    let mut looks = 0;
    loop {
        let stream = stream_of(io, table).await?;
        looks += 1;
        match shards(io, &stream).await? {
            // It is gone with its records. The one that follows it is read from its beginning.
            None if looks < LOOKS_MAX => io.pause(TROUBLE_PAUSE).await,
            listed => {
                return begin(io, leases, Start::Latest, (&stream, listed.as_deref())).await;
            }
        }
    }
}

/// Stores where a consumer begins a stream with these shards, unless another worker has done so, or has begun
/// another stream with the latest records. Of a stream that is gone, which has none, it wants no record.
///
/// # Errors
/// The backend's.
pub(crate) async fn begin(
    io: &dyn Io,
    leases: &LeaseTable,
    start: Start,
    (stream, listed): (&str, Option<&[Shard]>),
) -> Result<(), ClientError> {
    let began = match start {
        Start::Latest => places(io, listed.unwrap_or_default()).await?,
        Start::Oldest => Began::new(),
    };
    let beginning = Beginning {
        stream: stream.to_owned(),
        start,
        began,
        is_unleased: listed.is_some(),
    };
    leases.begin(io, &beginning).await.map(|_| ())
}

/// For each shard, the place behind which the records lie that are written from now on.
async fn places(io: &dyn Io, listed: &[Shard]) -> Result<Began, ClientError> {
    let mut began = Began::new();
    let mut searches = Vec::new();
    for shard in listed {
        let name = shard.key.shard.clone();
        match shard.is_open {
            true => searches.push((name, Search::of(&shard.key))),
            false => drop(began.insert(name, Position::End)),
        }
    }
    let mut troubles = 0;
    while !searches.is_empty() {
        let mut pause = IDLE_PAUSE;
        for (_, search) in &mut searches {
            match search.step(io).await {
                Ok(has_records) => {
                    troubles = 0;
                    if has_records {
                        pause = Duration::ZERO;
                    }
                }
                Err(error) if is_passing(&error) && troubles < TROUBLES_MAX => {
                    troubles += 1;
                    io.pause(TROUBLE_PAUSE).await;
                }
                Err(error) => return Err(error),
            }
        }
        let is_found = |(_, search): &mut (String, Search)| search.found.is_some();
        let found = searches.extract_if(.., is_found);
        began.extend(found.filter_map(|(name, search)| Some((name, search.found?))));
        if !searches.is_empty() && !pause.is_zero() {
            io.pause(pause).await;
        }
    }
    Ok(began)
}

/// The search for the place of one shard.
struct Search {
    /// From its oldest record on.
    oldest: Pages,
    newest: Pages,
    has_begun: bool,
    empty: u32,
    found: Option<Position>,
}

impl Search {
    fn of(key: &ShardKey) -> Search {
        Search {
            oldest: Pages::oldest(key),
            newest: Pages::newest(key),
            has_begun: false,
            empty: 0,
            found: None,
        }
    }

    /// Reads two pages. Returns whether the shard had a record.
    async fn step(&mut self, io: &dyn Io) -> Result<bool, ClientError> {
        if !self.has_begun {
            self.newest.begin(io).await?;
            self.oldest.begin(io).await?;
            self.has_begun = true;
        }
        let is_written = self.newest.next(io).await?.records > 0;
        if is_written {
            self.found = Some(self.newest.read.clone());
            return Ok(true);
        }
        let has_records = self.oldest.next(io).await?.records > 0;
        self.empty = match has_records {
            true => 0,
            false => self.empty + 1,
        };
        if self.newest.next.is_none() || self.oldest.next.is_none() {
            self.found = Some(Position::End);
        } else if self.empty >= EMPTY_PAGES {
            self.found = Some(self.oldest.read.clone());
        }
        Ok(has_records)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::Boxed;
    use keyfold_api::{
        ErrorKind, GetRecordsOutput, GetShardIteratorOutput, Named, Request, Response,
        ShardIteratorType, StreamEvent, StreamRecord,
    };
    use std::sync::atomic::{AtomicU32, Ordering};

    /// A shard with one record, which is trimmed when it was read.
    struct Trimmed(AtomicU32);

    impl Trimmed {
        fn answer(&self, request: &Request) -> Result<Response, ClientError> {
            let kind = ErrorKind::TrimmedDataAccess;
            let trimmed = || ClientError::Service {
                kind: Some(kind),
                exception: kind.exception().to_owned(),
                message: String::new(),
                reasons: Vec::new(),
                found: Vec::new(),
            };
            if let Request::GetShardIterator(input) = request {
                let name = match input.shard_iterator_type {
                    Some(Named::Known(ShardIteratorType::Latest)) => "newest",
                    Some(Named::Known(ShardIteratorType::TrimHorizon)) => "oldest",
                    _ => return Err(trimmed()),
                };
                return Ok(Response::GetShardIterator(GetShardIteratorOutput {
                    shard_iterator: Some(name.to_owned()),
                }));
            }
            let Request::GetRecords(input) = request else {
                panic!("another request");
            };
            let at = input.shard_iterator.clone().expect("an iterator");
            let page = |records, next: &str| {
                Ok(Response::GetRecords(GetRecordsOutput {
                    records: Some(records),
                    next_shard_iterator: Some(next.to_owned()),
                }))
            };
            match at.as_str() {
                "oldest" if self.0.fetch_add(1, Ordering::SeqCst) == 0 => {
                    let record = StreamRecord {
                        sequence_number: Some("5".to_owned()),
                        ..StreamRecord::default()
                    };
                    let event = StreamEvent {
                        dynamodb: Some(record),
                        ..StreamEvent::default()
                    };
                    page(vec![event], "behind it")
                }
                "behind it" => Err(trimmed()),
                _ => page(Vec::new(), &at),
            }
        }
    }

    impl Io for Trimmed {
        fn ask(&self, request: Request) -> Boxed<'_, Result<Response, ClientError>> {
            Box::pin(std::future::ready(self.answer(&request)))
        }

        fn pause(&self, _: Duration) -> Boxed<'_, ()> {
            Box::pin(std::future::ready(()))
        }

        fn random(&self) -> u64 {
            0
        }
    }

    /// A place at a record that is gone would be a gap as soon as it is read.
    #[test]
    fn a_shard_that_is_trimmed_during_the_search_has_no_place_at_a_record_that_is_gone() {
        let key = ShardKey {
            stream: "arn".to_owned(),
            shard: "shardId-1".to_owned(),
        };
        let shard = Shard {
            key,
            parent: None,
            is_open: true,
        };
        let io = Trimmed(AtomicU32::new(0));
        let found = keyfold_client::blocked(places(&io, &[shard])).expect("places");
        assert_eq!(
            found,
            Began::from([("shardId-1".to_owned(), Position::Horizon)])
        );
        assert!(io.0.load(Ordering::SeqCst) > 1, "it was trimmed");
    }
}
