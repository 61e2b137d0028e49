//! Whole entities in batches: BatchWriteItem, 25 of them in a request. Each item is written as a whole;
//! the batch is not atomic. Only entities from which nothing follows are written so: a batch has no
//! condition, and no second item that must change with the first.

use super::invalid::{self, Sent};
use super::meeting::place_of;
use super::refusal::check_entity;
use crate::arguments::Values;
use crate::capacity;
use crate::complete::{Made, complete};
use crate::derive::{Place, derive};
use crate::error::{ClientError, Incomplete, unexpected};
use crate::lookup::{Spot, first_positions};
use crate::lowering::{Io, Lowering, Origin, Pause, together};
use crate::tables;
use keyfold_api::{BatchWriteItemInput, BatchWriteItemOutput, ErrorKind, Response, WriteRequest};
use keyfold_model::{Entity, Model};
use keyfold_types::limits::BATCH_WRITE_REQUESTS_MAX;
use keyfold_types::{CapacityHalves, Item};
use std::collections::{BTreeMap, BTreeSet};

/// The most requests for items that the backend leaves unprocessed.
const TRIES: u32 = 16;

/// The report of a batch that is written as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct ManyWritten {
    /// The number of requests.
    pub requests: u32,
    /// The capacity consumed.
    pub capacity: CapacityHalves,
    /// For each item, the attributes that were not given and have the present moment or a new
    /// identifier.
    pub made: Vec<Vec<Made>>,
}

/// Writes whole entities, whether they exist or not. Attributes that the model does not name go.
///
/// # Errors
/// The result has: `Invalid` for an entity from which something follows, and for two items with one
/// key; `Incomplete` with the items that were written, that were not, and of which that is not known.
pub fn put_many<'l>(
    origin: Origin,
    model: &'l Model,
    entity: &'l Entity,
    items: &'l [Values],
) -> Lowering<'l, ManyWritten> {
    Lowering::new(origin, move |io| async move {
        check_alone(model, entity, "put")?;
        let (mut places, mut made) = (Vec::new(), Vec::new());
        for (at, values) in items.iter().enumerate() {
            let mut own = Vec::new();
            let values = complete(&io, entity, values, &mut own);
            let derived = derive(model, entity, &values).map_err(|error| error.of_item(at))?;
            let main = derived.into_iter().next();
            let main =
                main.ok_or_else(|| ClientError::Unknown(format!("{} has no key", entity.name)))?;
            places.push(((main.table, main.key), WriteRequest::put(main.item)));
            made.push(own);
        }
        check_distinct(entity, &places)?;
        let batch = Batch {
            io: &io,
            model,
            entity,
            is_put: true,
        };
        batch.write(places, made).await
    })
}

/// Deletes entities by the attributes that identify them, whether they exist or not.
///
/// # Errors
/// The result has those of [`put_many`]. A key may be given twice.
pub fn delete_many<'l>(
    origin: Origin,
    model: &'l Model,
    entity: &'l Entity,
    keys: &'l [Values],
) -> Lowering<'l, ManyWritten> {
    Lowering::new(origin, move |io| async move {
        check_alone(model, entity, "delete")?;
        let mut places = Vec::new();
        for (at, key) in keys.iter().enumerate() {
            let place = Place::of(model, entity, key).map_err(|error| error.of_item(at))?;
            let request = WriteRequest {
                put: None,
                delete: Some(Some(Ok(place.key.clone()))),
            };
            places.push(((place.table_name, place.key), request));
        }
        let batch = Batch {
            io: &io,
            model,
            entity,
            is_put: false,
        };
        batch.write(places, vec![Vec::new(); keys.len()]).await
    })
}

/// Refuses an entity from which something follows.
fn check_alone(model: &Model, entity: &Entity, verb: &str) -> Result<(), ClientError> {
    check_entity(model, entity)?;
    let Some(reason) = model.follows_from(entity) else {
        return Ok(());
    };
    Err(ClientError::Invalid(format!(
        "{} cannot be written in a batch, where nothing follows and nothing is compared: {reason}; {verb} each, or up to 100 items in a transaction",
        entity.name
    )))
}

/// A table and a key in it.
type Keyed = (String, Item);

/// Refuses two items with one key: which of them would stay is not known.
fn check_distinct(entity: &Entity, places: &[(Keyed, WriteRequest)]) -> Result<(), ClientError> {
    let mut seen = BTreeMap::new();
    for (at, ((table, key), _)) in places.iter().enumerate() {
        if let Some(first) = seen.insert(Spot(table, key), at) {
            return Err(ClientError::Invalid(format!(
                "items {first} and {at} of the batch are the same {}; put it once",
                entity.name
            )));
        }
    }
    Ok(())
}

/// The entity that is written.
struct Batch<'b> {
    io: &'b Io,
    model: &'b Model,
    entity: &'b Entity,
    is_put: bool,
}

/// An item of a batch: the first of its positions, its key, and the request that writes it.
type One = (usize, Item, WriteRequest);

/// What became of a part of a batch.
#[derive(Default)]
struct Outcome {
    written: Vec<usize>,
    unwritten: Vec<usize>,
    unknown: Vec<usize>,
    error: Option<ClientError>,
    requests: u32,
    capacity: CapacityHalves,
}

impl Batch<'_> {
    /// Sends all requests. `places` are the items in their order.
    async fn write(
        &self,
        places: Vec<(Keyed, WriteRequest)>,
        made: Vec<Vec<Made>>,
    ) -> Result<ManyWritten, ClientError> {
        let keys: Vec<Keyed> = places.iter().map(|(place, _)| place.clone()).collect();
        let spots = || keys.iter().map(|(table, key)| Spot(table, key));
        let first = first_positions(spots());
        let first: Vec<usize> = spots().map_while(|one| first.get(&one).copied()).collect();
        // By table, since a table of a period may be absent. A key that is given twice is written once.
        let mut tables: Vec<(String, Vec<One>)> = Vec::new();
        for (at, (place, request)) in places.into_iter().enumerate() {
            if first.get(at) != Some(&at) {
                continue;
            }
            let (table, key) = place;
            match tables.iter_mut().find(|(known, _)| *known == table) {
                Some((_, known)) => known.push((at, key, request)),
                None => tables.push((table, vec![(at, key, request)])),
            }
        }
        let parts = tables.iter().flat_map(|(table, all)| {
            let batches = all.chunks(BATCH_WRITE_REQUESTS_MAX);
            batches.map(move |batch| self.send(table, batch.to_vec()))
        });
        let mut whole = Outcome::default();
        for part in together(parts).await {
            whole.requests += part.requests;
            whole.capacity += part.capacity;
            whole.written.extend(part.written);
            whole.unwritten.extend(part.unwritten);
            whole.unknown.extend(part.unknown);
            whole.error = whole.error.or(part.error);
        }
        self.report(whole, &first, made)
    }

    /// Sends one request, and what the backend leaves unprocessed again.
    async fn send(&self, table: &str, batch: Vec<One>) -> Outcome {
        let (mut left, mut outcome) = (batch, Outcome::default());
        let at = |left: &[One]| left.iter().map(|one| one.0).collect::<Vec<_>>();
        for tried in 0..TRIES {
            let answer = self.ask(table, &left, &mut outcome.requests).await;
            let output = match answer.and_then(|output| self.fitting(output, &left)) {
                Ok(output) => output,
                Err(error) => {
                    let is_unknown = matches!(error, ClientError::OutcomeUnknown { .. });
                    let of = if is_unknown {
                        &mut outcome.unknown
                    } else {
                        &mut outcome.unwritten
                    };
                    of.extend(at(&left));
                    let sent = left.iter().map(|one| self.sent(table, one));
                    outcome.error = Some(invalid::explained(error, sent));
                    return outcome;
                }
            };
            outcome.capacity += capacity::total(output.consumed_capacity.into_iter().flatten());
            let unprocessed: Vec<WriteRequest> = output
                .unprocessed_items
                .into_iter()
                .flat_map(|(_, requests)| requests)
                .collect();
            let is_left = |one: &One| unprocessed.iter().any(|request| is_of(request, &one.1));
            let (again, done): (Vec<One>, Vec<One>) = left.into_iter().partition(is_left);
            outcome.written.extend(at(&done));
            left = again;
            if left.is_empty() {
                return outcome;
            }
            self.io
                .pause(Pause {
                    least_ms: 1,
                    most_ms: 20 << tried.min(6),
                })
                .await;
        }
        outcome.unwritten.extend(at(&left));
        let message = "the backend left items unprocessed again and again; try again later";
        outcome.error = Some(ClientError::Transport(message.to_owned()));
        outcome
    }

    /// An answer that leaves nothing but what was sent. One that leaves other items says nothing of these.
    fn fitting(
        &self,
        output: BatchWriteItemOutput,
        sent: &[One],
    ) -> Result<BatchWriteItemOutput, ClientError> {
        let mut left = output
            .unprocessed_items
            .iter()
            .flat_map(|(_, requests)| requests);
        let is_sent = |request: &WriteRequest| {
            request.put.is_some() == self.is_put && sent.iter().any(|one| is_of(request, &one.1))
        };
        if left.all(is_sent) {
            return Ok(output);
        }
        Err(ClientError::OutcomeUnknown {
            why: "the answer leaves items that were not sent".to_owned(),
            check: "what the BatchWriteItem was to change".to_owned(),
        })
    }

    /// The change of an item, for an error of its request.
    fn sent(&self, table: &str, (_, key, request): &One) -> Sent {
        let put = request.put.iter().flatten();
        let bytes = put.flatten().map(Item::size_bytes).sum();
        let verb = if self.is_put { "put" } else { "delete" };
        let label = format!("{verb} {}", self.entity.name);
        Sent::new(&label, &place_of(table, key), bytes)
    }

    /// Asks one request. The table of a new period is created for the first item; a deletion finds
    /// nothing in a table that does not exist.
    async fn ask(
        &self,
        table: &str,
        left: &[One],
        requests: &mut u32,
    ) -> Result<BatchWriteItemOutput, ClientError> {
        let writes: Vec<WriteRequest> = left.iter().map(|one| one.2.clone()).collect();
        let input = BatchWriteItemInput {
            request_items: Some(vec![(table.to_owned(), writes)]),
            returns: capacity::requested(),
        };
        *requests += 1;
        let names = [table.to_owned()];
        let answer = match self.io.ask(input.clone().into()).await {
            Err(error) if error.kind() == Some(ErrorKind::ResourceNotFound) => {
                let declared = self.model.tables.get(self.entity.table);
                if !self.is_put && declared.is_some_and(|table| table.period.is_some()) {
                    return Ok(BatchWriteItemOutput::default());
                }
                if !tables::ensure_periods(self.io, self.model, &names).await? {
                    return Err(error);
                }
                *requests += 1;
                self.io.ask(input.into()).await
            }
            other => other,
        };
        let Response::BatchWriteItem(output) = answer? else {
            return Err(unexpected());
        };
        Ok(output)
    }

    /// The report of the whole batch. A key that was given again has the fate of the
    /// first: `first` are the positions of the first with each key.
    fn report(
        &self,
        whole: Outcome,
        first: &[usize],
        made: Vec<Vec<Made>>,
    ) -> Result<ManyWritten, ClientError> {
        let Some(error) = whole.error else {
            return Ok(ManyWritten {
                requests: whole.requests,
                capacity: whole.capacity,
                made,
            });
        };
        if whole.written.is_empty() && whole.unknown.is_empty() {
            return Err(error);
        }
        let all = |of: &[usize]| {
            let of: BTreeSet<&usize> = of.iter().collect();
            let all = first.iter().enumerate();
            let all = all.filter(|(_, first)| of.contains(first));
            all.map(|(at, _)| at).collect::<Vec<usize>>()
        };
        Err(ClientError::Incomplete(Incomplete {
            of: self.entity.name.clone(),
            written: all(&whole.written),
            unwritten: all(&whole.unwritten),
            unknown: all(&whole.unknown),
            why: error.to_string(),
        }))
    }
}

/// Whether a request writes the item with this key.
fn is_of(request: &WriteRequest, key: &Item) -> bool {
    let held = request.put.iter().chain(&request.delete).flatten();
    let mut held = held.filter_map(|held| held.as_ref().ok());
    held.any(|item| {
        let mut columns = key.iter();
        columns.all(|(name, value)| item.get(name) == Some(value))
    })
}
