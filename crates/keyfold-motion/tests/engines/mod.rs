//! Two engines in memory as the places of a move, and faults that a test chooses.
#![allow(dead_code, reason = "each test uses a part of it")]

pub(crate) mod sides;

use keyfold_api::{
    AttributeDefinition, BillingMode, CreateTableInput, DeleteTableInput, DescribeTableInput,
    KeySchemaElement, KeyType, Named, PutItemInput, Request, Response, ScalarAttributeType,
    ScanInput, StreamSpecification, StreamViewType, TableDescription, UpdateTableInput,
};
use keyfold_client::{Backend, ClientError, blocked};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_motion::tables::{self, Followable, Found};
use keyfold_motion::world::{Place, World};
use keyfold_motion::{Ended, MOVING_AGENT, Options, PROBING_AGENT, Progress, carry_on};
use keyfold_stream::world::Boxed;
use keyfold_types::Item;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

pub(crate) const TABLE: &str = "Notes";

/// What becomes of a request, as a test decides it.
pub(crate) enum Fate {
    /// It is carried out.
    Done,
    /// It does not arrive.
    NotSent,
    /// It is carried out, and its answer is lost.
    Lost,
    /// The task that sends it panics.
    Panics,
    /// This is the answer.
    Answer(Box<Result<Response, ClientError>>),
}

type Decides = Box<dyn FnMut(Place, &Request) -> Fate + Send>;

/// The surroundings of a move.
pub(crate) struct Engines {
    itself: Weak<Engines>,
    pub(crate) places: [Arc<Backend>; 2],
    began: Instant,
    decides: Mutex<Decides>,
}

pub(crate) fn engine() -> Arc<Backend> {
    let options = EngineOptions {
        background: false,
        agent: MOVING_AGENT.to_owned(),
        ..EngineOptions::new(StoreOptions::Memory)
    };
    Arc::new(Backend::Embedded(Arc::new(Engine::open(options).unwrap())))
}

impl Engines {
    pub(crate) fn new(source: Arc<Backend>, target: Arc<Backend>) -> Arc<Engines> {
        Arc::new_cyclic(|itself| Engines {
            itself: Weak::clone(itself),
            places: [source, target],
            began: Instant::now(),
            decides: Mutex::new(Box::new(|_, _| Fate::Done)),
        })
    }

    /// Decides from now on what becomes of requests.
    pub(crate) fn decide(&self, decides: impl FnMut(Place, &Request) -> Fate + Send + 'static) {
        *self.decides.lock().unwrap() = Box::new(decides);
    }

    pub(crate) fn of(&self, place: Place) -> &Backend {
        match place {
            Place::Source => &self.places[0],
            Place::Target => &self.places[1],
        }
    }

    /// Begins the move of the table, or goes on with what is missing of it.
    pub(crate) fn prepare(&self, options: &Options) -> Result<Found, ClientError> {
        let found = blocked(tables::look(self, TABLE))?;
        let stream = match found.followable() {
            Followable::Yes(stream) => Some(stream),
            Followable::NoStream | Followable::NoImages => None,
        };
        blocked(keyfold_motion::prepare(self, options, &found, stream))?;
        Ok(found)
    }

    /// Carries the move on to its end.
    pub(crate) fn carry(
        &self,
        options: &Options,
        progress: &Arc<Progress>,
    ) -> Result<Ended, ClientError> {
        let found = self.prepare(options)?;
        self.carry_prepared(found, options, progress)
    }

    /// Carries a move on that was begun.
    pub(crate) fn carry_prepared(
        &self,
        found: Found,
        options: &Options,
        progress: &Arc<Progress>,
    ) -> Result<Ended, ClientError> {
        let stream = match found.followable() {
            Followable::Yes(stream) => Some(stream),
            Followable::NoStream | Followable::NoImages => None,
        };
        let world: Arc<dyn World> = self.itself.upgrade().unwrap();
        let of = (found.schema, stream);
        blocked(carry_on(world, options.clone(), of, Arc::clone(progress)))
    }
}

impl World for Engines {
    fn ask(&self, place: Place, request: Request) -> Boxed<'_, Result<Response, ClientError>> {
        let fate = (self.decides.lock().unwrap())(place, &request);
        let answer = match fate {
            Fate::Done => self.of(place).call(request),
            Fate::NotSent => Err(ClientError::Transport("it was not sent".to_owned())),
            Fate::Lost => {
                self.of(place).call(request).ok();
                Err(ClientError::OutcomeUnknown {
                    why: "its answer was lost".to_owned(),
                    check: String::new(),
                })
            }
            Fate::Panics => panic!("a fault of the program"),
            Fate::Answer(answer) => *answer,
        };
        Box::pin(std::future::ready(answer))
    }

    fn ask_as_program(
        &self,
        place: Place,
        request: Request,
    ) -> Boxed<'_, Result<Response, ClientError>> {
        let answer = self.of(place).call_as(PROBING_AGENT, request);
        Box::pin(std::future::ready(answer))
    }

    fn pause(&self, time: Duration) -> Boxed<'_, ()> {
        std::thread::sleep(time.min(Duration::from_millis(2)));
        Box::pin(std::future::ready(()))
    }

    fn random(&self) -> u64 {
        fastrand::u64(..)
    }

    /// A minute passes in six hundredths of a second.
    fn now(&self) -> Duration {
        self.began.elapsed() * 1_000
    }

    fn epoch_ms(&self) -> i64 {
        1_700_000_000_000
    }

    fn spawn(&self, task: Boxed<'static, ()>) {
        std::thread::spawn(move || blocked(task));
    }
}

/// Makes the table, with a stream of new and old images where it is wanted.
pub(crate) fn make_table(backend: &Backend, has_stream: bool) {
    let input = CreateTableInput {
        table_name: Some(TABLE.to_owned()),
        attribute_definitions: Some(vec![AttributeDefinition {
            attribute_name: Some("id".to_owned()),
            attribute_type: Some(Named::Known(ScalarAttributeType::S)),
        }]),
        key_schema: Some(vec![KeySchemaElement {
            attribute_name: Some("id".to_owned()),
            key_type: Some(Named::Known(KeyType::Hash)),
        }]),
        billing_mode: Some(Named::Known(BillingMode::PayPerRequest)),
        stream_specification: has_stream.then_some(StreamSpecification {
            stream_enabled: Some(true),
            stream_view_type: Some(Named::Known(StreamViewType::NewAndOldImages)),
        }),
        ..CreateTableInput::default()
    };
    backend.call(input.into()).unwrap();
}

pub(crate) fn delete_table(backend: &Backend) {
    let input = DeleteTableInput {
        table_name: Some(TABLE.to_owned()),
    };
    backend.call(input.into()).unwrap();
}

pub(crate) fn has_table(backend: &Backend, table: &str) -> bool {
    let input = DescribeTableInput {
        table_name: Some(table.to_owned()),
    };
    backend.call(input.into()).is_ok()
}

pub(crate) fn description(backend: &Backend) -> TableDescription {
    let input = DescribeTableInput {
        table_name: Some(TABLE.to_owned()),
    };
    match backend.call(input.into()).unwrap() {
        Response::DescribeTable(found) => found,
        other => panic!("{other:?}"),
    }
}

/// Switches the stream of the table on or off.
pub(crate) fn switch_stream(backend: &Backend, is_on: bool) {
    let input = UpdateTableInput {
        table_name: Some(TABLE.to_owned()),
        stream_specification: Some(StreamSpecification {
            stream_enabled: Some(is_on),
            stream_view_type: is_on.then_some(Named::Known(StreamViewType::NewAndOldImages)),
        }),
        ..UpdateTableInput::default()
    };
    backend.call(input.into()).unwrap();
}

pub(crate) fn put(backend: &Backend, number: u64, text: &str) {
    let item = Item::from_iter([("id", format!("n{number}")), ("text", text.to_owned())]);
    let input = PutItemInput {
        table_name: Some(TABLE.to_owned()),
        item: Some(Ok(item)),
        ..PutItemInput::default()
    };
    backend.call(input.into()).unwrap();
}

/// The number of items of a table.
pub(crate) fn count(backend: &Backend, table: &str) -> usize {
    let (mut count, mut after) = (0, None);
    loop {
        let input = ScanInput {
            table_name: Some(table.to_owned()),
            exclusive_start_key: after.map(Ok),
            ..ScanInput::default()
        };
        let Response::Scan(page) = backend.call(input.into()).unwrap() else {
            panic!("no page");
        };
        count += page.items.unwrap_or_default().len();
        after = page.last_evaluated_key;
        if after.is_none() {
            return count;
        }
    }
}
