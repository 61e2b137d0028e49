//! How a run sends requests: measured, below its rate, and again where an error passes.

use crate::options::Options;
use crate::progress::Progress;
use crate::wish::{Found, key_of, place};
use crate::world::World;
use keyfold_api::{
    BatchGetItemInput, ErrorKind, Input, KeysAndAttributes, Request, Response, ScanInput,
};
use keyfold_client::ClientError;
use keyfold_lower::{Lowering, Step};
use keyfold_model::Table;
use keyfold_motion::{Pace, Patience, Units, Whereabouts, located, measured, units};
use keyfold_stream::world::{Boxed, Io};
use keyfold_types::{CapacityHalves, Item};
use std::collections::BTreeMap;
use std::time::Duration;

/// Why a task ends before its work is done.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The caller wants it.
    Asked,
    /// Another run has the evolution, or it was paused.
    Lost,
    /// It cannot go on.
    Failed(ClientError),
}

impl From<ClientError> for Stop {
    fn from(error: ClientError) -> Stop {
        Stop::Failed(error)
    }
}

/// The most keys of a BatchGetItem.
const KEYS_MAX: usize = 100;

/// The surroundings with what all tasks of a run share.
pub(crate) struct Hands<'w> {
    pub(crate) world: &'w dyn World,
    pub(crate) options: &'w Options,
    pub(crate) progress: &'w Progress,
    reads: Pace,
    writes: Pace,
}

/// A page of a scan.
pub(crate) struct Page {
    pub(crate) items: Vec<Item>,
    pub(crate) last: Option<Item>,
}

impl<'w> Hands<'w> {
    pub(crate) fn new(
        world: &'w dyn World,
        options: &'w Options,
        progress: &'w Progress,
    ) -> Hands<'w> {
        Hands {
            world,
            options,
            progress,
            reads: Pace::new(options.rate),
            writes: Pace::new(options.rate),
        }
    }

    pub(crate) fn check(&self) -> Result<(), Stop> {
        match self.progress.is_stopping() {
            true => Err(Stop::Asked),
            false => Ok(()),
        }
    }

    /// Sends a request once.
    pub(crate) fn once(&self, mut request: Request) -> Result<Response, ClientError> {
        let kind = measured(&mut request);
        self.progress.asked();
        let operation = request.operation();
        let answer = self.world.ask(request);
        if let (Some(kind), Ok(response)) = (kind, &answer) {
            let used = units(kind, response);
            self.progress.used(used);
            self.wait(used);
        }
        answer.map_err(|error| self.said(error, operation.name()))
    }

    /// The error of a request, with the place, and how to go on.
    pub(crate) fn said(&self, error: ClientError, request: &str) -> ClientError {
        let of = Whereabouts {
            place: &format!("the place {}", self.world.name()),
            rights: "docs/evolve.md lists the rights of an evolution",
            request,
        };
        located(error, of)
    }

    fn wait(&self, used: Units) {
        let now = self.world.now();
        let time = self
            .reads
            .after(now, CapacityHalves(used.read_halves))
            .max(self.writes.after(now, CapacityHalves(used.write_halves)));
        // What waits longer than the units are worth waits for those of others.
        if (used.read_halves > 0 || used.write_halves > 0) && !time.is_zero() {
            self.world.pause(time);
        }
    }

    /// Sends a request until it is answered with something that no pause changes.
    pub(crate) fn ask<I: Input + Into<Request> + Clone>(
        &self,
        input: I,
    ) -> Result<I::Output, Stop> {
        let mut patience = Patience::new();
        loop {
            self.check()?;
            match self.once(input.clone().into()) {
                Ok(response) => {
                    return I::output(response).ok_or_else(|| {
                        let why = "the endpoint answered with the answer of another operation";
                        Stop::Failed(ClientError::Transport(why.to_owned()))
                    });
                }
                Err(error) => self.wait_out(&mut patience, error)?,
            }
        }
    }

    /// Waits after an error that may pass.
    pub(crate) fn wait_out(&self, patience: &mut Patience, error: ClientError) -> Result<(), Stop> {
        let Some(pause) = patience.after(&error, self.world.random()) else {
            return Err(Stop::Failed(error));
        };
        self.check()?;
        self.world.pause(pause);
        Ok(())
    }

    /// Carries out the steps of a call of a model.
    pub(crate) fn carry<T>(&self, mut call: Lowering<'_, T>) -> Result<T, ClientError> {
        let mut answers = Vec::new();
        loop {
            match call.next(std::mem::take(&mut answers)) {
                Step::Ask(requests) => {
                    for request in requests {
                        answers.push(self.patient(request));
                    }
                }
                Step::Pause(pause) => self.world.pause(Duration::from_millis(pause.least_ms)),
                Step::Done(result) => return result,
            }
        }
    }

    fn patient(&self, request: Request) -> Result<Response, ClientError> {
        let mut patience = Patience::new();
        loop {
            match self.once(request.clone()) {
                Err(error @ ClientError::OutcomeUnknown { .. }) => return Err(error),
                Err(error) => match self.wait_out(&mut patience, error) {
                    Ok(()) => {}
                    Err(Stop::Failed(error)) => return Err(error),
                    Err(Stop::Asked | Stop::Lost) => {
                        return Err(ClientError::refused("the run was stopped".to_owned()));
                    }
                },
                Ok(answer) => return Ok(answer),
            }
        }
    }

    /// Reads the page of a segment behind a key.
    pub(crate) fn page(
        &self,
        table: &str,
        (segment, of): (u32, u32),
        after: Option<Item>,
    ) -> Result<Page, Stop> {
        let input = ScanInput {
            table_name: Some(table.to_owned()),
            limit: self.options.page.map(i64::from),
            consistent_read: Some(true),
            segment: (of > 1).then_some(i64::from(segment)),
            total_segments: (of > 1).then_some(i64::from(of)),
            exclusive_start_key: after.map(Ok),
            ..ScanInput::default()
        };
        let page = self.ask(input)?;
        let items = page.items.unwrap_or_default();
        Ok(Page {
            items: items.iter().map(|item| item.to_item()).collect(),
            last: page.last_evaluated_key,
        })
    }

    /// Reads items by their keys, as they are now. Tables that are not there have none.
    pub(crate) fn get(
        &self,
        keys: Vec<(String, Item)>,
        table_of: &dyn Fn(&str) -> Option<&'w Table>,
    ) -> Result<Found, Stop> {
        let mut found = Found::new();
        let mut left: BTreeMap<String, BTreeMap<Vec<u8>, Item>> = BTreeMap::new();
        for (table, key) in keys {
            let (table, bytes) = place(&table, &key);
            left.entry(table).or_default().insert(bytes, key);
        }
        for (table, keys) in left {
            let Some(own) = table_of(&table) else {
                continue;
            };
            for item in self.get_of(&table, keys.into_values().collect())? {
                found.insert(place(&table, &key_of(own, &item)), item);
            }
        }
        Ok(found)
    }

    /// Reads items of one table.
    fn get_of(&self, table: &str, mut left: Vec<Item>) -> Result<Vec<Item>, Stop> {
        let mut found = Vec::new();
        while !left.is_empty() {
            let some = left.drain(..left.len().min(KEYS_MAX));
            let keys = KeysAndAttributes {
                keys: Some(some.map(Ok).collect()),
                consistent_read: Some(true),
                ..KeysAndAttributes::default()
            };
            let input = BatchGetItemInput {
                request_items: Some(vec![(table.to_owned(), keys)]),
                ..BatchGetItemInput::default()
            };
            let output = match self.ask(input) {
                Ok(output) => output,
                Err(Stop::Failed(error)) if error.kind() == Some(ErrorKind::ResourceNotFound) => {
                    return Ok(found);
                }
                Err(stop) => return Err(stop),
            };
            let items = output.responses.iter().flat_map(|(_, items)| items);
            found.extend(items.map(|item| item.to_item()));
            for (_, keys) in output.unprocessed_keys {
                left.extend(keys.keys.unwrap_or_default().into_iter().flatten());
            }
        }
        Ok(found)
    }
}

impl Io for Hands<'_> {
    fn ask(&self, request: Request) -> Boxed<'_, Result<Response, ClientError>> {
        Box::pin(async move { self.once(request) })
    }

    fn pause(&self, time: Duration) -> Boxed<'_, ()> {
        Box::pin(async move { self.world.pause(time) })
    }

    fn random(&self) -> u64 {
        self.world.random()
    }
}
