//! Measures evolutions of a big table in a data folder: how many items a second are read and written, and how
//! long the writes of others take meanwhile. `EVOLVE_ITEMS` is the number of items, a million if it is not
//! said, and `EVOLVE_SEGMENTS` that of segments. At the end stands a table: each goal, what was measured, and whether
//! it is met.
//!
//! `cargo test --release -p keyfold-evolve --test speed -- --ignored --nocapture`
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a measurement"
)]

mod common;

use common::model;
use keyfold_api::BatchWriteItemInput;
use keyfold_client::{Backend, arguments, derive, tables, write};
use keyfold_engine::{Durability, Engine, EngineOptions, StoreOptions};
use keyfold_evolve::world::Place;
use keyfold_evolve::{Course, Ended, Evolving, Options, Progress, Said, models_digest};
use keyfold_model::Model;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const OLD: &str = r#"
model shop 1
table Shop (PK, SK) type kind

entity User
  userId: string, name: string, town: string, note: string
  key "USER#{userId}" "PROFILE"

entity Order
  userId: User.userId, orderId: int, total: int
  key "USER#{userId}" "ORDER#{orderId:04}"

pattern user(userId) -> User?
pattern orders(userId) -> Order[]
"#;

/// Orders of each user.
const ORDERS: usize = 4;

/// Each change, as the text of the new model: one write in place, two items for one, a move, a count.
fn changes() -> Vec<(&'static str, String)> {
    let key = "  key \"USER#{userId}\" \"PROFILE\"";
    vec![
        (
            "an attribute renamed",
            OLD.replace("total: int", "amount: int was total"),
        ),
        (
            "copies added",
            OLD.replace(
                key,
                &format!("{key}\n  copy card \"CARD#{{userId}}\" \"CARD\" only userId, name"),
            ),
        ),
        ("keys changed", OLD.replace("ORDER#{orderId", "O#{orderId")),
        (
            "a count added",
            OLD.replace(key, &format!("{key}\n  count orders of Order")),
        ),
    ]
}

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

fn put_all(backend: &Backend, model: &Model, users: usize) {
    let mut batch = Vec::new();
    let mut add = |entity: &str, given: Vec<(&str, String)>, is_last: bool| {
        let entity = model.entity(entity).unwrap();
        let given = given
            .into_iter()
            .map(|(name, text)| (name.to_owned(), text));
        let values = arguments::of_entity(entity, &given.collect()).unwrap();
        for one in derive::derive(model, entity, &values).unwrap() {
            batch.push(keyfold_api::WriteRequest {
                put: Some(Some(Ok(one.item))),
                delete: None,
            });
        }
        if batch.len() == 25 || is_last {
            let input = BatchWriteItemInput {
                request_items: Some(vec![("Shop".to_owned(), std::mem::take(&mut batch))]),
                ..BatchWriteItemInput::default()
            };
            backend.call(input.into()).unwrap();
        }
    };
    for user in 0..users {
        let id = format!("u{user}");
        let note = "n".repeat(100);
        let given = vec![
            ("userId", id.clone()),
            ("name", "Ada".to_owned()),
            ("town", "Ulm".to_owned()),
            ("note", note),
        ];
        add("User", given, false);
        for order in 0..ORDERS {
            let is_last = user + 1 == users && order + 1 == ORDERS;
            let given = vec![
                ("userId", id.clone()),
                ("orderId", order.to_string()),
                ("total", "7".to_owned()),
            ];
            add("Order", given, is_last);
        }
    }
}

/// The time that 99 of 100 writes do not exceed, of a writer that writes until it is to stop.
fn written(backend: &Backend, model: &Model, stops: &AtomicBool) -> Duration {
    let entity = model.entity("User").unwrap();
    let mut times = Vec::new();
    while !stops.load(Ordering::SeqCst) || times.len() < 100 {
        let id = format!("other{}", times.len());
        let mut given = common::Row::new();
        for (name, text) in [
            ("userId", &*id),
            ("name", "Eve"),
            ("town", "Bonn"),
            ("note", "n"),
        ] {
            given.insert(name.to_owned(), text.to_owned());
        }
        let values = arguments::of_entity(entity, &given).unwrap();
        let began = Instant::now();
        write::put(backend, model, entity, &values).unwrap();
        times.push(began.elapsed());
        std::thread::sleep(Duration::from_millis(2));
    }
    times.sort();
    times[times.len() * 99 / 100]
}

/// The items that are to be written in a second.
const ITEMS_A_SECOND: f64 = 10_000.0;
/// How many times as long as alone the writes of others may take.
const TIMES_AS_LONG: f64 = 2.0;

/// What a run has taken, of those that wrote something.
struct Measured {
    change: &'static str,
    phase: String,
    items_a_second: f64,
    /// The time that 99 of 100 writes of others do not exceed, alone and beside the run, where they may write.
    others: Option<(Duration, Duration)>,
}

impl Measured {
    /// Its lines of the table: goal, measured, met.
    fn lines(&self) -> Vec<String> {
        let Measured { change, phase, .. } = self;
        let met = |is_met: bool| if is_met { "yes" } else { "no" };
        let ms = |time: Duration| time.as_secs_f64() * 1000.0;
        let found = self.items_a_second;
        let mut all = vec![format!(
            "| {change}, {phase}: items written a second | at least {ITEMS_A_SECOND} | {found:.0} | {} |",
            met(found >= ITEMS_A_SECOND)
        )];
        if let Some((alone, beside)) = self.others {
            let most = ms(alone) * TIMES_AS_LONG;
            all.push(format!(
                "| {change}, {phase}: p99 of a writer beside it, ms | less than {most:.2}, twice as alone | {:.2} | {} |",
                ms(beside),
                met(ms(beside) < most)
            ));
        }
        all
    }
}

/// Carries a change out on a big table in a data folder.
fn measured(change: &'static str, old: &Model, text: &str, items: usize) -> Vec<Measured> {
    let new = model(text);
    let folder = tempfile::tempdir().unwrap();
    let store = StoreOptions::folder(folder.path().to_owned(), Durability::Synced);
    let engine = Engine::open(EngineOptions::new(store)).unwrap();
    let backend = Arc::new(Backend::Embedded(Arc::new(engine)));
    tables::ensure(&backend, old).unwrap();
    put_all(&backend, old, items / (ORDERS + 1));
    let alone = written(&backend, old, &AtomicBool::new(true));
    let options = Options {
        segments: u32::try_from(number("EVOLVE_SEGMENTS", 16)).unwrap(),
        ..Options::default()
    };
    let (world, progress) = (
        Place::new(Arc::clone(&backend), "memory"),
        Progress::default(),
    );
    let course = Course::of(old, &new);
    let models = models_digest(OLD, text);
    let evolving = Evolving::new(&course, models, (&world, &options, &progress));
    let (mut said, mut all) = (Said::default(), Vec::<Measured>::new());
    loop {
        let phase = evolving.status().unwrap().run.map_or(0, |run| run.phase);
        let at = usize::try_from(phase).unwrap() + usize::from(said.done.is_some());
        let runs = course.phases().get(at).map(|phase| phase.runs);
        let stops = AtomicBool::new(false);
        let began = Instant::now();
        let (ended, beside) = std::thread::scope(|scope| {
            let writer = runs
                .filter(|runs| runs.new_writers)
                .map(|_| scope.spawn(|| written(&backend, &new, &stops)));
            let ended = evolving.run(&said).unwrap();
            stops.store(true, Ordering::SeqCst);
            (ended, writer.map(|writer| writer.join().unwrap()))
        });
        let (took, figures) = (began.elapsed(), progress.figures());
        println!(
            "{change}: {:.1} s, {} read and {} written in {}; p99 of others {beside:?}, alone {alone:?}",
            took.as_secs_f64(),
            figures.items,
            figures.writes,
            figures.phase,
        );
        // A dry run counts what it would write; a run that writes no items has the counters of the one before.
        let is_known = all.iter().any(|one| one.phase == figures.phase);
        if figures.writes > 0 && figures.phase != "dry run" && !is_known {
            all.push(Measured {
                change,
                phase: figures.phase,
                items_a_second: figures.writes as f64 / took.as_secs_f64(),
                others: beside.map(|beside| (alone, beside)),
            });
        }
        let Ended::Gate(_, word) = ended else {
            assert_eq!(ended, Ended::Ready, "{change}");
            return all;
        };
        said.done = Some(word);
    }
}

#[test]
#[ignore = "a measurement, which takes minutes"]
fn a_million_items() {
    let items = number("EVOLVE_ITEMS", 1_000_000);
    let old = model(OLD);
    let mut lines = Vec::new();
    for (change, text) in changes() {
        let all = measured(change, &old, &text, items);
        lines.extend(all.iter().flat_map(Measured::lines));
    }
    println!("\n| {items} items | goal | measured | met |\n|---|---|---|---|");
    lines.iter().for_each(|line| println!("{line}"));
}
