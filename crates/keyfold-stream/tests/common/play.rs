//! A mapping with a clock that the test moves.

use super::{SOURCE, answer, make_tables, put_order};
use keyfold_api::{ErrorKind, Request, Response};
use keyfold_client::blocked;
use keyfold_engine::{Engine, EngineOptions, StoreOptions, StreamShards};
use keyfold_lower::ClientError;
use keyfold_stream::mapping::{
    Function, Invocation, Listener, Mapping, Reply, Settings, Shard, Step,
};
use keyfold_stream::world::{Boxed, Io, World};
use keyfold_stream::{Position, Record, ShardKey};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

pub(crate) type Answers = dyn Fn(&[String]) -> Reply + Send + Sync;

/// A table, a clock, and what the function and the listener have seen.
pub(crate) struct Play {
    pub(crate) engine: Engine,
    pub(crate) ms: AtomicU64,
    pub(crate) random: AtomicU64,
    pub(crate) events: Mutex<Vec<(u64, Json)>>,
    pub(crate) discarded: Mutex<Vec<Json>>,
    pub(crate) reports: Mutex<Vec<String>>,
    /// How often an iterator was refused because it was too old.
    pub(crate) expired: Mutex<u32>,
    /// The records that were read.
    pub(crate) read: AtomicU64,
    /// Whether the description of a table names no stream that is switched off.
    pub(crate) hides: AtomicBool,
    /// Whether no discarded batch can be stored.
    pub(crate) is_full: AtomicBool,
    pub(crate) answers: Box<Answers>,
}

impl Io for Play {
    fn ask(&self, request: Request) -> Boxed<'_, Result<Response, ClientError>> {
        Box::pin(async move {
            let mut answer = answer(&self.engine, request);
            if let Ok(Response::GetRecords(page)) = &answer {
                let count = page.records.as_ref().map_or(0, Vec::len);
                self.read.fetch_add(count as u64, Ordering::Relaxed);
            }
            if self.hides.load(Ordering::Relaxed) {
                hide(&mut answer);
            }
            if let Err(error) = &answer
                && error.kind() == Some(ErrorKind::ExpiredIterator)
            {
                *self.expired.lock().unwrap() += 1;
            }
            answer
        })
    }

    fn pause(&self, time: Duration) -> Boxed<'_, ()> {
        let ms = u64::try_from(time.as_millis()).unwrap();
        self.ms.fetch_add(ms, Ordering::Relaxed);
        Box::pin(async {})
    }

    fn random(&self) -> u64 {
        self.random.fetch_add(1, Ordering::Relaxed)
    }
}

impl World for Play {
    fn now(&self) -> Duration {
        Duration::from_millis(self.ms.load(Ordering::Relaxed))
    }

    fn epoch_ms(&self) -> i64 {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        i64::try_from((now.unwrap() + self.now()).as_millis()).unwrap()
    }

    fn spawn(&self, _: Boxed<'static, ()>) {
        unreachable!("the test steps the shards itself");
    }
}

impl Function for Play {
    fn invoke(&self, invocation: Invocation<'_>) -> Reply {
        let event: Json = serde_json::from_str(invocation.event).unwrap();
        let ids = ids(&event);
        let at = self.ms.load(Ordering::Relaxed);
        self.events.lock().unwrap().push((at, event));
        (self.answers)(&ids)
    }

    fn arn(&self) -> String {
        "arn:aws:lambda:us-east-1:000000000000:function:test".to_owned()
    }
}

impl Listener for Play {
    fn discarded(&self, record: &Json) -> Result<(), String> {
        if self.is_full.load(Ordering::Relaxed) {
            return Err("no space".to_owned());
        }
        self.discarded.lock().unwrap().push(record.clone());
        Ok(())
    }

    fn report(&self, what: &str) {
        self.reports.lock().unwrap().push(what.to_owned());
    }
}

/// Describes a table whose stream is switched off as one that never had a stream.
pub(crate) fn hide(answer: &mut Result<Response, ClientError>) {
    if let Ok(Response::DescribeTable(table)) = answer
        && table.stream_specification.is_none()
    {
        table.latest_stream_arn = None;
        table.latest_stream_label = None;
    }
}

/// The orders of an event.
pub(crate) fn ids(event: &Json) -> Vec<String> {
    let records = event["Records"].as_array().unwrap().iter();
    records
        .map(|one| {
            one["dynamodb"]["Keys"]["id"]["S"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect()
}

pub(crate) fn number(play: &Play, id: &str) -> String {
    let events = play.events.lock().unwrap();
    let records = events
        .iter()
        .flat_map(|(_, event)| event["Records"].as_array().unwrap());
    let record = records
        .into_iter()
        .find(|one| one["dynamodb"]["Keys"]["id"]["S"] == id);
    record.unwrap()["dynamodb"]["SequenceNumber"]
        .as_str()
        .unwrap()
        .to_owned()
}

pub(crate) struct Run {
    pub(crate) play: Arc<Play>,
    pub(crate) mapping: Mapping,
    pub(crate) shards: Vec<Shard>,
}

impl Run {
    /// A mapping with settings as the command line has them, over a table without records.
    pub(crate) fn new(
        settings: &str,
        answers: impl Fn(&[String]) -> Reply + Send + Sync + 'static,
    ) -> Run {
        Run::with(settings, StreamShards::default(), answers)
    }

    pub(crate) fn with(
        settings: &str,
        shards: StreamShards,
        answers: impl Fn(&[String]) -> Reply + Send + Sync + 'static,
    ) -> Run {
        let options = EngineOptions {
            shards,
            ..EngineOptions::new(StoreOptions::Memory)
        };
        Run::over(settings, options, answers)
    }

    pub(crate) fn over(
        settings: &str,
        options: EngineOptions,
        answers: impl Fn(&[String]) -> Reply + Send + Sync + 'static,
    ) -> Run {
        let engine = Engine::open(options).unwrap();
        make_tables(&engine);
        let play = Arc::new(Play {
            engine,
            ms: AtomicU64::new(0),
            random: AtomicU64::new(0),
            events: Mutex::default(),
            discarded: Mutex::default(),
            reports: Mutex::default(),
            expired: Mutex::default(),
            read: AtomicU64::new(0),
            hides: AtomicBool::new(false),
            is_full: AtomicBool::new(false),
            answers: Box::new(answers),
        });
        let mapping = mapping(&play, settings);
        Run {
            play,
            mapping,
            shards: Vec::new(),
        }
    }

    pub(crate) fn put(&self, ids: &[&str]) {
        for id in ids {
            put_order(&self.play.engine, id, "a", 1, 1);
        }
    }

    /// Lets the mapping work for some seconds of the play's clock.
    pub(crate) fn work(&mut self, seconds: u64) {
        let end = self.play.ms.load(Ordering::Relaxed) + seconds * 1_000;
        while self.play.ms.load(Ordering::Relaxed) < end {
            self.shards.extend(self.mapping.look().unwrap());
            let mut rest = Duration::from_millis(100);
            self.shards.retain_mut(|shard| match shard.step() {
                Step::Wait(time) => {
                    rest = rest.min(time);
                    true
                }
                Step::Ended => false,
            });
            drop(self.play.pause(rest.max(Duration::from_millis(1))));
        }
    }

    pub(crate) fn events(&self) -> Vec<Vec<String>> {
        let events = self.play.events.lock().unwrap();
        events.iter().map(|(_, event)| ids(event)).collect()
    }

    /// The versions of each order, as they came.
    pub(crate) fn handled(&self) -> BTreeMap<String, Vec<u64>> {
        let mut handled: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        let events = self.play.events.lock().unwrap();
        for (_, event) in events.iter() {
            for (id, record) in ids(event)
                .into_iter()
                .zip(event["Records"].as_array().unwrap())
            {
                let version = &record["dynamodb"]["NewImage"]["version"]["N"];
                let version = version.as_str().unwrap().parse().unwrap();
                handled.entry(id).or_default().push(version);
            }
        }
        handled
    }

    /// Asserts that the records of each shard came behind those of its parent. Returns how many shards with records had
    /// a parent with records.
    pub(crate) fn assert_behind_parents(&self) -> usize {
        let events = self.play.events.lock().unwrap();
        let records = events
            .iter()
            .flat_map(|(_, event)| event["Records"].as_array().unwrap());
        let came: Vec<&str> = records
            .map(|one| one["dynamodb"]["SequenceNumber"].as_str().unwrap())
            .collect();
        let io: &dyn Io = &*self.play;
        let table = blocked(keyfold_stream::described(io, SOURCE)).unwrap();
        let stream = table.unwrap().latest_stream_arn.unwrap();
        let shards = blocked(keyfold_stream::shards(io, &stream))
            .unwrap()
            .unwrap();
        // The places of the first and the last record of each shard among those that came.
        let mut places = BTreeMap::new();
        for shard in &shards {
            let of_shard = numbers(io, &shard.key);
            let of_shard = of_shard
                .iter()
                .map(|number| came.iter().position(|one| one == number).unwrap());
            let of_shard: Vec<usize> = of_shard.collect();
            if let (Some(first), Some(last)) = (of_shard.iter().min(), of_shard.iter().max()) {
                places.insert(shard.key.shard.as_str(), (*first, *last));
            }
        }
        let mut children = 0;
        for shard in &shards {
            let parent = shard.parent.as_deref().and_then(|one| places.get(one));
            let own = places.get(shard.key.shard.as_str());
            if let (Some((_, end)), Some((first, _))) = (parent, own) {
                assert!(end < first, "{shard:?}: {end} and {first}");
                children += 1;
            }
        }
        children
    }

    pub(crate) fn discarded(&self) -> Vec<Json> {
        self.play.discarded.lock().unwrap().clone()
    }
}

/// The sequence numbers of the records of a shard.
fn numbers(io: &dyn Io, key: &ShardKey) -> Vec<String> {
    let mut found = Vec::new();
    let mut next = Some(blocked(keyfold_stream::iterator(io, key, &Position::Horizon)).unwrap());
    while let Some(iterator) = next {
        let page = blocked(keyfold_stream::records(io, iterator, 1_000)).unwrap();
        let records = page.records.unwrap_or_default();
        let is_empty = records.is_empty();
        let numbers = records.into_iter().filter_map(Record::new);
        found.extend(numbers.map(|record| record.number().to_owned()));
        next = page.next_shard_iterator.filter(|_| !is_empty);
    }
    found
}

pub(crate) fn mapping(play: &Arc<Play>, settings: &str) -> Mapping {
    let text = format!("{SOURCE}=./handler?{settings}");
    Mapping::new(
        Arc::clone(play) as _,
        Settings::parse(&text).unwrap(),
        Arc::clone(play) as _,
        Arc::clone(play) as _,
    )
}
